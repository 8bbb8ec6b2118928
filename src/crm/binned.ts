import { type Deps, once } from '../deps.ts'
import type { RecordedEvent } from '../events/outbox.ts'
import { linkOf } from '../filters/membership.ts'
import type { Caller } from '../lib/caller.ts'
import { HOLDERS, type Values } from '../records/custom-fields/types.ts'
import { LINKS, type LinkedObject, type LinkedRecords } from '../records/links.ts'

// What a deletion keeps, so that the record can come back: docs/decisions/024-undo.md. Written in the transaction of the
// deletion; crm/bin reads it.

export const BINNED = ['contact', 'company', 'deal', 'note', 'task', 'meeting'] as const
export type Binned = (typeof BINNED)[number]

/** A row of deal_stage_history. */
export type StageChange = {
  deal_version: number
  at: number
  from_stage_id: string
  to_stage_id: string
  member_id: string | null
}

/** What a record in the bin is restored with, besides its own row. */
export type Kept = {
  /** Values of archived custom fields. */
  archived?: Values
  /** Static lists with the record. */
  lists?: string[]
  stages?: StageChange[]
  links: LinkedRecords[]
}

type Titled = { id: string; title?: string | null; name?: string; body?: string | null }

const ITEMS: Record<string, string> = { participants: 'meetings', speakers: 'transcripts' }
const MAX_TITLE = 255

export const binWriter = once(({ db }: Deps) => {
  const linksOf = (object: LinkedObject) =>
    LINKS[object].map((link) => ({
      ...link,
      ids: db.prepare(`SELECT ${link.key} FROM ${link.table} WHERE org_id = ? AND ${link.column} = ?`).pluck(),
      items: ITEMS[link.field]
        ? db.prepare(`SELECT ${link.field} FROM ${ITEMS[link.field]} WHERE org_id = ? AND id = ?`).pluck()
        : undefined,
    }))
  const links = {
    contact: linksOf('contact'),
    company: linksOf('company'),
    deal: linksOf('deal'),
    meeting: linksOf('meeting'),
  }
  const holder = (object: 'contact' | 'company' | 'deal') => {
    const { table, key, column } = linkOf(object)
    return {
      archived: db.prepare(`SELECT archived_fields FROM ${HOLDERS[object].table} WHERE org_id = ? AND id = ?`).pluck(),
      lists: db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND ${key} = ?`).pluck(),
    }
  }
  const holders = { contact: holder('contact'), company: holder('company'), deal: holder('deal') }
  const stages = db.prepare(
    `SELECT deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_history
     WHERE org_id = ? AND deal_id = ? ORDER BY deal_version`,
  )
  const insert = db.prepare(
    `INSERT OR REPLACE INTO bin (org_id, event_id, object, record_id, title, member_id, at, record, kept)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )

  function keptOf(org: number, object: Binned, id: string): Kept {
    const referring = object === 'note' || object === 'task' ? [] : links[object]
    const kept: Kept = {
      links: referring.flatMap(({ object: from, field, ids, items }) => {
        const records = (ids.all(org, id) as string[]).map((each): LinkedRecords['records'][number] =>
          items ? [each, JSON.parse(items.get(org, each) as string)] : [each],
        )
        return records.length > 0 ? [{ object: from, field, records }] : []
      }),
    }
    if (object === 'deal') kept.stages = stages.all(org, id) as StageChange[]
    if (!(object in holders)) return kept
    const { archived, lists } = holders[object as keyof typeof holders]
    kept.archived = JSON.parse(archived.get(org, id) as string)
    kept.lists = lists.all(org, id) as string[]
    return kept
  }

  /**
   * Call this before a record is deleted, and the result with its event. What no member deletes, such as the undo of an
   * import, is not kept: it may be a hundred thousand records.
   */
  function keeping({ org, member }: Caller, object: Binned, record: Titled): (event: RecordedEvent) => void {
    if (member === null) return () => undefined
    const kept = JSON.stringify(keptOf(org, object, record.id))
    const title = (record.title ?? record.name ?? record.body ?? '').slice(0, MAX_TITLE)
    return ({ id, at }) => void insert.run(org, id, object, record.id, title, member, at, JSON.stringify(record), kept)
  }

  return { keeping }
})
