import { type Deps, once } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { threadStore } from '../../inbox/conversations/threads.ts'
import type { Mailbox } from '../../inbox/mailboxes/mailboxes.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { senders } from '../../inbox/messages/from-address.ts'
import { type Author, MAX_STORED_HTML_BYTES, type Recipient } from '../../inbox/messages/message.ts'
import { messageWriter, type Place } from '../../inbox/messages/message-writer.ts'
import { outgoingStore } from '../../inbox/messages/outgoing.ts'
import { shownHtml, textIn } from '../../inbox/messages/texts.ts'
import { unsubscribing } from '../../sequences/enrollments/unsubscribe.ts'
import type { MailIn } from '../mail.ts'
import { bounceStore } from './bounces.ts'

/** What became of a mail: a message, nothing since it is known or its own, or nothing since nobody knows what it is about. */
export type ImportedMail = { outcome: 'imported' | 'skipped' } | { outcome: 'rejected'; error: string }

const MAX_ERROR = 2048
const MAX_SUBJECT = 255

/** Of one sender in an hour: what comes behind them is taken for a machine, so that two machines do not go on for ever. */
const MAX_AN_HOUR = 60
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const LOOP = `More than ${MAX_AN_HOUR} mails of this sender came in within an hour; it is taken for a machine.`

const UNKNOWN_REPORT = 'It is the report of a delivery, of no mail that is known here.'

/** Mails that come in, made messages. For a transaction of the caller's: throws what the caller notes as the mail's error. */
export const incomingStore = once((deps: Deps) => {
  const { db, clock, react } = deps
  const mailboxes = mailboxStore(deps)
  const conversations = conversationStore(deps)
  const threads = threadStore(deps)
  const returns = bounceStore(deps)
  const outgoing = outgoingStore(deps)
  const { fromSubject } = unsubscribing(deps)
  const { contactOf, contactAuthor } = senders(deps)
  const { write } = messageWriter(deps)
  const digestOf = db.prepare(
    `SELECT message.id, mail.digest FROM messages AS message
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

  /** Whether a mail with this Message-ID need not be looked at: one that came in under it says no more. */
  function isKnown(org: number, messageId: string): boolean {
    return threads.messageOf(org, messageId) !== undefined
  }

  /** `arrivedAt` is when its server got it. */
  function take(org: number, mailbox: Mailbox, mail: MailIn, arrivedAt: number): ImportedMail {
    const external_id = idOf(org, mail)
    if (external_id === undefined) return { outcome: 'skipped' }
    if (mail.subject !== null && fromSubject(org, mail.subject)) return { outcome: 'skipped' }
    const own = mailboxes.addresses(org)
    const from = own.has(mail.from?.email.toLowerCase() ?? '') ? mail.replyTo : mail.from // forms of websites
    const isOwn = mail.from !== null && (from === null || own.has(from.email.toLowerCase()))
    const bounce = mail.report && returns.bouncedBy(org, mail)
    const thread = bounce?.conversation_id ?? threads.conversationOf(org, mail)
    if (isOwn && thread === undefined) return { outcome: 'skipped' }
    if (mail.report && !bounce && thread === undefined) return { outcome: 'rejected', error: UNKNOWN_REPORT }
    if (mail.report && bounce) returns.note(org, bounce, mail.report)
    keep(org, mailbox, mail, { external_id, thread, from, isOwn, arrivedAt })
    return { outcome: 'imported' }
  }

  /** What it is stored under; undefined for one that is stored. Two different mails with one Message-ID are two. */
  function idOf(org: number, { messageId, digest }: MailIn): string | undefined {
    const plain = messageId ?? `<${digest}@mail.invalid>`
    const known = digestOf.get(org, plain) as { digest: string | null } | undefined
    if (!known) return messageId !== null && isKnown(org, messageId) ? undefined : plain
    if (known.digest === null || known.digest === digest) return undefined
    const other = `${plain.slice(0, 950)} ${digest.slice(0, 16)}`
    return digestOf.get(org, other) ? undefined : other
  }

  type Kept = {
    external_id: string
    thread: string | undefined
    from: MailIn['from']
    /** A mailbox of the org wrote it: what somebody sent with another program. */
    isOwn: boolean
    arrivedAt: number
  }

  function keep(
    org: number,
    mailbox: Mailbox,
    mail: MailIn,
    { external_id, thread, from, isOwn, arrivedAt }: Kept,
  ): void {
    const who = { org, member: null }
    const own = mailboxes.addresses(org)
    const at = timeOf(mail, arrivedAt)
    const conversation = thread === undefined ? undefined : conversations.byId(who, thread)
    // A machine that reports is nobody; one that answers in the place of a person is that person's.
    const contact = from === null || isOwn || mail.report ? undefined : contactOf(who, from)
    const isLoop = contact !== undefined && countAround(org, contact.id, at) >= MAX_AN_HOUR
    const { text, html, notes } = bodyOf(mail)
    const error = [...mail.notes, ...notes, ...(isLoop ? [LOOP] : [])].join(' ').slice(0, MAX_ERROR) || null
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
      files: mail.files.map(({ name, content_type, bytes }) => ({
        shown: { id: clock.id(), name, content_type, size_bytes: bytes.length },
        bytes,
      })),
      body_text: text,
      body_html: html,
      external_id,
      in_reply_to: mail.inReplyTo[0] ?? mail.references.at(-1) ?? null,
      status: isOwn ? 'sent' : 'received',
      error,
      to: mail.to.map(recipient),
      cc: mail.cc.map(recipient),
      is_automatic,
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
    if (!is_automatic && !isOwn) react(who, 'message.received', message)
  }

  /** Of the newest ones, those within an hour: many old ones may come in at once. */
  const countAround = (org: number, contact: string, at: number): number =>
    around.get(org, contact, MAX_AN_HOUR, at, HOUR_MS) as number

  /** What it says itself, unless that cannot be: clocks and forgers of other people decide on nobody's promises. */
  function timeOf({ date }: MailIn, arrivedAt: number): number {
    const arrived = Math.max(0, Math.min(arrivedAt, clock.now()))
    return date !== null && date <= arrived && arrived - date <= DAY_MS ? date : arrived
  }

  return { take, isKnown }
})

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
  return { text: plain, html: null, notes: ['Its HTML was too long to keep; the text is there.'] }
}
