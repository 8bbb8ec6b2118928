import type { Fields, Rec } from './types.ts'

// Fields of records by path, and patches laid over records. A patch has the merge semantics of PATCH: members of objects
// such as custom_fields and address are merged one by one, so that each of them is a field of its own: its path is
// `custom_fields.budget`. All other values, arrays too, are replaced whole.

/** Objects whose members are fields of their own. */
const MERGED = new Set(['custom_fields', 'address'])

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether two JSON values are equal. The order of the members of objects does not count. */
export function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => same(item, other[index]))
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]))
}

/** The paths of the fields that a patch sets. */
export function pathsOf(patch: Fields): string[] {
  return Object.entries(patch).flatMap(([name, value]) =>
    MERGED.has(name) && isObject(value) ? Object.keys(value).map((member) => `${name}.${member}`) : [name],
  )
}

/** One patch that sets what these set. */
export function joined(patches: readonly Fields[]): Fields {
  const all: Fields = {}
  for (const [name, value] of patches.flatMap((patch) => Object.entries(patch)))
    all[name] = MERGED.has(name) && isObject(value) ? { ...(all[name] as Fields | null | undefined), ...value } : value
  return all
}

/** Splits at the first dot: the key of a custom field has none, and other names have none either. */
function split(path: string): [string, string | undefined] {
  const dot = path.indexOf('.')
  return dot < 0 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)]
}

/** The value at a path; null for members that are absent, which is the same for the server. */
export function valueAt(record: Fields, path: string): unknown {
  const [name, member] = split(path)
  const value = record[name]
  if (member === undefined) return value
  return isObject(value) ? (value[member] ?? null) : null
}

/** The part of a patch that sets these paths. */
export function only(patch: Fields, paths: readonly string[]): Fields {
  const part: Fields = {}
  for (const path of paths) {
    const [name, member] = split(path)
    if (member === undefined) part[name] = patch[name]
    else part[name] = { ...(part[name] as Fields | undefined), [member]: valueAt(patch, path) }
  }
  return part
}

/** The record after a patch. Custom fields that are cleared leave, as they do on the server. */
export function patched(record: Rec, patch: Fields): Rec {
  const after: Rec = { ...record }
  for (const [name, value] of Object.entries(patch)) {
    const stored = after[name]
    if (!MERGED.has(name) || !isObject(value)) after[name] = value
    else if (name === 'address') after[name] = { ...NO_ADDRESS, ...(stored as Fields | null), ...value }
    else
      after[name] = Object.fromEntries(
        Object.entries({ ...(stored as Fields), ...value }).filter(([, one]) => one !== null),
      )
  }
  return after
}

const NO_ADDRESS = { line1: null, line2: null, city: null, region: null, postal_code: null, country: null }

/** The paths whose values differ. Version and update time differ with every change and do not count. */
export function changedPaths(before: Rec, after: Rec): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  names.delete('version')
  names.delete('updated_at')
  return [...names].flatMap((name) => {
    const [old, now] = [before[name], after[name]]
    if (same(old, now)) return []
    if (!MERGED.has(name)) return [name]
    const members = new Set([
      ...Object.keys((old as Fields | null) ?? {}),
      ...Object.keys((now as Fields | null) ?? {}),
    ])
    return [...members]
      .map((member) => `${name}.${member}`)
      .filter((path) => !same(valueAt(before, path), valueAt(after, path)))
  })
}

/** The path that the pointer of a field error names: `/emails/0/email` is an error of `emails`. */
export function pathOfPointer(pointer: string): string {
  const [name = '', member] = pointer
    .slice(1)
    .split('/')
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
  return MERGED.has(name) && member !== undefined ? `${name}.${member}` : name
}
