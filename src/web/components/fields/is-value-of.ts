import type { FieldType } from './field.ts'

// Whether what came from outside of the page has the form of the values of a field.

type Check = (value: unknown) => boolean

const LONGEST = 100_000
const MOST_ITEMS = 1000

const text: Check = (value) => typeof value === 'string' && value.length <= LONGEST
const id: Check = (value) => typeof value === 'string' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
const textOrNull: Check = (value) => value === null || text(value)
const listOf =
  (item: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length <= MOST_ITEMS && value.every(item)
/** An object with these members, and no others; `some` need not be there. */
const object =
  (members: Record<string, Check>, { some = false } = {}): Check =>
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.entries(value).every(([key, each]) => Object.hasOwn(members, key) && members[key]?.(each)) &&
    (some || Object.keys(value).length === Object.keys(members).length)

const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
const boolean: Check = (value) => typeof value === 'boolean'
const label: Check = (value) => value === 'work' || value === 'home' || value === 'other'
const day: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
const moment: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
const currency: Check = (value) => value === null || (typeof value === 'string' && /^[A-Z]{3}$/.test(value))
const amount: Check = (value) =>
  value === null || number(value) || (typeof value === 'string' && /^-?\d{1,20}(?:\.\d{1,6})?$/.test(value))
const PARTS = ['line1', 'line2', 'city', 'region', 'postal_code', 'country']

const CHECKS: Record<FieldType, Check> = {
  text,
  long_text: text,
  number,
  money: object({ amount, currency }),
  boolean,
  date: day,
  datetime: moment,
  select: text,
  multi_select: listOf(text),
  url: text,
  email: text,
  phone: text,
  emails: listOf(object({ email: text, label, is_primary: boolean })),
  phones: listOf(object({ number: text, label, is_primary: boolean })),
  member: id,
  company: id,
  contact: id,
  contacts: listOf(id),
  companies: listOf(id),
  deals: listOf(id),
  tags: listOf(id),
  address: object(Object.fromEntries(PARTS.map((part) => [part, textOrNull])), { some: true }),
}

export const isValueOf = (type: unknown, value: unknown): boolean =>
  typeof type === 'string' && Object.hasOwn(CHECKS, type) && CHECKS[type as FieldType](value)
