import { domainToASCII } from 'node:url'

/** A Message-ID of our own: the id of a message at the domain from which it goes out, in angle brackets. */
export function newMessageId(id: string, address: string): string {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return `<${id}@${/^[a-z0-9.-]+$/.test(domain) ? domain : 'localhost'}>`
}
