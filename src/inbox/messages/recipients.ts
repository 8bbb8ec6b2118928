import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import type { Contact } from '../../records/contact.ts'
import { peopleStore } from '../conversations/people.ts'
import { mailboxStore } from '../mailboxes/mailboxes.ts'
import { type Ours, whoseAddresses } from '../mailboxes/whose.ts'
import { type Author, MAX_RECIPIENTS, type Message, type MessageCreate, type Recipient } from './message.ts'

// To whom an email goes: docs/decisions/012-mail.md has the rules.

export type Recipients = Pick<Message, 'to' | 'cc' | 'bcc'>
type Given = Pick<MessageCreate, 'to' | 'cc' | 'bcc'>

const FIELDS = ['to', 'cc', 'bcc'] as const
type Inbound = {
  writer: Recipient
  /** The email of its author, who may want answers elsewhere. */
  author: string
  author_id: string | null
  others: Recipient[]
  /** Addresses by which it reached us. */
  ours: string[]
}
type Row = Record<'sent_to' | 'sent_cc' | 'email' | 'author', string> &
  Record<'name' | 'reply_to' | 'author_id' | 'delivered_to', string | null>

export const recipientStore = once((deps: Deps) => {
  const { db } = deps
  const people = peopleStore(deps)
  const { byAddress } = mailboxStore(deps)
  const { oursOf } = whoseAddresses(deps)
  const inbound = db.prepare(
    `SELECT message.author ->> 'email' AS author, message.author ->> 'name' AS name, author_id,
       sent_to, sent_cc, mail.reply_to, mail.delivered_to
     FROM messages AS message INDEXED BY messages_sent
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.org_id = +@org AND message.conversation_id = +@conversation AND message.direction = 'inbound'
       AND message.is_automatic = 0 AND coalesce(mail.is_aside, 0) = 0 AND message.author ->> 'email' IS NOT NULL
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 50`,
  )
  const asides = db.prepare(
    `SELECT message.id, message.author ->> 'email' AS author, message.author ->> 'name' AS name, mail.reply_to
     FROM messages AS message INDEXED BY messages_conversation
       JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.org_id = +@org AND message.conversation_id = +@conversation AND message.direction = 'inbound'
       AND mail.is_aside = 1 AND message.author ->> 'email' IS NOT NULL`,
  )
  const outbound = db.prepare(
    `SELECT sent_to, sent_cc FROM messages AS message INDEXED BY messages_sent
       LEFT JOIN message_headers AS mail ON mail.org_id = message.org_id AND mail.message_id = message.id
     WHERE message.org_id = +@org AND message.conversation_id = +@conversation AND message.direction = 'outbound'
       AND coalesce(mail.is_aside, 0) = 0 AND message.send_at IS NULL AND sent_to <> '[]'
     ORDER BY message.sent_at DESC, message.id DESC LIMIT 1`,
  )

  /**
   * Everybody whom an email goes to. With `to`, exactly those who are given; without it, everybody of the last inbound
   * email, and those in `cc` and `bcc` as well. Undefined if there is nobody. Throws 422 if these are too many together.
   */
  function recipientsOf(
    org: number,
    conversation: string | undefined,
    contact: Contact | undefined,
    given: Given,
  ): Recipients | undefined {
    const { to, cc = [], bcc = [] } = given
    const answer = to && to.length + cc.length + bcc.length > 0 ? { to, cc: [] } : answered(org, conversation, contact)
    const all = answer && distinct({ to: answer.to, cc: [...answer.cc, ...cc], bcc })
    const count = all ? countOf(all) : 0
    if (count > MAX_RECIPIENTS) throw invalid(field(`/${namedIn(given).at(-1) ?? 'to'}`, 'too_many', tooMany(count)))
    return all
  }

  function answered(org: number, conversation: string | undefined, contact: Contact | undefined) {
    const main = primary(contact)
    const { isMailbox } = oursOf(org)
    const last = conversation === undefined ? undefined : lastInbound(org, conversation, isMailbox)
    if (!last) return (conversation && lastOutbound(org, conversation, isMailbox)) || (main && { to: [main], cc: [] })
    const groups = last.ours.map(emailKey)
    const isOurs = ({ email }: Recipient) => isMailbox(email) || groups.includes(emailKey(email))
    const writer = isOurs(last.writer) ? { ...last.writer, email: last.author } : last.writer
    const others = last.others.filter((each) => !isOurs(each))
    const theirs = new Set((contact?.emails ?? []).map(({ email }) => emailKey(email)))
    const isIn =
      (last.author_id !== null && last.author_id === contact?.id) ||
      [last.author, writer.email, ...others.map(({ email }) => email)].some((email) => theirs.has(emailKey(email)))
    return { to: isIn || !main ? [writer] : [writer, main], cc: others }
  }

  /**
   * The last email of a person: neither an automatic reply nor an answer to an aside, such as by a supplier. Of ourselves only
   * where nobody else wrote.
   */
  function lastInbound(org: number, conversation: string, isMailbox: Ours['isMailbox']): Inbound | undefined {
    const rows = inbound.all({ org, conversation }) as Row[]
    const row = rows.find(({ author }) => !isMailbox(author)) ?? rows[0]
    if (!row) return undefined
    const { author, author_id, name } = row
    const others = [...(JSON.parse(row.sent_to) as Recipient[]), ...(JSON.parse(row.sent_cc) as Recipient[])]
    const ours = JSON.parse(row.delivered_to ?? '[]') as string[]
    return { writer: { email: row.reply_to ?? author, name }, author, author_id, others, ours }
  }

  /** Who was written to, where nobody has answered yet. */
  function lastOutbound(
    org: number,
    conversation: string,
    isMailbox: Ours['isMailbox'],
  ): Pick<Recipients, 'to' | 'cc'> | undefined {
    const row = outbound.get({ org, conversation }) as Row | undefined
    const others = (list: string) => (JSON.parse(list) as Recipient[]).filter(({ email }) => !isMailbox(email))
    const to = others(row?.sent_to ?? '[]')
    return row && to.length > 0 ? { to, cc: others(row.sent_cc) } : undefined
  }

  /** What came from those whom we asked by the side, and to whom an answer to each goes: to its writer alone. */
  function asidesOf(org: number, conversation: string): { id: string; to: Recipient[] }[] {
    const rows = asides.all({ org, conversation }) as (Row & { id: string })[]
    return rows.map(({ id, author, name, reply_to }) => ({ id, to: [{ email: reply_to ?? author, name }] }))
  }

  /** Whether none of the recipients is in the conversation: then nobody in it is answered. */
  function isAside(org: number, conversation: string | undefined, { to, cc, bcc }: Recipients): boolean {
    if (conversation === undefined) return false
    const all = [...to, ...cc, ...bcc].map(({ email }) => email)
    return people.isAside(org, conversation, all, oursOf(org))
  }

  /** Whether an email that another system received answers an aside. */
  function isByTheSide(
    org: number,
    conversation: string | undefined,
    { email }: Author,
    { in_reply_to }: Pick<Message, 'in_reply_to'>,
  ): boolean {
    if (conversation === undefined || email === null) return false
    const mail = { from: email, to: [], cc: [], inReplyTo: in_reply_to === null ? [] : [in_reply_to], references: [] }
    return people.isByTheSide(org, conversation, mail, oursOf(org))
  }

  /** What is known of an email that another system has sent. */
  function recorded(
    org: number,
    conversation: string | undefined,
    given: Given & Pick<MessageCreate, 'from' | 'forwards_message_id'>,
  ) {
    const { from, forwards_message_id } = given
    const sender = from?.email ? { from: { email: from.email, name: from.name || null } } : {}
    if (namedIn(given).length === 0) return { ...sender, is_aside: false }
    const all = distinct(given)
    return { ...all, ...sender, is_aside: Boolean(forwards_message_id) || isAside(org, conversation, all) }
  }

  /** What is wrong about the sender and the recipients that a request gives. */
  function errorsOf(org: number, given: MessageCreate, channel: string | undefined): FieldError[] {
    const { direction, from } = given
    const isEmail = direction === 'outbound' && channel === 'email'
    const errors = isEmail ? counted(given) : misplaced(given)
    if (!from || direction === 'inbound') return errors
    if (!isEmail) return [...errors, field('/from', 'not_inbound', NO_FROM)]
    if (from.phone) errors.push(field('/from/phone', 'not_inbound', 'must be omitted for an email that goes out'))
    if (!from.email) errors.push(field('/from/email', 'required', 'is required: an address of a mailbox'))
    else if (!byAddress(org, from.email)) errors.push(field('/from/email', 'not_ours', NOT_OURS))
    return errors
  }

  return { recipientsOf, asidesOf, isAside, isByTheSide, recorded, errorsOf }
})

