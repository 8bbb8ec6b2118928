import { format } from '../../lib/locale.ts'
import { catalogue } from '../../texts/texts.ts'
import { type Condition, type FieldKind, type Operator, takesDays, takesNothing, takesSeveral } from './conditions.ts'
import { en } from './en.ts'
import { choiceFor, type FilterField } from './filter-field.ts'

export const texts = catalogue({ en, de: () => import('./de.ts').then(({ de }) => de) })

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

export const countOf = ({ value }: Condition): number => (Array.isArray(value) ? value.length : 1)

/** The value of a condition in words: "90 days", "EUR", "Pilot, Reference". */
export function valueWords(field: FilterField, { op, value }: Condition): string {
  if (takesNothing(op)) return ''
  if (takesSeveral(op)) return (value as unknown[]).map((one) => choiceFor(field, one).label).join(', ')
  if (takesDays(op)) return texts().days(value as number)
  if (field.kind === 'flag') return value ? texts().yes : texts().no
  if (field.kind === 'number' || field.kind === 'amount') return format.value.number(value as number)
  if (field.kind === 'date' || field.kind === 'time') return format.value.date(value as string)
  return field.choices || field.choiceOf ? choiceFor(field, value).label : String(value)
}

/** The whole condition: "Tag has Pilot". */
export const conditionWords = (field: FilterField, condition: Condition): string =>
  [field.label, operatorWords(condition.op, field.kind, countOf(condition)), valueWords(field, condition)]
    .filter(Boolean)
    .join(' ')
