import { rfc3339 } from '../../../lib/time.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { recordEvents } from './events.ts'
import type { Found } from './place.ts'
import { fieldsOf } from './places.ts'

// What the entries of a timeline contain. Long texts are cut: a page of a hundred notes could have 25 MB.

const MAX_TEXT = 4000

type Row = Record<string, string | number | null>
type Entry = Record<string, unknown>

/** Renders an entry of a timeline; undefined if what it is about is gone. */
export function timelineContents(db: Database): (org: number, record: string, found: Found) => Entry | undefined {
  const rowOf = (sql: string) => {
    const row = db.prepare(sql)
    return (org: number, id: string) => row.get(org, id) as Row | undefined
  }
  const note = rowOf(
    `SELECT id, title, substr(body, 1, ${MAX_TEXT}) AS body, length(body) > ${MAX_TEXT} AS is_cut, author_id, is_pinned,
       contact_ids, company_ids, deal_ids, meeting_id, conversation_id, updated_at, version
     FROM notes WHERE org_id = ? AND id = ?`,
  )
  const task = rowOf(
    `SELECT id, title, substr(body, 1, ${MAX_TEXT}) AS body, type, status, priority, due_at, owner_id, completed_at, enrollment_id, version
     FROM tasks WHERE org_id = ? AND id = ?`,
  )
  const meeting = rowOf(
    `SELECT id, title, starts_at, ends_at, status, location, participants, owner_id, has_transcript, version,
       substr(summary, 1, ${MAX_TEXT}) AS summary FROM meetings WHERE org_id = ? AND id = ?`,
  )
  const mail = rowOf(
    `SELECT messages.id, conversation_id, number, subject, messages.channel, direction, author, messages.status, sent_at,
       substr(body_text, 1, ${MAX_TEXT}) AS text, length(body_text) > ${MAX_TEXT} AS is_cut, is_automatic, enrollment_id,
       json_array_length(attachments) AS attachments
     FROM messages JOIN conversations
       ON conversations.org_id = messages.org_id AND conversations.id = messages.conversation_id
     WHERE messages.org_id = ? AND messages.id = ?`,
  )
  const merged = rowOf("SELECT undo ->> '$.merged.name' AS title FROM merges WHERE org_id = ? AND id = ?")
  const enrollment = rowOf(
    `SELECT enrollments.id, sequence_id, name AS sequence_name, enrollments.status, stop_reason, contact_id, deal_id,
       finished_at
     FROM enrollments JOIN sequences ON sequences.org_id = enrollments.org_id AND sequences.id = sequence_id
     WHERE enrollments.org_id = ? AND enrollments.id = ?`,
  )
  const { actorAt, moveAt } = recordEvents(db)

  return function render(org, record, { id, kind, at, source }) {
    const entry = (actor_id: unknown, name: string, contents: unknown): Entry | undefined =>
      contents === undefined ? undefined : { id: `${kind}:${id}`, kind, at: rfc3339(at), actor_id, [name]: contents }
    switch (kind) {
      case 'note': {
        const row = note(org, id)
        return entry(row?.author_id ?? null, 'note', row && presented(row))
      }
      case 'task':
      case 'task_completed': {
        const type = kind === 'task' ? 'task.created' : 'task.completed'
        return entry(actorAt(org, id, at, type), 'task', presented(task(org, id)))
      }
      case 'meeting':
        return entry(null, 'meeting', presented(meeting(org, id)))
      case 'mail':
        return entry(null, 'mail', presented(mail(org, id)))
      case 'enrollment':
      case 'enrollment_finished': {
        const type = kind === 'enrollment' ? 'enrollment.created' : 'enrollment.%'
        return entry(actorAt(org, id, at, type), 'enrollment', presented(enrollment(org, id)))
      }
      case 'stage': {
        const { from_stage_id, to_stage_id, member_id, deal_version } = source
        const event_id = moveAt(org, record, at, deal_version as number)
        return entry(member_id, 'stage', { from_stage_id, to_stage_id, event_id })
      }
      case 'merge': {
        const { merged_id, member_id, undone_at } = source
        return entry(member_id, 'merge', {
          id,
          merged_id,
          title: merged(org, id)?.title ?? null,
          undone_at: undone_at === null ? null : rfc3339(undone_at as number),
        })
      }
      case 'change':
        return entry(source.actor_id, 'change', changeOf(source))
      case 'created':
        return entry(actorAt(org, record, at, '%.created'), 'record_id', record)
      case 'originally_created':
        return entry(null, 'record_id', record)
      default:
        return entry(source.actor_id, 'event', { event_id: source.id, seq: source.seq })
    }
  }
}

function changeOf(source: Row): Entry {
  const names = fieldsOf(source)
  const of = (json: unknown): Entry => {
    const all = JSON.parse(json as string) as Entry
    return Object.fromEntries(names.map((name) => [name, shortened(all[name])]))
  }
  return {
    event_id: source.id,
    seq: source.seq,
    type: source.type,
    fields: names,
    previous: of(source.previous),
    current: of(source.object),
  }
}

const shortened = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, MAX_TEXT) : (value ?? null))

const JSON_COLUMNS = ['participants', 'author', 'contact_ids', 'company_ids', 'deal_ids']

/** The columns of a row in the form of the API. */
function presented(row: Row | undefined): Entry | undefined {
  if (!row) return undefined
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (value === null) return [name, null]
      if (JSON_COLUMNS.includes(name)) return [name, JSON.parse(value as string)]
      if (name.endsWith('_at')) return [name, rfc3339(value as number)]
      return [name, /^(is|has)_/.test(name) ? value === 1 : value]
    }),
  )
}
