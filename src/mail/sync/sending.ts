import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { type Mailbox, mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { replyTags } from '../../inbox/mailboxes/reply-tags.ts'
import { attachmentStore } from '../../inbox/messages/attachments.ts'
import type { Message } from '../../inbox/messages/message.ts'
import { messageWriter } from '../../inbox/messages/message-writer.ts'
import { type MailRow, mailIdOf, outgoingStore } from '../../inbox/messages/outgoing.ts'
import { type StoredMail, sendingRows } from '../../inbox/messages/sending-rows.ts'
import { parseTime } from '../../lib/time.ts'
import { stopRules } from '../../sequences/enrollments/stop-rules.ts'
import { unsubscribing } from '../../sequences/enrollments/unsubscribe.ts'
import type { MailFile, MailOut } from '../mail.ts'

const MAX_ERROR = 2048

const GONE = 'The mailbox that should have sent it was deleted.'
const GONE_IN_DOUBT = `${GONE} An earlier attempt did not complete; it may have arrived.`
const TWICE = 'It may have arrived twice: it could not be determined whether an earlier attempt had succeeded.'

/** For a message without mail headers: it is not sent. */
const NO_MAIL: StoredMail = {
  mailbox_id: null,
  subject: null,
  refs: '[]',
  digest: null,
  reply_to: null,
  attempted_at: null,
  unconfirmed_tries: 0,
  enrollment_id: null,
}

/** A queued message with its mail headers and mailbox. */
export type Waiting = { message: Message; mail: Omit<MailRow, 'message_id'>; mailbox: Mailbox | undefined }

/** The states of outbound mails: read by the job that sends them, and written in its transactions. */
export const sendingStore = once((deps: Deps) => {
  const { db, clock } = deps
  const mailboxes = mailboxStore(deps)
  const conversations = conversationStore(deps)
  const enrollments = stopRules(deps)
  const tags = replyTags(deps)
  const { headers } = unsubscribing(deps)
  const { finish } = messageWriter(deps)
  const files = attachmentStore(deps)
  const { send: requeue } = outgoingStore(deps)
  const rows = sendingRows(db)

  /** Returns undefined if the message is no longer queued. */
  function waiting(org: number, id: string): Waiting | undefined {
    const message = rows.messageOf(org, id)
    if (message?.status !== 'queued') return undefined
    const { refs, ...mail } = rows.mailOf(org, id) ?? NO_MAIL
    const mailbox = mail.mailbox_id === null ? undefined : mailboxes.byId(org, mail.mailbox_id)
    return { message, mail: { ...mail, refs: JSON.parse(refs) }, mailbox: mailbox?.is_active ? mailbox : undefined }
  }

  /**
   * Returns the mail to send. The sender's name is that of the mailbox, or for sequences that of the member who writes.
   */
  function mailOut(org: number, { message, mail }: Waiting, mailbox: Mailbox): MailOut {
    const { author, body_text, body_html, in_reply_to, external_id, conversation_id } = message
    const name = mail.enrollment_id !== null && author.name ? author.name : mailbox.name
    const { number } = conversations.byId({ org, member: null }, conversation_id)
    return {
      messageId: mailIdOf(message.id, external_id, mailbox),
      date: parseTime(message.sent_at) as number,
      from: { email: mailbox.address, name },
      replyTo: mailbox.has_reply_tags ? { email: tags.addressOf(org, mailbox, number), name } : null,
      to: message.to,
      subject: mail.subject ?? '(no subject)',
      inReplyTo: in_reply_to,
      references: mail.refs,
      text: body_text,
      html: body_html,
      files: filesOf(org, message),
      headers: mail.enrollment_id === null ? {} : headers(org, mailbox, { id: mail.enrollment_id }),
    }
  }

  function filesOf(org: number, { attachments }: Message): MailFile[] {
    return attachments.map(({ id, name, content_type, size_bytes }) => {
      const bytes = Buffer.concat([...files.bytesOf(org, id, 0, size_bytes)])
      return { name, content_type, bytes }
    })
  }

  /** Why a message that waits must not be sent any more, beside that its mailbox is gone. */
  const withdrawn = (org: number, { mail }: Waiting): string | undefined =>
    mail.enrollment_id === null ? undefined : enrollments.withdrawn(org, mail.enrollment_id)

  /** Whether the message may still be sent: asked last, when the mail server is ready for it. */
  function isWanted(org: number, id: string): boolean {
    const found = waiting(org, id)
    return found?.mailbox !== undefined && withdrawn(org, found) === undefined
  }

  /**
   * Records that an attempt starts, so that the next attempt sees it if the process ends in the middle. Returns false
   * if the message must not be sent any more.
   */
  function begin(org: number, id: string): boolean {
    const found = waiting(org, id)
    if (!found) return false
    const reason = withdrawn(org, found)
    rows.setAttempt(org, id, reason === undefined ? clock.now() : null)
    const again = found.mail.unconfirmed_tries > 0 ? ' again' : ''
    if (reason !== undefined) lost(org, found.message, `It was not sent${again}. ${reason}`)
    return reason === undefined
  }

  /** Marks a message as failed whose mailbox was removed while it waited. What an earlier attempt came to stays unknown. */
  function gone(org: number, id: string): void {
    const mail = waiting(org, id)?.mail
    if (mail?.attempted_at != null) unknown(org, id)
    failed(org, id, mail?.attempted_at != null || mail?.unconfirmed_tries ? GONE_IN_DOUBT : GONE, false)
  }

  /** Records that the server accepted the mail, or that its copy was found in the sent folder. */
  function sent(org: number, id: string): void {
    const found = waiting(org, id)
    if (!found) return
    const { message, mail } = found
    const now = clock.now()
    rows.setAttempt(org, id, null)
    finish(org, message, { status: 'sent', error: mail.unconfirmed_tries > 0 ? TWICE : null })
    enrollments.sent(org, id, now)
    if (mail.mailbox_id === null) return
    const { sent } = mailboxes.state(org, mail.mailbox_id)
    mailboxes.saveState(org, mail.mailbox_id, { sent: sent + 1, sent_at: now, send_error: null, send_error_at: null })
  }

  /** Stores the reason why the message waits for another attempt. The count of unconfirmed attempts stays. */
  function delayed(org: number, id: string, error: string): void {
    const found = waiting(org, id)
    if (!found) return
    if (found.message.error !== error) finish(org, found.message, { error: error.slice(0, MAX_ERROR) })
    recordError(org, found.mail.mailbox_id, error)
  }

  /**
   * Lets the message wait for somebody to sign in for its mailbox. That counts as no attempt, however often: the mail
   * does not fail.
   */
  function held(org: number, id: string, error: string, ms: number): void {
    delayed(org, id, error)
    if (waiting(org, id)) requeue(org, id, clock.now() + ms)
  }

  /** Records that the attempt has ended and the mail was certainly not sent. */
  function ended(org: number, id: string): void {
    rows.setAttempt(org, id, null)
  }

  /** Records that the result of an attempt is unknown. */
  function unknown(org: number, id: string): void {
    rows.countUnconfirmed(org, id)
  }

  /** Marks the message as failed. A conversation that it answered counts as unanswered again. */
  function failed(org: number, id: string, error: string, isMailboxError: boolean): void {
    const found = waiting(org, id)
    if (!found) return
    rows.setAttempt(org, id, null)
    lost(org, found.message, error)
    if (isMailboxError) recordError(org, found.mail.mailbox_id, error)
    if (found.mail.enrollment_id !== null) enrollments.failed(org, id)
  }

  /** Queues a failed mail again; attempts whose result is unknown still count. Returns false if it has not failed. */
  function again(org: number, id: string): boolean {
    const message = rows.messageOf(org, id)
    if (message?.status !== 'failed' || message.direction !== 'outbound' || !rows.mailOf(org, id)) return false
    finish(org, message, { status: 'queued', error: null })
    if (message.enrollment_id === null) conversations.unanswered(org, message.conversation_id) // it is an answer again
    requeue(org, id)
    return true
  }

  /** Marks a sent message as failed because it bounced. */
  function bounced(org: number, id: string, why: string): void {
    const message = rows.messageOf(org, id) as Message
    if (message.direction !== 'outbound' || message.status === 'failed') return
    lost(org, message, `It bounced: ${why}`)
    enrollments.bounced(org, id)
  }

  function lost(org: number, message: Message, error: string): void {
    finish(org, message, { status: 'failed', error: error.slice(0, MAX_ERROR) })
    if (message.enrollment_id === null) conversations.unanswered(org, message.conversation_id)
  }

  function recordError(org: number, mailbox: string | null, error: string): void {
    if (mailbox !== null) mailboxes.saveState(org, mailbox, { send_error: error, send_error_at: clock.now() })
  }

  return { waiting, mailOut, isWanted, begin, gone, ended, sent, delayed, held, unknown, failed, again, bounced }
})
