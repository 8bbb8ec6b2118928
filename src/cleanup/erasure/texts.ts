import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import type { Caller } from '../../lib/caller.ts'
import { Problem } from '../../lib/problem.ts'
import { contactsOf, type Participant } from '../../meetings/participants.ts'
import { transcriptStore } from '../../meetings/transcripts.ts'
import { referringRecords } from '../merges/referring.ts'
import { ERASED, type Finder } from './traits.ts'

// The person in records that are about others, too. They are changed by their stores, so that each gets its version, its
// event and its words in the search index.

/** The tables of records, with the fields that cannot be given. */
const KINDS = {
  companies: 'company',
  contacts: 'contact',
  deals: 'deal',
  notes: 'note',
  tasks: 'task',
  meetings: 'meeting',
  conversations: 'conversation',
} as const
type Table = keyof typeof KINDS

const NOT_GIVEN = new Set(['id', 'created_at', 'updated_at', 'version', 'preview', 'sla', 'participants', 'ical_uid'])

export const isRecordTable = (table: string): table is Table => Object.hasOwn(KINDS, table)

export function textStore(deps: Deps) {
  const { db, clock } = deps
  const records = referringRecords(deps)
  const conversations = conversationStore(deps)
  const transcripts = transcriptStore(deps)
  const transcriptOf = db.prepare('SELECT id FROM transcripts WHERE org_id = ? AND meeting_id = ?').pluck()
  const AUTHOR = `json_object('type', author ->> 'type', 'id', NULL, 'name', '${ERASED}', 'email', NULL, 'phone', NULL)`
  const previewOf = db.prepare(
    `SELECT conversation.id FROM conversations AS conversation JOIN messages AS message
       ON message.org_id = conversation.org_id AND message.conversation_id = conversation.id
     WHERE message.org_id = @org AND message.id = @id AND message.direction <> 'note'
       AND message.sent_at = conversation.last_message_at`,
  )
  const unwrite = [
    'DELETE FROM attachments WHERE org_id = @org AND message_id = @id',
    'DELETE FROM mail_originals WHERE org_id = @org AND message_id = @id',
    'UPDATE message_headers SET subject = NULL, reply_to = NULL WHERE org_id = @org AND message_id = @id',
    `UPDATE messages SET author = ${AUTHOR}, author_id = NULL, body_text = '${ERASED}', body_html = NULL, error = NULL,
       authentication = NULL, attachments = '[]', copies = '[]', version = version + 1, updated_at = @now WHERE org_id = @org AND id = @id`,
  ].map((sql) => db.prepare(sql))
  const clearPreview = db.prepare(
    `UPDATE conversations SET preview = '${ERASED}', version = version + 1, updated_at = @now WHERE org_id = @org AND id = @id`,
  )

  /** Replaces the texts of a record. Returns false if none of those that can be given names the person. */
  function clean(who: Caller, table: Table, id: string, find: Finder): boolean {
    const { columns, find: rowOf, patch } = records[KINDS[table]]
    const before = columns.present(rowOf(who, id))
    const given = Object.fromEntries(
      Object.entries(before).flatMap(([name, value]) => {
        if (NOT_GIVEN.has(name) || (table === 'contacts' && name === 'name')) return []
        const after =
          name === 'custom_fields' ? changedValues(value as Record<string, unknown>, find) : cleaned(value, find)
        return after === undefined || after === value ? [] : [[name, after]]
      }),
    )
    if (Object.keys(given).length === 0) return false
    patch(who, before, given)
    return true
  }

  /** Takes the person off a meeting, and what they said out of its transcript. */
  function leaveMeeting(who: Caller, id: string, ids: ReadonlySet<string>, find: Finder): void {
    const { columns, find: rowOf, patch } = records.meeting
    const before = columns.present(rowOf(who, id))
    const all = before.participants as Participant[]
    const participants = all.filter((each) => !isPerson(each, ids, find))
    if (participants.length < all.length) patch(who, before, { participants })
    const transcript = transcriptOf.get(who.org, id) as string | undefined
    if (transcript) unsay(who, transcript, ids, find)
  }

  const isPerson = (each: Participant, ids: ReadonlySet<string>, find: Finder): boolean =>
    contactsOf([each]).some((id) => ids.has(id)) ||
    (each.contact_id === null && each.member_id === null && each.email !== null && find.without(each.email) === ERASED)

  /** Their own words go, and their name in those of others. A speaker is left, so that the times stay right. */
  function unsay(who: Caller, id: string, ids: ReadonlySet<string>, find: Finder): void {
    transcripts.rewrite(who, id, ({ speakers, segments }) => {
      const own = new Set(
        speakers.flatMap(({ key, contact_id }) => (contact_id !== null && ids.has(contact_id) ? [key] : [])),
      )
      const keyOf = (key: string): string => (own.has(key) ? ERASED : find.without(key))
      return {
        speakers: speakers.map((each) =>
          own.has(each.key)
            ? { ...each, key: keyOf(each.key), name: ERASED, contact_id: null }
            : { ...each, key: keyOf(each.key), name: each.name && find.without(each.name) },
        ),
        segments: segments.map((each) => ({
          ...each,
          speaker: each.speaker && keyOf(each.speaker),
          text: each.speaker !== null && own.has(each.speaker) ? ERASED : find.without(each.text),
        })),
      }
    })
  }

  /** Empties a message that the person wrote in the conversation of somebody else. */
  function unwriteMessage({ org }: Caller, id: string): void {
    const shown = previewOf.get({ org, id }) as { id: string } | undefined
    for (const statement of unwrite) statement.run({ org, id, now: clock.now() })
    if (shown) clearPreview.run({ org, id: shown.id, now: clock.now() })
  }

  function reindex(who: Caller, conversation: string): void {
    conversations.reindex(who.org, conversations.byId(who, conversation))
  }

  return {
    clean,
    leaveMeeting,
    unsay,
    unwriteMessage,
    reindex,
    transcriptOf: (org: number, id: string) => transcriptOf.get(org, id) as string | undefined,
  }
}

function cleaned(value: unknown, find: Finder): unknown {
  return typeof value === 'string' ? find.without(value) : undefined
}

/** A value that is nothing but an email or a phone of the person is cleared: another one would not fit its type. */
function changedValues(values: Record<string, unknown>, find: Finder): Record<string, unknown> | undefined {
  const changed = Object.entries(values).flatMap(([key, value]) => {
    const after = cleaned(value, find)
    return after === undefined || after === value ? [] : [[key, after === ERASED ? null : after]]
  })
  return changed.length > 0 ? Object.fromEntries(changed) : undefined
}

/** Whether a store refused a change, so that the row has to be changed by itself. */
export const isRefusal = (error: unknown): boolean => error instanceof Problem
