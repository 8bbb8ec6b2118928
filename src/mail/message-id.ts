import { domainToASCII } from 'node:url'

/** Returns the Message-ID for one of our messages: its id at the domain of the sending address, in angle brackets. */
export function newMessageId(id: string, address: string): string {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return `<${id}@${/^[a-z0-9.-]+$/.test(domain) ? domain : 'localhost'}>`
}
