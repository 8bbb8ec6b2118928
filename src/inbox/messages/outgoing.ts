import type { Contact } from '../../crm/records/contact.ts'
import { type Deps, once } from '../../deps.ts'
import { newMessageId } from '../../mail/message-id.ts'
import { jobQueue } from '../../store/jobs.ts'
import { type Mailbox, mailboxStore } from '../mailboxes/mailboxes.ts'
import { MESSAGE_SEND } from '../mailboxes/waiting-mails.ts'
import type { Message, Recipient } from './message.ts'

/** The lane of messages whose mailbox was deleted. */
const NO_LANE = 'none'

/** A message id of RFC 5322 as in headers. */
export const MAIL_ID = /^<[^<>\s]+@[^<>\s]+>$/
/** Message ids that can be sent unchanged: ASCII on one line. */
const SENT_ID = /^<[!-;=?A-~]+@[!-;=?A-~]+>$/
const MAX_SENT_ID = 900
/** The most ids in References: the first, and the last ones. */
const MAX_REFERENCES = 50

const NO_MAILBOX = 'There is no mailbox to send it from. If the email was sent by another system, include sent_at.'
const NO_EMAIL = 'The contact has no email address to send it to.'

/** The stored mail headers of a message. */
export type MailRow = {
  message_id: string
  mailbox_id: string | null
  subject: string | null
  refs: string[]
  digest: string | null
  reply_to: string | null
  attempted_at: number | null
  unconfirmed_tries: number
  enrollment_id: string | null
}

/** How a member's message will be sent. */
export type Leaving = {
  mailbox: Mailbox
  to: Recipient
  subject: string
  in_reply_to: string | null
  refs: string[]
}

type Before = { external_id: string; refs: string | null }

/** Queued mails. */
export const outgoingStore = once((deps: Deps) => {
  const { db, clock } = deps
  const mailboxes = mailboxStore(deps)
  const jobs = jobQueue(deps)
  const ofConversation = 'org_id = +@org AND conversation_id = +@conversation'
  const newest = db.prepare(
    `SELECT message.external_id, mail.refs FROM messages AS message INDEXED BY messages_sent
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.${ofConversation.replace(' AND ', ' AND message.')} AND message.direction <> 'note'
       AND message.external_id LIKE '<%@%>'
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
  )
  const usedMailbox = db
    .prepare(
      `SELECT mail.mailbox_id FROM messages AS message INDEXED BY messages_sent
         CROSS JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
       WHERE message.${ofConversation.replace(' AND ', ' AND message.')} AND mail.mailbox_id IS NOT NULL
       ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
    )
    .pluck()
  const writer = db.prepare(
    `SELECT coalesce(mail.reply_to, message.author ->> 'email') AS email, message.author ->> 'name' AS name
     FROM messages AS message INDEXED BY messages_sent
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.${ofConversation.replace(' AND ', ' AND message.')} AND message.direction = 'inbound'
       AND message.is_automatic = 0 AND message.author ->> 'email' IS NOT NULL
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
  )
  const subjectOf = db.prepare('SELECT subject FROM conversations WHERE org_id = ? AND id = ?').pluck()
  const mailboxOf = db.prepare('SELECT mailbox_id FROM message_headers WHERE org_id = ? AND message_id = ?').pluck()
  const insert = db.prepare(
    `INSERT INTO message_headers (org_id, message_id, mailbox_id, subject, refs, digest, reply_to, enrollment_id)
     VALUES (@org, @message_id, @mailbox_id, @subject, @refs, @digest, @reply_to, @enrollment_id)`,
  )

  /** How a message of a conversation, or of one that it opens, would be sent; or why it cannot, as a sentence. */
  function leaving(
    org: number,
    conversation: string | undefined,
    contact: Contact | undefined,
    subject: string | null,
    inReplyTo: string | null,
  ): Leaving | string {
    const mailbox = mailboxFor(org, conversation)
    if (!mailbox) return NO_MAILBOX
    const to = (conversation && answered(org, conversation)) || primary(contact)
    if (!to) return NO_EMAIL
    return { mailbox, to, ...threaded(org, conversation, subject, inReplyTo) }
  }

  /** The headers by which other programs thread a mail. */
  function threaded(
    org: number,
    conversation: string | undefined,
    given: string | null,
    inReplyTo: string | null,
  ): Pick<Leaving, 'subject' | 'in_reply_to' | 'refs'> {
    const before = conversation && (newest.get({ org, conversation }) as Before | undefined)
    const subject = given || (conversation && (subjectOf.get(org, conversation) as string | null)) || '(no subject)'
    if (!before)
      return { subject, in_reply_to: inReplyTo, refs: inReplyTo && MAIL_ID.test(inReplyTo) ? [inReplyTo] : [] }
    const all = [...(JSON.parse(before.refs ?? '[]') as string[]), before.external_id].filter((id) => MAIL_ID.test(id))
    return {
      subject: answering(subject),
      in_reply_to: inReplyTo ?? before.external_id,
      refs: bounded([...new Set(all)]),
    }
  }

  /** The mailbox that the conversation last used, if active, else the default one. */
  function mailboxFor(org: number, conversation: string | undefined): Mailbox | undefined {
    const used = conversation && (usedMailbox.get({ org, conversation }) as string | undefined)
    const known = used ? mailboxes.byId(org, used) : undefined
    return known?.is_active ? known : mailboxes.defaultOf(org)
  }

  const answered = (org: number, conversation: string): Recipient | undefined =>
    writer.get({ org, conversation }) as Recipient | undefined

  /** Stores the headers of a mail, and queues its sending. */
  function queue(
    org: number,
    message: Message,
    { mailbox, subject, refs }: Pick<Leaving, 'mailbox' | 'subject' | 'refs'>,
    enrollment_id: string | null = null,
  ): void {
    note(org, { message_id: message.id, mailbox_id: mailbox.id, subject, refs, enrollment_id })
    send(org, message.id)
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
      Partial<Pick<MailRow, 'digest' | 'reply_to' | 'enrollment_id'>>,
  ): void {
    insert.run({ org, digest: null, reply_to: null, enrollment_id: null, ...mail, refs: JSON.stringify(mail.refs) })
  }

  return { leaving, threaded, queue, send, setLane, note }
})

/**
 * The Message-ID that a message is sent with: its external id if valid in a header, otherwise one that contains its own
 * id.
 */
export const mailIdOf = (id: string, external: string | null, mailbox: Mailbox): string =>
  external !== null && external.length <= MAX_SENT_ID && SENT_ID.test(external)
    ? external
    : newMessageId(id, mailbox.address)

function primary(contact: Contact | undefined): Recipient | undefined {
  const email = contact?.emails.find(({ is_primary }) => is_primary) ?? contact?.emails[0]
  return contact && email ? { email: email.email, name: contact.name === email.email ? null : contact.name } : undefined
}

const answering = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`)

const bounded = (ids: readonly string[]): string[] =>
  ids.length <= MAX_REFERENCES ? [...ids] : [ids[0] as string, ...ids.slice(1 - MAX_REFERENCES)]
