import { type Deps, once } from '../deps.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { heldStore } from '../inbox/messages/held.ts'
import type { Message } from '../inbox/messages/message.ts'
import { messageWriter } from '../inbox/messages/message-writer.ts'
import { outgoingStore } from '../inbox/messages/outgoing.ts'
import type { MailRow } from '../inbox/messages/sending-rows.ts'
import { type Outcome, type StoredMail, sendingRows } from '../inbox/messages/sending-rows.ts'
import { emailKey } from '../lib/email.ts'
import type { Refusal } from '../lib/mail/transport/smtp-mail.ts'
import { stopRules } from '../sequences/enrollments/stop-rules.ts'
import {
  areCopies,
  bounceNote,
  envelopeOf,
  hasAccepted,
  inOne,
  isLost,
  notesOf,
  ofRefusals,
  waitingNote,
  withNewer,
  withNobodyWaiting,
  withOthersAccepted,
} from './outcomes.ts'

const MAX_ERROR = 2048
/** Whoever was put off in a mail that others got is tried again so soon: some servers take only so many recipients at once. */
const NEXT_MS = 1000

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
  outcomes: '[]',
  enrollment_id: null,
  is_aside: 0,
}

/** A queued message with its mail headers and mailbox. */
export type Waiting = {
  message: Message
  mail: Omit<MailRow, 'message_id' | 'delivered_to'>
  mailbox: Mailbox | undefined
}

