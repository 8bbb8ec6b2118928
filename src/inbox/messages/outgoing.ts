import { type Deps, once } from '../../deps.ts'
import { aliasOf, newMessageId } from '../../lib/mail/message-id.ts'
import { parseTime } from '../../lib/time.ts'
import type { Contact } from '../../records/contact.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import { mailboxesOf } from '../conversations/mailboxes-of.ts'
import { type Mailbox, ownAddress } from '../mailboxes/mailbox.ts'
import { mailboxStore } from '../mailboxes/mailboxes.ts'
import { MESSAGE_SEND } from '../mailboxes/waiting-mails.ts'
import type { Message, MessageCreate, Recipient } from './message.ts'
import { type Recipients, recipientStore } from './recipients.ts'
import type { MailRow } from './sending-rows.ts'

/** The lane of messages whose mailbox was deleted. */
const NO_LANE = 'none'

/** A message id of RFC 5322 as in headers. */
export const MAIL_ID = /^<[^<>\s]+@[^<>\s]+>$/
/** Message ids that can be sent unchanged: ASCII on one line. */
const SENT_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/
const MAX_SENT_ID = 900
/** The most ids in References: the first, and the last ones. */
const MAX_REFERENCES = 50

export const NO_MAILBOX =
  'There is no mailbox to send it from. If the email was sent by another system, include sent_at.'
const NO_EMAIL = 'The contact has no email address to send it to.'

/** How a member's message will be sent. */
export type Leaving = Recipients & {
  mailbox: Mailbox
  from: Recipient
  subject: string
  in_reply_to: string | null
  refs: string[]
  /** It answers nobody in the conversation. */
  is_aside: boolean
}

type LeavingGiven = Pick<
  MessageCreate,
  'to' | 'cc' | 'bcc' | 'from' | 'subject' | 'in_reply_to' | 'forwards_message_id'
>

type Used = { mailbox_id: string; email: string | null }

type Before = { external_id: string; refs: string | null; subject: string | null }

