import { ApiProblem } from './api.ts'
import type { Fields, Rec } from './types.ts'
import { only, pathOfPointer, same, valueAt } from './values.ts'
import type { Write } from './write-storage.ts'

// A change may be written over a value that its author saw, and over no other.

/** The fields of the patch that somebody else has set to another value since its author saw them. */
export function conflictsIn({ seen, shown }: Pick<Write, 'seen' | 'shown'>, base: Rec): string[] {
  return Object.keys(seen).filter((path) => {
    const now = valueAt(base, path)
    return !same(now, seen[path]) && !same(now, valueAt(shown, path))
  })
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

/** The messages of a refusal by field; those that name no field of the patch are at all of its fields. */
export function refusals({ errors, message }: ApiProblem, paths: readonly string[]): Record<string, string> {
  const messages: Record<string, string> = {}
  for (const error of errors) {
    const path = pathOfPointer(error.pointer)
    for (const at of paths.filter((one) => one === path || one.startsWith(`${path}.`))) messages[at] ??= error.message
  }
  return Object.keys(messages).length > 0 ? messages : Object.fromEntries(paths.map((path) => [path, message]))
}

/** Lets a later change of the same fields follow from `now` instead of `before`. */
export function follow(later: { seen: Fields }, paths: readonly string[], before: Fields, now: Fields): void {
  for (const path of paths) {
    if (path in later.seen && same(later.seen[path], valueAt(before, path))) later.seen[path] = valueAt(now, path)
  }
}

export const deletedProblem = () => new ApiProblem(404, { code: 'deleted', detail: 'This record was deleted.' })
export const changedProblem = (status: number) =>
  new ApiProblem(status, { code: 'conflict', detail: 'Somebody else has changed this in the meantime.' })
