import { ApiProblem } from './api.ts'
import type { Fields, Rec } from './types.ts'
import { only, pathOfPointer, same, valueAt } from './values.ts'
import type { Write } from './write-storage.ts'

// A change may be written over a value that its author saw, and over no other.

/** What an amount is worth depends on the currency of its record: in another one, it is not what its author meant. */
const AMOUNTS = new Set(['amount', 'annual_revenue'])

/** The fields of the patch that somebody else has set to another value since its author saw them. */
export function conflictsIn({ seen, shown }: Pick<Write, 'seen' | 'shown'>, base: Rec): string[] {
  const isChanged = (path: string): boolean => {
    const now = valueAt(base, path)
    return !same(now, seen[path]) && !same(now, valueAt(shown, path))
  }
  const isOtherMoney = 'currency' in seen && isChanged('currency')
  return Object.keys(seen).filter((path) => isChanged(path) || (isOtherMoney && AMOUNTS.has(path)))
}

/** Whether the record has all values of the write already. */
export function isDone({ seen, shown }: Pick<Write, 'seen' | 'shown'>, base: Rec): boolean {
  return Object.keys(seen).every((path) => same(valueAt(base, path), valueAt(shown, path)))
}

/** The part of a patch that sets these fields, under another key: it is another request. */
export function part(write: Write, paths: readonly string[], key: string): Write {
  const body = only(write.body, paths)
  const seen = Object.fromEntries(paths.map((path) => [path, write.seen[path]]))
  return { ...write, key, body, shown: body, seen, version: undefined, isUnsure: false }
}

/** Whether the field is typed, so that a refused value must not be lost; others are chosen, and go back. */
export const isTyped = (path: string): boolean => !/^(stage|status|.*_ids?)$/.test(path)

const UNIQUE = new Set(['emails', 'domains', 'external_id'])

/** The messages of a refusal by field; those that name no field of the patch are at all of its fields. */
export function refusals({ errors, message, code }: ApiProblem, paths: readonly string[]): Record<string, string> {
  const messages: Record<string, string> = {}
  for (const error of errors) {
    const path = pathOfPointer(error.pointer)
    for (const at of paths.filter((one) => one === path || one.startsWith(`${path}.`))) messages[at] ??= error.message
  }
  if (Object.keys(messages).length > 0) return messages
  // What another record has already is one of these; the other fields are none of its business.
  const own = code === 'duplicate' ? paths.filter((path) => UNIQUE.has(path)) : []
  return Object.fromEntries((own.length > 0 ? own : paths).map((path) => [path, message]))
}

/** Lets a later change of the same fields follow from `now` instead of `before`. */
export function follow(later: { seen: Fields }, paths: readonly string[], before: Fields, now: Fields): void {
  for (const path of paths) {
    if (path in later.seen && same(later.seen[path], valueAt(before, path))) later.seen[path] = valueAt(now, path)
  }
}

export const deletedProblem = () => new ApiProblem(404, { code: 'deleted', detail: 'deleted' })
export const changedProblem = (status: number) => new ApiProblem(status, { code: 'conflict', detail: 'conflict' })
