import {
  type Condition,
  type FieldKind,
  type Filter,
  filterText,
  fromFilter,
  isComplete,
  OPERATORS_OF,
  type Operator,
  takesDays,
  takesNothing,
  takesSeveral,
} from './conditions.ts'

// Conditions in the address: `owner_id.in=ID,ID`, `expected_close_date.in_next_days=90`, `amount.is_null=`. A comma inside
// a value is written `\,`. What is more than a condition on a field of the bar is written as the API has it, as JSON:
// `filter={"any":[...]}`.

export const FILTER = 'filter'

const OPERATORS: ReadonlySet<unknown> = new Set(Object.values(OPERATORS_OF).flat())
/** More than the server accepts: it says what is wrong, and nothing is widened in silence. */
const MAX_LEVELS = 10

type KindOf = (field: string) => FieldKind | undefined

/** Reads the parts in the order of the address; what does not make sense is left out. */
export function readConditions(query: URLSearchParams, kindOf: KindOf): Filter[] {
  return [...query].flatMap(([name, text]) => {
    if (name === FILTER) return readFilter(text, kindOf)
    const condition = readCondition(name, text, kindOf)
    return condition && isComplete(condition) ? condition : []
  })
}

function readFilter(text: string, kindOf: KindOf): Filter[] {
  try {
    const filter: unknown = JSON.parse(text)
    return isFilter(filter, kindOf) ? fromFilter(filter) : []
  } catch {
    return []
  }
}

/** Whether a program wrote a filter. Fields that the bar does not have may well be those of the API: the server decides. */
export function isFilter(node: unknown, kindOf: KindOf, level = 1): node is Filter {
  if (typeof node !== 'object' || node === null || level > MAX_LEVELS) return false
  const { all, any, not, field, op, value } = node as Record<string, unknown>
  const nodes = all ?? any ?? [not]
  if (Object.keys(node).length === 1)
    return Array.isArray(nodes) && nodes.length > 0 && nodes.every((each) => isFilter(each, kindOf, level + 1))
  if (typeof field !== 'string' || !OPERATORS.has(op) || !isComplete(node as Condition)) return false
  const kind = kindOf(field)
  const type = isNumber(kind) || takesDays(op as Operator) ? 'number' : kind === 'flag' ? 'boolean' : 'string'
  return !kind || takesNothing(op as Operator) || [value].flat().every((one) => typeof one === type)
}

const isNumber = (kind: FieldKind | undefined): boolean => kind === 'number' || kind === 'amount'

function readCondition(name: string, text: string, kindOf: KindOf): Condition | undefined {
  const at = name.lastIndexOf('.')
  const op = name.slice(at + 1) as Operator
  if (at < 1 || !OPERATORS.has(op)) return undefined
  const field = name.slice(0, at)
  const kind = kindOf(field)
  if (!kind) return undefined
  if (takesNothing(op)) return { field, op }
  if (takesDays(op)) return { field, op, value: text === '' ? undefined : Number(text) }
  if (takesSeveral(op)) return { field, op, value: split(text).map((one) => readValue(kind, one)) }
  return { field, op, value: readValue(kind, text) }
}

/** The parameters that stand for the parts. */
export const conditionParams = (parts: readonly Filter[], kindOf: KindOf): [name: string, value: string][] =>
  parts.map((part) => {
    if (!('field' in part) || !kindOf(part.field)) return [FILTER, filterText(part)]
    const { field, op, value } = part
    const text = Array.isArray(value)
      ? value.map((one) => String(one).replaceAll(/[\\,]/g, '\\$&')).join(',')
      : (value ?? '')
    return [`${field}.${op}`, String(text)]
  })

/** Whether a parameter of the address is a condition. */
export const isConditionParam = (name: string): boolean => {
  const at = name.lastIndexOf('.')
  return name === FILTER || (at > 0 && OPERATORS.has(name.slice(at + 1)))
}

function readValue(kind: FieldKind, text: string): unknown {
  if (kind === 'flag') return text === 'true'
  if (!isNumber(kind)) return text
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
