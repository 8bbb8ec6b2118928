import { toDomain } from '../../domain.ts'
import { plain, withoutInvisible } from '../../pure/invisible.ts'
import type { Reading } from '../reading.ts'

const LONGEST = 4000
const OR = /\s+(?:oder|or|ou|o|und|and|et|y|e|lub|eller|och|of|en|[/&+|])\s+|[\s,;|]+|:::/iu
const LABEL =
  /^(?:web|www|website|webseite|web site|homepage|internet|url|site|site web|sitio web|strona|domain|domäne)\s*:\s+/iu

/**
 * Reads host names: as they are, of web addresses, and of emails. They are returned in DNS form, each of which once, without a
 * leading "www.".
 */
export function readDomains(given: string): Reading<readonly string[]> {
  const text = given.length > LONGEST ? '' : plain(given).replace(LABEL, '')
  const found = new Set<string>()
  for (const part of text.split(OR)) {
    if (part === '') continue
    const domain = hostOf(part)
    if (domain === undefined) return unread(found.size > 0 || text.includes('.') ? part : text, found.size > 0)
    found.add(domain)
  }
  return found.size > 0 ? { value: [...found] } : unread(text, false)
}

function hostOf(text: string): string | undefined {
  const host = text
    .replace(/^<(.*)>$/, '$1')
    .replace(/^(?:(?:https?:)?\/\/|mailto:)/i, '')
    .replace(/^[^@/?#]*@/, '')
    .split(/[/?#]/)[0]
    ?.replace(/:\d+$/, '')
    .replaceAll('。', '.')
    .replace(/(?<=[^.])\.$/, '')
  return host ? toDomain(host)?.replace(/^www\.(?=.+\.)/, '') : undefined
}

/** Reads one web address; without a scheme it is https. */
export function readWebAddress(given: string): Reading<string> {
  const text = withoutInvisible(given)
    .replace(/[\p{Zs}\t]/gu, ' ')
    .trim()
    .replace(LABEL, '')
    .replace(/^<(?:url:)?(.*)>$/i, '$1')
    .replace(/^(["'])(.*)\1$/, '$2')
    .replace(/^\/\//, '')
  if (text.length > LONGEST || text === '') return unread(text, false)
  if (/\s/.test(text)) return { unread: { part: text, why: areAddresses(text) ? 'several' : 'not_one' } }
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?(.*)$/is.exec(text) ?? []
  const [, authority = '', behind = ''] = /^([^/?#]*)(.*)$/s.exec(rest) ?? []
  if (/[@\\]/.test(authority) && scheme === undefined) return unread(text, false)
  const host = authority.replace(/:\d{1,5}$/, '')
  const isHost = scheme === undefined ? hostOf(host) !== undefined && !/^\d+(?:\.\d+)*$/.test(host) : host !== ''
  const url = `${scheme ?? 'https'}://${behind === '' ? authority.replace(/(?<=[^.])[.,;]$/, '') : authority}${behind.replace(/[.,;]$/, '')}`
  if (!isHost || (scheme === undefined && /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(text)) || !URL.canParse(url))
    return unread(text, false)
  return { value: url }
}

const areAddresses = (text: string): boolean =>
  text
    .split(OR)
    .filter(Boolean)
    .every((part) => hostOf(part) !== undefined)

const unread = (part: string, isRest: boolean): Reading<never> => ({
  unread: { part, why: isRest ? 'rest' : 'not_one' },
})
