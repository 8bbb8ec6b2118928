import { domainToASCII, domainToUnicode } from 'node:url'
import { phonePattern } from './phones.ts'
import { foldText } from './reading.ts'

// What a person is recognised by, as patterns for folded texts: see reading.ts.

const BEFORE = '(?<![\\p{L}\\p{N}_%+])'
const AFTER = '(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}])'
/** An address goes on after a dot. */
const NO_DOMAIN = '(?!\\.[\\p{L}\\p{N}])'

/** The pattern of an email, a phone number, an address of a page, or a name. */
export function patternOf(text: string): string {
  const given = text.trim()
  return emailPattern(given) ?? pagePattern(given) ?? phonePattern(given) ?? namePattern(given) ?? literal(given)
}

function literal(text: string): string {
  return `${BEFORE}${RegExp.escape(foldText(text).replace(/\s+/g, ' '))}${AFTER}${/\d|:/.test(text) ? NO_DOMAIN : ''}`
}

function emailPattern(text: string): string | undefined {
  const [, local, domain] = /^([^\s@]+)@([^\s@]+)$/.exec(text) ?? []
  if (!local || !domain) return undefined
  const domains = [domain, domainToASCII(domain), domainToUnicode(domain)].filter((each) => each !== '').map(foldText)
  const escaped = [...new Set(domains)].map(RegExp.escape).join('|')
  // "x.ana@" and "o'ana@" are other mailboxes than "ana@".
  const before = `${BEFORE}(?<![\\p{L}\\p{N}][.'-])`
  return `${before}${RegExp.escape(foldText(local))}@(?:${escaped})${AFTER}${NO_DOMAIN}`
}

/** With or without a scheme, "www." or the subdomain of a country, and a slash at the end. */
function pagePattern(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  const path = url?.pathname.replace(/\/+$/, '') ?? ''
  if (!url || path.length < 2) return undefined
  const host = url.hostname.replace(/^(?:www|[a-z]{2})\.(?=[^.]+\.)/, '')
  const hosts = [...new Set([host, foldText(domainToUnicode(host))])].map(RegExp.escape).join('|')
  const rest = foldText(decoded(path) + decoded(url.search))
  const start = `${BEFORE}(?:https?:\\/\\/)?(?:(?:www|[a-z]{2})\\.)?`
  return `${start}(?:${hosts})(?::\\d+)?${RegExp.escape(rest)}${AFTER}${NO_DOMAIN}\\/?`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Scripts that write words without spaces between them. */
const JOINED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+$/u
const TWO_LETTERS: Record<string, string> = { ä: 'ae', æ: 'ae', ö: 'oe', ø: 'oe', œ: 'oe', ü: 'ue', å: 'aa' }

/** "Müller" is also "Mueller" and "Muller", and the other way round. */
const wordPattern = (word: string): string =>
  foldText(
    word
      .normalize('NFC')
      .toLowerCase()
      .replace(/[äæöøœüå]/g, (letter) => TWO_LETTERS[letter] ?? letter),
  )
    .replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    .replace(/(?<=[aou])e/g, 'e?')
    .replace(/(?<=a)a/g, 'a?')
    .replace(/'/g, "'?")

/** A name of one word, such as "Will", is in too many sentences. */
export const isFullName = (name: string): boolean => namePattern(name) !== undefined

/**
 * A name as it is written: between its words may be spaces, commas, dots or the initial of a middle name, or in the name of
 * a file hyphens and underscores. Not a part of a longer name, but with the "s" of "Anna Müllers Angebot".
 */
function namePattern(name: string): string | undefined {
  const words = name.trim().split(/[\s,]+/)
  if (words.filter((word) => /\p{L}/u.test(word)).length < 2) return undefined
  if (words.every((word) => JOINED.test(word))) return words.map((word) => RegExp.escape(foldText(word))).join(' ?')
  if (name.trim().length < 5) return undefined
  const parts = words.map((word) =>
    word
      .split(/[-\u2010\u2011]/)
      .map(wordPattern)
      .join('[ -]?'),
  )
  const written = parts.join('(?:[ ,.;+]{1,3}(?:\\p{L}\\. ?)?)')
  const inFiles = parts.join('[-_+]')
  return `(?<!\\p{L})(?:${written}(?!s?-\\p{L})|${inFiles})(?:'?s)?(?!\\p{L})`
}
