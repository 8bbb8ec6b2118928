import { LATEST, MAX_TYPES, MAX_WAIT_S } from '../poll.ts'
import { DEFAULT_LIMIT } from '../query.ts'
import type { Route } from '../route.ts'
import { anchored, either, escaped, listOf } from './openapi-patterns.ts'
import type { Schema } from './openapi-schema.ts'

// The parts of the OpenAPI document shared by all operations.

const INT64 = { type: 'integer', format: 'int64' }

export const PROBLEM_SCHEMAS = {
  Problem: {
    type: 'object',
    description: 'Problem details (RFC 9457).',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    additionalProperties: false,
    properties: {
      type: { type: 'string', description: '`urn:dealbox:problem:` followed by the code.' },
      title: { type: 'string' },
      status: INT64,
      detail: { type: 'string', description: 'What is wrong and what to do, in a sentence.' },
      code: { type: 'string', description: 'Stable code for programs.' },
      request_id: { type: 'string' },
      errors: {
        type: 'array',
        description: 'For `invalid_fields`: every invalid field.',
        items: { $ref: '#/components/schemas/FieldError' },
      },
      scope: { type: 'string', description: 'For `insufficient_scope`: the required scope.' },
      primary: {
        type: ['string', 'null'],
        description: 'For `read_only` and `not_primary`: where writes belong, if the server knows it.',
      },
      epoch: { ...INT64, description: 'For `not_primary`: the number of the new primary; each failover raises it.' },
      moved_to: {
        type: 'string',
        description: 'For `moved`: the address of the server that has the organisation now.',
      },
      message_id: { type: 'string', format: 'uuid', description: 'For `newer_message`: the id of the message.' },
      duplicate_id: { type: 'string', format: 'uuid', description: 'For `duplicate`: the id of the existing record.' },
    },
  },
  FieldError: {
    type: 'object',
    required: ['pointer', 'code', 'message'],
    additionalProperties: false,
    properties: {
      pointer: { type: 'string', description: 'JSON Pointer into the body.' },
      code: { type: 'string' },
      message: { type: 'string', description: 'Continues the name of the field as a sentence.' },
    },
  },
}

const header = (description: string, schema: object = { type: 'string' }) => ({ description, schema })

export const HEADERS = {
  ETag: header('Version of the record, in quotes.'),
  Location: header('Path of the new record.'),
  Link: header('The next page, as `rel="next"`, if there is one.'),
  'Accept-Ranges': header('`bytes`.'),
  'Content-Disposition': header('`attachment`, and the name of the file.'),
  'Content-Range': header('The part of the bytes, and their number: `bytes 0-999/5000`.'),
  'X-Request-Id': header('The id that the client sent, or a new one. It is also in the log.'),
  'Dealbox-Echo': header(
    'On every response: what the request sent as `Dealbox-Echo`, else `none`. A response without it is not from Dealbox.',
  ),
  'Idempotency-Replayed': header('`true` for a stored response.', { type: 'string', const: 'true' }),
  'Dealbox-Seq': header(
    'The number of the newest event of the organisation that the response knows of. A write knows of its own events. What a read does not know of comes in the event stream after this number.',
    INT64,
  ),
  'Dealbox-Lag-Ms': header('Only from a reader: how many milliseconds its copy is behind the primary.', INT64),
  'Dealbox-Primary': header('With `read_only` and `not_primary`: where writes belong, if the server knows it.'),
  'Dealbox-Token-Ends': header('When the token of the request ends, in the last 14 days before: make another one.'),
  'Retry-After': header('How many seconds to wait.', INT64),
  'RateLimit-Policy': header('How many requests a token may send in how many seconds.'),
  RateLimit: header('How many requests remain, and the seconds until the limit is reset.'),
  'WWW-Authenticate': header('`Bearer`.'),
}

