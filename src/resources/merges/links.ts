import type { Stored } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { Problem } from '../../lib/problem.ts'
import type { RawRow } from '../../store/columns.ts'
import type { Database } from '../../store/driver.ts'
import type { MergeObject, Reason } from './standing.ts'

// What refers to a contact or a company, and so follows it into the one that it is merged with, and back. Each record is
// patched as a caller would do it, so that it gets its own version and event.

type Referring = 'contact' | 'company' | 'deal' | 'note' | 'task'
type Value = string | null | string[]

/** What links need of the records that refer. */
export type Records = {
  columns: { present: (row: RawRow) => Stored }
  find: (who: Caller, id: string) => RawRow
  patch: (who: Caller, before: never, given: never) => unknown
}

type Link = { object: Referring; field: string; table: string; key: string; column: string }

const single = (object: Referring, table: string, field: string): Link => ({
  object,
  field,
  table,
  key: 'id',
  column: field,
})
const several = (object: Referring, table: string, target: MergeObject): Link => ({
  object,
  field: `${target}_ids`,
  table,
  key: `${object}_id`,
  column: `${target}_id`,
})

/** Every reference to the two that a record does not lose by itself when they go. */
export const LINKS: Record<MergeObject, Link[]> = {
  contact: [
    single('deal', 'deals', 'primary_contact_id'),
    several('note', 'note_contacts', 'contact'),
    several('task', 'task_contacts', 'contact'),
  ],
  company: [
    single('company', 'companies', 'parent_company_id'),
    single('contact', 'contacts', 'company_id'),
    single('deal', 'deals', 'company_id'),
    several('note', 'note_companies', 'company'),
    several('task', 'task_companies', 'company'),
  ],
}

/** The records that were pointed to another one by a field; with all ids that were in it, where it holds several. */
export type Moved = { object: Referring; field: string; records: [id: string, before?: string[]][] }
export type LeftLink = { object: Referring; id: string; field: string; reason: Reason }

export function mergedLinks(db: Database, object: MergeObject, recordsOf: Record<Referring, Records>) {
  const links = LINKS[object].map((link) => ({
    ...link,
    referring: db.prepare(`SELECT ${link.key} FROM ${link.table} WHERE org_id = ? AND ${link.column} = ?`).pluck(),
  }))

  /** Points all that refers to the one record to the other. */
  function move(who: Caller, from: string, to: string): Moved[] {
    return links.map(({ object, field, referring }) => {
      const ids = referring.all(who.org, from) as string[]
      const records = ids.map((id): Moved['records'][number] => {
        const record = find(who, object, id)
        const before = record[field] as Value
        set(who, object, record, field, Array.isArray(before) ? swapped(before, from, to) : to)
        return Array.isArray(before) ? [id, before] : [id]
      })
      return { object, field, records }
    })
  }

  /** Points back what still points to `to` because of the move; the rest is answered, and stays as it is. */
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
    before: string[] | undefined,
    from: string,
    to: string,
  ): Reason | undefined {
    try {
      const record = find(who, object, id)
      const now = record[field] as Value
      if (!(Array.isArray(now) ? now.includes(to) : now === to)) return 'changed'
      set(who, object, record, field, Array.isArray(now) ? unswapped(now, before ?? [], from, to) : from)
      return undefined
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return 'deleted'
      if (error instanceof Problem && error.errors?.[0]?.code === 'cycle') return 'cycle'
      throw error
    }
  }

  const find = (who: Caller, object: Referring, id: string): Stored =>
    recordsOf[object].columns.present(recordsOf[object].find(who, id))

  const set = (who: Caller, object: Referring, record: Stored, field: string, value: Value): unknown =>
    recordsOf[object].patch(who, record as never, { [field]: value } as never)

  return { move, moveBack }
}

const swapped = (ids: readonly string[], from: string, to: string): string[] => [
  ...new Set(ids.map((id) => (id === from ? to : id))),
]

/** As it was where nothing has changed since; else the one for the other, or beside it where both were there. */
function unswapped(now: readonly string[], before: string[], from: string, to: string): string[] {
  if (same(now, swapped(before, from, to))) return before
  return before.includes(to) ? [...now, from] : now.map((id) => (id === to ? from : id))
}
