import type { ImportObject } from '../../../src/imports/writable.ts'
import { seedOf } from '../../support/seed.ts'

// Exports of other programs as people have them: real column names in their real order, and the mess of years. The same
// seed makes the same files.

/** A row of a made file, and what an import has to make of it. */
export type MadeRow = {
  cells: Record<string, string>
  /** The fields with a value that cannot be imported: they reject the row, or are left out by --lenient. */
  bad: string[]
  /** Whether a record can be made of it without its bad values. */
  isUsable: boolean
  /** Whether it is the same as an earlier row. */
  isDuplicate?: boolean
}

export type ProductFile = {
  name: string
  object: ImportObject
  /** The content of a CSV file, or of a workbook. */
  text: string | Buffer
  rows: MadeRow[]
}

export type Mess = ReturnType<typeof mess>

/** The members of the organisation that the files are imported into; all other owners are unknown. */
export const OWNER = { name: 'Ana Ruiz', email: 'ana@acme.example' }

export const COMPANIES = [
  'Müller & Söhne GmbH',
  'Acme, Inc.',
  'Société Générale d’Énergie',
  'Ñandú S.A.',
  '"Quoted" Ltd',
  'Łódź Logistics',
  'Northwind',
  "O'Brien Partners",
  '株式会社例',
  'Zwölf  Räume',
]

const FIRST = [
  'Ana',
  'Jörg',
  'Zoë',
  'María José',
  'Łukasz',
  'Seán',
  'Nguyễn',
  'Bo',
  'Anne-Marie',
  '李',
  'Ángel',
  'Ümit',
]
const LAST = [
  'Ruiz',
  'Müller',
  'O’Neil',
  'van der Berg',
  'Lindqvist',
  'D"Angelo',
  'Żak',
  'García López',
  'Smith-Jones',
  'Ott',
]
const BLANKS = ['', '', '', 'n/a', 'N/A', '-', 'none', '—', ' ']
const COUNTRIES = [
  'Germany',
  'DE',
  "Côte d'Ivoire",
  'Côte d’Ivoire',
  'USA',
  'United States',
  'Deutschland',
  'France',
  'UK',
]
const PHONES = [
  '+49 (0)30 1234567',
  '030/1234-567',
  '(415) 555-0132',
  '+33 1 70 18 99 00',
  '0171 2345678',
  '555.0199 x12',
]
const TEXTS = [
  'Met at the fair; wants a call back',
  'Line one\nLine two, with "quotes"',
  'Ruft nie zurück – außer montags',
  '=1+1',
  '😀 very keen',
]

/** How many rows each file of a product has. */
export const ROWS = 200

