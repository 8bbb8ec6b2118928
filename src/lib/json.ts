import { Problem } from './problem.ts'

const MAX_DEPTH = 32
const MAX_ARRAY = 1000
/** Values in a body per allowed array item: 10,000 if arrays may have 1,000 items. */
const MAX_VALUES_PER_ITEM = 10
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/**
 * Parses a JSON body as strictly as RFC 8259 allows: fatal UTF-8, no duplicate members, nesting up to 32, arrays of up
 * to `maxItems` (1,000 by default), and ten times as many values in all. A number that a double cannot represent
 * exactly becomes NaN, which every number field refuses, so that nothing is rounded silently. Throws Problem 400.
 */
export function readJson(bytes: Uint8Array, maxItems = MAX_ARRAY): Json {
  const text = readText(bytes, 'malformed_json')
  if (text === '') throw malformed('The body is empty. Send a JSON object.')
  const scanned = scan(text, maxItems * MAX_VALUES_PER_ITEM)
  let value: Json
  try {
    value = scanned.longNumber ? JSON.parse(text, exactNumber) : JSON.parse(text)
  } catch (error) {
    throw malformed(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}.`)
  }
  if (scanned.members !== countMembers(value, maxItems))
    throw malformed('The body contains an object with a duplicate member. Include each member only once.')
  return value
}

/** Throws Problem 400 if the bytes are not UTF-8. */
export function readText(bytes: Uint8Array, code = 'malformed_text'): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Problem(400, code, 'The body is not valid UTF-8.')
  }
}

function malformed(detail: string): Problem {
  return new Problem(400, 'malformed_json', detail)
}

function tooManyValues(most: number): Problem {
  return new Problem(400, 'too_many_values', `The body contains more than ${most} values. Send fewer at a time.`)
}

/**
 * One pass over the text before parsing, which takes much longer: limits depth, values and members, and finds numbers
 * that may be too long for a double. An empty object or array counts as two values.
 */
function scan(text: string, maxValues: number): { members: number; longNumber: boolean } {
  let depth = 0
  let values = 1
  let members = 0
  let digits = 0
  let longNumber = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) {
      if (++digits > 15) longNumber = true
      continue
    }
    if (code === 0x65 || code === 0x45) {
      longNumber ||= digits > 0 // an exponent: 1e400 and 1e-400 have few digits but are not doubles
      continue
    }
    if (code !== 0x2e) digits = 0
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x3a) {
      if (++members > maxValues) throw tooManyValues(maxValues)
    } else if (code === 0x2c) {
      if (++values > maxValues) throw tooManyValues(maxValues)
    } else if (code === 0x7b || code === 0x5b) {
      if (++values > maxValues) throw tooManyValues(maxValues)
      if (++depth > MAX_DEPTH) throw new Problem(400, 'too_deep', `The body is nested deeper than ${MAX_DEPTH} levels.`)
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return { members, longNumber }
}

function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1)
  if (end < 0) return text.length
  if (text.charCodeAt(end - 1) !== 0x5c) return end
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at
  }
  return text.length
}

function countMembers(value: Json, maxItems: number): number {
  if (value === null || typeof value !== 'object') return 0
  let members = 0
  if (Array.isArray(value)) {
    if (value.length > maxItems)
      throw new Problem(
        400,
        'array_too_long',
        `The body contains an array of more than ${maxItems} items. Send fewer at a time.`,
      )
    for (const item of value) members += countMembers(item, maxItems)
    return members
  }
  for (const key of Object.keys(value)) members += 1 + countMembers(value[key] as Json, maxItems)
  return members
}

function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || !context?.source) return value
  return decimal(context.source) === decimal(String(value)) ? value : Number.NaN
}

/** The canonical form of a decimal number: its significant digits and their power of ten. */
function decimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const all = whole + fraction
  // Not a regular expression: one that ends in 0+$ takes minutes for a million zeros before a one.
  let start = 0
  let end = all.length
  while (all[start] === '0') start++
  while (end > start && all[end - 1] === '0') end--
  if (start === end) return '0'
  return `${sign}${all.slice(start, end)}e${Number(exponent) - fraction.length + all.length - end}`
}
