import * as v from 'valibot'
import { EMAIL_FORM } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { fold } from '../../lib/pure/fold.ts'
import { ownMessage } from '../../lib/validate.ts'
import { uniqueText } from '../../lib/written/unique.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { PHONE_FORM } from '../../store/list/phones.ts'

// The records that can have custom fields, and the types of these. A type defines the wire form of a value, the key by
// which *_values compares and sorts it, and the filter of lists.

/** The records that have custom fields: their tables, and the tables with a copy of the values for lists. */
export const HOLDERS = {
  contact: { many: 'contacts', table: 'contacts', values: 'contact_values', id: 'contact_id' },
  company: { many: 'companies', table: 'companies', values: 'company_values', id: 'company_id' },
  deal: { many: 'deals', table: 'deals', values: 'deal_values', id: 'deal_id' },
} as const
export type CustomObject = keyof typeof HOLDERS
export const OBJECTS = Object.keys(HOLDERS) as CustomObject[]

export type Value = string | number | boolean | string[]
/** Values by custom field, without empty ones, sorted by key, so that equal values are equal JSON. */
export type Values = Record<string, Value>

type Key = string | number
type Kind = {
  /** Converts an input into the form that is stored and returned. */
  schema: (choices: readonly string[]) => v.GenericSchema<unknown, Value>
  /** For the error about another JSON type: "must be a string". */
  shape: string
  /** What a value is compared and sorted by; called for each of several options. */
  key: (value: never) => Key
  /** What must be unique in a unique field; undefined if the type cannot be unique. */
  uniqueKey?: (value: never, country: string | undefined) => Key
  /** The filter of lists. */
  filter: Pick<Filter, 'type' | 'isMember' | 'normal' | 'form'>
  hasOptions?: true
  /** A record can have several options, each a row of *_values. */
  isMultiple?: true
}

const identity = <Same extends Key>(value: Same): Same => value

const textual = (type: string, schema: v.GenericSchema<unknown, string>, form?: Filter['form']): Kind => ({
  schema: () => schema,
  shape: 'a string',
  key: fold,
  // Unlike `fold`, it keeps the full length.
  uniqueKey: (value: string, country) => uniqueText(type, value, country),
  filter: { type: 'text', normal: fold, ...(form ? { form } : {}) },
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
  text: textual('text', text),
  number: { schema: () => number, shape: EXACT, key: identity, uniqueKey: identity, filter: { type: 'number' } },
  boolean: { schema: () => f.flag, shape: 'true or false', key: Number, filter: { type: 'flag' } },
  date: { schema: () => f.date, shape: 'a string', key: identity, uniqueKey: identity, filter: { type: 'date' } },
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
    key: identity,
    uniqueKey: identity,
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
    key: identity,
    filter: { type: 'choice' },
    hasOptions: true,
    isMultiple: true,
  },
  url: textual('url', f.url),
  email: textual('email', f.email, EMAIL_FORM),
  phone: textual('phone', f.phone, PHONE_FORM),
  member: {
    schema: () => f.id,
    shape: 'a string',
    key: identity,
    uniqueKey: identity,
    filter: { type: 'id', isMember: true },
  },
} as const satisfies Record<string, Kind>

export type FieldType = keyof typeof KINDS
export const TYPES = Object.keys(KINDS) as FieldType[]
export const kindOf = (type: FieldType): Kind => KINDS[type]

/** Returns what *_values stores for a value: one key, or one for each option. */
export function keysOf(type: FieldType, value: Value): Key[] {
  return [value].flat().map((each) => kindOf(type).key(each as never))
}

export type Read = { value: Value | null } | { code: string; message: string }

/** Reads a value of a body. An empty array of options is no value. */
export function readValue(type: FieldType, choices: readonly string[], given: unknown): Read {
  const { schema, shape } = kindOf(type)
  const result = v.safeParse(schema(choices), given, { abortEarly: true })
  if (result.success)
    return { value: Array.isArray(result.output) && result.output.length === 0 ? null : result.output }
  return ownMessage(result.issues[0].message) ?? { code: 'invalid_type', message: `must be ${shape}` }
}
