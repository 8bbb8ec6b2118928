import { emailKey } from '../../../lib/email.ts'
import type { Json } from '../../../lib/json.ts'
import { phoneKeys } from '../../../lib/written/people/phone-countries.ts'
import type { Kind } from '../columns/field.ts'
import type { Draft } from './draft.ts'

// How the values of a draft are put together.

/** Merges two lists; emails and phones are equal in all of their spellings, and regardless of their label. */
export function joined(list: readonly Json[], more: readonly Json[], country?: string): Json[] {
  const keyOf = (value: Json): string => valueKey(value, country)
  const all = new Map(list.map((value) => [keyOf(value), value]))
  for (const value of more) if (!all.has(keyOf(value))) all.set(keyOf(value), value)
  return [...all.values()]
}

/** What two equal values have in common. */
export function valueKey(value: Json, country?: string): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  if (typeof value.email === 'string') return emailKey(value.email)
  return typeof value.number === 'string' ? phoneKeys(value.number, country).join() : JSON.stringify(value)
}

/** Merges the values of several columns without duplicates. */
export function join({ given, added }: Draft, member: string, values: readonly Json[], country?: string): void {
  given[member] = joined((given[member] ?? []) as Json[], values, country)
  added.add(member)
}

/** Sets a member; a dot in the name sets a member of a nested object. What a person has ruled out stays ruled out. */
export function put(given: Draft['given'], name: string, value: Json, kind?: Kind): void {
  if (kind === 'consent' && value === false) return
  const at = name.indexOf('.')
  if (at < 0) given[name] = value
  else {
    const outer = name.slice(0, at)
    given[outer] = { ...(given[outer] as object), [name.slice(at + 1)]: value }
  }
}

export function linkNote({ links }: Draft, name: string, text: string): void {
  links.set(name, { kind: 'note', texts: [...(links.get(name)?.texts ?? []), text] })
}
