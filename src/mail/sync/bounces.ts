import { contactsOfEmail } from '../../crm/records/record-lookups.ts'
import { type Deps, once } from '../../deps.ts'
import { threadStore } from '../../inbox/conversations/threads.ts'
import { storedMails } from '../../inbox/messages/stored-mails.ts'
import { emailKey } from '../../lib/email.ts'
import { firstIdAt } from '../../lib/id.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { MailIn, Report } from '../mail.ts'
import { sendingStore } from './sending.ts'

/** How far back to look for the mail if a report does not name it. */
const RECENT_MS = 14 * DAY_MS
const MAX_WHY = 500

export type Bounce = { id: string; conversation_id: string }

/** Finds the mail that a delivery report (RFC 3464) is about, and records the failure. */
export const bounceStore = once((deps: Deps) => {
  const { db, clock } = deps
  const threads = threadStore(deps)
  const { bounced } = sendingStore(deps)
  const contactsOf = contactsOfEmail(db)
  const { lastTo } = storedMails(db)

  /** Finds the mail by the returned Message-ID, by the references of the report, or else by the failed recipient. */
  function bouncedBy(org: number, mail: MailIn): Bounce | undefined {
    const { messageId = null, recipients = [] } = mail.report ?? {}
    for (const id of [...(messageId === null ? [] : [messageId]), ...mail.inReplyTo, ...mail.references.toReversed()]) {
      const found = threads.messageOf(org, id)
      if (found) return found
    }
    for (const { email } of recipients) {
      const found = sentTo(org, email)
      if (found) return found
    }
    return undefined
  }

  function sentTo(org: number, email: string): Bounce | undefined {
    const since = clock.now() - RECENT_MS
    for (const contact of contactsOf(org, emailKey(email))) {
      const found = lastTo({ org, contact, email, since, first: firstIdAt(since) })
      if (found) return found
    }
    return undefined
  }

  /** Marks the mail as failed if the failure is permanent; a delay changes nothing. */
  function note(org: number, { id }: Bounce, { recipients }: Report): void {
    const failed = recipients.filter(({ action }) => action === 'failed')
    if (failed.length === 0) return
    const why = failed.map(({ email, why, status }) => [email, why ?? status].filter(Boolean).join(': ')).join('; ')
    bounced(org, id, why.slice(0, MAX_WHY))
  }

  return { bouncedBy, note }
})
