import { MINUTE_MS } from '../../time.ts'
import { decodeField } from './head.ts'
import { oneLine } from './text.ts'

// Message ids and dates in headers.

const MAX_ID = 998
const FIRST_IDS = 10
const MAX_IDS = 50

/**
 * Returns all ids of a field, with angle brackets; accepts ids sent without brackets, separated by commas, or folded
 * inside.
 */
export function idsIn(field: string | undefined): string[] {
  if (!field) return []
  const text = field.includes('=?') ? decodeField(field) : field
  const bracketed = [...text.matchAll(/<([^<>]*)>/g)].map(([, inner]) => inner as string)
  const found = bracketed.length > 0 ? bracketed : text.split(/[\s,;]+/).filter((word) => /[^@<>]@[^@<>]/.test(word))
  const ids = found.map((inner) => cleanId(inner)).filter((id) => id !== '')
  const all = [...new Set(ids)]
  return all.length <= MAX_IDS ? all : [...all.slice(0, FIRST_IDS), ...all.slice(FIRST_IDS - MAX_IDS)]
}

function cleanId(inner: string): string {
  const id = oneLine(inner.slice(0, 2 * MAX_ID), MAX_ID + 1).replace(/[\s<>]/g, '')
  return id === '' || id.length > MAX_ID - 2 ? '' : `<${id}>`
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ZONES = new Map([
  ['ut', 0],
  ['utc', 0],
  ['gmt', 0],
  ['z', 0],
  ['est', -300],
  ['edt', -240],
  ['cst', -360],
  ['cdt', -300],
  ['mst', -420],
  ['mdt', -360],
  ['pst', -480],
  ['pdt', -420],
  ['cet', 60],
  ['cest', 120],
  ['met', 60],
  ['mest', 120],
  ['bst', 60],
  ['jst', 540],
])

const CLOCK = '(\\d{1,2})[:.](\\d{2})(?:[:.](\\d{2}))?(?:[.,]\\d+)?'
const ZONE = '(?:\\s*(?:GMT|UTC)?([+-]\\d{1,2}:?\\d{2})|\\s*\\(?([A-Za-z]{1,5})\\)?)?'
const DAY_FIRST = new RegExp(`(\\d{1,2})[\\s-]+([A-Za-z]{3})[a-z]*\\.?[\\s,-]+(\\d{2,4})[\\s,]+${CLOCK}${ZONE}`)
const MONTH_FIRST = new RegExp(
  `([A-Za-z]{3})[a-z]*\\.?\\s+(\\d{1,2})[\\s,]+${CLOCK}\\s+(?:[A-Z]{1,5}\\s+)?(\\d{4})()()`,
)

/** Returns milliseconds; null if there is no valid time from 1970 to 9999. */
export function timeIn(field: string | undefined): number | null {
  if (!field) return null
  const text = field.slice(0, 200)
  const ms = isoTime(text) ?? dayFirst(text) ?? monthFirst(text)
  return ms === undefined || !(ms >= 0 && ms <= LAST_MS) ? null : ms
}

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59)

function isoTime(text: string): number | undefined {
  const [iso] =
    /^\s*\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d{2}:?\d{2})?/.exec(text) ?? []
  if (!iso) return undefined
  const whole = iso
    .trim()
    .replace(/\s?([+-]\d{2}):?(\d{2})$/, '$1:$2')
    .replace(' ', 'T')
  const ms = Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(whole) ? whole : `${whole}Z`)
  return Number.isNaN(ms) ? undefined : ms
}

function dayFirst(text: string): number | undefined {
  const [found, day, month, year, hour, minute, second, offset, zone] = DAY_FIRST.exec(text) ?? []
  return found === undefined ? undefined : utc({ day, month, year, hour, minute, second, offset, zone })
}

function monthFirst(text: string): number | undefined {
  const [found, month, day, hour, minute, second, year] = MONTH_FIRST.exec(text) ?? []
  return found === undefined ? undefined : utc({ day, month, year, hour, minute, second, offset: '', zone: '' })
}

type Fields = Record<'day' | 'month' | 'year' | 'hour' | 'minute' | 'second' | 'offset' | 'zone', string | undefined>

/** Returns undefined for a day or time that cannot exist. */
function utc(fields: Fields): number | undefined {
  const month = MONTHS.indexOf((fields.month ?? '').toLowerCase())
  const [day, hour, minute, second] = [fields.day, fields.hour, fields.minute, fields.second ?? '0'].map(Number) as [
    number,
    number,
    number,
    number,
  ]
  const written = Number(fields.year)
  // RFC 5322, section 4.3: two digits up to 49 mean 20xx, higher ones 19xx; three digits count from 1900.
  const year = fields.year?.length === 4 ? written : written < 50 ? 2000 + written : 1900 + written
  if (month < 0 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return undefined
  return (
    Date.UTC(year, month, day, hour, minute, Math.min(second, 59)) - minutesOf(fields.offset, fields.zone) * MINUTE_MS
  )
}

function minutesOf(offset: string | undefined, zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{1,2}):?(\d{2})$/.exec(offset ?? '') ?? []
  if (hours === undefined) return ZONES.get((zone ?? '').toLowerCase()) ?? 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}
