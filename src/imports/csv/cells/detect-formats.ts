import type { Json } from '../../../lib/json.ts'
import { usage } from '../../../lib/problem.ts'
import { readDay } from '../../../lib/written/days/days.ts'
import { daysShown } from '../../../lib/written/days/days-shown.ts'
import { liesOf } from '../../../lib/written/days/field-days.ts'
import { readMoment } from '../../../lib/written/days/moments.ts'
import { readAmount } from '../../../lib/written/figures/amounts.ts'
import { readNumber, signsIn } from '../../../lib/written/figures/numbers.ts'
import { signsShown, type Witness } from '../../../lib/written/figures/signs-shown.ts'
import { namesShown, readNames } from '../../../lib/written/people/name-order.ts'
import { readPhonesIn } from '../../../lib/written/people/phone-countries.ts'
import { phonesShown } from '../../../lib/written/people/phones-shown.ts'
import type { Context, Order, Reading, Sign } from '../../../lib/written/reading.ts'
import type { Field, Fields, Kind } from '../columns/field.ts'
import { columnNamed, type Mapping } from '../columns/mapping.ts'
import type { Row } from '../file/source.ts'
import { shownAmount, shownMoment, shownNumber } from './figures.ts'
import { shownPhone } from './reach.ts'
import { isBlank, unguarded } from './values.ts'

// A single cell is often ambiguous: `1.234` and `11/12/2026` have two readings each. Other cells of the column decide; of
// days, also those of the other columns.

type Chosen = { decimal?: Sign | undefined; order?: Order | undefined }

/** The formats given on the command line, for all columns, and for single ones by their names. */
export type FormatOptions = Chosen & { columns?: readonly (Chosen & { column: string })[] | undefined }

/** The settings of the organisation by which ambiguous cells are read. */
export type Own = Pick<Context, 'currency' | 'zone' | 'country' | 'locale' | 'now'>

/** How a cell that could mean two things is read, and why. */
export type ColumnFormat = { column: string; cell: string; readAs: string; because: string; line: number | null }

type Column = {
  column: string
  name: string
  field: Field
  signs?: ReturnType<typeof signsShown>
  days?: ReturnType<typeof daysShown>
  phones?: ReturnType<typeof phonesShown>
  names?: ReturnType<typeof namesShown>
  /** The first cell that could mean two things. */
  open?: Witness
}

const FIGURES: ReadonlySet<Kind> = new Set<Kind>(['amount', 'number', 'count'])
const PHONES: ReadonlySet<Kind> = new Set<Kind>(['phone', 'phones'])
const DAYS: ReadonlySet<Kind> = new Set<Kind>(['date', 'time'])

/**
 * Detects the formats of number and date columns from all rows, before the first row is imported. Throws a usage Problem for a
 * format that is given for a column without such cells.
 */
