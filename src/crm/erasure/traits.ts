import { isExact, parseExactly } from '../../lib/exact-json.ts'
import { foldWhole } from '../../lib/fold.ts'

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
}

/** A name of one word, such as "Will", is in too many sentences. */
export const isFullName = (name: string): boolean => name.length >= SHORTEST && /\S\s+\S/.test(name)

export const isDistinct = (text: string): boolean => text.length >= SHORTEST

/** How a text may be written: as it is, in JSON, and folded, as keys are. */
function formsOf(text: string): string[] {
  const trimmed = text.trim().replace(/\s+/g, ' ')
  const all = [trimmed, trimmed.toLowerCase(), trimmed.toUpperCase(), foldWhole(trimmed)]
  return [...new Set(all.flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]))]
}

const BEFORE = '(?<![\\p{L}\\p{N}_%+])'
const AFTER = '(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}])'

/** An address may go on after a dot; a name before one ends, as in the name of a file. */
const exactly = (text: string): string =>
  `${RegExp.escape(text)}${AFTER}${/\d|@|:/.test(text) ? '(?!\\.[\\p{L}\\p{N}])' : ''}`

/** Finds texts in longer texts, ignoring case, where they are not a part of a longer word or address. */
export function finder(texts: readonly string[]) {
  const forms = [...new Set(texts.flatMap(formsOf))].toSorted((one, other) => other.length - one.length)
  const pattern = forms.length === 0 ? undefined : new RegExp(`${BEFORE}(?:${forms.map(exactly).join('|')})`, 'giu')

  return {
    forms,
    without: (text: string, instead = ERASED): string => (pattern ? text.replace(pattern, () => instead) : text),
  }
}

export type Finder = ReturnType<typeof finder>

const KEPT_STRING = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/
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
