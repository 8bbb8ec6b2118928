import {
  type Condition,
  type FieldKind,
  isComplete,
  type Operator,
  takesDays,
  takesNothing,
  takesSeveral,
} from './conditions.ts'

// Conditions in the address: `owner_id.in=ID,ID`, `expected_close_date.in_next_days=90`, `amount.is_null=`. A comma inside
// a value is written `\,`.

const OPERATORS: readonly Operator[] = [
  'eq',
  'ne',
  'in',
  'not_in',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'starts_with',
  'is_null',
  'not_null',
  'in_last_days',
  'in_next_days',
  'has_any',
  'has_all',
]

/** Reads the conditions on fields that exist, in the order of the address; what does not make sense is left out. */
export function readConditions(query: URLSearchParams, kindOf: (field: string) => FieldKind | undefined): Condition[] {
  const conditions: Condition[] = []
  for (const [name, text] of query) {
    const condition = readCondition(name, text, kindOf)
    if (condition && isComplete(condition)) conditions.push(condition)
  }
  return conditions
}

function readCondition(
  name: string,
  text: string,
  kindOf: (field: string) => FieldKind | undefined,
): Condition | undefined {
  const at = name.lastIndexOf('.')
  const op = OPERATORS.find((each) => each === name.slice(at + 1))
  if (at < 1 || !op) return undefined
  const field = name.slice(0, at)
  const kind = kindOf(field)
  if (!kind) return undefined
  if (takesNothing(op)) return { field, op }
  if (takesDays(op)) return { field, op, value: text === '' ? undefined : Number(text) }
  if (takesSeveral(op)) return { field, op, value: split(text).map((one) => readValue(kind, one)) }
  return { field, op, value: readValue(kind, text) }
}

/** The parameters that stand for the conditions. */
export const conditionParams = (conditions: readonly Condition[]): [name: string, value: string][] =>
  conditions.map(({ field, op, value }) => [
    `${field}.${op}`,
    Array.isArray(value) ? value.map((one) => String(one).replaceAll(/[\\,]/g, '\\$&')).join(',') : String(value ?? ''),
  ])

/** Whether a parameter of the address is a condition. */
export const isConditionParam = (name: string): boolean => {
  const at = name.lastIndexOf('.')
  return at > 0 && OPERATORS.some((op) => op === name.slice(at + 1))
}

function readValue(kind: FieldKind, text: string): unknown {
  if (kind === 'flag') return text === 'true'
  if (kind !== 'number' && kind !== 'amount') return text
  return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)
}

/** Splits at commas without a backslash before them. */
function split(text: string): string[] {
  if (text === '') return []
  const values: string[] = []
  let value = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === ',') {
      values.push(value)
      value = ''
    } else value += sign === '\\' ? text.charAt(++at) : sign
  }
  return [...values, value]
}
