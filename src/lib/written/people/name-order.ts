import { fold } from '../../pure/fold.ts'
import type { Context, Reading } from '../reading.ts'
import { isGivenName, isOnlyGivenName } from './given-names.ts'
import { IBERIAN_SURNAME, JOB, LEGAL, REMARK } from './name-words.ts'
import { readName, type WrittenName } from './names.ts'

// Names of a column: which word is the surname, where that is not certain.

/** Where the surname stands in front. Elsewhere in Asia, only names in Latin letters leave that open. */
const SURNAME_FIRST = /^(?:hu|vi)\b/
const EITHER_FIRST = /^(?:zh|ja|ko)\b/
/** Everybody has two surnames there. */
const TWO_SURNAMES = /^(?:es|pt|ca|gl|eu)\b/
const VIETNAMESE = /^(?:nguyen|tran|le|pham|hoang|huynh|phan|vu|vo|dang|bui|do|ho|ngo|duong|ly)$/
/** A father's name follows the first name. */
const PATRONYMIC = /(?:ович|евич|ьич|овна|евна|ична|інічна|івна|йович)$/iu

/**
 * Reads the name of one person, or of a company. Of the context it looks at `locale`, `isSurnameFirst` and `isSeen`: without a
 * person who looks at it, an order that is not certain has two readings.
 */
export function readNames(text: string, { locale = '', isSurnameFirst, isSeen }: Context = {}): Reading<WrittenName> {
  const name = readName(text, { locale })
  if (!name) return { unread: { part: text.trim(), why: isOne(text) ? 'not_one' : 'several' } }
  const words = plainWords(text, name)
  const orders = words ? ordersOf(words, locale, isSurnameFirst) : []
  const names = orders.map((at): WrittenName => ({ ...name, ...parted(words as string[], at) }))
  const [first = name, ...others] = names
  if (others.length > 0) return isSeen ? { value: first } : either(names)
  if (isSeen) return { value: first }
  const other = first.company === undefined && first.rest === undefined ? behindComma(text) : undefined
  if (other) return either([other, first])
  const aside = bracketed(text, first)
  if (aside === undefined) return { value: first }
  const { rest: _, ...bare } = first
  return either([{ ...bare, company: aside }, first])
}

const either = ([one, other, ...more]: readonly WrittenName[]): Reading<WrittenName> => ({
  either: [one as WrittenName, other as WrittenName, ...more],
})

/** An address or a number is no name; what else is none are several people. */
const isOne = (text: string): boolean => /\S@\S/.test(text) || !/\p{L}/u.test(text)

/** The words of a name that stands in the order in which it is said, without anything that shows which is the surname. */
function plainWords(text: string, { given, family }: WrittenName): string[] | undefined {
  if (!given || !family || family.includes(' ')) return undefined
  const words = `${given} ${family}`.split(' ')
  const isInOrder = text.replace(/[\s\u200b\u3000]+/gu, ' ').includes(words.join(' '))
  return isInOrder && words.every((word) => /^\p{Lu}[\p{L}'’-]*\p{Ll}$/u.test(word)) ? words : undefined
}

/** Where the surname of a name may begin; a negative place is where it ends, as it stands in front. */
function ordersOf(words: readonly string[], locale: string, isSurnameFirst: boolean | undefined): number[] {
  const [first = '', second = '', third] = words
  const last = words.length - 1
  if (third !== undefined && words.length === 3) {
    if (PATRONYMIC.test(third)) return [-1]
    if (PATRONYMIC.test(second)) return [2]
  }
  if (isSurnameFirst) return [-1]
  const isTurned = isOnlyGivenName(words[last] as string) && !isGivenName(first)
  if (SURNAME_FIRST.test(locale)) return isGivenName(first) && !isGivenName(words[last] as string) ? [last] : [-1]
  if (VIETNAMESE.test(fold(first)) && words.length > 2) return [-1]
  if (EITHER_FIRST.test(locale) && words.length === 2) return isGivenName(first) ? [1] : [1, -1]
  if (words.length === 2) return isTurned && isSurnameFirst === undefined ? [-1, 1] : [1]
  if (!TWO_SURNAMES.test(locale)) return isTurned ? [-1, last] : [last]
  const isSurname = IBERIAN_SURNAME.test(fold(second)) && !isGivenName(second)
  if (words.length === 3) return isSurname ? [1] : [2, 1]
  return isSurname ? [1] : isGivenName(second) || IBERIAN_SURNAME.test(fold(third ?? '')) ? [2] : [2, 1]
}

function parted(words: readonly string[], at: number): Pick<WrittenName, 'given' | 'family'> {
  const cut = Math.abs(at)
  const [front, behind] = [words.slice(0, cut).join(' '), words.slice(cut).join(' ')]
  return at < 0 ? { given: behind, family: front } : { given: front, family: behind }
}

/** "Jane Doe, Acme": a first name in front, and none behind. */
function behindComma(text: string): WrittenName | undefined {
  const [, front = '', behind = ''] = /^([^,]*),\s*([^,\s]+)$/u.exec(text.trim()) ?? []
  const [given = '', family, ...more] = front.trim().split(/\s+/)
  const isOpen = family !== undefined && more.length === 0 && isGivenName(given) && !isGivenName(family)
  return isOpen && !isGivenName(behind) && /^\p{Lu}\p{Ll}+$/u.test(behind)
    ? { given, family: family as string, company: behind }
    : undefined
}

/** What stands in brackets behind a name, and may be a company or a town. */
function bracketed(text: string, { rest, company }: WrittenName): string | undefined {
  if (company !== undefined || rest === undefined || !text.includes(`(${rest})`)) return undefined
  const isOpen = /^\p{Lu}/u.test(rest) && !REMARK.test(rest) && !JOB.test(rest) && !LEGAL.test(rest)
  return isOpen ? rest : undefined
}

/** So many names that begin with the surname show that all do. */
const ENOUGH = 3

/** Collects what the names of a column show: whether they begin with the surname. */
export function namesShown() {
  let turned = 0
  let inOrder = 0

  /** Returns whether a name could be two. */
  function add(text: string): boolean {
    const words = text.trim().split(/\s+/)
    if (words.length !== 2 || text.includes(',')) return false
    const [first, last] = words as [string, string]
    if (isGivenName(first) && !isOnlyGivenName(last)) inOrder++
    const isTurned = isOnlyGivenName(last) && !isGivenName(first)
    if (isTurned) turned++
    return isTurned
  }

  function found(): Context {
    if (turned >= ENOUGH && turned > 4 * inOrder) return { isSurnameFirst: true }
    return inOrder >= ENOUGH && inOrder > 4 * turned ? { isSurnameFirst: false } : {}
  }

  return { add, found }
}