const problem = (description: string, ...headers: string[]) => ({
  description,
  headers: Object.fromEntries(
    ['X-Request-Id', 'Dealbox-Echo', ...headers].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

export const PROBLEMS = {
  BadRequest: problem(
    'The query or a header is malformed: `invalid_query`, `invalid_cursor`, `invalid_seq`, `invalid_idempotency_key`, `malformed_http`.',
  ),
  BadBody: problem(
    'The JSON, the query or a header is malformed: `malformed_json`, `malformed_text`, `empty_body`, `wrong_root`, `too_deep`, `array_too_long`, `too_many_values`, `incomplete_body`, `tiny_chunks`, `malformed_form`, `invalid_query`, `invalid_idempotency_key`, `malformed_http`.',
  ),
  Unauthorized: problem('The token is missing, invalid, expired or revoked: `unauthorized`.', 'WWW-Authenticate'),
  Forbidden: problem('The token lacks the scope in `scope`: `insufficient_scope`.'),
  NotFound: problem('The organisation has no such record: `not_found`.'),
  NotAcceptable: problem(
    'The resource is not available in any format that the Accept header allows: `not_acceptable`.',
  ),
  Conflict: problem('The change conflicts with the state of the record or with another record; `code` says how.'),
  Gap: problem(
    'There is a gap behind `after_seq`, and the detail says where to continue. The next events are no longer stored: `events_expired`. The event was lost in a failover: `events_lost`. There is no such event, nor one with the number in `Dealbox-Seq`, as after an older backup was restored: `seq_ahead`.',
  ),
  Ahead: problem(
    'There is no event with the number in `Dealbox-Seq`, as after an older backup was restored: `seq_ahead`. Read again without it.',
  ),
  Gone: problem('The event in `Dealbox-Seq` was lost in a failover, and its write with it: `event_lost`.'),
  Misdirected: problem('The organisation has moved to another server. Send the request to `moved_to`: `moved`.'),
  PreconditionFailed: problem('If-Match does not name the current version: `version_mismatch`.', 'ETag'),
  RangeNotSatisfiable: problem('The range begins after the end of the file: `range_not_satisfiable`.', 'Content-Range'),
  RequestTimeout: problem('The body is sent too slowly; at least 8 KiB per second are required: `request_timeout`.'),
  TooLarge: problem('The body is larger than 1 MiB, or than the limit that the operation states: `body_too_large`.'),
  UnsupportedMediaType: problem(
    'The operation does not support the media type of the body, or the body is not UTF-8 or is compressed: `unsupported_media_type`, `unsupported_encoding`.',
  ),
  Unprocessable: problem(
    'Fields are invalid, and `errors` lists each of them: `invalid_fields`, or `url_not_allowed` for an address that webhooks must not connect to. Or the Idempotency-Key was used for a different request: `idempotency_key_reused`.',
  ),
  TooManyRequests: problem(
    'The rate limit of the token is exceeded: `rate_limited`. Or the token was not used before and comes from an address that has sent too many tokens with a wrong signature: `too_many_invalid_tokens`.',
    'Retry-After',
    'RateLimit-Policy',
    'RateLimit',
  ),
  Unavailable: problem(
    'Nothing was written. Try again in a moment: `stopping`, `busy`, `overloaded`, `storage_full` (reads and deletions still work), `storage_failed`. Retrying does not help until a backup is restored: `database_damaged`, without Retry-After. Nor does it while the filter stays the same: `filter_too_slow` (a filter that has to test too many records). While the organisation moves to another server: `moving`. From a replicated server: `not_primary` (another server has taken over: send writes to `primary`) and `another_server` (one was started from a copy of its data folder). From a reader: `read_only` (send writes to `primary`), `copy_unavailable`, `seq_not_reached`, `newer_schema`, and for writes that it passes on `not_the_primary`. With `not_confirmed` (a replicated server cannot reach the storage of its replica) and `primary_unreachable` (the primary did not answer a reader) it may have been written nevertheless: repeat the request with the same Idempotency-Key.',
    'Retry-After',
    'Dealbox-Primary',
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
  Gap: 409,
  Ahead: 409,
  Gone: 410,
  PreconditionFailed: 412,
  RequestTimeout: 408,
  TooLarge: 413,
  RangeNotSatisfiable: 416,
  UnsupportedMediaType: 415,
  Misdirected: 421,
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
    'Misdirected',
    route.kind === 'file' ? 'RangeNotSatisfiable' : 'NotAcceptable',
    'TooManyRequests',
    'Unavailable',
  ]
  if (route.path.includes(':')) names.push('NotFound')
  if (route.kind !== 'write') names.push(route.kind === 'poll' ? 'Gap' : 'Ahead', 'Gone')
  else {
    names.push('RequestTimeout', 'TooLarge', 'Conflict', 'UnsupportedMediaType', 'Unprocessable')
    if (route.find) names.push('PreconditionFailed')
  }
  return Object.fromEntries(names.map((name) => [STATUS[name], { $ref: `#/components/responses/${name}` }]))
}

export function success(description: string, schema: Schema, names: string[]): Schema {
  return { description, headers: headers(names), content: { 'application/json': { schema } } }
}

export function headers(names: string[]): Schema {
  const all = [...names, 'X-Request-Id', 'Dealbox-Echo', 'RateLimit-Policy', 'RateLimit', 'Dealbox-Token-Ends']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Default descriptions for fields of any record. */
export const FIELDS: Record<string, string> = {
  id: 'Assigned by the server; never changes.',
  owner_id: 'The member who is responsible for the record.',
  tag_id: 'A tag of the record.',
  created_at: 'When the record was created.',
  updated_at: 'When the record last changed.',
  version: 'Starts at 1 and increases by 1 with each change. It is also the `ETag`.',
}

/** Base64url of a code of 16 bytes and of at least `[0,""]`. */
export const CURSOR = { type: 'string', pattern: '^[A-Za-z0-9_-]{30,}$' }
const ID = { type: 'string', format: 'uuid' }

export const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, description: 'Id of the record.', schema: ID },
  delivery_id: {
    name: 'delivery_id',
    in: 'path',
    required: true,
    description: 'Id of the delivery.',
    schema: ID,
  },
  attachment_id: {
    name: 'attachment_id',
    in: 'path',
    required: true,
    description: 'Id of the attachment.',
    schema: ID,
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Number of records per page.',
    schema: { ...INT64, minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description: 'Position to continue from: the `next_cursor` of the previous page, with the same sort and filters.',
    schema: CURSOR,
  },
  count: {
    name: 'count',
    in: 'query',
    description: 'Whether to include `total`.',
    schema: { type: 'boolean', default: false },
  },
  'if-match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version to change. If the record has a newer version, the response is 412.',
    schema: { type: 'string' },
  },
  'if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of a version that the client has. If it is the current version, the response is 304.',
    schema: { type: 'string' },
  },
  range: {
    name: 'Range',
    in: 'header',
    description: 'One part of the bytes, such as `bytes=0-999`, `bytes=1000-` or the last ones, `bytes=-1000`.',
    schema: { type: 'string' },
  },
  'if-range': {
    name: 'If-Range',
    in: 'header',
    description: 'The ETag that the client has a part of. If it is another one, the response is the whole file.',
    schema: { type: 'string' },
  },
  'dealbox-seq': {
    name: 'Dealbox-Seq',
    in: 'header',
    description:
      'The `Dealbox-Seq` of an earlier response, usually to a write: the response is at least as new. A reader whose copy is older waits for it, for a second, and then responds with 503 `seq_not_reached`. A primary that has no event with this number responds with 409 `seq_ahead` at once.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a retry safe for 24 hours: 1 to 255 visible ASCII characters, with or without quotes.',
    schema: { type: 'string', pattern: '^("[!#-~]{1,255}"|[!#-~]([!-~]{0,253}[!#-~])?)$' },
  },
}

/** The parameters of a stream besides `limit` and `cursor`. */
export const pollParameters = (patterns: readonly string[]) => [
  {
    name: 'after_seq',
    in: 'query',
    description:
      'Return the events after this one. Without it, or with 0, start at the oldest event still stored. `latest` returns the number of the newest event as `last_seq`, and no events, at once.',
    schema: { type: 'string', pattern: anchored(either(['[0-9]{1,16}', LATEST])) },
  },
  {
    name: 'types',
    in: 'query',
    description:
      'Return only these events, as in the `event_types` of a webhook, separated by commas: `deal.*,task.completed`.',
    schema: { type: 'string', pattern: anchored(listOf(either(patterns.map(escaped)), MAX_TYPES)) },
  },
  {
    name: 'wait',
    in: 'query',
    description:
      'How many seconds to wait for an event if there is none yet. The response is sent with the first event, or empty.',
    schema: { ...INT64, minimum: 0, maximum: MAX_WAIT_S, default: 0 },
  },
]
