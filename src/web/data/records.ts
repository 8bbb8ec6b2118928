import type { ReadonlySignal } from '@preact/signals'
import { client } from './current.ts'
import type { FieldState } from './lanes.ts'
import { quiet } from './quiet.ts'
import type { Deletion } from './record-store.ts'
import type { Fields, Kind, RecordOf } from './types.ts'

export type { FieldState } from './lanes.ts'
export type { Deletion } from './record-store.ts'
export type { Kind, Rec, RecordOf } from './types.ts'

// What screens do with records. Changes are shown at once; docs/developing/screens.md says what becomes of them.

/** With my pending changes. `undefined`: not loaded, `null`: deleted. */
export const record = <K extends Kind>(kind: K, id: string) =>
  client().store.entry(kind, id).view as unknown as ReadonlySignal<RecordOf<K> | null | undefined>

/** Whether only some fields of the record are known, such as those of the board: then `load` brings the others. */
export const isPartial = (kind: Kind, id: string): boolean => client().store.find(kind, id)?.isPartial ?? false

/** Who deleted the record, and the event by which it can be restored. */
export const deletion = (kind: Kind, id: string): ReadonlySignal<Deletion | undefined> =>
  client().store.entry(kind, id).deletion

/** Returns the whole record, from the server if it is missing or only partly known. Throws ApiProblem and NoAnswer. */
export const load = <K extends Kind>(kind: K, id: string): Promise<RecordOf<K>> => client().load(kind, id)

/**
 * Resolves when the server has confirmed the change. Rejects with ApiProblem if it is refused or in conflict; the state of
 * the field says so too, so that callers need not wait. `from` is the record as it was when its author began to type: what
 * somebody else has set since then is a conflict.
 */
export const patch = (kind: Kind, id: string, fields: Fields, from?: Fields): Promise<void> =>
  quiet(
    client()
      .queue.patch(kind, id, fields, from)
      .then(() => undefined),
  )

/** Resolves with the record. Rejects with ApiProblem if it is refused; waits as long as the server cannot be reached. */
export const create = <K extends Kind>(kind: K, body: Fields): Promise<RecordOf<K>> => client().create(kind, body)

export const remove = (kind: Kind, id: string): Promise<void> => client().remove(kind, id)

/** An action of the record, such as `close`. `shown` is what the record will look like, shown at once. */
export const act = <K extends Kind>(
  kind: K,
  id: string,
  action: string,
  body: Fields,
  shown?: Fields,
): Promise<RecordOf<K>> => client().act(kind, id, action, body, shown)

/** `field` is a name, or a path such as `custom_fields.budget` and `address.city`. */
export const fieldState = (kind: Kind, id: string, field: string): ReadonlySignal<FieldState | undefined> =>
  client().queue.fieldState(kind, id, field)

/** In a conflict: my value after all, now that its author has seen the other one. */
export const useMine = (kind: Kind, id: string, ...fields: string[]): Promise<void> =>
  quiet(
    client()
      .queue.useMine(kind, id, ...fields)
      .then(() => undefined),
  )

/** In a conflict or after a refusal: drops my value. */
export const useTheirs = (kind: Kind, id: string, field: string): void => client().queue.useTheirs(kind, id, field)
