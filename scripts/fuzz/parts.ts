import { mutatedBody, twistedBody, validBody } from './bodies.ts'
import type { Operation } from './document.ts'
import type { Fault, Request, Stage } from './request.ts'
import type { Sketch } from './values.ts'

export type Tokens = { good: string; narrow: { token: string; scopes: string[] }; bad: string[] }

/** A request in the making. */
export type Plan = {
  sketch: Sketch
  request: Request
  operation: Operation
  tokens: Tokens
  /** What is to be wrong with it, where it can be. */
  faults: Set<string>
}

export const fault = (stage: Stage, what: string, ...statuses: number[]): Fault => ({ stage, what, statuses })

export function authorize({ sketch: { draw }, request, operation, tokens, faults }: Plan): void {
  const { good, narrow, bad } = tokens
  if (faults.has('token')) {
    const value = draw.one([
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Basic YTpi',
      `Basic ${good}`,
      good,
      `Bearer ${good}x`,
      ...bad.map((each) => `Bearer ${each}`),
    ])
    if (value !== undefined) request.headers.push(['Authorization', value])
    request.faults.push(fault('token', 'token', 401))
    return
  }
  const isNarrow = faults.has('scope')
  const token = isNarrow ? narrow.token : good
  const scheme = draw.chance(3) ? draw.one(['bearer ', 'BEARER ', 'Bearer  ']) : 'Bearer '
  request.headers.push(['Authorization', scheme + token])
  if (!isNarrow) return
  if (operation.scopes.some((scope) => !narrow.scopes.includes(scope)))
    request.faults.push(fault('scope', 'scope', 403))
  // What is below a record may take a scope more, after what the record is.
  else if (operation.template.includes('}/')) request.may.push(403)
}

export function negotiate({ sketch: { draw }, request, faults }: Plan): void {
  const isBad = faults.has('accept')
  const accept = draw.one([
    undefined,
    undefined,
    '*/*',
    'application/json',
    'application/*;q=0.5',
    'text/html, */*;q=0.1',
    'application/json;q=0.001',
    '',
  ])
  const refused = draw.one([
    'text/html',
    'application/json;q=0',
    'image/*',
    'application/xml, */*;q=0',
    'nonsense',
    'application/problem+json',
  ])
  const value = isBad ? refused : accept
  if (isBad) request.faults.push(fault('media', 'Accept', 406))
  if (value !== undefined) request.headers.push(['Accept', value])
  if (draw.chance(20))
    request.headers.push([
      'Accept-Encoding',
      draw.one(['gzip', 'gzip, deflate, br', 'br', 'identity', '*', 'gzip;q=0', 'gzip;q=nonsense']),
    ])
  if (draw.chance(10))
    request.headers.push([
      'X-Request-Id',
      draw.one(['a', 'A-b_9', 'x'.repeat(64), 'x'.repeat(65), 'a b', 'ümlaut', '', '{"a":1}']),
    ])
}

/** A UUID of no record. */
export const NOBODY = '019aa07f-0000-7000-8000-000000000000'
/** Ids that are none, and ids that no record has. */
const NO_IDS = [
  'abc',
  'null',
  '0',
  '-',
  '.',
  '019AA07F-0000-7000-8000-000000000000',
  '019aa07f00007000800000000000000',
  '{019aa07f-0000-7000-8000-000000000000}',
  'x'.repeat(300),
  NOBODY,
  "';DROP-TABLE-deals",
  '*',
  '__proto__',
]

export function pathOf({ sketch: { draw, world }, request, operation: { template, method }, faults }: Plan): string {
  const isBad = faults.has('id')
  return template.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const list = template.slice(0, at - 1)
    const [way, pick] = [draw.below(3), draw.below(1 << 20)]
    const noId = draw.one(NO_IDS)
    const own = world.id(list, pick, 'own')
    const isLast = template.indexOf('{', at + 1) < 0
    const id = isBad && isLast ? ((way === 0 ? world.id(list, pick, 'foreign') : undefined) ?? noId) : (own ?? noId)
    if (id !== own)
      request.faults.push(fault('record', `the ${name} ${id === noId ? 'is none' : 'of another org'}`, 404))
    // A record below another one: which one it is below, the document does not say.
    else if (name !== 'id') request.may.push(404)
    else request.id = id
    const isGoing = method === 'DELETE' && template.endsWith('{id}') && request.faults.length === 0
    if (!isGoing || world.doom(list, id)) return id
    request.faults.push(fault('record', 'none is to spare', 404))
    return NOBODY
  })
}