export function detectFormats(mapping: Mapping, fields: Fields, options: FormatOptions, own: Own) {
  const columns = mapping.flatMap(({ column, field: name }): Column[] => {
    const field = name === null ? undefined : fields[name]
    if (name === null || !field) return []
    if (FIGURES.has(field.kind)) return [{ column, name, field, signs: signsShown() }]
    if (field.kind === 'fullName') return [{ column, name, field, names: namesShown() }]
    if (PHONES.has(field.kind)) return [{ column, name, field, phones: phonesShown() }]
    if (!DAYS.has(field.kind)) return []
    // A new field of no type may become one of numbers.
    const numbers = { column, name, field: { ...field, kind: 'number' as const }, signs: signsShown() }
    return [{ column, name, field, days: daysShown() }, ...(field.isNew && !field.type ? [numbers] : [])]
  })
  const all = daysShown()
  const single = new Map<string, Chosen>()
  for (const { column: name, ...format } of options.columns ?? []) {
    const flag = format.decimal ? '--decimal' : '--dates'
    const column = columnNamed(mapping, name, flag)
    const isFit = columns.some((each) => each.column === column && (format.decimal ? each.signs : each.days))
    if (!isFit) throw usage(`${flag}: the column "${column}" is imported neither as numbers nor as dates.`)
    const before = single.get(column)
    if (before?.[format.decimal ? 'decimal' : 'order'])
      throw usage(`${flag} names the column "${column}" more than once.`)
    single.set(column, { ...before, ...format })
  }
  const chosen = (column: string): Chosen => ({ ...options, ...single.get(column) })

  function addRow({ line, cells }: Row): void {
    for (const each of columns) {
      const text = textOf(cells[each.column])
      if (text === '') continue
      const isOpen = addTo(each, text, line)
      if (isOpen) each.open ??= { text, row: line }
    }
  }

  function addTo({ signs, days, phones, names }: Column, text: string, line: number): boolean {
    if (phones) return phones.add(text, line)
    if (names) return names.add(text)
    return signs ? addFigure(signs, text, line) : addDay(days, text, line)
  }

  function addDay(days: Column['days'], text: string, line: number): boolean {
    all.add(text, line)
    return days?.add(text, line) === true
  }

  /** Returns what the cells of a column show. What they leave open, or contradict each other in, stays ambiguous. */
  function formatOf(column: string): Context {
    const found = columns.filter((each) => each.column === column)
    return Object.assign({ ...own }, ...found.map((each) => formatFound(each).is))
  }

  function formatFound({ column, name, field, signs, days, phones, names }: Column): {
    is: Context
    because?: Witness | undefined
  } {
    if (phones) return phones.found()
    if (names) return { is: names.found() }
    if (signs) {
      const { is, because } = signs.found()
      const { decimal } = chosen(column)
      return decimal === undefined ? { is, because } : { is: { decimal } }
    }
    const { is, because } = days?.found(all) ?? { is: {} }
    const lies = liesOf(name, field.title)
    const { order } = chosen(column)
    return order === undefined
      ? { is: { ...is, lies }, because }
      : { is: { ...is, lies, order, orderOfPoints: is.orderOfPoints ?? order } }
  }

  /** The columns with cells that could mean two things, where it was found out which; `found` are the fields as they are. */
  function report(found: Fields): ColumnFormat[] {
    return columns.flatMap((each): ColumnFormat[] => {
      const { open, column } = each
      if (!open || found[each.name]?.kind !== each.field.kind) return []
      const { is, because } = formatFound(each)
      const readAs = shown(each.field.kind, open.text, { ...own, ...is })
      if (readAs === undefined) return []
      const option = each.signs ? chosen(column).decimal && '--decimal' : chosen(column).order && '--dates'
      const reason = option ?? because?.text ?? 'all cells of the column'
      return [{ column, cell: open.text, readAs, because: reason, line: option ? null : (because?.row ?? null) }]
    })
  }

  return { addRow, formatOf, report }
}

function textOf(cell: Json | undefined): string {
  const text = typeof cell === 'string' ? unguarded(cell) : ''
  return isBlank(text) ? '' : text
}

function addFigure(signs: ReturnType<typeof signsShown>, text: string, line: number): boolean {
  const { shows, isOpen } = signsIn(text)
  signs.add(shows, { text, row: line })
  return isOpen
}

function shown(kind: Kind, text: string, context: Context): string | undefined {
  const write = <T>(reading: Reading<T>, one: (value: T) => string) =>
    'value' in reading ? one(reading.value) : undefined
  if (kind === 'fullName')
    return write(readNames(text, context), ({ given = '', family = '' }) => `${family}, ${given}`)
  if (PHONES.has(kind)) return write(readPhonesIn(text, context), (all) => all.map(shownPhone).join(', '))
  if (kind === 'amount') return write(readAmount(text, context), shownAmount)
  if (kind === 'date') return write(readDay(text, context), String)
  if (kind === 'time') return write(readMoment(text, context), shownMoment)
  return write(readNumber(text, context), shownNumber)
}
