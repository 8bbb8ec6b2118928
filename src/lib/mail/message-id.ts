import { domainToASCII } from 'node:url'

/** Returns the Message-ID for one of our messages: its id at the domain of the sending address, in angle brackets. */
export function newMessageId(id: string, address: string): string {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1))
  return `<${id}@${/^[a-z0-9.-]+$/.test(domain) ? domain : 'localhost'}>`
}

/**
 * What a Message-ID that a provider gave is stored and looked up by. Amazon SES says only the part before the @ when it takes a
 * mail; the domain is that of the region, which nobody here knows.
 */
export const aliasOf = (id: string): string => id.replace(/@(?:[a-z0-9-]+\.)?amazonses\.com>$/i, '@amazonses.com>')
