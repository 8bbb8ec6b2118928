import type { Filter, Operator } from '../store/list/conditions.ts'
import { MAX_WAIT_S } from './poll.ts'
import { DEFAULT_LIMIT } from './query.ts'
import type { Route } from './route.ts'

// The parts of the OpenAPI document shared by all operations.

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
  BadRequest: problem(
    'The query or a header is malformed: `invalid_query`, `invalid_cursor`, `invalid_idempotency_key`, `malformed_http`.',
  ),
  BadBody: problem(
    'The JSON, the query or a header is malformed: `malformed_json`, `malformed_text`, `empty_body`, `wrong_root`, `too_deep`, `array_too_long`, `too_many_values`, `incomplete_body`, `tiny_chunks`, `invalid_query`, `invalid_idempotency_key`, `malformed_http`.',
  ),
  Unauthorized: problem('No token, or one that is not valid, expired or revoked: `unauthorized`.', 'WWW-Authenticate'),
  Forbidden: problem('The token lacks the scope, which `scope` names: `insufficient_scope`.'),
  NotFound: problem('There is no such record in this organisation: `not_found`.'),
  NotAcceptable: problem('The Accept header rules out all that this is answered as: `not_acceptable`.'),
  Conflict: problem('The state of the record, or another record, is in the way; `code` says which.'),
  PreconditionFailed: problem('If-Match names another version than the newest: `version_mismatch`.', 'ETag'),
  RequestTimeout: problem('The body arrives too slowly; 8 KiB per second are enough: `request_timeout`.'),
  TooLarge: problem('The body is larger than 1 MiB, or than what the operation says it takes: `body_too_large`.'),
  UnsupportedMediaType: problem(
    'The body is not of a media type that the operation takes, not UTF-8, or encoded: `unsupported_media_type`, `unsupported_encoding`.',
  ),
  Unprocessable: problem(
    'Fields break a rule, and `errors` names each: `invalid_fields`, or `url_not_allowed` for where a webhook must not go. Or the Idempotency-Key was used with another request: `idempotency_key_reused`.',
  ),
  TooManyRequests: problem(
    'The rate limit of the token is used up: `rate_limited`. Or the token was not used before, and comes from an address that has sent too many with a wrong signature: `too_many_invalid_tokens`.',
    'Retry-After',
    'RateLimit-Policy',
    'RateLimit',
  ),
  Unavailable: problem(
    'Nothing was written. Try again in a moment: `stopping`, `busy`, `overloaded`, `storage_full` (reads and deletions go on), `storage_failed`. Or another try will not help before a backup is restored: `database_damaged`, which has no Retry-After.',
    'Retry-After',
  ),
}

const STATUS: Record<keyof typeof PROBLEMS, number> = {
  BadRequest: 400,
  BadBody: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  NotAcceptable: 406,
  Conflict: 409,
  PreconditionFailed: 412,
  RequestTimeout: 408,
  TooLarge: 413,
  UnsupportedMediaType: 415,
  Unprocessable: 422,
  TooManyRequests: 429,
  Unavailable: 503,
}

/** The problems that a route can return. */
export function problemsOf(route: Route): Record<number, { $ref: string }> {
  const names: (keyof typeof PROBLEMS)[] = [
    route.kind === 'write' ? 'BadBody' : 'BadRequest',
    'Unauthorized',
    'Forbidden',
    'NotAcceptable',
    'TooManyRequests',
    'Unavailable',
  ]
  if (route.path.includes(':')) names.push('NotFound')
  if (route.kind === 'poll') names.push('Conflict')
  if (route.kind === 'write') {
    names.push('RequestTimeout', 'TooLarge', 'Conflict', 'UnsupportedMediaType', 'Unprocessable')
    if (route.find) names.push('PreconditionFailed')
  }
  return Object.fromEntries(names.map((name) => [STATUS[name], { $ref: `#/components/responses/${name}` }]))
}

/** Default descriptions for fields of any record. */
export const FIELDS: Record<string, string> = {
  id: 'Assigned by the server; it never changes.',
  owner_id: 'The member who looks after it.',
  tag_id: 'A tag that it carries.',
  created_at: 'When it was made.',
  updated_at: 'When it last changed.',
  version: 'Starts at 1 and grows by 1 with each change; it is the `ETag`, too.',
}

export const FILTER_TYPES: Record<Filter['type'], object> = {
  id: { type: 'string', format: 'uuid' },
  text: { type: 'string', minLength: 1, maxLength: 2048 },
  choice: { type: 'string' },
  flag: { type: 'boolean' },
  amount: { type: 'number', minimum: 0, maximum: 9_000_000_000_000 },
  number: { type: 'number' },
  search: { type: 'string', maxLength: 255 },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
}

export const OPERATOR_MEANING: Record<Operator, string> = {
  eq: 'Equal to this.',
  ne: 'Not equal to this; what has no value counts as not equal.',
  in: 'One of these, separated by commas; at most 100.',
  gt: 'Greater than this.',
  gte: 'At least this.',
  lt: 'Less than this.',
  lte: 'At most this.',
  contains: 'Has this text in it.',
  starts_with: 'Begins with this text.',
}

export const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, description: 'The id of the record.', schema: FILTER_TYPES.id },
  delivery_id: {
    name: 'delivery_id',
    in: 'path',
    required: true,
    description: 'The id of the delivery.',
    schema: FILTER_TYPES.id,
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Records per page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description: 'Where to go on: `next_cursor` of the page before, with the same sort and filters.',
    schema: { type: 'string' },
  },
  count: {
    name: 'count',
    in: 'query',
    description: 'Whether to add `total`.',
    schema: { type: 'boolean', default: false },
  },
  'if-match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that the change is meant for; 412 when the record has another by now.',
    schema: { type: 'string' },
  },
  'if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag that is known already; 304 when it is the newest.',
    schema: { type: 'string' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a repeat safe for 24 hours: 1 to 255 visible ASCII characters, quoted or bare.',
    schema: { type: 'string', maxLength: 257 },
  },
}

/** The parameters of a stream besides `limit` and `cursor`. */
export const pollParameters = (patterns: readonly string[]) => [
  {
    name: 'after_seq',
    in: 'query',
    description: 'Behind this event; from the oldest that is kept on without it, and with 0.',
    schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
  {
    name: 'types',
    in: 'query',
    description: 'Only these, as in the `event_types` of a webhook, separated by commas: `deal.*,task.completed`.',
    schema: {
      anyOf: [
        { type: 'string', enum: patterns },
        { type: 'string', pattern: '^[a-z_.*]+(,[a-z_.*]+)+$' },
      ],
    },
  },
  {
    name: 'wait',
    in: 'query',
    description: 'So many seconds to wait for an event where there is none yet; the answer comes with it, or empty.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_WAIT_S, default: 0 },
  },
]