const NO_FROM =
  'must be omitted unless the message is inbound, or an outbound email; the caller is the author of other messages'
const NOT_OURS = 'must be the address of an active mailbox, or one of its aliases'

const tooMany = (count: number): string =>
  `must have at most ${MAX_RECIPIENTS} recipients together with everybody who is answered, not ${count}; choose them with to`

/** An empty list counts as none: many generated clients send one for each list that a program does not set. */
const namedIn = (given: Given) => FIELDS.filter((name) => given[name]?.length)
const countOf = ({ to, cc, bcc }: Recipients): number => to.length + cc.length + bcc.length

const misplaced = (given: Given): FieldError[] =>
  namedIn(given).map((name) =>
    field(`/${name}`, 'not_outbound_email', 'must be omitted unless the message is an outbound email'),
  )

function counted(given: Given): FieldError[] {
  const count = countOf(distinct(given))
  if (count > MAX_RECIPIENTS)
    return [field(`/${namedIn(given).at(-1)}`, 'too_many', `must have at most ${MAX_RECIPIENTS} recipients together`)]
  return []
}

/** Nobody gets a mail twice: who is in several fields is in the first one. */
function distinct({ to = [], cc = [], bcc = [] }: Given): Recipients {
  const seen = new Set<string>()
  const fresh = (all: readonly { email: string; name?: string | null | undefined }[]): Recipient[] =>
    all.flatMap(({ email, name }) => {
      const isNew = !seen.has(emailKey(email))
      seen.add(emailKey(email))
      return isNew ? [{ email, name: name?.trim() || null }] : []
    })
  return { to: fresh(to), cc: fresh(cc), bcc: fresh(bcc) }
}

function primary(contact: Contact | undefined): Recipient | undefined {
  const email = contact?.emails.find(({ is_primary }) => is_primary) ?? contact?.emails[0]
  return contact && email ? { email: email.email, name: contact.name === email.email ? null : contact.name } : undefined
}
