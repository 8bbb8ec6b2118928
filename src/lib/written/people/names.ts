import { withoutEnd } from '../characters.ts'
import { isGivenName } from './given-names.ts'
import {
  AND,
  CAPITAL_SUFFIXES,
  DOTTED_SUFFIX,
  FAMILY,
  FOR,
  FRENCH_PREFIXES,
  HONORIFIC,
  JOB,
  JOINERS,
  LEADING_ONLY,
  LEGAL,
  PARTICLES,
  PREFIXES,
  REMARK,
  SUFFIXES,
  TRADE,
  TRADE_SURNAME,
} from './name-words.ts'

/** A name as people write it, in its parts; a part that is not there is missing. What is neither is the rest. */
export type WrittenName = {
  prefix?: string
  given?: string
  family?: string
  suffix?: string
  nickname?: string
  company?: string
  rest?: string
}

/** The locale decides of few words only: "M." is Monsieur in French, and an initial elsewhere. */
export type NameContext = { locale?: string | undefined }

/**
 * Reads the name of one person, or of a company. Null if it is none: an email, a number, or several people. Capitals stay
 * as they are written, since nobody knows better.
 */
export function readName(text: string, { locale = '' }: NameContext = {}): WrittenName | null {
  const name: WrittenName = {}
  let left = unquoted(spaced(text))
    .replace(FOR, '')
    .replace(HONORIFIC, (found) => ` ${found}`)
  if (/^\S+@\S+$/.test(left) || !/\p{L}/u.test(left)) return null
  left = left.replace(/^\[([^\]]+)\]\s*/, (_, mark: string) => put(name, 'rest', mark))
  left = withoutEmployer(left, name)
  left = withoutBrackets(left, name)
  left = left.replace(/\s["“„]([^"”“]+)["”“]\s/, (_, nickname: string) => `${put(name, 'nickname', nickname)} `)
  if (FAMILY.test(left) || / \/ /.test(left)) return null
  const airline = /^([^\s/,]+)\/([^\s/,]+)(?:\s(MR|MRS|MS))?$/.exec(left)
  if (airline)
    return { ...(airline[3] ? { prefix: airline[3] } : {}), given: airline[2]!, family: airline[1]!, ...name }
  if (isCompany(left) && !left.includes(',')) return { ...name, company: left }
  if (isPair(left)) return null
  const parts = left.split(',').map((part) => part.trim())
  const people = parts.filter((part) => !isAside(part, name, parts.length > 1))
  const read = parts.length > 1 ? inverted(people, name, locale) : inOrder(left, name, locale)
  return Object.keys(read).length === 0 ? null : read
}

/** Behind "via", "from", "@", a bar, or a dash between spaces. */
function withoutEmployer(text: string, name: WrittenName): string {
  const via = /^(.+?)\s+(via|from|@|at|chez|bei)\s+(.+)$/iu.exec(text)
  if (via) {
    const [, before = '', word = '', after = ''] = via
    if (/via/i.test(word) && !LEGAL.test(after)) put(name, 'rest', `${word} ${after}`)
    else put(name, 'company', after)
    return unquoted(before)
  }
  const [one = '', other] = text.split(/\s+[|｜⎥–—/-]\s+|[⎥]/u)
  if (other === undefined || (text.includes(' / ') && !LEGAL.test(text))) return text
  const isOther = isCompany(one) && !isCompany(other)
  put(name, 'company', isOther ? one : other)
  return isOther ? other : one
}

function withoutBrackets(text: string, name: WrittenName): string {
  const found = /^(.*?)\s*[(（]([^()（）]*)[)）]\s*(.*)$/u.exec(text)
  if (!found) return text
  const [, before = '', inside = '', after = ''] = found
  if (before === '') return after || inside
  if (isAll(before.split(' '), PREFIXES)) return text // it belongs to the degree
  const isInside = after !== '' && !before.endsWith(',') && !after.startsWith(',')
  put(
    name,
    isInside && !REMARK.test(inside) ? 'nickname' : LEGAL.test(inside) && !REMARK.test(inside) ? 'company' : 'rest',
    inside,
  )
  return `${before} ${after}`.trim()
}

/** Whether a part between commas is no name: a degree, a company, or a job. */
function isAside(part: string, name: WrittenName, isList: boolean): boolean {
  if (!isList || part === '') return false
  const words = part.split(' ')
  if (words.every((word) => isSuffix(word, true))) return put(name, 'suffix', part) === ''
  if (isAll(words, PREFIXES)) return put(name, 'prefix', part) === ''
  if (LEGAL.test(part)) return put(name, 'company', part) === ''
  return JOB.test(part) && put(name, 'rest', part) === ''
}

/** "Family, Given", or a name of which the other parts were asides. */
function inverted([first = '', ...others]: string[], name: WrittenName, locale: string): WrittenName {
  if (others.length === 0) return inOrder(first, name, locale)
  const second = others.join(' ').trim()
  const front = ends(first.split(' ').filter(Boolean), name, locale, 1)
  const words = ends(second.split(' ').filter(Boolean), name, locale)
  let at = words.length
  while (at > 1 && isParticle(words[at - 1] as string)) at--
  const particles = words.slice(at)
  return filled(name, words.slice(0, at), [...particles, ...front])
}

