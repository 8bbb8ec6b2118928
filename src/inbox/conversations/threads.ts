import { type Deps, once } from '../../deps.ts'
import { UUID } from '../../lib/id.ts'
import type { MailIn } from '../../mail/mail.ts'
import { replyTags } from '../mailboxes/reply-tags.ts'

/** Finds the conversation that a mail belongs to. */
export const threadStore = once((deps: Deps) => {
  const { db } = deps
  const tags = replyTags(deps)
  const byMailId = db.prepare(
    `SELECT id, conversation_id FROM messages
     WHERE org_id = ? AND channel = 'email' AND external_id = ? AND external_id IS NOT NULL`,
  )
  const byId = db.prepare("SELECT id, conversation_id FROM messages WHERE org_id = ? AND id = ? AND channel = 'email'")
  const answersTo = db
    .prepare(
      `SELECT conversation_id FROM messages
       WHERE org_id = ? AND channel = 'email' AND in_reply_to = ? AND in_reply_to IS NOT NULL ORDER BY id LIMIT 1`,
    )
    .pluck()
  const byNumber = db.prepare('SELECT id FROM conversations WHERE org_id = ? AND number = ?').pluck()

  type Found = { id: string; conversation_id: string }

  /** The message that was sent or received with a Message-ID. */
  function messageOf(org: number, mailId: string): Found | undefined {
    const known = byMailId.get(org, mailId) as Found | undefined
    const own = mailId.slice(1, mailId.indexOf('@'))
    return known ?? (UUID.test(own) ? (byId.get(org, own) as Found | undefined) : undefined)
  }

  /**
   * Uses the headers first: the mail that it replies to, the nearest first; then others that reply to the same one, or
   * earlier replies to it. Then uses the address that it was sent to.
   */
  function conversationOf(org: number, mail: MailIn): string | undefined {
    const named = [...mail.inReplyTo, ...mail.references.toReversed()]
    for (const id of named) {
      const found = messageOf(org, id)
      if (found) return found.conversation_id
    }
    for (const id of [...named, ...(mail.messageId === null ? [] : [mail.messageId])]) {
      const found = answersTo.get(org, id) as string | undefined
      if (found) return found
    }
    return byTag(org, mail)
  }

  function byTag(org: number, { to, cc, deliveredTo }: MailIn): string | undefined {
    for (const address of [...[...to, ...cc].map(({ email }) => email), ...deliveredTo]) {
      const number = tags.numberIn(org, address)
      const found = number === undefined ? undefined : (byNumber.get(org, number) as string | undefined)
      if (found) return found
    }
    return undefined
  }

  return { messageOf, conversationOf }
})
