import type { Deps } from '../../deps.ts'
import type { EventName } from '../../events/names.ts'
import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { CustomObject, Values } from '../../records/custom-fields/types.ts'
import type { AnyStore, Stored } from '../../store/rows/record-store.ts'
import { type Fields, flatten, unflatten } from './fields.ts'
import type { Records } from './links.ts'
import type { CustomConflicts } from './values.ts'

/** The store of contacts or companies, as far as a merge needs it. */
export type Mergeable = Records & Pick<AnyStore, 'restore' | 'write' | 'save' | 'remove'>

/** A record, and its values of archived custom fields. */
type Whole = { record: Stored; archived: Values }

/** Contacts or companies, read and written as flat fields. */
export function wholeRecords(
  { clock, outbox }: Deps,
  object: CustomObject,
  store: Omit<Mergeable, 'save' | 'remove'> & Partial<Pick<Mergeable, 'save' | 'remove'>>,
  custom: CustomConflicts,
) {
  const stored = (who: Caller, id: string): Stored => store.columns.present(store.find(who, id))

  /** Throws 404. */
  function find(who: Caller, id: string): Fields {
    return flatten(stored(who, id), custom.archivedOf(who.org, id))
  }

  /** The wire form of the fields. */
  const present = ({ org }: Caller, fields: Fields): Stored => wholeOf(org, fields).record

  function wholeOf(org: number, fields: Fields): Whole {
    const { record, archived } = unflatten(fields, custom.fieldsOf(org).isArchived)
    return { record: record as Stored, archived }
  }

  /** Throws 422 if the values of custom fields exceed the limits of a record. */
  function checkRoom(org: number, fields: Fields): void {
    custom.checkRoom(org, wholeOf(org, fields).record.custom_fields as Values)
  }

  /** Writes a new version and an event if the wire form changes. */
  function save(who: Caller, before: Fields, after: Fields): void {
    const [old, updated] = [wholeOf(who.org, before), wholeOf(who.org, after)]
    if (!same(old.record, updated.record)) store.save?.(who, old.record, updated.record)
    custom.writeArchived(who.org, updated.record.id, old.archived, updated.archived)
  }

  /** Clears the unique values of a record that is about to be deleted. */
  function clearUnique(org: number, fields: Fields): void {
    const whole = wholeOf(org, fields)
    write(org, whole, withoutUnique(whole))
  }

  function remove(who: Caller, fields: Fields): void {
    store.remove?.(who, wholeOf(who.org, fields).record)
  }

  /**
   * Restores a record with its id, the next version, and a `created` event. Its unique values are missing until the
   * returned function is called.
   */
  function restoreDeleted(who: Caller, fields: Fields): () => void {
    const { record, archived } = wholeOf(who.org, fields)
    const back = { ...record, updated_at: rfc3339(clock.now()), version: record.version + 1 }
    const whole = { record: back, archived }
    store.restore(who.org, withoutUnique(whole).record)
    outbox.record(who, `${object}.created` as EventName, back)
    return () => write(who.org, withoutUnique(whole), whole)
  }

  /** Writes a record without a new version or an event. */
  function write(org: number, before: Whole, after: Whole): void {
    store.write(org, before.record, after.record)
    custom.writeArchived(org, after.record.id, before.archived, after.archived)
  }

  return { find, present, checkRoom, save, clearUnique, remove, restoreDeleted }
}

function withoutUnique({ record }: Whole): Whole {
  const without = { external_id: null, custom_fields: {}, ...('domains' in record ? { domains: [] } : {}) }
  return { record: { ...record, ...without }, archived: {} }
}
