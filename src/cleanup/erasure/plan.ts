import type { Deps } from '../../deps.ts'
import type { Person } from './person.ts'

/**
 * The records of a person. `gone` are only about the person; `shared` are about others, too: they stay, without the
 * person. By kind, as lists of ids.
 */
export type Plan = {
  gone: Record<Gone, string[]>
  shared: Record<Shared, string[]>
  /** Notes, tasks and meetings that were about the person and are deleted already: they are in the bin and the history. */
  former: string[]
  /** Where they work: what is written there may name them. */
  companies: string[]
}

export const GONE = ['contacts', 'conversations', 'messages', 'notes', 'tasks', 'meetings'] as const
type Gone = (typeof GONE)[number]
export const SHARED = ['deals', 'notes', 'tasks', 'meetings', 'messages', 'conversations', 'enrollments'] as const
type Shared = (typeof SHARED)[number]

/** What is about the person, and about nobody and nothing else. */
const ALONE = {
  notes: `json_array_length(company_ids) = 0 AND json_array_length(deal_ids) = 0
    AND NOT EXISTS (SELECT 1 FROM json_each(contact_ids) WHERE value NOT IN (SELECT value FROM json_each(@ids)))
    AND (meeting_id IS NULL OR meeting_id IN (SELECT value FROM json_each(@meetings)))
    AND (conversation_id IS NULL OR conversation_id IN (SELECT value FROM json_each(@conversations)))`,
  tasks: `json_array_length(company_ids) = 0 AND json_array_length(deal_ids) = 0
    AND NOT EXISTS (SELECT 1 FROM json_each(contact_ids) WHERE value NOT IN (SELECT value FROM json_each(@ids)))
    AND (conversation_id IS NULL OR conversation_id IN (SELECT value FROM json_each(@conversations)))`,
  meetings: `company_id IS NULL AND deal_id IS NULL
    AND (conversation_id IS NULL OR conversation_id IN (SELECT value FROM json_each(@conversations)))
    AND NOT EXISTS (SELECT 1 FROM json_each(participants) AS one WHERE one.value ->> 'member_id' IS NULL
      AND (one.value ->> 'contact_id' IS NULL OR one.value ->> 'contact_id' NOT IN (SELECT value FROM json_each(@ids))))`,
}

const OF_CONTACT = 'SELECT value FROM json_each(@ids)'

export function planner({ db }: Pick<Deps, 'db'>) {
  const ids = (sql: string) => db.prepare(sql).pluck()
  const contacts = ids(`SELECT id FROM contacts WHERE org_id = @org AND id IN (${OF_CONTACT})`)
  const conversations = ids(`SELECT id FROM conversations WHERE org_id = @org AND contact_id IN (${OF_CONTACT})`)
  const messages = ids(
    'SELECT id FROM messages WHERE org_id = @org AND conversation_id IN (SELECT value FROM json_each(@conversations))',
  )
  const written = db.prepare(
    `SELECT id, conversation_id FROM messages WHERE org_id = @org AND author_id IN (${OF_CONTACT})
       AND conversation_id NOT IN (SELECT value FROM json_each(@conversations))`,
  )
  const companies = ids(
    `SELECT company_id FROM contacts WHERE org_id = @org AND company_id IS NOT NULL AND id IN (${OF_CONTACT})`,
  )
  const deals = ids(`SELECT id FROM deals WHERE org_id = @org AND primary_contact_id IN (${OF_CONTACT})`)
  const enrollments = ids(`SELECT id FROM enrollments WHERE org_id = @org AND contact_id IN (${OF_CONTACT})`)
  const linked = (table: string, one: string, alone: string) => ({
    gone: ids(
      `SELECT id FROM ${table} WHERE org_id = @org AND id IN (SELECT ${one}_id FROM ${one}_contacts
         WHERE org_id = @org AND contact_id IN (${OF_CONTACT})) AND ${alone}`,
    ),
    all: ids(`SELECT DISTINCT ${one}_id FROM ${one}_contacts WHERE org_id = @org AND contact_id IN (${OF_CONTACT})`),
  })
  const ofNotes = linked('notes', 'note', ALONE.notes)
  const ofTasks = linked('tasks', 'task', ALONE.tasks)
  const ofMeetings = linked('meetings', 'meeting', ALONE.meetings)
  /** Also those that are about nothing but a conversation or a meeting that goes. */
  const notesOfGone = ids(
    `SELECT id FROM notes WHERE org_id = @org AND json_array_length(contact_ids) = 0 AND ${ALONE.notes}
       AND (meeting_id IS NOT NULL OR conversation_id IS NOT NULL)`,
  )
  const tasksOfGone = ids(
    `SELECT id FROM tasks WHERE org_id = @org AND json_array_length(contact_ids) = 0 AND ${ALONE.tasks}
       AND conversation_id IS NOT NULL`,
  )

  const former = ids(
    `SELECT record_id FROM bin WHERE org_id = @org AND object IN ('note', 'task', 'meeting')
       AND (instr(record, @id) > 0 OR instr(kept, @id) > 0)
     UNION SELECT object_id FROM events WHERE org_id = @org AND instr(data, @id) > 0 AND (
       type LIKE 'note.%' AND NOT EXISTS (SELECT 1 FROM notes WHERE org_id = @org AND id = object_id)
       OR type LIKE 'task.%' AND NOT EXISTS (SELECT 1 FROM tasks WHERE org_id = @org AND id = object_id)
       OR type LIKE 'meeting.%' AND NOT EXISTS (SELECT 1 FROM meetings WHERE org_id = @org AND id = object_id))`,
  )

  return function plan(org: number, person: Person): Plan {
    const own = JSON.stringify(person.ids)
    const list = (statement: ReturnType<typeof ids>, given: object): string[] => statement.all(given) as string[]
    const mails = list(conversations, { org, ids: own })
    const withMails = { org, ids: own, conversations: JSON.stringify(mails) }
    const meetings = list(ofMeetings.gone, withMails)
    const withAll = { ...withMails, meetings: JSON.stringify(meetings) }
    const notes = [...list(ofNotes.gone, withAll), ...list(notesOfGone, withAll)]
    const tasks = [...list(ofTasks.gone, withAll), ...list(tasksOfGone, withAll)]
    const elsewhere = written.all(withMails) as { id: string; conversation_id: string }[]
    const rest = (statement: ReturnType<typeof ids>, gone: readonly string[]) =>
      list(statement, { org, ids: own }).filter((id) => !gone.includes(id))
    return {
      gone: {
        contacts: list(contacts, { org, ids: own }),
        conversations: mails,
        messages: list(messages, { org, conversations: withMails.conversations }),
        notes,
        tasks,
        meetings,
      },
      shared: {
        deals: list(deals, { org, ids: own }),
        notes: rest(ofNotes.all, notes),
        tasks: rest(ofTasks.all, tasks),
        meetings: rest(ofMeetings.all, meetings),
        messages: elsewhere.map(({ id }) => id),
        conversations: [...new Set(elsewhere.map(({ conversation_id }) => conversation_id))],
        enrollments: list(enrollments, { org, ids: own }),
      },
      companies: list(companies, { org, ids: own }),
      former: person.ids.flatMap((id) => list(former, { org, id })),
    }
  }
}
