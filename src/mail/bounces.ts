import { type Deps, once } from '../deps.ts'
import { threadStore } from '../inbox/conversations/threads.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { storedMails } from '../inbox/messages/stored-mails.ts'
import { emailKey } from '../lib/email.ts'
import { firstIdAt } from '../lib/id.ts'
import { domainOf, isSameOrganisation } from '../lib/mail/hosts.ts'
import type { Authentication, MailIn, Report } from '../lib/mail/mail.ts'
import { isForged, isProven } from '../lib/mail/verdicts.ts'
import { DAY_MS } from '../lib/time.ts'
import { contactsOfEmail } from '../records/record-lookups.ts'
import { sendingStore } from './sending.ts'

/** How far back to look for the mail if a report does not name it. */
const RECENT_MS = 14 * DAY_MS
const MAX_WHY = 500

export type Bounce = {
  id: string
  conversation_id: string
  /** The report names the mail by its Message-ID, which only those know who have seen the mail. */
  isNamed: boolean
  /** The report is credible, so that the mail counts as failed. */
  isBelieved: boolean
}

type Found = Pick<Bounce, 'id' | 'conversation_id'>

/** Finds the mail that a delivery report (RFC 3464) is about, and records the failure. */
export const bounceStore = once((deps: Deps) => {
  const { db, clock } = deps
  const threads = threadStore(deps)
  const { bounced } = sendingStore(deps)
  const contactsOf = contactsOfEmail(db)
  const { lastTo, recipientsOf } = storedMails(db)
  const { addresses } = mailboxStore(deps)

  /** Finds the mail by the returned Message-ID, by the references of the report, or else by the failed recipient. */
  function bouncedBy(org: number, mailbox: Mailbox, mail: MailIn, results: Authentication | null): Bounce | undefined {
    const bounce = (found: Found, isNamed: boolean): Bounce => ({
      ...found,
      isNamed,
      isBelieved: isCredible(org, mailbox, mail, results, found, isNamed),
    })
    const { messageId = null, recipients = [] } = mail.report ?? {}
    for (const id of [...(messageId === null ? [] : [messageId]), ...mail.inReplyTo, ...mail.references.toReversed()]) {
      const found = threads.messageOf(org, id)
      if (found) return bounce(found, true)
    }
    for (const { email } of recipients) {
      const found = sentTo(org, email)
      if (found) return bounce(found, false)
    }
    return undefined
  }

  /**
   * Whether the report may be from who could know. Reports come from the recipient's server or our own. Anybody can write
   * such a mail, so one that cannot name our mail must at least be from a server; one that can may also be from a
   * provider in between, if our server has checked its sender.
   */
  function isCredible(
    org: number,
    mailbox: Mailbox,
    { from, isFromServer }: MailIn,
    results: Authentication | null,
    { id }: Found,
    isNamed: boolean,
  ): boolean {
    if (isForged(results)) return false
    if (isNamed && isProven(results)) return true
    if (!from) return false
    const sender = domainOf(from.email)
    const isRecipients = recipientsOf(org, id).some((email) => isSameOrganisation(domainOf(email), sender))
    if (isRecipients && (isNamed || isFromServer)) return true
    const own = [mailbox.smtp.host, mailbox.imap?.host ?? [], [...addresses(org)].map(domainOf)].flat(2)
    return isFromServer && own.some((host) => isSameOrganisation(host, sender))
  }

  /**
   * Whether a mail that looks like a report, in a form of its own, is one. Words never make a report: people write about
   * deliveries, too, also from postmaster@. It has no sender in its envelope, and names a mail or a recipient of ours; if no
   * server noted the sender of the envelope, it names the mail. Mailer daemons are no people, whatever they name.
   */
  function isMeant({ from, hasNoSender, report }: MailIn, bounce: Bounce | null | undefined): boolean {
    const writer = from === null ? null : emailKey(from.email)
    if (writer !== null && MAILER.test(writer)) return hasNoSender !== false
    if (!bounce || hasNoSender === false) return false
    if (report?.recipients.some(({ email }) => emailKey(email) === writer)) return false
    return bounce.isNamed || hasNoSender === true
  }

  function sentTo(org: number, email: string): Found | undefined {
    const since = clock.now() - RECENT_MS
    for (const contact of contactsOf(org, emailKey(email))) {
      const found = lastTo({ org, contact, email, since, first: firstIdAt(since) })
      if (found) return found
    }
    return undefined
  }

  /** Marks the mail as failed if the failure is permanent; a delay changes nothing. */
  function note(org: number, { id }: Found, { recipients }: Report): void {
    const failed = recipients.filter(({ action }) => action === 'failed')
    if (failed.length === 0) return
    const why = failed.map(({ email, why, status }) => [email, why ?? status].filter(Boolean).join(': ')).join('; ')
    bounced(
      org,
      id,
      why.slice(0, MAX_WHY),
      failed.map(({ email }) => email),
    )
  }

  return { bouncedBy, isMeant, note }
})

const MAILER = /^mail(?:er)?-?daemon@/
