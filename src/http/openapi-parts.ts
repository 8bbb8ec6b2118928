import type { Route } from './route.ts'

// What the OpenAPI document says of every operation alike.

export const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'Problem details of RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  additionalProperties: false,
  properties: {
    type: { type: 'string', description: '`urn:dealbox:problem:` and the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong and what to do, in a sentence.' },
    code: { type: 'string', description: 'Stable; programs decide by it.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        additionalProperties: false,
        properties: {
          pointer: { type: 'string', description: 'A JSON Pointer into the body.' },
          code: { type: 'string' },
          message: { type: 'string', description: 'Continues the name of the field to a sentence.' },
        },
      },
    },
    scope: { type: 'string', description: 'With `insufficient_scope`: the scope that is needed.' },
    duplicate_id: { type: 'string', format: 'uuid', description: 'With `duplicate`: the record that is in the way.' },
  },
}

const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema })

export const HEADERS = {
  ETag: header('The version of the record, in quotes.'),
  Location: header('The path of the new record.'),
  Link: header('The next page, `rel="next"`, where there is one.'),
  'X-Request-Id': header('As the client gave it, or a new one; the log has it too.'),
  'Idempotency-Replayed': header('`true` on a stored answer.', { type: 'string', const: 'true' }),
  'Retry-After': header('Seconds to wait.', { type: 'integer' }),
  'RateLimit-Policy': header('How many requests per how many seconds a token may make.'),
  RateLimit: header('How many are left, and the seconds until all are.'),
  'WWW-Authenticate': header('`Bearer`.'),
}

const problem = (description: string, ...headers: string[]) => ({
  description,
  headers: Object.fromEntries(
    ['X-Request-Id', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

export const PROBLEMS = {
  BadRequest: problem('A malformed query, cursor, header or JSON body.'),
  Unauthorized: problem('No token, or one that is bad, expired or revoked.', 'WWW-Authenticate'),
  Forbidden: problem('The token does not have the scope.'),
  NotFound: problem('There is no such record in this organisation.'),
  NotAcceptable: problem('The Accept header rules out application/json.'),
  Conflict: problem('The state of the record, or another record, is in the way.'),
  PreconditionFailed: problem('If-Match names another version than the newest.', 'ETag'),
  TooLarge: problem('The body is larger than 1 MiB.'),
  UnsupportedMediaType: problem('The body is not JSON in UTF-8, or it is encoded.'),
  Unprocessable: problem('Fields break a rule; `errors` names each. Also an Idempotency-Key that was used otherwise.'),
  TooManyRequests: problem('The rate limit of the token is used up.', 'Retry-After', 'RateLimit-Policy', 'RateLimit'),
  Unavailable: problem('The server is stopping or busy, or its disk is full; nothing was written.', 'Retry-After'),
}

const STATUS: Record<keyof typeof PROBLEMS, number> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  NotAcceptable: 406,
  Conflict: 409,
  PreconditionFailed: 412,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Unprocessable: 422,
  TooManyRequests: 429,
  Unavailable: 503,
}

/** The problems that a route can answer. */
export function problemsOf(route: Route): Record<number, { $ref: string }> {
  const names: (keyof typeof PROBLEMS)[] = [
    'BadRequest',
    'Unauthorized',
    'Forbidden',
    'NotAcceptable',
    'TooManyRequests',
    'Unavailable',
  ]
  if (route.path.includes(':')) names.push('NotFound')
  if (route.kind === 'write') {
    names.push('TooLarge')
    if (route.body) names.push('UnsupportedMediaType', 'Unprocessable', 'Conflict')
    if (route.find) names.push('PreconditionFailed')
  }
  return Object.fromEntries(names.map((name) => [STATUS[name], { $ref: `#/components/responses/${name}` }]))
}
