import { isIP } from 'node:net'

/**
 * Whether two hosts belong to the same organisation, as far as their names show: the same registered domain, or two of
 * one provider.
 */
export const isSameOrganisation = (one: string, other: string): boolean => organisationOf(one) === organisationOf(other)

/** The domain of an address, in lower case. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** Whether two addresses are of one organisation, as far as their domains show. */
export const areColleagues = (one: string, other: string): boolean =>
  !isPublicProvider(domainOf(one)) && isSameOrganisation(domainOf(one), domainOf(other))

function organisationOf(host: string): string {
  const name = host.toLowerCase().replace(/\.$/, '')
  const domain = registeredDomain(name)
  return PROVIDERS.find((domains) => domains.includes(domain))?.[0] ?? domain
}

/**
 * Whether addresses at a host belong to anybody: the ones of two people there have nothing to do with each other. The large
 * providers are enough: it is asked of the addresses of our own mailboxes.
 */
export const isPublicProvider = (host: string): boolean => {
  const domain = organisationOf(host)
  return PROVIDERS.some(([name]) => name === domain) || PUBLIC.has(domain) || FAMILIES.test(domain)
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

/** Providers that have a domain in each country. */
const FAMILIES =
  /^(?:gmx|yahoo|ymail|rocketmail|hotmail|outlook|live|msn|zoho|zohomail|aol|yandex|tutanota|protonmail|googlemail)\.(?:[a-z]{2,3}\.)?(?:[a-z]{2}|com|net|org)$/

const PUBLIC = new Set(
  `yandex.ru yandex.com ya.ru mail.ru bk.ru inbox.ru list.ru rambler.ru qq.com foxmail.com 163.com 126.com sina.com naver.com
   daum.net hanmail.net t-online.de freenet.de arcor.de posteo.de mailbox.org tutanota.com tuta.io zoho.com hey.com orange.fr
   wanadoo.fr free.fr sfr.fr laposte.net libero.it virgilio.it tiscali.it alice.it terra.com.br uol.com.br bol.com.br wp.pl
   onet.pl o2.pl interia.pl seznam.cz centrum.cz abv.bg rediffmail.com comcast.net verizon.net att.net bellsouth.net cox.net
   btinternet.com bigpond.com xtra.co.nz docomo.ne.jp ezweb.ne.jp softbank.ne.jp bluewin.ch`
    .split(/\s+/)
    .filter(Boolean),
)
