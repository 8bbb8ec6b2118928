import { domainToASCII } from 'node:url'
import { placeOf } from './error-messages.ts'
import type { MailServer } from './server.ts'

// Addresses as in the commands of SMTP.

const WORD = "[\\w!#$%&'*+/=?^`{|}~\\x80-\\uffff-]+"
const DOT_ATOM = new RegExp(`^${WORD}(?:\\.${WORD})*$`)
const QUOTED = /^"(?:[^"\\]|\\.)*"$/s

/**
 * An address as in commands: the domain in ASCII, and the part before it in quotation marks where it is none of words and single
 * dots (RFC 5321, 4.1.2), as docomo's are.
 */
export function onWire(address: string): string {
  const at = address.lastIndexOf('@')
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)]
  if (at < 1) return address
  const isPlain = DOT_ATOM.test(local) || QUOTED.test(local) || /\p{Cc}/u.test(local) // the last is refused
  return `${isPlain ? local : JSON.stringify(local)}@${domainToASCII(domain) || domain}`
}

/** Only the domain has a form in ASCII. */
export const isInternational = (address: string): boolean =>
  /[^\x00-\x7f]/.test(address.slice(0, address.lastIndexOf('@')))

export const noUtf8 = (server: MailServer, address: string): string =>
  `The server ${placeOf(server)} does not support addresses such as ${address}, with other letters than those of ASCII before the @ (SMTPUTF8). Use another address, or another server.`
