import type { Database } from '../../../store/sqlite/driver.ts'
import type { TimelineObject } from '../asked-record.ts'
import type { Found, TimelinePosition } from './place.ts'

/** The latest conversations of a record: the mails of older ones are in the inbox. */
const MAX_CONVERSATIONS = 200

/** The messages of the conversations of a record, newest first. */
export function mailPlaces(db: Database, object: TimelineObject) {
  const conversations = db.prepare(
    `SELECT id, last_message_at AS latest FROM conversations INDEXED BY conversations_${object}
     WHERE org_id = ? AND ${object}_id = ? ORDER BY id DESC LIMIT ${MAX_CONVERSATIONS}`,
  )
  const messages = db.prepare(
    `SELECT sent_at AS at, id FROM messages INDEXED BY messages_sent
     WHERE org_id = ? AND conversation_id = ? AND send_at IS NULL AND (sent_at, id) < (?, ?) ORDER BY sent_at DESC, id DESC LIMIT ?`,
  )

  return function find(org: number, record: string, after: TimelinePosition, limit: number): Found[] {
    const latest = conversations.all(org, record) as { id: string; latest: number }[]
    latest.sort((one, other) => other.latest - one.latest)
    let found: TimelinePosition[] = []
    for (const { id, latest: newest } of latest) {
      // All other conversations are older than what is there.
      if (found.length >= limit && newest < (found[limit - 1] as TimelinePosition).at) break
      found.push(...(messages.all(org, id, after.at, after.id, limit) as TimelinePosition[]))
      found.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
      found = found.slice(0, limit)
    }
    return found.map((each) => ({ ...each, kind: 'mail', source: {} }))
  }
}
