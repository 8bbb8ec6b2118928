import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { threadStore } from '../../inbox/conversations/threads.ts'
import type { Mailbox } from '../../inbox/mailboxes/mailboxes.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { attachmentStore } from '../../inbox/messages/attachments.ts'
import { contentOf } from '../../inbox/messages/contents.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import { type Author, MAX_STORED_HTML_BYTES, type Recipient } from '../../inbox/messages/message.ts'
import { messageWriter, type Place } from '../../inbox/messages/message-writer.ts'
import { outgoingStore } from '../../inbox/messages/outgoing.ts'
import { storedMails } from '../../inbox/messages/stored-mails.ts'
import { shownHtml, textIn } from '../../inbox/messages/texts.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { unsubscribing } from '../../sequences/enrollments/unsubscribe.ts'
import type { Authentication, MailIn } from '../mail.ts'
import { authenticationOf, isForged } from './authentication.ts'
import { bounceStore } from './bounces.ts'
import { type Accepted, invitationStore } from './invitations.ts'

/**
 * The result of an import. Skipped: a mail that is already stored, an unsubscribe request, or a mail of our own outside
 * any conversation. Rejected: a delivery report about an unknown mail.
 */
export type ImportedMail = { outcome: 'imported' | 'skipped' } | { outcome: 'rejected'; error: string }

const MAX_ERROR = 2048
const MAX_SUBJECT = 255

/** Per sender and hour: further mails count as automatic, so that two machines do not answer each other forever. */
const MAX_AN_HOUR = 60
const LOOP = `More than ${MAX_AN_HOUR} mails of this sender were received within an hour, so it counts as a machine.`

const DOUBTFUL_REPORT =
  "This report of a failed delivery changed nothing, because it is neither from the recipient's mail server nor from ours."
const UNKNOWN_REPORT = 'It is a delivery report about a mail that is not known here.'

/**
 * Imports received mails as messages. Runs in the caller's transaction; throws if the mail cannot be imported, and the
 * caller records the error.
 */