/** Queued mails. */
export const outgoingStore = once((deps: Deps) => {
  const { db, clock } = deps
  const mailboxes = mailboxStore(deps)
  const jobs = jobQueue(deps)
  const { recipientsOf, isAside } = recipientStore(deps)
  const ofConversation = 'org_id = +@org AND conversation_id = +@conversation'
  const newest = db.prepare(
    `SELECT message.external_id, mail.refs, mail.subject FROM messages AS message INDEXED BY messages_sent
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.${ofConversation.replace(' AND ', ' AND message.')} AND message.direction <> 'note'
       AND message.send_at IS NULL AND message.external_id LIKE '<%@%>' AND coalesce(mail.is_aside, 0) = @aside
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
  )
  const inMailboxes = mailboxesOf(deps)
  const used = db.prepare(
    `SELECT mail.mailbox_id, message.sent_from ->> 'email' AS email FROM messages AS message INDEXED BY messages_sent
       CROSS JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.${ofConversation.replace(' AND ', ' AND message.')} AND mail.mailbox_id IS NOT NULL
       AND message.direction <> 'note' AND (message.direction = 'outbound' AND message.sent_at >= @since OR @since = 0)
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
  )
  const subjectOf = db.prepare('SELECT subject FROM conversations WHERE org_id = ? AND id = ?').pluck()
  const mailboxOf = db.prepare('SELECT mailbox_id FROM message_headers WHERE org_id = ? AND message_id = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO message_headers (org_id, message_id, mailbox_id, subject, refs, digest, reply_to, enrollment_id, is_aside,
       delivered_to)
     VALUES (@org, @message_id, @mailbox_id, @subject, @refs, @digest, @reply_to, @enrollment_id, @is_aside, @delivered_to)`,
  )

  const addAlias = db.prepare(
    `INSERT INTO message_aliases (org_id, external_id, message_id)
     SELECT @org, @external_id, @message_id WHERE NOT EXISTS
       (SELECT 1 FROM messages WHERE org_id = @org AND channel = 'email' AND external_id = @external_id)
     ON CONFLICT DO NOTHING`,
  )

  /** How a message of a conversation, or of one that it opens, would be sent; or why it cannot, as a sentence. */
  function leaving(
    org: number,
    conversation: string | undefined,
    contact: Contact | undefined,
    given: LeavingGiven,
  ): Leaving | string {
    const sender = senderOf(org, conversation, given.from?.email)
    if (!sender) return NO_MAILBOX
    const to = recipientsOf(org, conversation, contact, given)
    if (!to) return NO_EMAIL
    const from = { email: sender.email, name: given.from?.name || sender.mailbox.name }
    const isForward = Boolean(given.forwards_message_id)
    const is_aside = isForward || isAside(org, conversation, to)
    const thread = isForward
      ? { subject: forwarding(subjectIn(org, conversation)), in_reply_to: null, refs: [] }
      : threaded(org, conversation, given.subject, given.in_reply_to ?? null, is_aside)
    return { mailbox: sender.mailbox, from, ...to, is_aside, ...thread }
  }

  const subjectIn = (org: number, conversation: string | undefined): string =>
    (conversation && (subjectOf.get(org, conversation) as string | null)) || '(no subject)'

  /**
   * The headers by which other programs thread a mail. What was asked by the side is a thread of its own: the ids in its headers
   * name the others who take part.
   */
  function threaded(
    org: number,
    conversation: string | undefined,
    given: string | null | undefined,
    inReplyTo: string | null,
    isAside = false,
  ): Pick<Leaving, 'subject' | 'in_reply_to' | 'refs'> {
    const before = conversation && (newest.get({ org, conversation, aside: Number(isAside) }) as Before | undefined)
    const subject = given || (before && isAside && before.subject) || subjectIn(org, conversation)
    if (!before)
      return { subject, in_reply_to: inReplyTo, refs: inReplyTo && MAIL_ID.test(inReplyTo) ? [inReplyTo] : [] }
    const all = [...(JSON.parse(before.refs ?? '[]') as string[]), before.external_id].filter((id) => MAIL_ID.test(id))
    return {
      subject: answering(subject),
      in_reply_to: inReplyTo ?? before.external_id,
      refs: bounded([...new Set(all)]),
    }
  }

  /**
   * The mailbox of an address; without one, the mailbox that the conversation last used, if active, and the address that it
   * used of it, else the default mailbox. One that was moved to another mailbox uses that one, until a mail has left by yet another.
   */
  function senderOf(
    org: number,
    conversation: string | undefined,
    email?: string | null,
  ): { mailbox: Mailbox; email: string } | undefined {
    const last = email || !conversation ? undefined : lastUsed(org, conversation)
    const wanted = email ?? last?.email ?? null
    const before = last && mailboxes.byId(org, last.mailbox_id)
    const mailbox = email ? mailboxes.byAddress(org, email) : before?.is_active ? before : mailboxes.defaultOf(org)
    return mailbox && { mailbox, email: ownAddress(mailbox, wanted) }
  }

  function lastUsed(org: number, conversation: string): Used | undefined {
    const chosen = inMailboxes.of(org, { id: conversation }).find(({ chosen_at }) => chosen_at !== null)
    const found = used.get({ org, conversation, since: chosen?.chosen_at ?? 0 }) as Used | undefined
    return found ?? (chosen && { mailbox_id: chosen.mailbox_id, email: null })
  }

  /** Stores the headers of a mail, and queues its sending. */
  function queue(
    org: number,
    message: Message,
    { mailbox, subject, refs, is_aside }: Pick<Leaving, 'mailbox' | 'subject' | 'refs' | 'is_aside'>,
    enrollment_id: string | null = null,
  ): void {
    const mail = { message_id: message.id, mailbox_id: mailbox.id, subject, refs, enrollment_id }
    note(org, { ...mail, is_aside: Number(is_aside) })
    send(org, message.id, message.send_at === null ? undefined : (parseTime(message.send_at) as number))
  }

  /** Its lane is the mailbox, so that a slow one leaves places to others. */
  function send(org: number, id: string, dueAt = clock.now()): void {
    const lane = (mailboxOf.get(org, id) as string | null | undefined) ?? NO_LANE
    jobs.put(org, { kind: MESSAGE_SEND, key: id, lane, payload: {}, dueAt })
  }

  /** For a message that was queued before its headers were stored, as when an export is read. */
  function setLane(org: number, id: string, mailbox: string | null): void {
    jobs.setLane(org, MESSAGE_SEND, id, mailbox ?? NO_LANE)
  }

  function note(
    org: number,
    mail: Pick<MailRow, 'message_id' | 'mailbox_id' | 'subject' | 'refs'> &
      Partial<Pick<MailRow, 'digest' | 'reply_to' | 'enrollment_id' | 'is_aside' | 'delivered_to'>>,
  ): void {
    insert.run({
      org,
      digest: null,
      reply_to: null,
      enrollment_id: null,
      is_aside: 0,
      ...mail,
      refs: JSON.stringify(mail.refs),
      delivered_to: JSON.stringify(mail.delivered_to ?? []),
    })
    if (mail.mailbox_id !== null) inMailboxes.add(org, mail.message_id, mail.mailbox_id)
  }

  /** Notes that an email which another system sent or received is an aside. */
  const noteAside = (org: number, { id }: Message): void =>
    note(org, { message_id: id, mailbox_id: null, subject: null, refs: [], is_aside: 1 })

  /** Keeps the Message-IDs by which others know a mail: a provider may replace ours. One that is known already stays as it is. */
  function alias(org: number, message_id: string, ids: readonly string[]): void {
    for (const id of ids) addAlias.run({ org, external_id: aliasOf(id), message_id })
  }

  return { leaving, threaded, senderOf, alias, queue, send, setLane, note, noteAside }
})

/**
 * The Message-ID that a message is sent with: its external id if valid in a header, otherwise one that contains its own
 * id.
 */
export const mailIdOf = (id: string, external: string | null, mailbox: Mailbox): string =>
  external !== null && external.length <= MAX_SENT_ID && SENT_ID.test(external)
    ? external
    : newMessageId(id, mailbox.address)

const forwarding = (subject: string): string => `Fwd: ${subject.replace(/^(?:(?:re|aw|fwd?|wg):\s*)+/i, '')}`

const answering = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`)

const bounded = (ids: readonly string[]): string[] =>
  ids.length <= MAX_REFERENCES ? [...ids] : [ids[0] as string, ...ids.slice(1 - MAX_REFERENCES)]
