/** An invalid field of a body. `pointer` is a JSON Pointer (RFC 6901). */
export type FieldError = { pointer: string; code: string; message: string }

/** Every refusal, in the store and in HTTP: RFC 9457 problem details with a stable code. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly errors: FieldError[] | undefined
  readonly headers: Record<string, string> | undefined
  /** Additional members of the problem document, such as the id of the conflicting record. */
  readonly more: Record<string, unknown> | undefined

  constructor(
    status: number,
    code: string,
    detail: string,
    extra: { errors?: FieldError[]; headers?: Record<string, string>; more?: Record<string, unknown> } = {},
  ) {
    super(detail)
    this.status = status
    this.code = code
    this.errors = extra.errors
    this.headers = extra.headers
    this.more = extra.more
  }
}

/** 422: fields of a body break a rule. */
export function invalid(...errors: FieldError[]): Problem {
  const [first] = errors
  const detail =
    errors.length === 1 && first
      ? `${first.pointer || 'The body'} ${first.message}.`
      : `${errors.length} fields are invalid.`
  return new Problem(422, 'invalid_fields', detail, { errors })
}

/**
 * A field error, such as `field('/title', 'required', 'is required')`. The message continues the pointer as a sentence.
 */
export function field(pointer: string, code: string, message: string): FieldError {
  return { pointer, code, message }
}

/** 404, the same for a record of another organisation and for one that never existed. */
export function notFound(): Problem {
  return new Problem(404, 'not_found', 'There is no such record in this organisation.')
}

/** 409: the state of this or another record conflicts with the request. */
export function conflict(code: string, detail: string, more?: Record<string, unknown>): Problem {
  return new Problem(409, code, detail, more ? { more } : {})
}

/** A mistake on the command line: exit code 2. */
export function usage(sentence: string): Problem {
  return new Problem(400, 'usage', sentence)
}