export const incomingStore = once((deps: Deps) => {
  const { db, clock, react } = deps
  const mailboxes = mailboxStore(deps)
  const conversations = conversationStore(deps)
  const threads = threadStore(deps)
  const returns = bounceStore(deps)
  const outgoing = outgoingStore(deps)
  const { fromSubject } = unsubscribing(deps)
  const { contactOf, contactAuthor } = senders(deps)
  const { write, finish } = messageWriter(deps)
  const attachments = attachmentStore(deps)
  const invitations = invitationStore(deps)
  const mails = storedMails(db)

  /** Whether a mail with this Message-ID is already stored and need not be fetched. */
  function isKnown(org: number, messageId: string): boolean {
    return threads.messageOf(org, messageId) !== undefined
  }

  /** Imports one mail. `arrivedAt` is when its server received it, in milliseconds. */
  function take(org: number, mailbox: Mailbox, mail: MailIn, arrivedAt: number): ImportedMail {
    const external_id = idOf(org, mail)
    if (external_id === undefined) return { outcome: 'skipped' }
    if (mail.subject !== null && fromSubject(org, mail.subject)) return { outcome: 'skipped' }
    const own = mailboxes.addresses(org)
    const from = own.has(mail.from?.email.toLowerCase() ?? '') ? mail.replyTo : mail.from // website forms
    const isOwn = mail.from !== null && (from === null || own.has(from.email.toLowerCase()))
    const authentication = authenticationOf(mail.trace, mailbox)
    const bounce = mail.report && returns.bouncedBy(org, mailbox, mail, authentication)
    const known = bounce && (bounce.isBelieved || bounce.isNamed) ? bounce.conversation_id : undefined
    const thread = known ?? threads.conversationOf(org, mail)
    const accepted = invitations.accept(org, mail, authentication)
    if (isOwn && thread === undefined) {
      // The meetings that a colleague sent from another program.
      const link = { conversation: null, subject: mail.subject, arrivedAt }
      if (!isForged(authentication)) invitations.apply(org, accepted, link)
      return { outcome: 'skipped' }
    }
    if (mail.report && thread === undefined)
      return { outcome: 'rejected', error: bounce ? DOUBTFUL_REPORT : UNKNOWN_REPORT }
    if (mail.report && bounce?.isBelieved) returns.note(org, bounce, mail.report)
    if (mail.report && bounce?.isBelieved === false) accepted.notes.push(DOUBTFUL_REPORT)
    store(org, mailbox, mail, { external_id, thread, from, isOwn, arrivedAt, authentication, accepted })
    return { outcome: 'imported' }
  }

  /**
   * Returns the external id to store the mail under, or undefined if it is already stored. Two different mails may
   * share a Message-ID.
   */
  function idOf(org: number, { messageId, digest }: MailIn): string | undefined {
    const plain = messageId ?? `<${digest}@mail.invalid>`
    const stored = mails.digestOf(org, plain)
    if (!stored) return messageId !== null && isKnown(org, messageId) ? undefined : plain
    if (stored.digest === null || stored.digest === digest) return undefined
    const other = `${plain.slice(0, 950)} ${digest.slice(0, 16)}`
    return mails.digestOf(org, other) ? undefined : other
  }

  type Details = {
    external_id: string
    thread: string | undefined
    from: MailIn['from']
    /** Sent from one of the organisation's mailboxes with another mail program. */
    isOwn: boolean
    arrivedAt: number
    authentication: Authentication | null
    accepted: Accepted
  }

  function store(
    org: number,
    mailbox: Mailbox,
    mail: MailIn,
    { external_id, thread, from, isOwn, arrivedAt, authentication, accepted }: Details,
  ): void {
    const who = { org, member: null }
    const own = mailboxes.addresses(org)
    const at = timeOf(mail, arrivedAt)
    const conversation = thread === undefined ? undefined : conversations.byId(who, thread)
    // A delivery report has no contact; an automatic reply belongs to the person it was sent for.
    const contact = from === null || isOwn || mail.report ? undefined : contactOf(who, from)
    const isLoop = contact !== undefined && countAround(org, contact.id, at) >= MAX_AN_HOUR
    const { text, html, notes } = bodyOf(mail)
    const error = errorOf([...mail.notes, ...notes, ...(isLoop ? [LOOP] : []), ...accepted.notes])
    const is_automatic = mail.automatic !== null || isLoop
    const place: Place = conversation
      ? { conversation }
      : {
          opening: {
            subject: mail.subject?.slice(0, MAX_SUBJECT) ?? null,
            channel: 'email',
            contact_id: contact?.id ?? null,
            company_id: contact?.company_id ?? null,
          },
        }
    const message = write(who, place, {
      direction: isOwn ? 'outbound' : 'inbound',
      author: contact ? contactAuthor(contact, from ?? undefined) : stranger(mail.from),
      at,
      files: mail.files.map((file) => attachments.attachmentOf(file, contentOf(file.bytes, file.sha256))),
      body_text: text,
      body_html: html,
      external_id,
      in_reply_to: mail.inReplyTo[0] ?? mail.references.at(-1) ?? null,
      status: isOwn ? 'sent' : 'received',
      error,
      to: mail.to.map(recipient),
      cc: mail.cc.map(recipient),
      is_automatic,
      authentication,
      isAnswer: isOwn && !is_automatic,
    })
    const answerTo = own.has(mail.replyTo?.email.toLowerCase() ?? '') ? null : mail.replyTo
    const reply_to = answerTo && answerTo.email !== from?.email ? answerTo.email : null
    outgoing.note(org, {
      message_id: message.id,
      mailbox_id: mailbox.id,
      subject: mail.subject,
      refs: mail.references,
      digest: mail.digest,
      reply_to,
    })
    const link = { conversation: conversations.byId(who, message.conversation_id), subject: mail.subject, arrivedAt }
    const more = invitations.apply(org, accepted, link)
    if (more.length > 0) finish(org, message, { error: errorOf([error ?? '', ...more]) })
    if (!is_automatic && !isOwn) react(who, 'message.received', message)
  }

  /** Counts the contact's latest mails within an hour of this one, not of now: many old ones may arrive at once. */
  const countAround = (org: number, contact: string, at: number): number =>
    mails.countAround(org, contact, MAX_AN_HOUR, at, HOUR_MS)

  /**
   * Returns the mail's own date if it is plausible. The clock of a sender must not decide when an SLA target starts.
   */
  function timeOf({ date }: MailIn, arrivedAt: number): number {
    const arrived = Math.max(0, Math.min(arrivedAt, clock.now()))
    return date !== null && date <= arrived && arrived - date <= DAY_MS ? date : arrived
  }

  return { take, isKnown }
})

const errorOf = (notes: readonly string[]): string | null =>
  notes.filter(Boolean).join(' ').slice(0, MAX_ERROR).toWellFormed() || null

const recipient = ({ email, name }: Recipient): Recipient => ({ email, name })

const stranger = (from: MailIn['from']): Author => ({
  type: 'system',
  id: null,
  name: from?.name ?? null,
  email: from?.email ?? null,
  phone: null,
})

function bodyOf({ text, html }: MailIn): { text: string; html: string | null; notes: string[] } {
  const shown = html === null ? null : shownHtml(html) || null
  if (shown === null || Buffer.byteLength(shown) <= MAX_STORED_HTML_BYTES)
    return { text: text.trim() ? text : textIn(shown ?? ''), html: shown, notes: [] }
  const plain = text.trim() ? text : textIn(shown).slice(0, 262_144)
  return { text: plain, html: null, notes: ['Its HTML was too long to store; only the text was stored.'] }
}
