import { isIP } from 'node:net'
import type { Mailbox } from '../../inbox/mailboxes/mailboxes.ts'
import type { Authentication, TraceField } from '../mail.ts'
import { isSameOrganisation } from './hosts.ts'

// How the server of a mailbox judged the sender of a mail (RFC 8601). A sender can write such a field, too, so only those
// count that this server put on top of the mail. docs/decisions/012-mail.md has the rules.

/** Providers whose servers have another name than their IMAP server; null: the server leaves its name out. */
const KNOWN: Record<string, { id: string | null; domain: string }> = {
  'imap.gmail.com': { id: 'mx.google.com', domain: 'google.com' },
  'outlook.office365.com': { id: null, domain: 'outlook.com' },
}

/** Returns null if the server of the mailbox noted no result. */
export function authenticationOf(trace: readonly TraceField[], { imap }: Pick<Mailbox, 'imap'>): Authentication | null {
  if (!imap) return null
  const given = imap.authserv_id
  const known = given ? { id: given.toLowerCase(), domain: given } : KNOWN[imap.host]
  let found: Authentication | null = null
  for (const field of trace) {
    if (field.kind === 'results') {
      const isOwn = known ? field.host === known.id : field.host !== null && isSameOrganisation(field.host, imap.host)
      if (isOwn) found = found ? merged(found, field.results) : field.results
      continue
    }
    const isOurs = [imap.host, ...(known ? [known.domain] : [])].some((own) => isBy(field.by, own))
    // Below the field of the server that took the mail from outside, the sender has written everything. A server that the
    // settings name removes what others wrote in its name, and may note its results there.
    if (!isOurs || !(known || field.isLocal)) break
  }
  return found
}

/** Servers that pass a mail on within one organisation may name only an address. */
const isBy = (by: string | null, own: string): boolean => by === null || isIP(by) !== 0 || isSameOrganisation(by, own)

/** The results of the topmost field count; of several signatures, one that is valid. */
const merged = (top: Authentication, next: Authentication): Authentication => ({
  spf: top.spf ?? next.spf,
  dkim: next.dkim === 'pass' ? 'pass' : (top.dkim ?? next.dkim),
  dmarc: top.dmarc ?? next.dmarc,
})

/** Whether the server found that somebody else wrote the mail. */
export function isForged(results: Authentication | null): boolean {
  if (!results || results.dmarc === 'pass') return false
  return results.dmarc === 'fail' || (results.spf === 'fail' && results.dkim !== 'pass')
}

/** Whether the server found that the mail is from where it claims to be. */
export const isProven = (results: Authentication | null): boolean =>
  results !== null && [results.dmarc, results.dkim, results.spf].includes('pass') && !isForged(results)
