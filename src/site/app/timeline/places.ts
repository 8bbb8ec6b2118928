import { firstIdAt, timeOfId } from '../../../lib/id.ts'
import { TABLES } from '../../../lib/pure/nouns.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { TimelineObject } from '../asked-record.ts'
import { type RecordEvent, recordEvents } from './events.ts'
import { mailPlaces } from './mails.ts'
import { type Found, isAfter, type Source, type TimelinePosition } from './place.ts'

// Where the entries of a timeline are, newest first: docs/decisions/023-timeline.md. Each source gives one page after a
// place, and the newest of them are the page.

/** Of the meetings, enrollments and tasks of a record, which are sorted as a whole. */
const MAX_SORTED = 1000

/**
 * What the ids of the stage changes of a deal begin with; their version follows, by which they are sorted. Greater than
 * the id of the deal: within a millisecond they come after its creation.
 */
function stagePrefix(deal: string): string {
  const [same = ''] = /^f*/.exec(deal.slice(24)) ?? []
  return `${deal.slice(0, 24)}${same}f`
}

function stageIdOf(deal: string, version: number): string {
  const prefix = stagePrefix(deal)
  return prefix + version.toString(16).padStart(36 - prefix.length, '0')
}

/** The version below which the stage changes of one millisecond come after a place. */
function versionBefore(deal: string, { id }: TimelinePosition): number {
  const prefix = stagePrefix(deal)
  if (id.startsWith(prefix)) return Number.parseInt(id.slice(prefix.length), 16)
  return id > prefix ? Number.MAX_SAFE_INTEGER : 0
}

/** The id below which records come after a place, as their time is in their id. */
function idBefore({ at, id }: TimelinePosition): string {
  const [low, high] = [firstIdAt(at), firstIdAt(at + 1)]
  return id < low ? low : id > high ? high : id
}

