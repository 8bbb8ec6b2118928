import type { Database } from '../../store/sqlite/driver.ts'

export type StoredMail = { id: string; digest: string | null; mailbox_id: string | null; subject: string | null }

/** Looks up stored mails that a received mail is compared with. Times are in milliseconds. */
export function storedMails(db: Database) {
  const withId = db.prepare(
    `SELECT message.id, mail.digest, mail.mailbox_id, mail.subject FROM messages AS message
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.org_id = ? AND message.channel = 'email' AND message.external_id = ?
       AND message.external_id IS NOT NULL`,
  )
  const around = db
    .prepare(
      `SELECT count(*) FROM (
         SELECT sent_at FROM messages WHERE org_id = ? AND author_id = ? AND channel = 'email'
         ORDER BY id DESC LIMIT ?
       ) WHERE abs(sent_at - ?) < ?`,
    )
    .pluck()
  const sentTo = db
    .prepare(
      `SELECT one.value ->> 'email'
       FROM messages AS message, json_each(json_array(json(sent_to), json(sent_cc), json(sent_bcc))) AS list,
         json_each(list.value) AS one
       WHERE org_id = ? AND message.id = ?`,
    )
    .pluck()
  const lastTo = db.prepare(
    `SELECT message.id, message.conversation_id
     FROM conversations AS conversation INDEXED BY conversations_contact
       CROSS JOIN messages AS message INDEXED BY messages_sent
         ON message.org_id = conversation.org_id AND message.conversation_id = conversation.id
     WHERE conversation.org_id = +@org AND conversation.contact_id = +@contact AND conversation.channel = 'email'
       AND message.sent_at >= +@since AND message.id >= +@first AND message.direction = 'outbound'
       AND message.status <> 'queued'
       AND EXISTS (SELECT 1 FROM json_each(json_array(json(sent_to), json(sent_cc), json(sent_bcc))) AS list,
         json_each(list.value) AS one WHERE one.value ->> 'email' = +@email COLLATE NOCASE)
     ORDER BY message.sent_at DESC LIMIT 1`,
  )

  const nearest = db.prepare(
    `SELECT id, sent_at FROM messages INDEXED BY messages_sent
     WHERE org_id = +@org AND conversation_id = +@conversation AND direction = 'outbound' AND channel = 'email'
     ORDER BY abs(sent_at - @at), id DESC LIMIT 1`,
  )

  return {
    /** The mail of ours in a conversation whose time is nearest to another one. */
    nearestSent: (of: { org: number; conversation: string; at: number }) =>
      nearest.get(of) as { id: string; sent_at: number } | undefined,
    /** The digest is null for a mail that was sent from here; undefined if no mail has this Message-ID. */
    digestOf: (org: number, messageId: string) => withId.get(org, messageId) as StoredMail | undefined,
    /** The number of mails within `nearMs` of a time, among the newest `most` mails of an author. */
    countAround: (org: number, author: string, most: number, at: number, nearMs: number) =>
      around.get(org, author, most, at, nearMs) as number,
    /** The addresses that a mail was sent to, also as a copy. */
    recipientsOf: (org: number, id: string) => sentTo.all(org, id) as string[],
    /** The latest mail sent to an address of a contact since a time; `first` is the smallest id of that time. */
    lastTo: (to: { org: number; contact: string; email: string; since: number; first: string }) =>
      lastTo.get(to) as { id: string; conversation_id: string } | undefined,
  }
}
