import { isIP } from 'node:net'
import type { ImapEndpoint, Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { domainOf, isSameOrganisation } from '../lib/mail/hosts.ts'
import type { Authentication, MailIn, TraceField } from '../lib/mail/mail.ts'
import { isForged } from '../lib/mail/verdicts.ts'

// How the server of a mailbox judged the sender of a mail (RFC 8601). A sender can write such a field, too, so only those
// count that this server put on top of the mail. docs/decisions/012-mail.md has the rules.

/** Providers whose servers have another name than their IMAP server; null: the server leaves its name out. */
const KNOWN: Record<string, { id: string | null; domain: string }> = {
  'imap.gmail.com': { id: 'mx.google.com', domain: 'google.com' },
  'outlook.office365.com': { id: null, domain: 'outlook.com' },
}

/** Returns null if the server of the mailbox noted no result. */
export function authenticationOf(trace: readonly TraceField[], mailbox: Pick<Mailbox, 'imap'>): Authentication | null {
  const [top, ...next] = resultsIn(trace, mailbox).map(({ results }) => results)
  return top ? next.reduce(merged, top) : null
}

type Results = Extract<TraceField, { kind: 'results' }>

/** What the server of the mailbox noted. */
function resultsIn(trace: readonly TraceField[], { imap }: Pick<Mailbox, 'imap'>): Results[] {
  if (!imap) return []
  const known = knownOf(imap)
  const found: Results[] = []
  for (const field of trace) {
    if (field.kind === 'results') {
      const isOwn = known ? field.host === known.id : field.host !== null && isSameOrganisation(field.host, imap.host)
      if (isOwn) found.push(field)
      continue
    }
    const isOurs = [imap.host, ...(known ? [known.domain] : [])].some((own) => isBy(field.by, own))
    // Below the field of the server that took the mail from outside, the sender has written everything. A server that the
    // settings name removes what others wrote in its name, and may note its results there.
    if (!isOurs || !(known || field.isLocal)) break
  }
  return found
}

const knownOf = (imap: ImapEndpoint): { id: string | null; domain: string } | undefined =>
  imap.authserv_id ? { id: imap.authserv_id.toLowerCase(), domain: imap.authserv_id } : KNOWN[imap.host]

/** Servers that pass a mail on within one organisation may name only an address. */
const isBy = (by: string | null, own: string): boolean => by === null || isIP(by) !== 0 || isSameOrganisation(by, own)

/** The results of the topmost field count; of several signatures, one that is valid. */
const merged = (top: Authentication, next: Authentication): Authentication => ({
  spf: top.spf ?? next.spf,
  dkim: next.dkim === 'pass' ? 'pass' : (top.dkim ?? next.dkim),
  dmarc: top.dmarc ?? next.dmarc,
})

/**
 * How sure it is that a mail of ours is from the address that it names:
 * - `proven`: our server found so of the domain of this address, or whoever handed it in had logged in there;
 * - `inside`: it came by no server from outside, as a copy that somebody saves in the folder;
 * - `doubtful`: it came from outside, and nobody found out;
 * - `forged`: our server found that somebody else wrote it.
 */
export type Origin = 'proven' | 'inside' | 'doubtful' | 'forged'

/** Whether what a mail does in our name counts. */
export const isOfUs = (origin: Origin): boolean => origin === 'proven' || origin === 'inside'

export function originOf({ from, trace }: Pick<MailIn, 'from' | 'trace'>, mailbox: Pick<Mailbox, 'imap'>): Origin {
  const results = authenticationOf(trace, mailbox)
  if (isForged(results)) return 'forged'
  const host = domainOf(from?.email ?? '')
  const domains = resultsIn(trace, mailbox).flatMap((each) => each.domains ?? [])
  // SPF and DKIM are about the domain of the envelope, or of who signed, which anybody has. DMARC compares it with the sender.
  if (results?.dmarc === 'pass' || domains.some((domain) => isSameOrganisation(domain, host))) return 'proven'
  const hops = trace.filter((field) => field.kind === 'received')
  const entry = hops.find(({ isLocal, isLoggedIn }) => isLoggedIn || !isLocal)
  if (entry?.isLoggedIn) return 'proven'
  // SPF is about a server that connected from outside. Exchange Online notes it of each such mail, and of no other.
  if (results?.spf) return 'doubtful'
  if (mailbox.imap && knownOf(mailbox.imap)?.id === null) return results ? 'proven' : 'inside'
  return entry ? 'doubtful' : 'inside'
}
