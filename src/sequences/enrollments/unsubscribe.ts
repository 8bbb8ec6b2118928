import { mailLinks } from '../../auth/mail-links.ts'
import { columns, contactStore } from '../../crm/contacts.ts'
import { type Deps, once } from '../../deps.ts'
import { textHtml } from '../../lib/html/from-text.ts'
import { rfc3339 } from '../../lib/time.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { stopRules } from './stop-rules.ts'

// How the recipient of a sequence's mails unsubscribes, using what the mails contain.

/** The enrollment whose mail the unsubscribe token came from, with the internal id of the org. */
export type Unsubscribing = { org: number; enrollment_id: string }

type Sending = { address: string; imap: object | null }
type Enrolled = { id: string }

const ASKED = /\bunsubscribe\b(.*)$/is
const FOLDED = /^[^\w-]*((?:[\w-]\s*){64})(?![\w-])/
/** Each costs a signature. */
const MAX_TOKENS = 4
const TOKENS = /(?<![\w-])[\w-]{64}(?![\w-])/g

/** The id in its tokens is that of the enrollment. They never expire: mails are read years later. */
export const unsubscribing = once((deps: Deps) => {
  const { db, clock } = deps
  const links = mailLinks(deps)
  const enrolled = db.prepare('SELECT contact_id FROM enrollments WHERE org_id = ? AND id = ?')
  const described = db.prepare(
    `SELECT orgs.name AS org_name, contacts.emails
     FROM enrollments JOIN orgs ON orgs.id = enrollments.org_id
     LEFT JOIN contacts ON contacts.org_id = enrollments.org_id AND contacts.id = enrollments.contact_id
     WHERE enrollments.org_id = ? AND enrollments.id = ?`,
  )
  const credit = db.prepare(
    'UPDATE enrollments SET unsubscribed_at = ? WHERE org_id = ? AND id = ? AND unsubscribed_at IS NULL',
  )
  const gate = orgGate(db)
  const { find, save } = contactStore(deps)
  const watch = stopRules(deps)

  /**
   * The unsubscribe headers of a mail (RFC 2369 and 8058): a link if the org has a public URL, an address if the
   * mailbox has IMAP. Empty if neither is available: no request would arrive.
   */
  function headers(org: number, { address, imap }: Sending, enrollment: Enrolled): Record<string, string> {
    const link = url(org, enrollment)
    const ways = [link, mailto(org, { address, imap }, enrollment)].filter((way) => way !== null)
    if (ways.length === 0) return {}
    return {
      'List-Unsubscribe': ways.map((way) => `<${way}>`).join(', '),
      // RFC 8058 requires https: what a mail program posts in the background must not be sent unencrypted.
      ...(link?.startsWith('https:') ? { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' } : {}),
    }
  }

  /** Null if the mailbox does not receive mail. */
  function mailto(org: number, { address, imap }: Sending, enrollment: Enrolled): string | null {
    return imap && `mailto:${addressPart(address)}?subject=unsubscribe%20${tokenOf(org, enrollment)}`
  }

  /**
   * Returns the body of a mail as text and HTML. It gets a line for unsubscribing unless it contains the link itself, or
   * no request would arrive. The line is in English: neither organisations nor sequences have a language.
   */
  function bodies(org: number, mailbox: Sending, enrollment: Enrolled, body: string): { text: string; html: string } {
    const link = url(org, enrollment)
    const way = link ?? mailto(org, mailbox, enrollment)
    const html = textHtml(body)
    if (way === null || (link !== null && body.includes(link))) return { text: body, html }
    return {
      text: `${body.trimEnd()}\n\nUnsubscribe: ${way}`,
      html: `${html}\n<p><a href="${way.replaceAll('&', '&amp;')}">Unsubscribe</a></p>`,
    }
  }

  /** Null if the org has no public_base_url. */
  const url = (org: number, { id }: Enrolled): string | null => links.url(org, 'unsubscribe', id)

  const tokenOf = (org: number, { id }: Enrolled): string => links.tokenOf(org, 'unsubscribe', id)

  /** Returns undefined if the signature is invalid, or the org is not in this store. */
  function read(token: string): Unsubscribing | undefined {
    const known = links.read('unsubscribe', token)
    return known && { org: known.org, enrollment_id: known.id }
  }

  /**
   * What the unsubscribe page shows to the holder of a token: the sender, and the address that it wrote to, or null if
   * that was deleted.
   */
  function about(token: string): { org_name: string; email: string | null } | undefined {
    const known = read(token)
    if (known) gate(known.org)
    const row = known && (described.get(known.org, known.enrollment_id) as Described | undefined)
    return row && { org_name: row.org_name, email: primaryOf(row.emails) }
  }

  /**
   * Call this in a transaction. Unsubscribes the contact and applies the stop rules. Returns false for an invalid
   * token, and true even if the contact had already unsubscribed or was deleted, as nothing is sent to it either way.
   */
  function unsubscribe(token: string): boolean {
    const known = read(token)
    const row = known && (enrolled.get(known.org, known.enrollment_id) as { contact_id: string | null } | undefined)
    if (!known || !row) return false
    gate(known.org)
    if (row.contact_id === null) return true
    const at = mark(known.org, row.contact_id)
    watch.unsubscribed(known.org, row.contact_id)
    // Also if all mails of the enrollment had been sent: the person unsubscribed with one of them.
    if (at !== null) credit.run(at, known.org, known.enrollment_id)
    return true
  }

  /** Returns the time of unsubscribing in milliseconds, or null if the contact had unsubscribed before. */
  function mark(org: number, contactId: string): number | null {
    const who = { org, member: null }
    const before = columns.present(find(who, contactId))
    if (before.unsubscribed_at !== null) return null
    const at = clock.now()
    save(who, before, { ...before, unsubscribed_at: rfc3339(at) })
    return at
  }

  /**
   * Whether a mail with this subject, to a mailbox of the org, was an unsubscribe request. If so, it is carried out.
   */
  function fromSubject(org: number, subject: string): boolean {
    const token = tokensIn(subject).find((each) => read(each)?.org === org)
    return token !== undefined && unsubscribe(token)
  }

  return { headers, bodies, url, read, about, unsubscribe, fromSubject }
})

/**
 * What may be a token in the subject of a mail. Mail programs leave the escapes of the link in it, fold it, or put "Re:" before
 * it, and gateways their tags on both sides. The signature of the token tells which one is meant.
 */
function tokensIn(subject: string): string[] {
  const letterOf = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))
  const plain = subject.replace(/%(?:25)*([0-9a-f]{2})/gi, letterOf)
  const rest = ASKED.exec(plain)?.[1]
  if (rest === undefined) return []
  const folded = FOLDED.exec(rest)?.[1]?.replace(/\s+/g, '') ?? []
  return [...(rest.match(TOKENS) ?? []), folded].flat().slice(0, MAX_TOKENS)
}

type Described = { org_name: string; emails: string | null }

function primaryOf(emails: string | null): string | null {
  const known = JSON.parse(emails ?? '[]') as { email: string; is_primary: boolean }[]
  return known.find(({ is_primary }) => is_primary)?.email ?? known[0]?.email ?? null
}

/** RFC 6068 requires that characters with a meaning in mailto links are escaped. */
function addressPart(address: string): string {
  const at = address.lastIndexOf('@')
  return `${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`
}
