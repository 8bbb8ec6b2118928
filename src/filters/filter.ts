import * as v from 'valibot'
import { UUID } from '../lib/id.ts'
import { isAmount } from '../lib/money.ts'
import { type FieldError, field } from '../lib/problem.ts'
import { isDate, parseTime } from '../lib/time.ts'
import type { ListField } from '../records/list-field.ts'
import { DAYS, LIST_OPERATORS, type ListOperator, OPERATORS_OF } from './catalog.ts'
import { isRelative, ME, PERIODS } from './relative.ts'

// The syntax and the rules of filters, such as those of smart lists.

export type Leaf = { field: string; op: ListOperator; value?: unknown }
export type Filter = { all: Filter[] } | { any: Filter[] } | { not: Filter } | Leaf

export const MAX_LEVELS = 5
const MAX_LEAVES = 50
const MAX_VALUES = 100
const MAX_DAYS = 36_500

const RELATIVE = `Where a date or a time is expected, ${PERIODS.map((each) => `\`${each}\``).join(', ')} stand for all days of that period: \`eq\` is any of them, \`lt\` is before the first, \`gt\` after the last, \`gte\` and \`lte\` include them. Where a member is expected, \`${ME}\` is the one who asks. Such values are stored as they are, and resolved at each request: days begin in the time zone of the member who asks, as set in the preferences of the browser app or for the member, and weeks on the day that is usual in the country of the organisation.`

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const nodes = { type: 'array', minItems: 1, maxItems: MAX_LEAVES, items: ref('ListFilter') }
const branch = (name: string, schema: object, description: string) => ({
  type: 'object',
  required: [name],
  additionalProperties: false,
  properties: { [name]: { ...schema, description } },
})

/**
 * For the OpenAPI document only; `faultsOf` validates. Each form of a node is a component of its own: a generator takes
 * the name of an inline one from its member, and `All`, `Any` and `Not` are words of some languages.
 */
const COMPONENTS = {
  ListFilter: {
    description: `A tree of up to ${MAX_LEVELS} levels and ${MAX_LEAVES} conditions. Texts are compared ignoring case and accents, by their first 255 characters. A field without a value matches \`ne\`, \`not_in\` and \`is_null\` only.`,
    examples: [
      {
        all: [
          { field: 'owner_id', op: 'is_null' },
          { field: 'created_at', op: 'in_last_days', value: 30 },
        ],
      },
    ],
    oneOf: ['FilterAll', 'FilterAny', 'FilterNot', 'FilterCondition'].map(ref),
  },
  FilterAll: branch('all', nodes, 'All of these conditions match.'),
  FilterAny: branch('any', nodes, 'At least one of these conditions matches.'),
  FilterNot: branch('not', ref('ListFilter'), 'This condition does not match.'),
  FilterCondition: {
    type: 'object',
    description: 'The record has such a value.',
    required: ['field', 'op'],
    additionalProperties: false,
    properties: {
      field: {
        type: 'string',
        description:
          'A field of the object, `address.<part>`, `custom_fields.<key>`, or, except for companies, `company.<field>`.',
        examples: ['owner_id'],
      },
      op: {
        type: 'string',
        enum: LIST_OPERATORS,
        description:
          'Must fit the type of the field. `has_any` and `has_all` are for fields with several values. `in_last_days` and `in_next_days`, and `before_last_days` and `after_next_days` for what is further away, count 24 hours per day from now for times, and whole days, including today, for dates.',
      },
      value: {
        ...ref('FilterValue'),
        description: `Value to compare with: an array of up to ${MAX_VALUES} values for \`in\`, \`not_in\`, \`has_any\` and \`has_all\`, a number of days for \`in_last_days\` and the like, nothing for \`is_null\` and \`not_null\`, and one value otherwise. ${RELATIVE}`,
      },
    },
  },
  FilterValue: {
    oneOf: [
      { type: 'string' },
      { type: 'number', format: 'double' },
      { type: 'boolean' },
      ...[{ type: 'string' }, { type: 'number', format: 'double' }].map((items) => ({
        type: 'array',
        minItems: 1,
        maxItems: MAX_VALUES,
        items,
      })),
    ],
  },
}

