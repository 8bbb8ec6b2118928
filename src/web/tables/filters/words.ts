import { format } from '../../lib/locale.ts'
import { isPeriod, type Period } from '../../lib/periods.ts'
import { laterGerman } from '../../lib/texts/files.ts'
import { catalogue } from '../../lib/texts/texts.ts'
import { timeIn } from '../../lib/zoned.ts'
import {
  type Condition,
  type FieldKind,
  type Filter,
  isCondition,
  type Operator,
  takesDays,
  takesNothing,
  takesSeveral,
} from './conditions.ts'
import { currencyIn, isAmount, isCurrency } from './currency.ts'
import { en } from './en.ts'
import { choiceFor, type FilterField, findField } from './filter-field.ts'

export const texts = catalogue({ en, de: laterGerman('filters') })

/** The words of an operator: for one value, or for several. */
export function operatorWords(op: Operator, kind: FieldKind, count = 2): string {
  const words = texts().op
  if (kind === 'date' || kind === 'time') {
    if (op === 'gt') return words.after
    if (op === 'gte') return words.onOrAfter
    if (op === 'lt') return words.before
    if (op === 'lte') return words.onOrBefore
  }
  if (count > 1 && (op === 'in' || op === 'not_in' || op === 'has_any' || op === 'has_all')) return words[`${op}Many`]
  return words[op]
}

/** The words before the value of a condition. */
export function operatorOf({ kind }: FilterField, condition: Condition): string {
  const { op, value } = condition
  const words = texts().ofPeriod
  if ((kind === 'date' || kind === 'time') && isPeriod(value) && op in words) return words[op as keyof typeof words]
  return operatorWords(op, kind, countOf(condition))
}

/** The same where no value follows it. */
export function operatorName(op: Operator, kind: FieldKind): string {
  if (op === 'before_last_days') return texts().longAgo
  if (op === 'after_next_days') return texts().farAhead
  return operatorWords(op, kind)
}

/** "this quarter". */
export const periodWords = (period: Period): string => texts().period(period)

export const countOf = ({ value }: Condition): number => (Array.isArray(value) ? value.length : 1)

/** The value of a condition in words: "90 days", "EUR", "Pilot, Reference". */
export function valueWords(field: FilterField, { op, value }: Condition, currency?: string): string {
  if (takesNothing(op)) return ''
  if (takesSeveral(op)) return (value as unknown[]).map((one) => choiceFor(field, one).label).join(', ')
  if (op === 'before_last_days') return texts().daysAgo(value as number)
  if (op === 'after_next_days') return texts().daysAhead(value as number)
  if (takesDays(op)) return texts().daysIn(value as number)
  if ((field.kind === 'date' || field.kind === 'time') && isPeriod(value)) return periodWords(value)
  if (field.kind === 'flag') return value ? texts().yes : texts().no
  if (field.kind === 'amount' && currency) return format.value.money(value as number, currency)
  if (field.kind === 'amount' && currency === '') return texts().inAnyCurrency(format.value.number(value as number))
  if (field.kind === 'number' || field.kind === 'amount') return format.value.number(value as number)
  if (field.kind === 'date') return format.value.date(value as string)
  if (field.kind === 'time') {
    const { date, time, timezone } = format.value
    // Other times of day come from programs, or from a member in another time zone.
    const isWhole = timeIn(Date.parse(value as string), timezone) === (op === 'lte' || op === 'gt' ? '23:59' : '00:00')
    return isWhole ? date(value as string) : `${date(value as string)}, ${time(value as string)}`
  }
  return field.choices || field.choiceOf ? choiceFor(field, value).label : String(value)
}

/** The whole condition: "Tag has Pilot". */
export const conditionWords = (field: FilterField, condition: Condition, currency?: string): string =>
  [field.label, operatorOf(field, condition), valueWords(field, condition, currency)].filter(Boolean).join(' ')

/** Any part of the bar: "Stage is Demo or Amount at least EUR 10,000". `currency` is what else is selected. */
export const filterWords = (filter: Filter, fields: readonly FilterField[], currency?: string): string =>
  wordsIn(filter, fields, currency).text

type Words = { text: string; isSeveral: boolean }

function wordsIn(filter: Filter, fields: readonly FilterField[], currency: string | undefined): Words {
  if (isCondition(filter)) {
    const field = findField(fields, filter.field) ?? unknownField(filter)
    return { text: conditionWords(field, filter, currency), isSeveral: false }
  }
  if ('not' in filter) return { text: texts().not(wordsIn(filter.not, fields, currency).text), isSeveral: false }
  if ('any' in filter) return joined(texts().or, filter.any, fields, currency)
  const own = currencyIn(filter.all, fields)
  const isPriced = own && filter.all.some((each) => isAmount(each, fields))
  const shown = isPriced ? filter.all.filter((each) => !isCurrency(each)) : filter.all
  return joined(texts().and, shown, fields, own || currency)
}

function joined(
  word: string,
  parts: readonly Filter[],
  fields: readonly FilterField[],
  currency: string | undefined,
): Words {
  const [one, ...others] = parts.map((each) => wordsIn(each, fields, currency))
  if (one && others.length === 0) return one
  const texts = [one as Words, ...others].map(({ text, isSeveral }) => (isSeveral ? `(${text})` : text))
  return { text: texts.join(` ${word} `), isSeveral: true }
}

/** A field of the API that the bar does not have: shown by its name there. */
const unknownField = ({ field, value }: Condition): FilterField => ({
  name: field,
  label: field,
  kind: typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'flag' : 'text',
})
