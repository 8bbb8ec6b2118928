import * as v from 'valibot'
import { type FieldError, field, invalid, Problem } from './problem.ts'

/**
 * Returns the body as parsed by the schema. Throws Problem 400 if it is not an object, 422 with the first error of each
 * field.
 */
export function validate<Schema extends v.GenericSchema>(schema: Schema, body: unknown): v.InferOutput<Schema> {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new Problem(400, 'wrong_root', 'The body must be a JSON object.')
  }
  const result = v.safeParse(schema, body)
  if (result.success) return result.output
  // One error per field: the first rule that a text breaks is the first to fix.
  const errors = new Map<string, FieldError>()
  for (const error of result.issues.map(fieldError)) if (!errors.has(error.pointer)) errors.set(error.pointer, error)
  throw invalid(...[...errors.values()].slice(0, 100))
}

function fieldError(issue: v.BaseIssue<unknown>): FieldError {
  const pointer = (issue.path ?? [])
    .map((step) => `/${String(step.key).replace(/~/g, '~0').replace(/\//g, '~1')}`)
    .join('')
  const own = ownMessage(issue.message)
  if (own) return field(pointer, own.code, own.message)
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return field(pointer, 'unknown_field', 'is not a writable field of this resource')
  }
  if (issue.received === 'undefined') return field(pointer, 'required', 'is required')
  if (issue.received === 'null') return field(pointer, 'not_null', 'must not be null')
  return field(pointer, 'invalid_type', `must be ${TYPE_NAMES[issue.type] ?? issue.expected}`)
}

/**
 * Parses the messages of our own rules, `code|sentence`. The messages of valibot quote the input, which may contain
 * anything.
 */
export function ownMessage(text: string): { code: string; message: string } | undefined {
  const [, code, message] = /^([a-z0-9_]+)\|(.*)$/s.exec(text) ?? []
  return code && message ? { code, message } : undefined
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number with at most 15 significant digits',
  boolean: 'true or false',
  array: 'an array',
  strict_object: 'an object',
}