/** Not a schema, because the fields depend on the organisation. */
export const ListFilter = v.pipe(
  v.custom<Filter>((input) => isObject(input), 'invalid_type|must be an object'),
  v.metadata({ ...ref('ListFilter'), definitions: COMPONENTS }),
  v.transform((filter) => canonical(filter) as Filter),
)

const MEMBERS = ['all', 'any', 'not', 'field', 'op', 'value']

/** Returns the same tree with its members in one order and its texts in NFC: equal filters are equal JSON. */
function canonical(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(canonical)
  if (typeof node === 'string') return isText(node) ? node.normalize('NFC') : node
  if (!isObject(node)) return node
  const members = Object.entries(node).sort(([one], [other]) => MEMBERS.indexOf(one) - MEMBERS.indexOf(other))
  return Object.fromEntries(members.map(([name, value]) => [name, canonical(value)]))
}

type Check = {
  /** Undefined if the object does not have such a field. */
  fieldOf: (name: string) => ListField | undefined
  exists: (target: string, id: string) => boolean
  /** Why the filter must not depend on the time and on who asks; undefined if it may. */
  lasting: string | undefined
}

/** Returns an error for every fault in the filter; `root` is the pointer of the filter. */
export function faultsOf(filter: unknown, root: string, { fieldOf, exists, lasting }: Check): FieldError[] {
  const errors: FieldError[] = []
  let leaves = 0
  const refuse = (pointer: string, code: string, message: string): unknown => errors.push(field(pointer, code, message))

  function visit(node: unknown, pointer: string, level: number): unknown {
    if (level > MAX_LEVELS) return refuse(pointer, 'too_deep', `must not be nested deeper than ${MAX_LEVELS} levels`)
    if (!isObject(node)) return refuse(pointer, 'invalid_type', 'must be an object')
    const shape = ['all', 'any', 'not', 'field'].filter((name) => Object.hasOwn(node, name))
    const [name] = shape
    if (shape.length !== 1 || !name)
      return refuse(pointer, 'invalid_filter', 'must have one of all, any or not, or a field with op and value')
    const allowed = name === 'field' ? ['field', 'op', 'value'] : [name]
    for (const member of Object.keys(node)) {
      if (allowed.includes(member)) continue
      refuse(`${pointer}/${token(member)}`, 'unknown_field', 'is not a member of a filter')
    }
    if (name === 'field') visitLeaf(node, pointer)
    else if (name === 'not') visit(node.not, `${pointer}/not`, level + 1)
    else visitAll(node[name], `${pointer}/${name}`, level + 1)
  }

  function visitAll(nodes: unknown, pointer: string, level: number): unknown {
    if (!Array.isArray(nodes)) return refuse(pointer, 'invalid_type', 'must be an array')
    if (nodes.length === 0) return refuse(pointer, 'empty', 'must not be empty')
    nodes.forEach((node, index) => {
      if (leaves <= MAX_LEAVES) visit(node, `${pointer}/${index}`, level)
    })
  }

  function visitLeaf(leaf: Record<string, unknown>, pointer: string): unknown {
    leaves++
    if (leaves > MAX_LEAVES) return refuse(pointer, 'too_many', `must have at most ${MAX_LEAVES} conditions`)
    const { field: name, op, value } = leaf
    if (typeof name !== 'string') return refuse(`${pointer}/field`, 'invalid_type', 'must be a string')
    if (!LIST_OPERATORS.includes(op as ListOperator)) {
      const code = op === undefined ? 'required' : 'invalid_choice'
      return refuse(`${pointer}/op`, code, `must be one of ${LIST_OPERATORS.join(', ')}`)
    }
    const known = fieldOf(name)
    if (!known) return refuse(`${pointer}/field`, 'unknown_field', 'is not a field that this filter supports')
    const operators = OPERATORS_OF[known.kind]
    if (!operators.includes(op as ListOperator))
      return refuse(`${pointer}/op`, 'wrong_operator', `must be one of ${operators.join(', ')} for this field`)
    if (lasting && isDays(op as ListOperator)) return refuse(`${pointer}/op`, 'wrong_operator', lasting)
    visitValue(known, op as ListOperator, value, `${pointer}/value`)
  }

  function visitValue(known: ListField, op: ListOperator, value: unknown, pointer: string): void {
    if (op === 'is_null' || op === 'not_null') {
      if (value !== undefined) refuse(pointer, 'unknown_field', `must be omitted with ${op}`)
    } else if (isDays(op)) {
      if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > MAX_DAYS)
        refuse(pointer, 'invalid_value', `must be a whole number of days, at most ${MAX_DAYS}`)
    } else if (TAKES_LIST.has(op)) {
      if (!Array.isArray(value) || value.length === 0 || value.length > MAX_VALUES)
        refuse(pointer, 'invalid_value', `must be an array of 1 to ${MAX_VALUES} values`)
      else for (const [index, one] of value.entries()) visitOne(known, one, `${pointer}/${index}`)
    } else visitOne(known, value, pointer)
  }

  function visitOne(known: ListField, value: unknown, pointer: string): unknown {
    if (value === null || value === undefined)
      return refuse(pointer, 'required', 'is required; use is_null to match records without a value')
    const wrong = wrongValue(known, value)
    if (wrong) return refuse(pointer, 'invalid_value', wrong)
    if (isRelative(known, value)) return lasting && refuse(pointer, 'invalid_value', lasting)
    if (known.target && !exists(known.target, value as string))
      refuse(pointer, 'reference_not_found', 'does not refer to a record of this organisation')
  }

  visit(filter, root, 1)
  return errors.slice(0, 100)
}

