import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { UUID } from '../../lib/id.ts'
import { areColleagues } from '../../lib/mail/hosts.ts'
import type { Address, MailIn } from '../../lib/mail/mail.ts'
import { aliasOf } from '../../lib/mail/message-id.ts'
import { replyTags } from '../mailboxes/reply-tags.ts'
import type { Ours } from '../mailboxes/whose.ts'
import { movedTo } from './moved-to.ts'

/** What a mail joins a conversation by. */
export type Threaded = Pick<MailIn, 'messageId' | 'inReplyTo' | 'references' | 'to' | 'cc' | 'deliveredTo'> & {
  /** The email of the outside person who wrote it; null if we did, or nobody knows. */
  writer: string | null
  ours: Ours
}

type Found = { id: string; conversation_id: string; sent_at: number; direction: string }
type Row = Found & { author: string; sent_to: string; sent_cc: string; sent_bcc: string }

/**
 * Finds the conversation that a mail belongs to: docs/decisions/012-mail.md has the rules. In a conversation are only
 * people who have written to each other: two customers who answer the same mass mail do not read each other's answers.
 */
export const threadStore = once((deps: Deps) => {
  const { db } = deps
  const tags = replyTags(deps)
  const fields = 'id, conversation_id, sent_at, direction, author, sent_to, sent_cc, sent_bcc'
  const byMailId = db.prepare(
    `SELECT ${fields} FROM messages
     WHERE org_id = ? AND channel = 'email' AND external_id = ? AND external_id IS NOT NULL`,
  )
  const byAlias = db.prepare(
    `SELECT ${fields} FROM messages
     WHERE org_id = @org AND id = (SELECT message_id FROM message_aliases WHERE org_id = @org AND external_id = @id)`,
  )
  const byId = db.prepare(`SELECT ${fields} FROM messages WHERE org_id = ? AND id = ? AND channel = 'email'`)
  const answersTo = db.prepare(
    `SELECT ${fields} FROM messages
     WHERE org_id = ? AND channel = 'email' AND in_reply_to = ? AND in_reply_to IS NOT NULL ORDER BY id LIMIT 50`,
  )
  const firstAnswer = db
    .prepare(
      `SELECT min(sent_at) FROM messages
       WHERE org_id = ? AND channel = 'email' AND in_reply_to = ? AND in_reply_to IS NOT NULL`,
    )
    .pluck()
  const contactEmails = db
    .prepare(
      `SELECT email_key FROM conversations
         JOIN contact_emails USING (org_id, contact_id)
       WHERE conversations.org_id = ? AND conversations.id = ?`,
    )
    .pluck()
  const hiding = db.prepare(
    `SELECT ${fields} FROM messages INDEXED BY messages_conversation
     WHERE org_id = ? AND conversation_id = ? AND channel = 'email' AND direction = 'outbound' AND sent_bcc <> '[]'`,
  )
  const isNamed = db
    .prepare(
      `SELECT 1 FROM messages INDEXED BY messages_conversation, json_each(json_array(json(sent_to), json(sent_cc))) AS list,
         json_each(list.value) AS one
       WHERE org_id = @org AND conversation_id = @id AND one.value ->> 'email' = @email COLLATE NOCASE
       UNION ALL SELECT 1 FROM messages INDEXED BY messages_conversation
       WHERE org_id = @org AND conversation_id = @id AND direction = 'inbound'
         AND author ->> 'email' = @email COLLATE NOCASE LIMIT 1`,
    )
    .pluck()
  const byNumber = db.prepare('SELECT id FROM conversations WHERE org_id = ? AND number = ?').pluck()
  const { leading, isSplit } = movedTo(db)

  /** The message that was sent or received with a Message-ID. */
  const messageOf = (org: number, mailId: string): Found | undefined => rowOf(org, mailId)

  const aliased = (org: number, mailId: string): Row | undefined =>
    byAlias.get({ org, id: aliasOf(mailId) }) as Row | undefined

  function rowOf(org: number, mailId: string): Row | undefined {
    const known = (byMailId.get(org, mailId) as Row | undefined) ?? aliased(org, mailId)
    if (known) return known
    const own = OWN.exec(mailId)?.[1]
    return own !== undefined && UUID.test(own) ? (byId.get(org, own) as Row | undefined) : undefined
  }

  /**
   * Uses, in this order: what we have signed in the address that it was sent to; the mails that it answers, the nearest first; what we
   * have signed in its references, which may go back to another conversation; this mail, as a colleague forwarded it; and others that answer the same
   * mail, which nobody here knows, or that answer this one.
   */
  function conversationOf(org: number, mail: Threaded): string | undefined {
    const named = [...mail.inReplyTo, ...mail.references.toReversed()]
    const addresses = [...[...mail.to, ...mail.cc].map(({ email }) => email), ...mail.deliveredTo]
    const answered = named.map((id) => rowOf(org, id)).find((each) => each !== undefined)
    // What was split off goes on where it is, although its address is still that of the conversation which it came from.
    const isElsewhere = (id: string) => answered !== undefined && isSplit(org, id, answered.conversation_id)
    for (const id of signedIn(org, addresses)) if (!isElsewhere(id) && mayGoOn(org, id, named, mail)) return id
    for (const id of named) {
      const found = rowOf(org, id)
      if (found && mayAnswer(org, found, mail)) return found.conversation_id
    }
    for (const id of signedIn(org, [...mail.inReplyTo, ...mail.references]))
      if (mayGoOn(org, id, named, mail)) return id
    const forwarded = mail.messageId === null ? undefined : aliased(org, mail.messageId)
    if (forwarded && haveWritten(org, forwarded, mail)) return forwarded.conversation_id
    for (const id of [...named, ...(mail.messageId === null ? [] : [mail.messageId])])
      for (const other of answersTo.iterate(org, id) as IterableIterator<Row>)
        if (haveWritten(org, other, mail)) return other.conversation_id
    return undefined
  }

  /**
   * Whether a mail belongs to the conversation that we have signed. Where nobody here knows which mail of it it answers, it may be
   * any that went to people who do not know of each other.
   */
  function mayGoOn(org: number, id: string, named: readonly string[], mail: Threaded): boolean {
    const answered = named.map((each) => rowOf(org, each)).find((each) => each?.conversation_id === id)
    if (answered) return mayAnswer(org, answered, mail)
    return (hiding.all(org, id) as Row[]).every((each) => mayAnswer(org, each, mail))
  }

  /**
   * Whether a mail that names a message belongs to its conversation. Who has seen a mail to somebody may answer it, as a
   * colleague to whom it was passed on. What was sent by Bcc, or to nobody by name, went to people who do not know of each other:
   * only those who are in it already go on with it, or write to them.
   */
  function mayAnswer(org: number, message: Row, mail: Threaded): boolean {
    const writer = keyOf(mail.writer)
    if (writer === null) return true
    const { author, others, hidden, isToUs } = peopleOf(message, mail.ours)
    if (others.has(writer) || isIn(author, mail) || isContact(org, message, writer)) return true
    if (author !== null) return isToUs
    if (mail.ours.whose(writer) === 'member') return true
    const outside = [...others].filter((each) => !mail.ours.isAmongUs(each))
    if (hidden.size === 0) return outside.length > 0 || (others.size > 0 && mail.ours.isAmongUs(writer))
    if (outside.some((each) => isIn(each, mail)) || isKnown(org, message, writer)) return true
    return !hidden.has(writer) && outside.some((each) => areColleagues(each, writer))
  }

  /** Whether two mails that only an id links are of the same person, or of people who wrote to each other. */
  function haveWritten(org: number, other: Row, mail: Threaded): boolean {
    const writer = keyOf(mail.writer)
    const { author, others } = peopleOf(other, mail.ours)
    if (author === null || writer === null)
      return (
        (writer !== null && others.has(writer)) || isIn(author, mail) || [...others].some((each) => isIn(each, mail))
      )
    return writer === author || others.has(writer) || isIn(author, mail) || isContact(org, other, writer)
  }

  const isIn = (email: string | null, { to, cc }: Threaded): boolean =>
    email !== null && [...to, ...cc].some((each) => emailKey(each.email) === email)

  const isContact = (org: number, { conversation_id }: Row, email: string): boolean =>
    emailsOfContact(org, conversation_id).includes(email)

  /** Whether somebody is in a conversation by name. */
  const isKnown = (org: number, { conversation_id }: Row, email: string): boolean =>
    isNamed.get({ org, id: conversation_id, email }) !== undefined

  /** The conversations that we have signed in addresses, or in ids. */
  const signedIn = (org: number, all: readonly string[]): Set<string> =>
    new Set(all.map((each) => tagged(org, each)).filter((id) => id !== undefined))

  /** The conversation that we have signed in an address, or in an id. */
  function tagged(org: number, address: string): string | undefined {
    const number = tags.numberIn(org, address)
    const id = number === undefined ? undefined : (byNumber.get(org, number) as string | undefined)
    return id && leading(org, id)
  }

  /** The time of the first message that answers a mail, in milliseconds. */
  const firstAnswerTo = (org: number, mailId: string): number | undefined =>
    (firstAnswer.get(org, mailId) as number | null) ?? undefined

  /** The keys of the emails of its contact. */
  const emailsOfContact = (org: number, id: string): string[] => contactEmails.all(org, id) as string[]

  /** Whether an address identifies a conversation of ours. */
  const isTag = (org: number, address: string): boolean => tags.numberIn(org, address) !== undefined

  return { messageOf, conversationOf, tagged, firstAnswerTo, emailsOfContact, isTag }
})

/** The ids of our own mails begin with that of their message. */
const OWN = /^<([0-9a-f-]{36})@/

const keyOf = (email: string | null): string | null => (email === null ? null : emailKey(email))

/** The people in a stored mail: its writer, null if that is us, all to whom it was sent by name, and all by Bcc. */
function peopleOf(message: Row, { isMailbox, whose }: Ours) {
  const { email } = JSON.parse(message.author) as { email: string | null }
  const keysIn = (list: string): string[] => (JSON.parse(list) as Address[]).map(({ email }) => emailKey(email))
  const all = [...keysIn(message.sent_to), ...keysIn(message.sent_cc)]
  const author = message.direction === 'inbound' ? keyOf(email) : null
  return {
    author: author !== null && isMailbox(author) ? null : author,
    others: new Set(all.filter((each) => !isMailbox(each))),
    hidden: new Set(keysIn(message.sent_bcc).filter((each) => !isMailbox(each) && whose(each) !== 'member')),
    isToUs: all.some(isMailbox),
  }
}
