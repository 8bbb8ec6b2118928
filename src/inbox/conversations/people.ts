import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { areColleagues } from '../../lib/mail/hosts.ts'
import type { MailIn } from '../../lib/mail/mail.ts'
import type { Ours } from '../mailboxes/whose.ts'
import { threadStore } from './threads.ts'

// Who is in a conversation. Whom we ask on the side, such as a supplier, is not, however often they answer.

export const peopleStore = once((deps: Deps) => {
  const { db } = deps
  const { messageOf, emailsOfContact } = threadStore(deps)
  const inConversation = 'message.org_id = +@org AND message.conversation_id = +@id'
  const asideOf = (message: string) =>
    `EXISTS (SELECT 1 FROM message_headers AS mail
       WHERE mail.org_id = ${message}.org_id AND mail.message_id = ${message}.id AND mail.is_aside = 1)`
  const named = (list: string, where: string) =>
    `SELECT value ->> 'email' FROM messages AS message INDEXED BY messages_conversation, json_each(${list})
     WHERE ${inConversation} AND ${where}`
  const open = `direction = 'inbound' AND NOT ${asideOf('message')}`
  const inbound = db
    .prepare(
      `SELECT author ->> 'email' FROM messages AS message INDEXED BY messages_conversation
       WHERE ${inConversation} AND ${open} AND author ->> 'email' IS NOT NULL
       UNION ${named('sent_to', open)} UNION ${named('sent_cc', open)}`,
    )
    .pluck()
  const side = `direction = 'outbound' AND ${asideOf('message')}`
  const main = `direction = 'outbound' AND NOT ${asideOf('message')}`
  const asked = db.prepare(['sent_to', 'sent_cc', 'sent_bcc'].map((list) => named(list, side)).join(' UNION ')).pluck()
  const told = db.prepare(['sent_to', 'sent_cc'].map((list) => named(list, main)).join(' UNION ')).pluck()
  const isAsideMail = db
    .prepare('SELECT 1 FROM message_headers WHERE org_id = ? AND message_id = ? AND is_aside = 1')
    .pluck()

  const keys = (emails: unknown[]): Set<string> => new Set((emails as string[]).map(emailKey))

  /**
   * The keys of the emails in a conversation: of its contact, and of all outside who wrote inbound messages or were sent them.
   * Colleagues who read along are no customers: who writes to one of them alone answers nobody.
   */
  function peopleIn(org: number, id: string, { isAmongUs }: Ours): Set<string> {
    const outside = [...keys(inbound.all({ org, id }))].filter((email) => !isAmongUs(email))
    return new Set([...emailsOfContact(org, id), ...outside])
  }

  /** Whether none of the recipients is in the conversation: then nobody in it is answered. */
  function isAside(org: number, id: string, recipients: readonly string[], ours: Ours): boolean {
    const people = peopleIn(org, id, ours)
    return people.size > 0 && !recipients.some((email) => people.has(emailKey(email)))
  }

  /**
   * Whether a mail that comes in answers an aside: nobody of the conversation wrote it, or reads it, and it answers one. Where
   * nobody here knows what it answers, since a provider replaced the id, it does if we wrote to its writer only by the side.
   */
  function isByTheSide(
    org: number,
    id: string,
    { from, to, cc, inReplyTo, references }: Pick<MailIn, 'to' | 'cc' | 'inReplyTo' | 'references'> & { from: string },
    ours: Ours,
  ): boolean {
    const direct = inReplyTo.length > 0 ? inReplyTo : references.slice(-1)
    const answered = direct.map((each) => messageOf(org, each)).find((each) => each?.conversation_id === id)
    const writer = emailKey(from)
    if (answered ? isAsideMail.get(org, answered.id) === undefined : !isAsked(org, id, writer)) return false
    return isAside(org, id, [writer, ...[...to, ...cc].map(({ email }) => email)], ours)
  }

  /** Whether the only mails of a conversation that went to somebody, or to their organisation, are asides. */
  function isAsked(org: number, id: string, writer: string): boolean {
    const isTheirs = (email: string): boolean => email === writer || areColleagues(email, writer)
    const isIn = (emails: unknown[]): boolean => [...keys(emails)].some(isTheirs)
    return isIn(asked.all({ org, id })) && !isIn(told.all({ org, id }))
  }

  return { peopleIn, isAside, isByTheSide }
})
