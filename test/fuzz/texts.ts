import fc from 'fast-check'
import type { Schema } from './document.ts'
import type { Draw } from './draw.ts'

// Texts that a schema allows, mostly.

const words = fc.constantFrom(
  'Berlin',
  'quarterly',
  'Licences',
  'Ana',
  'Ölmühle',
  'O’Neill',
  '42',
  'Größe',
  'a',
  'x y',
  '100 %',
  "';--",
)
export const plain = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 24 })
const graphemes = fc.string({ unit: 'grapheme', maxLength: 24 })
const SURROGATES = 0x800
/** Any sign of Unicode. What fast-check has for it makes a table of all of them first, which takes more than a second. */
const sign = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES))
const anything = fc.string({ unit: sign, maxLength: 24 })
/** What people paste and attackers try. */
const tricky = fc.constantFrom(
  'e\u0301'.repeat(5),
  'a' + '\u0301'.repeat(30),
  'a' + '\u0301'.repeat(31),
  '\u202eright to left',
  'שלום עולם',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  'a\u0000b',
  '\ud800',
  '\udc00x',
  '\u0000',
  '\ufeffbom',
  ' ',
  '\u00a0\u2003',
  '\r\n\t',
  '=1+1',
  '<script>alert(1)</script>',
  '" OR 1=1 --',
  'a* NEAR("b") AND {x}:',
  '%00%ff',
  '../../etc/passwd',
  'ﷺ'.repeat(16),
  'İıßẞﬃ',
  'null',
  'undefined',
)
const dates = fc.date({ min: new Date('1990-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
const farDates = fc.constantFrom('0001-01-01', '9999-12-31', '2024-02-29', '0000-01-01', '1582-10-10', '2100-02-28')
const farTimes = fc.constantFrom(
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-01:00',
  '2026-12-31T23:59:60Z',
  '2026-11-20t08:36:00z',
  '2026-11-20T08:36:00.1234Z',
  '2026-11-20 08:36:00Z',
  '2026-11-20T08:36:00+14:00',
)
const emails = fc.emailAddress()
const patterns = new Map<string, fc.Arbitrary<string>>()

const MIB = 1_048_576
const BYTES = [0, 1, 2, 3, 4, 57, 1000, 65_537]
const MANY_BYTES = [MIB, 3 * MIB, 5 * MIB, 10 * MIB, 10 * MIB + 1]
/** To Buffer some of these are base64. */
const NO_BASE64 = [
  '=',
  'A',
  'A===',
  'AAAAA',
  'AA=A',
  'AA==AA==',
  'AAA-',
  'AA_=',
  'AAAA\n',
  ' AAA',
  'ä',
  '🙂',
  'data:,x',
]

function base64Text(draw: Draw): string {
  const [way, few, byte] = [draw.below(1000), draw.below(200), draw.below(256)]
  const bytes = way < 8 ? draw.one(MANY_BYTES) : way < 300 ? few : draw.one(BYTES)
  const wrong = draw.one(NO_BASE64)
  return way >= 960 ? wrong : Buffer.alloc(bytes, byte).toString('base64')
}

export function freshText(
  draw: Draw,
  { format, pattern, contentEncoding, minLength = 0, maxLength = 64 }: Schema,
): string {
  if (contentEncoding === 'base64') return base64Text(draw)
  if (format === 'date') return draw.chance(10) ? draw.from(farDates) : draw.from(dates).toISOString().slice(0, 10)
  if (format === 'date-time') return draw.chance(10) ? draw.from(farTimes) : timeText(draw)
  if (format === 'email') return draw.from(emails)
  if (format === 'uri')
    return `https://${draw.one(['example.com', 'müller.example', 'a.example:8443'])}/${draw.below(99)}`
  if (typeof pattern === 'string') return draw.from(matching(pattern))
  const way = draw.below(100)
  if (way < 4) return draw.from(tricky)
  if (way < 7) return draw.from(anything)
  if (way < 25) return draw.from(graphemes)
  // As long as it may be, in letters of one, two and four bytes; very long ones seldom, since each costs a KiB or more.
  if (way < 27 && (Number(maxLength) < 1000 || draw.chance(3)))
    return draw.one(['x', 'ä', '🙂']).repeat(Number(maxLength) + draw.one([0, 0, 0, 1, -1]))
  if (way < 29) return 'y'.repeat(Number(minLength))
  return way < 65 ? draw.from(words) : draw.from(plain)
}

/** A time in one of the ways that RFC 3339 allows. */
function timeText(draw: Draw): string {
  const [date, time = ''] = draw.from(dates).toISOString().split('T')
  const offset = draw.one(['Z', 'Z', '+00:00', '-05:30', '+14:00'])
  return `${date}T${time.slice(0, draw.one([8, 8, 12]))}${offset}`
}

function matching(pattern: string): fc.Arbitrary<string> {
  let found = patterns.get(pattern)
  if (!found) patterns.set(pattern, (found = fc.stringMatching(new RegExp(pattern, 'u'))))
  return found
}
