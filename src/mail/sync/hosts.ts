import { isIP } from 'node:net'

/**
 * Whether two hosts belong to the same organisation, as far as their names show: the same registered domain, or two of
 * one provider.
 */
export const isSameOrganisation = (one: string, other: string): boolean => organisationOf(one) === organisationOf(other)

function organisationOf(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '')
  const domain = registeredDomain(name)
  return PROVIDERS.find((domains) => domains.includes(domain))?.[0] ?? domain
}

/** Without a list of all public suffixes: two labels, or three below "co.uk" and the like. */
function registeredDomain(host: string): string {
  if (isIP(host) !== 0) return host
  const labels = host.split('.')
  const [second = '', top = ''] = labels.slice(-2)
  const isBelow =
    top.length === 2 && /^(?:co|com|net|org|gov|edu|ac|or|ne|go|gob|gouv|ltd|plc|me|nom|asn|id)$/.test(second)
  return labels.slice(isBelow ? -3 : -2).join('.')
}

/** Providers whose servers have other domains than their addresses, or than each other. */
const PROVIDERS: readonly (readonly string[])[] = [
  ['google.com', 'gmail.com', 'googlemail.com'],
  ['outlook.com', 'office365.com', 'office.com', 'hotmail.com', 'live.com', 'microsoft.com', 'onmicrosoft.com'],
  ['icloud.com', 'apple.com', 'me.com', 'mac.com'],
  ['yahoo.com', 'yahoodns.net', 'aol.com'],
  ['gmx.net', 'gmx.de', 'gmx.com', 'web.de', 'mail.com'],
  ['ionos.com', 'ionos.de', '1and1.com', '1und1.de', 'kundenserver.de', 'perfora.net'],
  ['amazonses.com', 'amazonaws.com'],
  ['sendgrid.net', 'sendgrid.com'],
  ['mailgun.org', 'mailgun.net'],
  ['proton.me', 'protonmail.com', 'protonmail.ch'],
  ['fastmail.com', 'messagingengine.com'],
]
