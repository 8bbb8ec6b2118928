import type { Json } from '../../lib/json.ts'
import type { FieldError, Problem } from '../../lib/problem.ts'
import type { Draft, Link } from './cells/draft.ts'

/** What was removed from a draft: a field, and the item if the field has several. */
export type Removed = { name: string; item?: Json; message: string }

type Removable = Removed & { index?: number; remove: () => void }

/**
 * Removes the values that a Problem refuses from a draft. Returns undefined, and removes nothing, if that is not
 * possible: it is about the whole row, about something that is missing, or `mayOmit` says no.
 */
export function leaveOut(
  draft: Draft,
  { errors = [] }: Problem,
  mayOmit: (name: string, code: string) => boolean,
): Removed[] | undefined {
  if (errors.length === 0) return undefined
  const places = new Map<string, Removable>()
  for (const error of errors) {
    const place = placeOf(draft, error)
    if (!place || !mayOmit(place.name, error.code)) return undefined
    const key = `${place.name} ${place.index ?? ''}`
    if (!places.has(key)) places.set(key, place)
  }
  const all = [...places.values()]
  // From the end, so that the indexes stay right.
  for (const { remove } of all.toSorted((one, other) => (other.index ?? -1) - (one.index ?? -1))) remove()
  return all.map(({ index, remove, ...removed }) => removed)
}

/** Without its name a record could not be made, so a long one is cut. */
const NAMES: ReadonlySet<string> = new Set(['title', 'name', 'first_name', 'last_name'])
const MAX_NAME = 255

function placeOf({ given, links }: Draft, { pointer, code, message }: FieldError): Removable | undefined {
  const [head = '', second, third] = pointer.slice(1).split('/')
  const inner = `${head}.${second}`
  const link = [inner, head].find((name) => links.has(name))
  if (link !== undefined) {
    const list = () => (links.get(link) as Link).texts
    const set = (texts?: Json[]) =>
      texts ? links.set(link, { ...(links.get(link) as Link), texts: texts as string[] }) : links.delete(link)
    return inList({ name: link, message }, list, second, set)
  }
  // The row may be read again, so its own lists and objects stay as they are.
  const value = given[head]
  const set = (rest?: Json) => (rest === undefined ? delete given[head] : (given[head] = rest))
  if (value === undefined) return undefined
  if (Array.isArray(value)) return inList({ name: head, message }, () => given[head] as Json[], second, set)
  if (code === 'too_long' && NAMES.has(head) && typeof value === 'string') {
    const cut = [...value.normalize('NFC')].slice(0, MAX_NAME).join('').trim()
    return { name: head, message: `${message}; the rest is left out`, remove: () => void set(cut) }
  }
  if (value === null || typeof value !== 'object' || second === undefined) {
    return { name: head, message, remove: () => void set() }
  }
  const members = () => given[head] as { [member: string]: Json }
  if (value[second] === undefined) return undefined
  const setMember = (rest?: Json) => {
    const { [second]: _, ...others } = members()
    const all = rest === undefined ? others : { ...others, [second]: rest }
    set(...(Object.keys(all).length > 0 ? [all] : []))
  }
  const list = () => members()[second] as Json[]
  if (Array.isArray(value[second])) return inList({ name: inner, message }, list, third, setMember)
  return { name: inner, message, remove: () => setMember() }
}

/** `set` gets the list without the item; nothing if it is empty then, or if the whole list is refused. */
function inList(
  found: Removed,
  list: () => Json[],
  position: string | undefined,
  set: (rest?: Json[]) => unknown,
): Removable {
  const index = position !== undefined && /^\d+$/.test(position) ? Number(position) : Number.POSITIVE_INFINITY
  const item = list()[index]
  if (item === undefined) return { ...found, remove: () => void set() }
  const remove = () => {
    const rest = list().toSpliced(index, 1)
    set(...(rest.length > 0 ? [rest] : []))
  }
  return { ...found, index, item, remove }
}
