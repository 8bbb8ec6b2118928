import { isExact, parseExactly } from '../../lib/exact-json.ts'
import { isFullName, patternOf } from './patterns.ts'
import { READINGS } from './reading.ts'

// What a person is recognised by in texts: docs/decisions/038-personal-data.md.

/** Written where a text named the person. */
export const ERASED = '[erased]'

/** Shorter ones are in too many texts that are about something else. */
const SHORTEST = 5

export type Traits = {
  /** Emails, phones and addresses of pages that nobody else has: they are erased wherever they are. */
  own: readonly string[]
  /** Full names, which other people may have too: they are erased in what is linked with the person. */
  names: readonly string[]
  /** What is not looked for: others have it too, or it is in too many texts that are about something else. */
  left: readonly string[]
}

export const isDistinct = (text: string): boolean => text.length >= SHORTEST

/** Strings of a record that name nobody, and are not searched: ids and times. */
const KEPT_STRING = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g

/**
 * Finds a person in texts: in any case, with and without accents, as it may be written in a mail, a page or JSON, but not as
 * a part of a longer word, address or number.
 */
export function finder(texts: readonly string[]) {
  // An address may have the name in it: it is taken as a whole.
  const patterns = [texts.filter((text) => !isFullName(text)), texts.filter(isFullName)].flatMap(anyOf)

  function without(text: string, instead = ERASED): string {
    if (text.length < 2 || KEPT_STRING.test(text)) return text
    const left = patterns.reduce((rest, pattern) => withoutInText(rest, pattern, instead), text)
    if (left === text && !text.includes('\\')) return text
    return isJson(text) ? withoutInJson(text, instead) : left
  }

  /** Numbers and the form stay: other code reads it. */
  function withoutInJson(json: string, instead: string): string {
    return json.replace(JSON_STRING, (quoted) => {
      const text = JSON.parse(quoted) as string
      const left = without(text, instead)
      return left === text ? quoted : JSON.stringify(left)
    })
  }

  return { without, finds: (text: string): boolean => without(text) !== text }
}

export type Finder = ReturnType<typeof finder>

function anyOf(texts: readonly string[]): RegExp[] {
  const patterns = [...new Set(texts.map(patternOf))].toSorted((one, other) => other.length - one.length)
  return patterns.length === 0 ? [] : [new RegExp(patterns.join('|'), 'gu')]
}

/** Each reading is of what the others have left. */
function withoutInText(text: string, pattern: RegExp, instead: string): string {
  let left = text
  for (const readingOf of READINGS) {
    const reading = readingOf(left)
    if (!reading) continue
    const places = [...reading.folded.matchAll(pattern)].map(
      ({ 0: found, index }) => [index, index + found.length] as const,
    )
    if (places.length > 0) left = reading.replace(places, instead)
  }
  return left
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Fields with one of a few words. */
const CHOICES = new Set(['type', 'status', 'direction', 'channel', 'priority', 'currency', 'stop_reason', 'target'])
/** Objects that only say how something went. */
const HARMLESS = new Set(['sla', 'author'])

/**
 * A record of an event or a journal without any text: ids, times, numbers and choices stay, so that its place in the
 * history can still be read.
 */
export function blanked(json: string): string {
  const told = parseExactly(json) as Record<'object' | 'previous', Record<string, unknown>>
  return JSON.stringify({ ...told, object: blank(told.object), previous: blank(told.previous) })
}

const blank = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, isExact(value) ? value : blankValue(name, value)]),
  )

function blankValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return KEPT_STRING.test(value) || CHOICES.has(name) ? value : ERASED
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string' && KEPT_STRING.test(each))
  if (typeof value !== 'object' || value === null) return value
  return HARMLESS.has(name) ? blank(value as Record<string, unknown>) : null
}