function inOrder(text: string, name: WrittenName, locale: string): WrittenName {
  const words = ends(text.split(' ').filter(Boolean), name, locale)
  if (words.length < 2) return name.prefix ? filled(name, [], words) : filled(name, words, [])
  if (words.every((word) => EAST_ASIAN.test(word))) return filled(name, words.slice(1), words.slice(0, 1))
  const loud = words.map((word, at) => isLoud(word, at))
  if (isParticle(words[0] as string) && !/\p{Ll}/u.test(words[0] as string) && loud[1]) loud[0] = true
  const first = loud.indexOf(true)
  const last = loud.lastIndexOf(true)
  if (first >= 0 && loud.includes(false) && words.slice(0, first).every((word) => !isParticle(word))) {
    if (first === 0) return filled(name, words.slice(last + 1), words.slice(0, last + 1))
    if (last === words.length - 1) return filled(name, words.slice(0, first), words.slice(first))
  }
  const at = surnameAt(words)
  return filled(name, words.slice(0, at), words.slice(at))
}

/** Where the surname begins: at a particle, else at the last word. */
function surnameAt(words: readonly string[]): number {
  const last = words.length - 1
  const isSmall = (word: string) => /^\p{Ll}/u.test(word) && !/^\p{Ll}/u.test(words[0] as string)
  const at = words.findIndex((word, n) => n > 0 && n < last && (isParticle(word) || isSmall(word)))
  if (at < 0) return last
  return JOINERS.has(words[at] as string) && at > 1 ? at - 1 : at
}

/** Takes what stands in front of a name and behind it; `least` words are left where a suffix might be one of them. */
function ends(words: string[], name: WrittenName, locale: string, least = 2): string[] {
  let from = 0
  let to = words.length
  while (from < to - 1 && isPrefix(words, from, locale)) from++
  while (to > from + 1 && isSuffix(words[to - 1] as string, to - from > least)) to--
  if (from > 0) put(name, 'prefix', words.slice(0, from).join(' '))
  if (to < words.length) name.suffix = [...words.slice(to), ...(name.suffix ? [name.suffix] : [])].join(', ')
  return words.slice(from, to)
}

function isPrefix(words: readonly string[], at: number, locale: string): boolean {
  const word = bare(words[at] as string)
  if (LEADING_ONLY.has(word)) return PREFIXES.has(bare(words[at + 1] ?? ''))
  if (/^\(.*\)$/.test(words[at] as string)) return at > 0
  // Degrees of two letters in capitals, such as DI, are first names as well if they are written otherwise.
  if (word === 'di') return words[at] === 'DI'
  return PREFIXES.has(word) || (locale.startsWith('fr') && FRENCH_PREFIXES.has(word))
}

const isSuffix = (word: string, isLong: boolean): boolean =>
  SUFFIXES.has(bare(word)) || DOTTED_SUFFIX.test(word) || (isLong && CAPITAL_SUFFIXES.has(word))

const isParticle = (word: string): boolean => PARTICLES.has(bare(word)) || /^[dl]['’]/.test(word)

/** In capitals, as a surname is marked. Two letters in front may be initials. */
const isLoud = (word: string, at: number): boolean =>
  (word.match(/\p{Lu}/gu) ?? []).length >= (at === 0 ? 3 : 2) && !/\p{Ll}|\./u.test(word)

/** "Anna und Peter Weber", and not "Ludwig von und zu Hohenfels". */
const isPair = (text: string): boolean => AND.test(text.replace(/\bvon und zu\b/giu, ''))

const isCompany = (text: string): boolean => LEGAL.test(text) || (TRADE.test(text) && !isSurnamed(text.split(' ')))

/** "Paul Sales" is a person, "Harbor Sales" a desk. */
const isSurnamed = ([first = '', last = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && TRADE_SURNAME.test(last) && isGivenName(first)

const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+$/u

const bare = (word: string): string => withoutEnd(word.toLowerCase(), '.')

const isAll = (words: readonly string[], set: ReadonlySet<string>): boolean =>
  words.every((word) => set.has(bare(word)))

const spaced = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\s\u200b\u3000]+/gu, ' ')
    .trim()

const unquoted = (text: string): string => text.replace(/^(["'“„«‘])(.*)["'”“»’]$/u, '$2').trim()

/** Adds a part to a name, and returns nothing, to put in its place. */
function put(name: WrittenName, part: keyof WrittenName, text: string): '' {
  name[part] = name[part] === undefined ? text.trim() : `${name[part]}${part === 'suffix' ? ',' : ''} ${text.trim()}`
  return ''
}

function filled(name: WrittenName, given: readonly string[], family: readonly string[]): WrittenName {
  if (given.length > 0) name.given = given.join(' ')
  if (family.length > 0) name.family = family.join(' ')
  return name
}
