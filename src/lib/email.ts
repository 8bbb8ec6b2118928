import { toDomain } from './domain.ts'
import { withoutInvisible } from './pure/invisible.ts'

/**
 * Addresses that exist, not those of the RFC: with dots anywhere in front of the @, as some providers gave them out; with a
 * local part in quotation marks; in other scripts; and of hosts in a local network, which have no dot, or an IP address. What
 * ends an address, or begins another one, is not taken inside quotation marks either: many programs that read the header of a
 * mail would send to that one.
 */
export const EMAIL =
  /^(?:[^\s@<>()[\]\\,;:"]+|"(?:[^"\\<>@]|\\[^<>@])+")@(?:[^\s@<>()[\]\\,;:".](?:[^\s@<>()[\]\\,;:"]*[^\s@<>()[\]\\,;:".])?|\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9A-Fa-f:.]+)\])$/

/**
 * What all spellings of one mailbox have in common: case, full-width characters, a domain in its own script or in punycode, and
 * quotation marks that nothing needs make no other one.
 */
export function emailKey(email: string): string {
  if (/^[\x21\x23-\x7e]+$/.test(email)) return email.toLowerCase()
  const [local, domain] = halves(withoutInvisible(email.normalize('NFKC')).trim())
  if (domain === undefined) return local.toLowerCase()
  return `${unquoted(local).toLowerCase()}@${toDomain(domain) ?? domain.toLowerCase()}`
}

/** The value of a filter by email. */
export const EMAIL_FORM = {
  is: (text: string): boolean => EMAIL.test(emailKey(text)),
  name: 'an email address, such as ana@example.com',
}

/** What stands in front of the last @, and behind it. */
function halves(email: string): [local: string, domain: string | undefined] {
  const at = email.lastIndexOf('@')
  return at < 0 ? [email, undefined] : [email.slice(0, at), email.slice(at + 1)]
}

/** Quotation marks that nothing needs are not part of an address. */
const unquoted = (local: string): string => local.replace(/^"([^\s@<>()[\]\\,;:"]+)"$/, '$1')

/**
 * The address of a text that is one and may have been copied with what stands around it: angle brackets, `mailto:`, the full
 * stop of a sentence, full-width characters. Undefined if it is none.
 */
export function emailIn(text: string): string | undefined {
  const link = /^mailto:([^?]*)/i.exec(text.trim().replace(/^<(.*)>$/, '$1'))?.[1]
  const bare = withoutInvisible(link === undefined ? text : decoded(link))
    .replace(/[＠﹫]/g, '@')
    .trim()
    .replace(/^<(.*)>$/, '$1')
    .replace(/(?<=[^.])\.$/, '')
  const [local, domain] = halves(bare)
  if (domain === undefined) return undefined
  const isWide = /[\uff01-\uff5e]/.test(local)
  const host = /[\uff01-\uff5e\u3002\uff61]/.test(domain) ? domain.normalize('NFKC').replaceAll('。', '.') : domain
  const email = `${unquoted(isWide ? local.normalize('NFKC') : local)}@${host}`
  return EMAIL.test(email) ? email : undefined
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link)
  } catch {
    return link
  }
}