/** A source of values that all come from the seed. `bad` collects the fields of the row whose values are bad. */
export function mess(own: number) {
  let state = seedOf(own)
  /** Mulberry32. */
  function random(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const chance = (share: number): boolean => random() < share
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const blank = (): string => pick(BLANKS)
  const number = (most: number): number => Math.floor(random() * most)
  const digits = (count: number): string => Array.from({ length: count }, () => number(10)).join('')
  /** No time of day that clocks skip: what is written without a zone would be none. */
  const hour = (): number => (number(23) + 3) % 24
  const day = (): Date => new Date(Date.UTC(2021, number(48), 1 + number(28), hour(), number(60)))

  let bad: string[] = []
  function wrong(field: string, value: string): string {
    bad.push(field)
    return value
  }
  /** A value or nothing, in one of the ways in which people write nothing. */
  const often = (share: number, value: () => string): string => (chance(share) ? value() : blank())

  let people = 0
  function email(): string {
    people++
    if (chance(0.06))
      return wrong('emails', pick(['see card', 'ana@', `two person${people}@x.example`, 'www.acme.example']))
    const address = `person${people}@${pick(['acme.example', 'müller.example', 'X.Example'])}`
    return pick([address, address, address.toUpperCase(), ` ${address} `, `mailto:${address}`])
  }

  return {
    chance,
    pick,
    blank,
    number,
    digits,
    day,
    wrong,
    often,
    email,
    first: (): string => pick(FIRST),
    last: (): string => pick(LAST),
    company: (): string => pick(COMPANIES),
    phone: (): string => (chance(0.04) ? wrong('phones', pick(['call me', 'see notes'])) : pick(PHONES)),
    country: (): string => (chance(0.05) ? wrong('address.country', 'Atlantis') : pick(COUNTRIES)),
    owner: (): string =>
      chance(0.15)
        ? wrong('owner_id', pick(['Carla Gómez', 'left@acme.example']))
        : pick([OWNER.name, OWNER.email, ' ana ruiz']),
    note: (): string => pick(TEXTS),
    /** Rows of a file; `make` answers the cells and whether a record has a name at all. */
    rows(count: number, make: (index: number) => { cells: Record<string, string>; isUsable: boolean }): MadeRow[] {
      return Array.from({ length: count }, (_, index) => {
        bad = []
        const made = make(index)
        return { ...made, bad }
      })
    },
  }
}

/** Makes some rows the same as a good one with a name and an email before them: people are in an address book more than once. */
export function withDuplicates(rows: readonly MadeRow[], name: string, email: string): MadeRow[] {
  const good = rows.filter(({ cells, bad, isUsable }, index) => {
    return index < 100 && isUsable && bad.length === 0 && isNamed(cells[name] ?? '') && cells[email]?.includes('@')
  })
  return rows.map((row, index) => {
    const earlier = index >= 100 && index % 12 === 0 ? good[index % good.length] : undefined
    return earlier ? { ...earlier, isUsable: false, isDuplicate: true } : row
  })
}

/** Whether a cell has more than what stands for nothing. */
export const isNamed = (cell: string): boolean => !BLANKS.includes(cell)

/** Whether somebody or something can be called so: who is called None is not nobody. */
export const isCalled = (cell: string): boolean => isNamed(cell) || cell === 'none'

/** Whether contact cells have a name, a valid email or a valid phone. */
export function isReachable(
  cells: Record<string, string>,
  names: readonly string[],
  reached: readonly string[],
): boolean {
  const has = (column: string, pattern: RegExp): boolean => pattern.test(cells[column] ?? '')
  return (
    names.some((column) => isCalled(cells[column] ?? '')) ||
    reached.some((column) => has(column, /[^\s@]+@\w[^\s@]*\.\w/) || has(column, /\d.*\d.*\d/s))
  )
}

type Style = { separator?: string; eol?: string; mark?: boolean; above?: string; below?: string; everyQuoted?: boolean }

/** A CSV file; with blank lines between some rows. */
export function csv(header: string, rows: readonly MadeRow[], style: Style = {}): string {
  const { separator = ',', eol = '\r\n', mark = false, above = '', below = '', everyQuoted = false } = style
  const columns = header.split(',')
  const quoted = (cell: string): string =>
    everyQuoted || /["\n\r,;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
  const line = (cells: readonly string[]): string => cells.map(quoted).join(separator) + eol
  for (const { cells } of rows) {
    const unknown = Object.keys(cells).find((column) => !columns.includes(column))
    if (unknown) throw new Error(`the header has no ${unknown}`)
  }
  const lines = rows.map(
    ({ cells }, index) => line(columns.map((column) => cells[column] ?? '')) + (index % 60 === 59 ? eol : ''),
  )
  return `${mark ? '\ufeff' : ''}${above}${line(columns)}${lines.join('')}${below}`
}

const two = (value: number): string => String(value).padStart(2, '0')

/** Days and times as programs write them. */
export const written = {
  iso: (day: Date): string => day.toISOString().slice(0, 10),
  minute: (day: Date): string => day.toISOString().slice(0, 16).replace('T', ' '),
  second: (day: Date): string => day.toISOString().slice(0, 19).replace('T', ' '),
  american: (day: Date): string => `${day.getUTCMonth() + 1}/${day.getUTCDate()}/${day.getUTCFullYear()}`,
  german: (day: Date): string => `${two(day.getUTCDate())}.${two(day.getUTCMonth() + 1)}.${day.getUTCFullYear()}`,
  named: (day: Date): string =>
    `${two(day.getUTCDate())} ${day.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${day.getUTCFullYear()}`,
}