/** If-Match, If-None-Match and Idempotency-Key. */
export function conditions({ sketch: { draw, world }, request, operation: { headers, method }, faults }: Plan): void {
  const names = headers.map(({ name }) => name.toLowerCase())
  const version = `"${request.id === undefined ? 1 : (world.versionOf(request.id) ?? 1)}"`
  if (faults.has('if-match')) {
    request.headers.push(['If-Match', draw.one(['"0"', 'W/"0"', 'nonsense', '"-1"', '""', '"0", "999999999"'])])
    request.faults.push(fault('precondition', 'If-Match', 412))
  } else if (names.includes('if-match') && draw.chance(15)) {
    const value = draw.one([version, version, `"0", ${version}`, '*'])
    request.headers.push(['If-Match', value])
    // Another request may have changed the record meanwhile.
    if (value !== '*') request.may.push(412)
  }
  if (names.includes('if-none-match') && draw.chance(25)) {
    request.headers.push([
      'If-None-Match',
      draw.one([version, `W/${version}`, '*', '"0"', `"0",${version}`, 'nonsense', '']),
    ])
  } else if (method === 'GET' && names.length === 0 && draw.chance(3)) request.headers.push(['If-None-Match', '"1"'])
  const key = draw.one(['<number>', '"<number>"', '<number>-{}!~'])
  const noKey = draw.one(['', '""', 'a b', 'x'.repeat(256), 'ü', '"a b"'])
  if (faults.has('key')) {
    request.headers.push(['Idempotency-Key', noKey])
    request.faults.push(fault('media', 'Idempotency-Key', 400))
  } else if (names.includes('idempotency-key') && draw.chance(15)) request.headers.push(['Idempotency-Key', key])
}

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']
const OTHER_TYPES = [
  undefined,
  '',
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/jsonx',
  'json',
  'application/vnd.api+json',
]
const HUGE = Buffer.from(`{"a":"${'x'.repeat(1_048_576)}"}`)

export function addBody({ sketch, request, operation, faults }: Plan): void {
  const { draw } = sketch
  const { body } = operation
  if (!body) return
  const [type, other] = [
    draw.one([...body.types.filter((each) => each.endsWith('json')), ...JSON_TYPES]),
    draw.one(OTHER_TYPES),
  ]
  const sent = faults.has('type') ? other : type
  if (faults.has('type')) request.faults.push(fault('media', `Content-Type: ${other}`, 415))
  if (sent !== undefined) request.headers.push(['Content-Type', sent])
  if (faults.has('encoding')) {
    request.headers.push(['Content-Encoding', draw.one(['gzip', 'br', 'deflate', 'identity, gzip', 'nonsense'])])
    request.faults.push(fault('media', 'Content-Encoding', 415))
  } else if (draw.chance(2)) request.headers.push(['Content-Encoding', draw.one(['identity', 'Identity'])])
  if (faults.has('huge') && draw.chance(10)) {
    request.body = HUGE
    request.faults.push(fault('media', 'a huge body', 413))
    return
  }
  if (faults.has('twisted')) {
    const { what, bytes } = twistedBody(sketch, body.schema)
    request.body = bytes
    request.faults.push(fault('media', `body: ${what}`, 400))
    return
  }
  const text = faults.has('mutated') ? mutatedBody(sketch, body.schema) : validBody(sketch, body.schema)
  request.body = Buffer.from(text)
  request.faults.push(...bodyFaults(sketch, body, text))
}

/** What the document says against a body. */
function bodyFaults({ api, strangers, inexact }: Sketch, body: NonNullable<Operation['body']>, text: string): Fault[] {
  if (Buffer.byteLength(text) > 1_048_576) return [fault('media', 'a huge body', 413)]
  if (levelsOf(text) > 32) return [fault('media', 'too many levels', 400)]
  const given = JSON.parse(text)
  if (longestArray(given) > 1000) return [fault('media', 'too long an array', 400)]
  const wrong = body.check(given)
  const faults: Fault[] = []
  if (wrong) faults.push(fault('fields', wrong, 422))
  // Also where the document forgets to forbid it: nothing that a body has is ignored.
  const { properties = {}, additionalProperties } = api.resolve(body.schema)
  const unknown = additionalProperties
    ? []
    : Object.keys(given).filter((name) => !Object.hasOwn(properties as object, name))
  if (unknown.length > 0) faults.push(fault('fields', `unknown members ${unknown.join(', ')}`, 422))
  if ([...strangers].some((id) => text.includes(id))) faults.push(fault('fields', 'a reference to no record', 422))
  if (inexact && faults.length === 0)
    faults.push(fault('fields', 'a number that no double carries', 422, 200, 201, 409))
  return faults
}

function levelsOf(json: string): number {
  let [level, most] = [0, 0]
  for (const [sign] of json.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    level += sign === '[' || sign === '{' ? 1 : -1
    most = Math.max(most, level)
  }
  return most
}

function longestArray(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return Math.max(Array.isArray(value) ? value.length : 0, 0, ...Object.values(value).slice(0, 1001).map(longestArray))
}