const TAKES_LIST = new Set<ListOperator>(['in', 'not_in', 'has_any', 'has_all'])

function wrongValue(known: Pick<ListField, 'kind' | 'choices' | 'target'>, value: unknown): string | undefined {
  const { kind, choices, target } = known
  if (kind === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false'
  if (kind === 'number') return Number.isFinite(value) ? undefined : 'must be a number'
  if (kind === 'amount') {
    const isGood = typeof value === 'number' && isAmount(value)
    return isGood ? undefined : 'must be an amount from 0 to 9000000000000 with at most 6 decimals'
  }
  if (typeof value !== 'string') return 'must be a string'
  if (isRelative(known, value)) return undefined
  if (kind === 'id' || kind === 'ids')
    return UUID.test(value) ? undefined : `must be a UUID in lower case${target === 'members' ? `, or ${ME}` : ''}`
  if (kind === 'date')
    return isDate(value) ? undefined : `must be a valid date, in the form YYYY-MM-DD, or one of ${PERIODS.join(', ')}`
  if (kind === 'time')
    return parseTime(value) !== undefined ? undefined : `must be an RFC 3339 time, or one of ${PERIODS.join(', ')}`
  if (choices) return choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`
  return isText(value) ? undefined : 'must be a text of 1 to 2048 characters'
}

const isText = (value: string): boolean =>
  value !== '' && value.length <= 2048 && value.isWellFormed() && !/\0|\p{M}{31}/u.test(value)

/**
 * Whether a stored condition is still valid for the field: after a custom field was deleted, its key may belong to one
 * of another type.
 */
export function fits({ choices: _, ...known }: ListField, { op, value }: Leaf): boolean {
  const { kind } = known
  if (!OPERATORS_OF[kind].includes(op)) return false
  return WITHOUT_VALUE.has(op) || [value].flat().every((one) => wrongValue(known, one) === undefined)
}

/** Operators whose value, if any, does not have the type of the field. */
const WITHOUT_VALUE = new Set<ListOperator>(['is_null', 'not_null', ...DAYS])

/** Operators whose value is a number of days. */
export const isDays = (op: ListOperator): op is (typeof DAYS)[number] => (DAYS as readonly string[]).includes(op)

const isObject = (node: unknown): node is Record<string, unknown> =>
  node !== null && typeof node === 'object' && !Array.isArray(node)

/** Escapes a member for a JSON Pointer (RFC 6901). */
const token = (member: string): string => member.replace(/~/g, '~0').replace(/\//g, '~1')