/** The states of outbound mails: read by the job that sends them, and written in its transactions. */
export const sendingStore = once((deps: Deps) => {
  const { db, clock, react } = deps
  const mailboxes = mailboxStore(deps)
  const conversations = conversationStore(deps)
  const { withdrawn: withdrawnBy } = stopRules(deps)
  const { finish } = messageWriter(deps)
  const { send: requeue, alias } = outgoingStore(deps)
  const rows = sendingRows(db)
  const closing = heldStore(deps)

  /** Returns undefined if the message is no longer queued. */
  function waiting(org: number, id: string): Waiting | undefined {
    const message = rows.messageOf(org, id)
    if (message?.status !== 'queued') return undefined
    const { refs, outcomes, ...rest } = rows.mailOf(org, id) ?? NO_MAIL
    const mail = { ...rest, refs: JSON.parse(refs), outcomes: JSON.parse(outcomes) }
    const mailbox = mail.mailbox_id === null ? undefined : mailboxes.byId(org, mail.mailbox_id)
    return { message, mail, mailbox: mailbox?.is_active ? mailbox : undefined }
  }

  /** Why a message that waits must not be sent any more, beside that its mailbox is gone. */
  const withdrawn = (org: number, { mail }: Waiting): string | undefined =>
    mail.enrollment_id === null ? undefined : withdrawnBy(org, mail.enrollment_id)

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
    notPutOff(org, found)
    rows.setAttempt(org, id, reason === undefined ? clock.now() : null)
    const again = found.mail.unconfirmed_tries > 0 ? ' again' : ''
    if (reason !== undefined) lost(org, found.message, `It was not sent${again}. ${reason}`)
    return reason === undefined
  }

  /** What was said of those who were put off is over: only words of the current attempt count. */
  function notPutOff(org: number, { message, mail }: Waiting): void {
    const settled = mail.outcomes.filter(({ state }) => state !== 'deferred')
    if (settled.length < mail.outcomes.length) rows.setOutcomes(org, message.id, settled)
  }

  /** Marks a message as failed whose mailbox was removed while it waited. What an earlier attempt came to stays unknown. */
  function gone(org: number, id: string): void {
    const found = waiting(org, id)
    const mail = found?.mail
    if (found) notPutOff(org, found)
    if (mail?.attempted_at != null) unknown(org, id)
    failed(org, id, mail?.attempted_at != null || mail?.unconfirmed_tries ? GONE_IN_DOUBT : GONE, false)
  }

  /**
   * Records for whom the current attempt does not send the mail: before its content is sent, so that it is known also if the
   * server ends before the attempt does.
   */
  function refused(org: number, id: string, refusals: readonly Refusal[]): void {
    const found = waiting(org, id)
    if (found) rows.setOutcomes(org, id, withNewer(found.mail.outcomes, ofRefusals(refusals)))
  }

  /**
   * Records that the server accepted the mail for all whom it has not refused, or that its copy was found in the sent folder,
   * with the Message-IDs that it has there. Those who were put off are tried again.
   */
  function sent(org: number, id: string, ids: readonly string[] = []): void {
    alias(org, id, ids)
    const found = waiting(org, id)
    if (!found) return
    const { message, mail } = found
    const outcomes = mail.outcomes.length === 0 ? [] : withOthersAccepted(message, mail.outcomes)
    rows.setAttempt(org, id, null)
    if (outcomes.length > 0) rows.setOutcomes(org, id, outcomes)
    const why = new Set(outcomes.flatMap(({ state, error }) => (state === 'deferred' ? (error ?? '') : [])))
    if (why.size === 0) settle(org, found, outcomes)
    else held(org, id, inOne(...why), clock.now() + NEXT_MS, false)
  }

  /** Nobody waits for the mail any longer: it was sent, unless somebody whom it was written to does not get it. */
  function settle(org: number, { message, mail }: Waiting, outcomes: readonly Outcome[]): void {
    const now = clock.now()
    const error = inOne(mail.unconfirmed_tries > 0 && TWICE, ...notesOf(message, outcomes))
    if (isLost(message, outcomes)) {
      lost(org, message, error)
      react({ org, member: null }, 'message.failed', message)
      return
    }
    finish(org, message, { status: 'sent', error: error.slice(0, MAX_ERROR) || null })
    closing.settle(org, message)
    react({ org, member: null }, 'message.sent', message)
    if (mail.mailbox_id === null) return
    const { sent } = mailboxes.state(org, mail.mailbox_id)
    mailboxes.saveState(org, mail.mailbox_id, { sent: sent + 1, sent_at: now, send_error: null, send_error_at: null })
  }

  /**
   * Stores the reason why the message waits for another attempt, and if it is one of the mailbox, there as well. The count of
   * unconfirmed attempts stays.
   */
  function delayed(org: number, id: string, error: string, isMailboxError: boolean): void {
    const found = waiting(org, id)
    if (!found) return
    const shown = waitingNote(found.message, found.mail.outcomes, error).slice(0, MAX_ERROR)
    if (found.message.error !== shown) finish(org, found.message, { error: shown })
    if (isMailboxError) recordError(org, found.mail.mailbox_id, error)
  }

  /**
   * Lets the message wait until a time, as for somebody to sign in for its mailbox. That counts as no attempt, however
   * often: the mail does not fail.
   */
  function held(org: number, id: string, error: string, until: number, isMailboxError = true): void {
    delayed(org, id, error, isMailboxError)
    if (waiting(org, id)) requeue(org, id, until)
  }

  /** Records that the attempt has ended and the mail was certainly not sent. */
  function ended(org: number, id: string): void {
    rows.setAttempt(org, id, null)
  }

  /** Records that the result of an attempt is unknown. */
  function unknown(org: number, id: string): void {
    rows.countUnconfirmed(org, id)
  }

  /**
   * Marks the message as failed for all who do not have it yet; it was sent, if these only get copies. A conversation that it
   * answered counts as unanswered again.
   */
  function failed(org: number, id: string, error: string, isMailboxError: boolean): void {
    const found = waiting(org, id)
    if (!found) return
    const { message, mail } = found
    rows.setAttempt(org, id, null)
    if (isMailboxError) recordError(org, mail.mailbox_id, error)
    if (mail.outcomes.length > 0) {
      const outcomes = withNobodyWaiting(message, mail.outcomes, error)
      rows.setOutcomes(org, id, outcomes)
      settle(org, found, outcomes)
    } else {
      lost(org, message, error)
      react({ org, member: null }, 'message.failed', message)
    }
  }

  /**
   * Queues a failed mail again, for those who do not have it; attempts whose result is unknown still count. Returns false if it
   * has not failed.
   */
  function again(org: number, id: string): boolean {
    const message = rows.messageOf(org, id)
    const mail = rows.mailOf(org, id)
    if (message?.status !== 'failed' || message.direction !== 'outbound' || !mail) return false
    const outcomes = JSON.parse(mail.outcomes) as Outcome[]
    rows.setOutcomes(
      org,
      id,
      outcomes.filter(({ state }) => state === 'accepted'),
    )
    finish(org, message, { status: 'queued', error: null })
    if (message.enrollment_id === null) conversations.unanswered(org, message.conversation_id) // it is an answer again
    requeue(org, id)
    return true
  }

  /**
   * Marks a sent message as failed because it bounced. If only copies did, it was sent, and its error says to whom it did not
   * come. If others still wait for it, they get it first.
   */
  function bounced(org: number, id: string, why: string, emails: readonly string[] = []): void {
    const message = rows.messageOf(org, id) as Message
    if (message.direction !== 'outbound') return
    const known = JSON.parse(rows.mailOf(org, id)?.outcomes ?? '[]') as Outcome[]
    const isWaitedFor = message.status === 'queued' && hasAccepted(known)
    const keys = new Set(emails.map(emailKey))
    const named = envelopeOf(message).filter((email) => keys.has(emailKey(email)))
    const mayBe = known.filter(({ state }) => state === 'accepted').map(({ email }) => email)
    const hit = named.length === 0 && isWaitedFor ? mayBe : named
    if (hit.length > 0 && (message.status === 'sent' || known.length > 0)) {
      const before = message.status === 'sent' ? withOthersAccepted(message, known) : known
      const newer = hit.map((email) => ({ email, state: 'bounced' as const, error: why }))
      rows.setOutcomes(org, id, withNewer(before, newer))
    }
    if (message.status === 'failed') return
    const isCopy = named.length > 0 && named.length === keys.size && areCopies(message, named)
    const note = bounceNote(isCopy, why)
    if (isCopy || isWaitedFor) {
      const error = inOne(message.error, note).slice(0, MAX_ERROR)
      if (!message.error?.includes(why)) finish(org, message, { error })
      return
    }
    lost(org, message, inOne(note, message.error))
    react({ org, member: null }, 'message.bounced', message)
  }

  function lost(org: number, message: Message, error: string): void {
    finish(org, message, { status: 'failed', error: error.slice(0, MAX_ERROR) })
    if (message.enrollment_id !== null) return
    closing.unanswered(org, message)
  }

  function recordError(org: number, mailbox: string | null, error: string): void {
    if (mailbox === null) return
    const address = mailboxes.byId(org, mailbox)?.address ?? ''
    mailboxes.saveState(org, mailbox, { send_error: withoutOthers(error, address), send_error_at: clock.now() })
  }

  return {
    waiting,
    isWanted,
    begin,
    gone,
    ended,
    refused,
    sent,
    delayed,
    held,
    unknown,
    failed,
    again,
    bounced,
  }
})

/** What a server said about one mail, as others may read it: it often repeats the address of the recipient. */
export const withoutOthers = (error: string, own: string): string =>
  error.replace(/(?:"[^"\n]*"|[^\s<>"',;:()[\]]+)@[^\s<>"',;:()]+/g, (address) =>
    emailKey(address) === emailKey(own) ? address : '…',
  )
