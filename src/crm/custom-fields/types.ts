import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import { fold, lowerCase } from '../../lib/fold.ts'
import { ownMessage } from '../../lib/validate.ts'
import type { Filter } from '../../store/list/conditions.ts'

// What a custom field may be: on which records it stands, and of which type. A type says what a value looks like on the
// wire, by what it is compared and sorted in *_values, and how lists are asked for it.

/** The records that have custom fields: their tables, and the tables that hold the values once more for lists. */
export const HOLDERS = {
  contact: { many: 'contacts', table: 'contacts', values: 'contact_values', id: 'contact_id' },
  company: { many: 'companies', table: 'companies', values: 'company_values', id: 'company_id' },
  deal: { many: 'deals', table: 'deals', values: 'deal_values', id: 'deal_id' },
} as const
export type CustomObject = keyof typeof HOLDERS
export const OBJECTS = Object.keys(HOLDERS) as CustomObject[]

export type Value = string | number | boolean | string[]
/** By custom field, those alone that have a value; in the order of the keys, so that equal values are equal JSON. */
export type Values = Record<string, Value>

type Key = string | number
type Kind = {
  /** What was given, in the form that is kept and answered. */
  schema: (choices: readonly string[]) => v.GenericSchema<unknown, Value>
  /** What another JSON type is told: "must be a string". */
  shape: string
  /** What it is compared and sorted by; of several values, of each of them. */
  key: (value: never) => Key
  /** What no second record may have, where the field is unique; undefined where it cannot be. */
  uniqueKey?: (value: never) => Key
  /** How lists are asked for it. */
  filter: Pick<Filter, 'type' | 'normal'>
  hasOptions?: true
  /** A record can have several: rows of *_values, not one row. */
  isSeveral?: true
}

const itself = <Same extends Key>(value: Same): Same => value

const textual = (schema: v.GenericSchema<unknown, string>): Kind => ({
  schema: () => schema,
  shape: 'a string',
  key: fold,
  uniqueKey: lowerCase, // to the full length of a text
  filter: { type: 'text', normal: fold },
})

const text = v.pipe(
  f.longText(),
  v.check((given) => given.trim() !== '', 'empty|must not be empty; use null to clear it'),
)
const EXACT = 'a number with at most 15 significant digits'
const number = v.pipe(v.number(), v.finite(`invalid_type|must be ${EXACT}`))

const choice = (choices: readonly string[]) => {
  const named = choices.slice(0, 20).map((each) => `"${each}"`)
  const more = choices.length > named.length ? ', or another option of the field' : ''
  return v.picklist(choices, `unknown_option|must be one of ${named.join(', ')}${more}`)
}

const KINDS = {
  text: textual(text),
  number: { schema: () => number, shape: EXACT, key: itself, uniqueKey: itself, filter: { type: 'number' } },
  boolean: { schema: () => f.flag, shape: 'true or false', key: Number, filter: { type: 'flag' } },
  date: { schema: () => f.date, shape: 'a string', key: itself, uniqueKey: itself, filter: { type: 'date' } },
  datetime: {
    schema: () => f.time,
    shape: 'a string',
    key: Date.parse,
    uniqueKey: Date.parse,
    filter: { type: 'time' },
  },
  select: {
    schema: choice,
    shape: 'a string',
    key: itself,
    uniqueKey: itself,
    filter: { type: 'choice' },
    hasOptions: true,
  },
  multi_select: {
    schema: (choices) =>
      v.pipe(
        v.array(choice(choices)),
        v.transform((all) => [...new Set(all)]),
      ),
    shape: 'an array of options',
    key: itself,
    filter: { type: 'choice' },
    hasOptions: true,
    isSeveral: true,
  },
  url: textual(f.url),
  email: textual(f.email),
  phone: textual(f.phone),
  member: { schema: () => f.id, shape: 'a string', key: itself, uniqueKey: itself, filter: { type: 'id' } },
} as const satisfies Record<string, Kind>

export type FieldType = keyof typeof KINDS
export const TYPES = Object.keys(KINDS) as FieldType[]
export const kindOf = (type: FieldType): Kind => KINDS[type]

/** What *_values holds of a value: one key, or one for each option. */
export function keysOf(type: FieldType, value: Value): Key[] {
  return [value].flat().map((each) => kindOf(type).key(each as never))
}

export type Read = { value: Value | null } | { code: string; message: string }

/** Reads a value of a body; no option at all is no value. */
export function readValue(type: FieldType, choices: readonly string[], given: unknown): Read {
  const { schema, shape } = kindOf(type)
  const result = v.safeParse(schema(choices), given, { abortEarly: true })
  if (result.success)
    return { value: Array.isArray(result.output) && result.output.length === 0 ? null : result.output }
  return ownMessage(result.issues[0].message) ?? { code: 'invalid_type', message: `must be ${shape}` }
}
