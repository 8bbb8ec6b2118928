import { activeOwners } from '../../../crm/members/owners.ts'
import type { Deps } from '../../../deps.ts'
import type { Logins } from '../../../inbox/mailboxes/access-tokens.ts'
import type { Mailbox } from '../../../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../../inbox/mailboxes/mailboxes.ts'
import { newMessageId } from '../../../lib/mail/message-id.ts'
import { composeMail } from '../../../lib/mail/transport/compose.ts'
import { smtpClient } from '../../../lib/mail/transport/smtp.ts'
import { preferenceStore } from '../../../personal/preferences.ts'
import { allOrgs } from '../../../store/orgs/orgs.ts'
import type { Channel, Message } from './notifier.ts'
import { type Language, type NamedServer, sentences, titleOf } from './words.ts'

type Recipient = { email: string; name: string | null; language: Language; timezone: string }

export type ByMailOptions = {
  deps: Deps
  logins: Pick<Logins, 'smtpServer'>
  /** The owners of the first organisation, which is that of whoever runs the server, or these addresses. */
  to: 'owners' | readonly string[]
  place: () => NamedServer
}

/**
 * A mail to each of them, by a mailbox of the first organisation. It does not become a message of the inbox, and writes nothing
 * to the database, whose disk may be full.
 */
export function byMail({ deps, logins, to, place }: ByMailOptions): Channel {
  const { db, clock } = deps
  const mailboxes = mailboxStore(deps)
  const { find } = preferenceStore(deps)
  const owners = activeOwners(db)

  function recipientsIn(org: number, timezone: string): Recipient[] {
    if (to !== 'owners') return to.map((email) => ({ email, name: null, language: 'en', timezone }))
    return owners(org).map(({ id, email, name }) => {
      const { language, timezone } = find({ org, member: id })
      return { email, name, language, timezone }
    })
  }

  /** That of all before those of single members, in whose name the server should not write if it need not. */
  function mailboxesOf(org: number): Mailbox[] {
    const own = mailboxes.active().filter((each) => each.org === org)
    const rank = ({ member_id, is_default }: Mailbox) => (member_id === null ? 0 : 2) + (is_default ? 0 : 1)
    return own.map(({ mailbox }) => mailbox).sort((one, other) => rank(one) - rank(other))
  }

  async function send(org: number, mailbox: Mailbox, mail: Recipient, message: Message, signal: AbortSignal) {
    const server = await logins.smtpServer(org, mailbox)
    const client = smtpClient(server)
    try {
      const { email, name, language, timezone } = mail
      const source = await composeMail({
        messageId: newMessageId(clock.id(), mailbox.address),
        date: message.at,
        from: { email: mailbox.address, name: 'Dealbox' },
        to: [{ email, name }],
        ...{ replyTo: null, cc: [], bcc: [], inReplyTo: null, references: [], html: null, files: [] },
        subject: titleOf(message, place().name, language),
        text: sentences(message, place(), language, timezone),
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      const sent = await client.send({ from: mailbox.address, to: [email], source }, signal)
      if (sent.outcome !== 'sent' && sent.outcome !== 'doubtful') throw new Error(sent.error)
    } finally {
      client.close()
    }
  }

  return {
    name: 'mail',
    work: 'give notice by mail',
    tell: async (message, signal) => {
      const [first] = allOrgs(db)
      const ways = first ? mailboxesOf(first.id) : []
      const recipients = first ? recipientsIn(first.id, first.timezone) : []
      if (!first || ways.length === 0 || recipients.length === 0) return false
      let reached = 0
      let failure: Error | undefined
      for (const recipient of recipients)
        for (const [at, mailbox] of [...ways].entries()) {
          try {
            await send(first.id, mailbox, recipient, message, signal)
            reached++
            ways.unshift(...ways.splice(at, 1)) // the next one goes by what works
            break
          } catch (error) {
            signal.throwIfAborted()
            failure = error as Error
          }
        }
      // An address that does not exist any more must not make the others get it again.
      if (reached === 0) throw failure
      return true
    },
  }
}
