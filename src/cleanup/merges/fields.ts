import { emailKey } from '../../lib/email.ts'
import { same } from '../../lib/merge.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import { type NameSource, nameOf, phoneKey } from '../../records/contact-methods.ts'
import type { Value, Values } from '../../records/custom-fields/types.ts'

// How a merge combines the fields of two records, and how undoing it restores those of the remaining one. Pure
// functions over flat fields: each custom field is a separate field, including archived ones.

export type Fields = Record<string, unknown>

const CUSTOM = 'custom_fields.'
export const customKey = (name: string): string | undefined =>
  name.startsWith(CUSTOM) ? name.slice(CUSTOM.length) : undefined

/** `custom_fields` itself stays in its place, empty. */
export function flatten(record: Fields, archived: Values): Fields {
  const values = Object.entries({ ...archived, ...(record.custom_fields as Values) })
  return { ...record, custom_fields: {}, ...Object.fromEntries(values.map(([key, value]) => [CUSTOM + key, value])) }
}

/** Reverses `flatten`: returns the record, and the values of archived fields. */
export function unflatten(fields: Fields, isArchived: (key: string) => boolean): { record: Fields; archived: Values } {
  const record: Fields = {}
  const values: [string, Value][] = []
  for (const [name, value] of Object.entries(fields)) {
    const key = customKey(name)
    if (key === undefined) record[name] = value
    else values.push([key, value as Value])
  }
  values.sort(([one], [other]) => (one < other ? -1 : 1))
  const chosen = (archived: boolean): Values =>
    Object.fromEntries(values.filter(([key]) => isArchived(key) === archived))
  record.custom_fields = chosen(false)
  return { record, archived: chosen(true) }
}

const itself = (item: string): string => item

/** Fields that are sets, with the key of their items. */
const SETS: Record<string, (item: never) => string> = {
  emails: ({ email }: { email: string }) => emailKey(email),
  phones: ({ number }: { number: string }) => phoneKey(number),
  domains: itself,
  tag_ids: itself,
}

const FIXED = new Set(['id', 'custom_fields', 'created_at', 'updated_at', 'version'])
/** Fields that follow from both records and cannot be chosen. */
const STRICT: Record<string, (one: unknown, other: unknown) => unknown> = {
  do_not_contact: (one, other) => one || other,
  unsubscribed_at: (one, other) => [one, other].filter((at) => at !== null).sort()[0] ?? null,
}

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '')

/**
 * Returns the fields of the remaining record: its own, and those of the other where it has none. Sets contain the items
 * of both, addresses the members of both. If one of the contacts must not be contacted, or has unsubscribed, so has the
 * result. `choices` names fields that take the value of the other record, even if empty, such as
 * `custom_fields.segment`; in a set and an address, the other's items then come first. `own` names those that stay as the
 * remaining record has them, even if empty; a set and an address are united all the same.
 */
export function combine(kept: Fields, merged: Fields, choices: readonly string[], own: readonly string[] = []): Fields {
  const fields = { ...merged, ...kept }
  for (const name of Object.keys(fields)) {
    if (FIXED.has(name)) continue
    const strict = STRICT[name]
    const isChosen = choices.includes(name)
    const [first, second] = isChosen ? [merged[name], kept[name]] : [kept[name], merged[name]]
    if (strict) fields[name] = strict(first, second)
    else if (name in SETS) fields[name] = unite(name, first as Fields[], second as Fields[])
    else if (name === 'address') fields[name] = fill(first as Fields | null, second as Fields | null)
    else fields[name] = isChosen || own.includes(name) || !isEmpty(first) ? (first ?? null) : (second ?? null)
    if (customKey(name) && fields[name] === null) delete fields[name]
  }
  if ('annual_revenue' in fields && ![...choices, ...own].includes('currency'))
    fields.currency = currencyOf(kept, merged, choices, own)
  return named(fields)
}

/** The currency comes from the same record as the amount. */
function currencyOf(kept: Fields, merged: Fields, choices: readonly string[], own: readonly string[]): unknown {
  if (own.includes('annual_revenue')) return kept.currency
  if (kept.annual_revenue === null && merged.annual_revenue === null) return kept.currency ?? merged.currency
  return (choices.includes('annual_revenue') || kept.annual_revenue === null ? merged : kept).currency
}

function unite(name: string, first: Fields[], second: Fields[]): Fields[] {
  if (first.length === 0) return second
  const known = keysOf(name, first)
  const fresh = second.filter((item) => !known.has(keyOf(name, item)))
  return [...first, ...fresh.map((item) => (typeof item === 'object' ? { ...item, is_primary: false } : item))]
}

