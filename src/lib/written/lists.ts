import { fold } from '../pure/fold.ts'
import { seen } from '../pure/invisible.ts'
import { withoutEnd } from './characters.ts'
import { type Context, type Reading, unread } from './reading.ts'

// Several names in one text: tags, and the options of a field.

/** A name of a list, with the value of what is called so; undefined for a new one. */
export type Item = { name: string; value: string | undefined }

/** The value of what is called so. */
export type ValueOf = (name: string) => string | undefined

/**
 * Separators, the strongest first: of those that a text has, the first one separates, and those behind it belong to names.
 * Google writes three colons.
 */
const SEPARATORS = [/:::/g, /[\r\n]+/g, /[;；؛|｜]/g, /[,，、،]/g]
/** A name has no more parts. */
const MOST_JOINED = 8

/** A part of a text, and where it is; one in quotes is a name as it is. */
type Part = { name: string; from: number; to: number; isQuoted?: true }

/**
 * The names of a text. A name that exists is one, whatever it contains; quotes protect a new one. Looks at `isSeen`: in a
 * file, a text is ambiguous if its whole is a name and so are its parts.
 */
export function readList(text: string, known: ValueOf, { isSeen }: Context = {}): Reading<readonly Item[]> {
  const given = unbracketed(seen(text).trim(), known)
  if (given === '') return { value: [] }
  const listed = jsonOf(given)
  if (listed) return listed === 'other' ? unread(given, 'not_one') : { value: itemsOf(listed, known) }
  const parts = partsOf(given)
  const names = joined(given, parts, known)
  const own = parts.map(({ name }) => name)
  const hashed = hashedIn(given, known)
  if (hashed) return { value: itemsOf(hashed, known) }
  if (isSeen) return { value: itemsOf(names, known) }
  const isJoined = names.length < own.length && own.every((name) => known(name) !== undefined)
  if (isJoined) return { either: [itemsOf(names, known), itemsOf(own, known)] }
  const slashed = names.length === 1 && known(given) === undefined ? given.split('/').map((name) => name.trim()) : []
  if (slashed.length > 1 && slashed.every((name) => known(name) !== undefined))
    return { either: [itemsOf(slashed, known), itemsOf(names, known)] }
  return { value: itemsOf(names, known) }
}

/** `[press, radio]` is a list of a program, though no JSON. */
function unbracketed(text: string, known: ValueOf): string {
  const [, inside = ''] = /^\[([^[\]"]+)\]$/.exec(text) ?? []
  return /[,;]/.test(inside) && !/^[\d.,\s-]+$/.test(inside) && known(text) === undefined ? inside.trim() : text
}

/** The texts of a JSON array; "other" for an array of something else. */
function jsonOf(text: string): string[] | 'other' | undefined {
  if (!/^\[.*\]$/s.test(text)) return undefined
  try {
    const found: unknown[] = JSON.parse(text)
    return found.every((each) => typeof each === 'string' || typeof each === 'number') ? found.map(String) : 'other'
  } catch {
    return undefined
  }
}

/** `#vip #partner`: a sign before each. A single one is a name unless there is one without the sign. */
function hashedIn(text: string, known: ValueOf): string[] | undefined {
  if (!/^#[^\s#,;|]+(?:[\s,;|]+#[^\s#,;|]+)*$/.test(text) || known(text) !== undefined) return undefined
  const names = text.split(/[\s,;|]+/).map((name) => (known(name) === undefined ? name.slice(1) : name))
  return names.length > 1 || known(names[0] as string) !== undefined ? names : undefined
}

/** The parts between the strongest separators. */
function partsOf(text: string): Part[] {
  const free = withoutQuoted(text)
  for (const separator of SEPARATORS) {
    const between = [...free.matchAll(separator)]
    if (between.length === 0) continue
    const starts = [0, ...between.map(({ index, 0: found }) => index + found.length)]
    const ends = [...between.map(({ index }) => index), text.length]
    return starts.map((from, index) => partOf(text, from, ends[index] as number)).filter(({ name }) => name !== '')
  }
  return [partOf(text, 0, text.length)]
}

/** Separators with nothing behind or before them. */
const ENDS = ';；؛|｜,，、، \t\r\n'
const START = /^[\s;；؛|｜,，、،]+/

function partOf(text: string, from: number, to: number): Part {
  const name = text.slice(from, to).trim()
  const [, quoted] = /^"((?:[^"]|"")+)"$/.exec(name) ?? []
  if (quoted === undefined) return { name: withoutEnd(name.replace(START, ''), ENDS), from, to }
  return { name: quoted.replaceAll('""', '"').trim(), from, to, isQuoted: true }
}

/**
 * The text with other signs for what is in quotes. Quotes begin a part and end one: those of `5" pipes` are text.
 */
function withoutQuoted(text: string): string {
  if (!text.includes('"')) return text
  let free = ''
  let isStart = true
  for (let at = 0; at < text.length; ) {
    const end = isStart && text[at] === '"' ? endOfQuotes(text, at) : undefined
    if (end === undefined) {
      isStart = BREAK.test(text[at] as string) || (isStart && /\s/.test(text[at] as string))
      free += text[at++]
    } else {
      free += '_'.repeat(end - at)
      at = end
      isStart = false
    }
  }
  return free
}

const BREAK = /[:\r\n;；؛|｜,，、،]/

/** Behind the quotes that begin here; undefined if a part does not end with them. */
function endOfQuotes(text: string, from: number): number | undefined {
  let end = from
  do end = text.indexOf('"', end + 1) + 1
  while (end > 0 && text[end] === '"')
  if (end <= from + 2) return undefined
  let next = end
  while (text[next] === ' ') next++
  return next === text.length || BREAK.test(text[next] as string) ? end : undefined
}

/** Joins parts to the longest names that exist, and divides those of which all further parts exist. */
function joined(text: string, parts: readonly Part[], known: ValueOf): string[] {
  const names: string[] = []
  for (let at = 0; at < parts.length; ) {
    const { name, from, to, isQuoted } = parts[at] as Part
    let end = Math.min(parts.length, at + MOST_JOINED) - 1
    const whole = () => text.slice(from, parts[end]?.to).trim()
    const own = () => text.slice(from, to).trim()
    while (end > at && known(whole()) === undefined) end--
    if (end > at) names.push(whole())
    else if (known(name) === undefined && known(own()) !== undefined) names.push(own())
    else if (isQuoted || known(name) !== undefined) names.push(name)
    else {
      const further = partsOf(name).map((part) => part.name)
      const isKnown = further.length > 1 && further.every((each) => known(each) !== undefined)
      names.push(...(isKnown ? further : [name]))
    }
    at = end + 1
  }
  return names
}

/** Groups that an address book has for itself: Google's and Apple's, which every contact is in. */
const OWN_GROUP = /^(?:\* |system group: )?(?:my ?contacts|other contacts|all contacts|starred in android)$/i

/** Each name once; without the sign and the groups of an address book, unless something is called so. */
function itemsOf(names: readonly string[], known: ValueOf): readonly Item[] {
  const items = new Map<string, Item>()
  for (const given of names) {
    const plain = known(given) === undefined ? given.replace(/^(?:\* |system group: )/i, '') : given
    if (plain === '' || (known(given) === undefined && OWN_GROUP.test(given))) continue
    const value = known(plain)
    const key = value ?? fold(plain)
    if (!items.has(key)) items.set(key, { name: plain, value })
  }
  return [...items.values()]
}
