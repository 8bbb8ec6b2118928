import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDay } from '../../../src/lib/written/days/days.ts'
import { daysShown } from '../../../src/lib/written/days/days-shown.ts'
import { isMinutes, readDuration } from '../../../src/lib/written/days/durations.ts'
import { readMoment } from '../../../src/lib/written/days/moments.ts'
import { readAmount } from '../../../src/lib/written/figures/amounts.ts'
import { isShares, readNumber, readPercent, signsIn } from '../../../src/lib/written/figures/numbers.ts'
import { signsShown } from '../../../src/lib/written/figures/signs-shown.ts'
import type { Context, Reading } from '../../../src/lib/written/reading.ts'
import { readYesNo } from '../../../src/lib/written/yes-no.ts'

// The table of numbers, amounts, percentages, durations, flags, days and moments: what is written, where, and what it means.

export const KINDS = ['number', 'amount', 'percent', 'duration', 'yesno', 'day', 'moment'] as const
export type Kind = (typeof KINDS)[number]
export type Door = 'file' | 'editor'

export type Row = {
  kind: Kind
  /** `both` means the same in a file and in an editor. */
  door: Door | 'both'
  context: Record<string, string>
  written: string
  /** A value, "AMBIGUOUS one ¦ other", or REFUSE. */
  meant: string
  why: string
}

/** The moment of all readings: a Saturday. */
export const NOW = Date.parse('2026-11-28T12:00:00Z')

const visible = (text: string): string =>
  text.replace(/\\u\{([0-9A-Fa-f]+)\}/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))

const ROWS: readonly Row[] = readFileSync(join(import.meta.dirname, 'numbers.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line): Row => {
    const [kind, door, context = '', written = '', meant = '', why = ''] = line.split('\t')
    const pairs = context.split('; ').flatMap((pair) => (pair ? [pair.split(/=(.*)/s).slice(0, 2)] : []))
    return {
      kind: kind as Kind,
      door: door as Row['door'],
      context: Object.fromEntries(pairs),
      written: visible(written),
      meant: visible(meant),
      why,
    }
  })

/** The rows of some kinds that stand at a door. */
export const rowsOf = (door: Door, kinds: readonly Kind[]): Row[] =>
  ROWS.filter((row) => kinds.includes(row.kind) && (row.door === door || row.door === 'both'))

/** The other cells of the column of a row. */
export const cellsOf = ({ context }: Row): string[] => context.column?.split(' ¦ ') ?? []

/** What is known where a row stands. */
export function contextOf(row: Row, door: Door): Context {
  const { locale, currency, rowCurrency, zone, lies } = row.context
  const cells = cellsOf(row)
  const known: Context = { locale, currency, rowCurrency, zone, now: NOW, isSeen: door === 'editor' }
  if (lies) known.lies = lies as 'past' | 'ahead'
  if (row.kind === 'percent' && cells.length > 0) return { ...known, isShare: isShares(cells) }
  if (row.kind === 'duration') return { ...known, isMinutes: isMinutes(cells) }
  if (row.kind === 'number' || row.kind === 'amount') {
    const signs = signsShown()
    for (const [at, text] of cells.entries()) signs.add(signsIn(text).shows, { text, row: at })
    return { ...known, ...signs.found().is }
  }
  const [own, all] = [daysShown(), daysShown()]
  for (const text of [...cells, row.written]) own.add(text, 1)
  for (const text of [...cells, row.written, ...(row.context.file ? [row.context.file] : [])]) all.add(text, 1)
  return { ...known, ...own.found(all).is }
}

const text = (value: number): string =>
  Math.abs(value) < 1e-6 && value !== 0 ? value.toFixed(20).replace(/0+$/, '') : String(value)
export const momentText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')

/** Reads a row as its door does, in the form of `meant`. */
export function read({ kind, written }: Pick<Row, 'kind' | 'written'>, context: Context): string {
  const shown = <T>(reading: Reading<T>, one: (value: T) => string): string =>
    'value' in reading
      ? one(reading.value)
      : 'either' in reading
        ? `AMBIGUOUS ${reading.either.map(one).join(' ¦ ')}`
        : 'REFUSE'
  switch (kind) {
    case 'number':
      return shown(readNumber(written, context), text)
    case 'percent':
      return shown(readPercent(written, context), text)
    case 'duration':
      return shown(readDuration(written, context), text)
    case 'amount':
      return shown(readAmount(written, context), ({ amount, currency = '-' }) => `${text(amount)} ${currency}`)
    case 'yesno':
      return shown(readYesNo(written, context), String)
    case 'day':
      return shown(readDay(written, context), String)
    case 'moment':
      return shown(readMoment(written, context), momentText)
  }
}
