import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { Problem } from '../../lib/problem.ts'
import { contactsOf, type Participant, swapContact, unswapContact } from '../../meetings/participants.ts'
import type { Speaker } from '../../meetings/speakers.ts'
import * as speakers from '../../meetings/speakers.ts'
import { LINKS, type LinkedRecords, type Referring } from '../../records/links.ts'
import type { AnyStore, Stored } from '../../store/rows/record-store.ts'
import type { Database } from '../../store/sqlite/driver.ts'
import type { MergeObject, Reason } from './undo-conflicts.ts'

// References to a contact or a company, which a merge moves to the other record, and undoing it moves back. Each
// referring record is patched as by a caller, so that it gets its own version and event.

type Value = string | null | unknown[]

/** What links need of the referring records. */
export type Records = Pick<AnyStore, 'columns' | 'find' | 'patch'>

export type Moved = LinkedRecords
export type LeftLink = { object: Referring; id: string; field: string; reason: Reason }

export function mergedLinks(db: Database, object: MergeObject, recordsOf: Record<Referring, Records>) {
  const links = LINKS[object].map((link) => ({
    ...link,
    referring: db.prepare(`SELECT ${link.key} FROM ${link.table} WHERE org_id = ? AND ${link.column} = ?`).pluck(),
  }))

  /** Moves all references from one record to the other. */
  function move(who: Caller, from: string, to: string): Moved[] {
    return links.map(({ object, field, referring }) => {
      const ids = referring.all(who.org, from) as string[]
      const records = ids.map((id): Moved['records'][number] => {
        const record = find(who, object, id)
        const before = record[field] as Value
        set(who, object, record, field, Array.isArray(before) ? itemsOf(field).swapped(before, from, to) : to)
        return Array.isArray(before) ? [id, before] : [id]
      })
      return { object, field, records }
    })
  }

  /**
   * Moves back the references that still point to `to` because of the merge. Returns the others, which stay unchanged.
   */
  function moveBack(who: Caller, moved: readonly Moved[], from: string, to: string): LeftLink[] {
    return moved.flatMap(({ object, field, records }) =>
      records.flatMap(([id, before]): LeftLink[] => {
        const reason = giveBack(who, object, id, field, before, from, to)
        return reason ? [{ object, id, field, reason }] : []
      }),
    )
  }

  function giveBack(
    who: Caller,
    object: Referring,
    id: string,
    field: string,
    before: unknown[] | undefined,
    from: string,
    to: string,
  ): Reason | undefined {
    try {
      const record = find(who, object, id)
      const now = record[field] as Value
      if (!(Array.isArray(now) ? itemsOf(field).has(now, to) : now === to)) return 'changed'
      set(who, object, record, field, Array.isArray(now) ? unswapped(field, now, before ?? [], from, to) : from)
      return undefined
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return 'deleted'
      if (error instanceof Problem && error.errors?.[0]?.code === 'cycle') return 'cycle'
      throw error
    }
  }

  const find = (who: Caller, object: Referring, id: string): Stored =>
    recordsOf[object].columns.present(recordsOf[object].find(who, id))

  const set = (
    who: Caller,
    object: Referring,
    record: Stored,
    field: string,
    value: Value | readonly unknown[],
  ): unknown => recordsOf[object].patch(who, record, { [field]: value })

  return { move, moveBack }
}

/** How a field with several items refers to records. */
type Items<Item> = {
  has: (items: readonly Item[], id: string) => boolean
  swapped: (items: readonly Item[], from: string, to: string) => Item[]
  /** For fields that were changed after the swap. */
  unswapped: (now: readonly Item[], before: readonly Item[], from: string, to: string) => Item[]
}

const ids: Items<string> = {
  has: (items, id) => items.includes(id),
  swapped: (items, from, to) => [...new Set(items.map((id) => (id === from ? to : id)))],
  // Replaces the one by the other, or adds it if both were present.
  unswapped: (now, before, from, to) =>
    before.includes(to) ? [...now, from] : now.map((id) => (id === to ? from : id)),
}

const participantItems: Items<Participant> = {
  has: (participants, id) => contactsOf(participants).includes(id),
  swapped: swapContact,
  unswapped: unswapContact,
}

const speakerItems: Items<Speaker> = {
  has: (all, id) => speakers.contactsOf(all).includes(id),
  swapped: speakers.swapContact,
  unswapped: speakers.unswapContact,
}

const ITEMS: Record<string, unknown> = { participants: participantItems, speakers: speakerItems }

const itemsOf = (field: string) => (ITEMS[field] ?? ids) as Items<unknown>

/** Restores the previous value if nothing has changed since. */
function unswapped(
  field: string,
  now: readonly unknown[],
  before: readonly unknown[],
  from: string,
  to: string,
): readonly unknown[] {
  const items = itemsOf(field)
  return same(now, items.swapped(before, from, to)) ? before : items.unswapped(now, before, from, to)
}
