import { client } from './current.ts'
import type { Own } from './presence-state.ts'
import type { Kind } from './types.ts'

export type { Own } from './presence-state.ts'
export type { Present } from './present-after.ts'

/** Says what this tab shows, until the next call: `{viewing: {kind, id}, editing: {kind, id, field}, typing}`. */
export const look = (now: Own): void => client().presence.look(now)

/** The colleagues who look at the record. */
export const presentAt = (kind: Kind, id: string) => client().presence.at(kind, id)

/** The colleague who edits the field, if any. */
export const editorOf = (kind: Kind, id: string, field: string) => client().presence.editorOf(kind, id, field)
