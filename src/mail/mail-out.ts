import { type Deps, once } from '../deps.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import { type Mailbox, ownAddress } from '../inbox/mailboxes/mailbox.ts'
import { replyTags } from '../inbox/mailboxes/reply-tags.ts'
import { attachmentStore } from '../inbox/messages/attachments.ts'
import type { Message } from '../inbox/messages/message.ts'
import { mailIdOf } from '../inbox/messages/outgoing.ts'
import type { MailFile, MailOut } from '../lib/mail/mail.ts'
import { withoutPictures } from '../lib/pure/markdown/pictures.ts'
import { parseTime } from '../lib/time.ts'
import { unsubscribing } from '../sequences/enrollments/unsubscribe.ts'
import { ruleAnswers } from './rules/rule-answers.ts'
import { asking } from './satisfaction/asking.ts'
import type { Waiting } from './sending.ts'

/** Messages as the mails that leave. */
export const outgoingMails = once((deps: Deps) => {
  const conversations = conversationStore(deps)
  const tags = replyTags(deps)
  const { headers } = unsubscribing(deps)
  const files = attachmentStore(deps)
  const { isAnswer } = ruleAnswers(deps)
  const { withQuestion } = asking(deps)

  /**
   * Returns the mail to send. The sender's name is that of the mailbox, or for sequences that of the member who writes.
   */
  function mailOut(org: number, { message, mail }: Waiting, mailbox: Mailbox): MailOut {
    const { author, body_text, body_html, in_reply_to, external_id, conversation_id } = message
    const hasPictures = body_html !== null && message.attachments.some(({ cid }) => cid)
    const name = message.from?.name ?? (mail.enrollment_id !== null && author.name ? author.name : mailbox.name)
    const { number } = conversations.byId({ org, member: null }, conversation_id)
    return {
      messageId: mailIdOf(message.id, external_id, mailbox),
      date: parseTime(message.sent_at) as number,
      from: { email: ownAddress(mailbox, message.from?.email ?? null), name },
      replyTo: mailbox.has_reply_tags ? { email: tags.addressOf(org, mailbox, number), name } : null,
      to: message.to,
      cc: message.cc,
      bcc: message.bcc,
      subject: mail.subject ?? '(no subject)',
      inReplyTo: in_reply_to,
      references: [tags.referenceOf(org, mailbox, number), ...mail.refs],
      ...withQuestion(org, message.id, { text: hasPictures ? withoutPictures(body_text) : body_text, html: body_html }),
      files: filesOf(org, message),
      headers: mail.enrollment_id === null ? ofRule(org, message) : headers(org, mailbox, { id: mail.enrollment_id }),
    }
  }

  /** No program should answer it (RFC 3834), nor Exchange. */
  const ofRule = (org: number, { id }: Message): Record<string, string> =>
    isAnswer(org, id) ? { 'Auto-Submitted': 'auto-replied', 'X-Auto-Response-Suppress': 'All' } : {}

  function filesOf(org: number, { attachments }: Message): MailFile[] {
    return attachments.map(({ id, name, content_type, size_bytes, cid = null }) => {
      const bytes = Buffer.concat([...files.bytesOf(org, id, 0, size_bytes)])
      return { name, content_type, cid, bytes }
    })
  }

  return { mailOut }
})