const keyOf = (name: string, item: unknown): string => (SETS[name] as (item: unknown) => string)(item)
const keysOf = (name: string, items: unknown): Set<string> =>
  new Set((items as unknown[]).map((item) => keyOf(name, item)))

function fill(first: Fields | null, second: Fields | null): Fields | null {
  if (!first || !second) return first ?? second
  return Object.fromEntries(Object.entries(first).map(([name, value]) => [name, isEmpty(value) ? second[name] : value]))
}

/** The name of a contact follows from its other fields. */
const named = (fields: Fields): Fields =>
  'emails' in fields ? { ...fields, name: nameOf(fields as NameSource) } : fields

/**
 * Throws 422 with a pointer for each choice that is a field of neither record, or cannot be chosen, or was made for both of
 * them.
 */
export function checkChoices(kept: Fields, merged: Fields, choices: readonly string[], own: readonly string[]): void {
  const names = Object.keys({ ...merged, ...kept })
  const offered = new Set(names.filter((name) => !FIXED.has(name) && !(name in STRICT)))
  if ('emails' in merged) offered.delete('name')
  const check = (given: readonly string[], at: string): FieldError[] =>
    given.flatMap((name, index) =>
      offered.has(name) ? [] : [field(`/${at}/${index}`, 'unknown_choice', `is "${name}", which cannot be chosen`)],
    )
  const errors = [...check(choices, 'choices'), ...check(own, 'kept_choices')]
  for (const [index, name] of own.entries())
    if (choices.includes(name))
      errors.push(field(`/kept_choices/${index}`, 'contradiction', 'is chosen of the merged record as well'))
  if (errors.length > 0) throw invalid(...errors)
}

const MAX_ITEMS = 1000

/** Throws 422 if a set has more items than a record may have. */
export function checkRoom(fields: Fields): void {
  for (const name of Object.keys(SETS)) {
    if (((fields[name] as unknown[] | undefined)?.length ?? 0) <= MAX_ITEMS) continue
    throw invalid(field(`/${name}`, 'too_many', `must have at most ${MAX_ITEMS} items from both records together`))
  }
}

/** The fields of the remaining record that a merge changed, by name; null stands for a missing value, too. */
export type Changes = Record<string, [before: unknown, after: unknown]>

export function changesOf(before: Fields, after: Fields): Changes {
  const names = Object.keys({ ...before, ...after }).filter((name) => !same(before[name], after[name]))
  return Object.fromEntries(names.map((name) => [name, [before[name] ?? null, after[name] ?? null]]))
}

type Stay = { field: string; reason: 'changed' | 'needed' }

/** Fields that have no meaning without each other. */
const TOGETHER = ['annual_revenue', 'currency']
const REACH = ['first_name', 'last_name', 'emails', 'phones']

/**
 * Returns the fields of the remaining record as they would be without the merge: values that the merge set are reset,
 * values that were changed since stay, and items that the merge added are removed from sets. `stay` names the fields
 * that stay, each with the reason.
 */
export function giveBack(now: Fields, changes: Changes): { fields: Fields; stay: Stay[] } {
  const fields = { ...now }
  const isChanged = (name: string): boolean =>
    name in changes && !(name in SETS) && !changes[name]?.some((value) => same(now[name] ?? null, value))
  const stay: Stay[] = []
  for (const [name, [before, after]] of Object.entries(changes)) {
    if (name === 'name' && 'emails' in now) continue
    const isStaying = TOGETHER.includes(name) ? TOGETHER.some(isChanged) : isChanged(name)
    if (isStaying) stay.push({ field: name, reason: 'changed' })
    else if (name in SETS && !same(now[name], after)) fields[name] = without(name, now[name], before, after)
    else if (before === null && customKey(name)) delete fields[name]
    else fields[name] = before
  }
  const result = named(fields)
  if (result.name !== '') return { fields: result, stay }
  // A contact needs a name, an email or a phone; this one only has those that came with the merge.
  const needed = REACH.filter((name) => !same(fields[name], now[name]))
  const reach = Object.fromEntries(needed.map((name) => [name, now[name]]))
  return {
    fields: named({ ...fields, ...reach }),
    stay: [...stay, ...needed.map((name): Stay => ({ field: name, reason: 'needed' }))],
  }
}

/**
 * Returns the current items without those that the merge added; if that removes the primary one, the first becomes
 * primary.
 */
function without(name: string, now: unknown, before: unknown, after: unknown): unknown[] {
  const added = keysOf(name, after).difference(keysOf(name, before))
  const items = (now as unknown[]).filter((item) => !added.has(keyOf(name, item)))
  const isMarked = items.some((item) => typeof item !== 'object' || (item as Fields).is_primary)
  return isMarked ? items : items.map((item, index) => ({ ...(item as Fields), is_primary: index === 0 }))
}