/** `find` returns the entries of a record after a place: at least `limit` of them, if there are as many before `until`. */
export function timelinePlaces(db: Database) {
  const sources = { contact: sourcesOf(db, 'contact'), company: sourcesOf(db, 'company'), deal: sourcesOf(db, 'deal') }
  const events = recordEvents(db)
  const stages = db.prepare(
    `SELECT at, deal_version, from_stage_id, to_stage_id, member_id FROM deal_stage_history
     WHERE org_id = ? AND deal_id = ? AND (at, deal_version) < (?, ?) ORDER BY deal_version DESC LIMIT ?`,
  )
  const merges = db.prepare(
    `SELECT merged_at AS at, id, merged_id, member_id, undone_at FROM merges INDEXED BY merges_kept
     WHERE org_id = ? AND object = ? AND kept_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )

  const originsOf = (table: string) =>
    db.prepare(`SELECT originally_created_at FROM ${table} WHERE org_id = ? AND id = ?`).pluck()
  const origins = {
    contact: originsOf(TABLES.contact),
    company: originsOf(TABLES.company),
    deal: originsOf(TABLES.deal),
  }

  function stagesOf(org: number, deal: string, after: TimelinePosition, limit: number): Found[] {
    const rows = stages.all(org, deal, after.at, versionBefore(deal, after), limit)
    return (rows as (Source & { at: number; deal_version: number })[]).map((row) => ({
      at: row.at,
      id: stageIdOf(deal, row.deal_version),
      kind: 'stage',
      source: row,
    }))
  }

  function mergesOf(org: number, object: TimelineObject, id: string, after: TimelinePosition, limit: number): Found[] {
    const rows = merges.all(org, object, id, idBefore(after), limit) as (Source & TimelinePosition)[]
    return rows.map((row) => ({ at: timeOfId(row.id), id: row.id, kind: 'merge', source: row }))
  }

  return function find(
    org: number,
    object: TimelineObject,
    record: string,
    after: TimelinePosition,
    limit: number,
  ): { found: Found[]; until?: TimelinePosition } {
    const { found: changes, until } = events.after(org, record, after, limit)
    const found = [
      ...sources[object](org, record, after, limit),
      ...changes.map((event): Found => ({ ...pick(event), kind: kindOf(event, record), source: event })),
      ...(object === 'deal' ? stagesOf(org, record, after, limit) : mergesOf(org, object, record, after, limit)),
    ]
    const created = [{ at: timeOfId(record), id: record, kind: 'created', source: {} }]
    const at = origins[object].get(org, record) as number | null
    if (at !== null) created.unshift({ at, id: record, kind: 'originally_created', source: {} })
    // What began and ended in one millisecond is one entry: its end.
    const all = [...new Map([...created, ...found].map((each) => [`${each.at} ${each.id}`, each])).values()]
      .filter((each) => isAfter(each, after) && (!until || isAfter(until, each)) && hasContents(each))
      .sort((one, other) => (isAfter(one, other) ? 1 : -1))
    return until ? { found: all, until } : { found: all }
  }
}

const pick = ({ at, id }: TimelinePosition): TimelinePosition => ({ at, id })

/** Notes, tasks, mails, meetings and enrollments of one kind of record. */
function sourcesOf(db: Database, object: TimelineObject) {
  const linked = (kind: 'note' | 'task') =>
    db
      .prepare(
        `SELECT ${kind}_id FROM ${kind}_${TABLES[object]}
         WHERE org_id = ? AND ${object}_id = ? AND ${kind}_id < ? ORDER BY ${kind}_id DESC LIMIT ?`,
      )
      .pluck()
  const [notes, tasks] = [linked('note'), linked('task')]
  const sorted = (sql: string, at: string) =>
    db.prepare(
      `SELECT ${at} AS at, id FROM (${sql} LIMIT ${MAX_SORTED}) WHERE (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?`,
    )
  const completed = sorted(
    `SELECT completed_at, id FROM task_${TABLES[object]} AS link CROSS JOIN tasks
       ON tasks.org_id = link.org_id AND tasks.id = link.task_id
     WHERE link.org_id = ? AND link.${object}_id = ? AND completed_at IS NOT NULL ORDER BY task_id DESC`,
    'completed_at',
  )
  const meetings = sorted(
    object === 'contact'
      ? `SELECT starts_at, id FROM meeting_contacts AS link CROSS JOIN meetings
           ON meetings.org_id = link.org_id AND meetings.id = link.meeting_id
         WHERE link.org_id = ? AND link.contact_id = ? ORDER BY meeting_id DESC`
      : `SELECT starts_at, id FROM meetings INDEXED BY meetings_${object}
         WHERE org_id = ? AND ${object}_id = ? ORDER BY id DESC`,
    'starts_at',
  )
  const enrollments = (['created_at', 'finished_at'] as const).map((at) =>
    sorted(
      `SELECT ${at}, id FROM enrollments INDEXED BY enrollments_${object === 'deal' ? 'deal' : 'contact'}
       WHERE org_id = ? AND ${object === 'deal' ? 'deal' : 'contact'}_id = ? AND ${at} IS NOT NULL ORDER BY id DESC`,
      at,
    ),
  )
  const mails = mailPlaces(db, object)

  return (org: number, record: string, after: TimelinePosition, limit: number): Found[] => {
    const entries = (kind: string, rows: unknown[]): Found[] =>
      (rows as TimelinePosition[]).map((row) => ({ ...row, kind, source: {} }))
    const byId = (kind: string, ids: unknown[]): Found[] =>
      (ids as string[]).map((id) => ({ at: timeOfId(id), id, kind, source: {} }))
    const from = [after.at, after.id, limit]
    const [started, finished] = enrollments
    return [
      ...byId('note', notes.all(org, record, idBefore(after), limit)),
      ...byId('task', tasks.all(org, record, idBefore(after), limit)),
      ...entries('task_completed', completed.all(org, record, ...from)),
      ...entries('meeting', meetings.all(org, record, ...from)),
      ...(object === 'company' ? [] : entries('enrollment', started?.all(org, record, ...from) ?? [])),
      ...(object === 'company' ? [] : entries('enrollment_finished', finished?.all(org, record, ...from) ?? [])),
      ...mails(org, record, after, limit),
    ]
  }
}

/** Another creation than the first is a restored record. */
function kindOf({ type, at }: RecordEvent, record: string): string {
  if (type.endsWith('.created')) return at > timeOfId(record) + CREATED_WITHIN_MS ? 'restored' : 'created'
  return type.endsWith('.deleted') ? 'deleted' : 'change'
}

/** Between the id of a record and its event. */
const CREATED_WITHIN_MS = 1000

/** Shown by the entry of the stage change. */
const STAGE_FIELDS = ['stage', 'status', 'stage_changed_at', 'closed_at', 'close_reason_id']

/** The names of the fields that an event tells about. */
export const fieldsOf = ({ fields }: Source): string[] =>
  (JSON.parse(fields as string) as string[]).filter((name) => !STAGE_FIELDS.includes(name))

// The creation has an entry without its event, which is kept for a while only; and what an event tells of a stage has an
// entry, too, so a page is full without it.
const hasContents = ({ kind, source, id }: Found): boolean =>
  kind === 'change' ? fieldsOf(source).length > 0 : kind !== 'created' || id !== source.id
