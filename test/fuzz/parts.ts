import type { Operation } from './document.ts'
import { fault, type Request } from './request.ts'
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
  else if (operation.template.includes('}/') || NAMES_RECORDS.test(operation.template)) request.may.push(403)
}

/** What filters, event types and `list_id` name takes the scope to read it, too, and `send_invitations` that to send messages. */
const NAMES_RECORDS = /\/(lists|webhooks|enrollments|contacts|companies|deals|meetings)(\/|$)/

export function negotiate({ sketch: { draw }, request, operation, faults }: Plan): void {
  const isFile = operation.forms.includes('*/*') // whose type nobody chooses
  const forms = isFile ? [] : operation.forms
  const isBad = faults.has('accept') && !isFile
  const [hasForm, pick] = [draw.chance(60), draw.below(1 << 20)]
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
    'text/html;level=1, image/png',
    ...forms.map((each) => `${each};q=0`),
  ])
  const form = hasForm && !isBad ? forms[pick % forms.length] : undefined
  const asked = form === undefined ? undefined : askedFor(form, forms, pick)
  request.form = asked?.form
  const value = isBad ? refused : (asked?.accept ?? accept)
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

/** Ways to ask for a form rather than for JSON; of several that fit alike the first is answered. */
function askedFor(form: string, forms: string[], pick: number): { form: string; accept: string } {
  const [main] = form.split('/')
  const first = forms.find((each) => each.startsWith(`${main}/`))!
  const ways = [
    { form, accept: form },
    { form, accept: form.toUpperCase() },
    { form, accept: `application/json;q=0.2, ${form};q=0.3` },
    { form, accept: `text/html, ${form};charset=utf-8, */*;q=0.1` },
    ...(main === 'application' ? [] : [{ form: first, accept: `${main}/*` }]),
  ]
  return ways[(pick >> 8) % ways.length]!
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

export function pathOf({
  sketch: { draw, api, observed },
  request,
  operation: { template, method },
  faults,
}: Plan): string {
  const isBad = faults.has('id')
  return template.replace(/\{(\w+)\}/g, (_, name: string, at: number) => {
    const list = template.slice(0, at - 1)
    const [way, pick, isThere] = [draw.below(3), draw.below(1 << 20), draw.chance(85)]
    const noId = draw.one(NO_IDS)
    const isPart = api.parts.has(template)
    const known = isPart && isThere && method !== 'PUT' ? observed.id(template, pick, 'own') : undefined
    const own = known ?? observed.id(list, pick, 'own')
    const isLast = template.indexOf('{', at + 1) < 0
    const id = isBad && isLast ? ((way === 0 ? observed.id(list, pick, 'foreign') : undefined) ?? noId) : (own ?? noId)
    if (id !== own)
      request.faults.push(fault('record', `the ${name} ${id === noId ? 'is none' : 'of another org'}`, 404))
    // A record below another one: which one it is below, the document does not say.
    else if (name !== 'id') request.may.push(404)
    else request.id = id
    // Nobody knows for certain which records have the part by now.
    if (isPart && method !== 'PUT') request.may.push(404)
    const isGoing = method === 'DELETE' && template.endsWith('{id}') && request.faults.length === 0
    if (!isGoing || observed.doom(list, id)) return id
    request.faults.push(fault('record', 'none is to spare', 404))
    return NOBODY
  })
}

/** If-Match, If-None-Match and Idempotency-Key. */
export function conditions({ sketch, request, operation, faults }: Plan): void {
  const { draw, api, observed } = sketch
  const { headers, method, template } = operation
  const names = headers.map(({ name }) => name.toLowerCase())
  const isPart = api.parts.has(template)
  const part = isPart ? template : ''
  const version = `"${request.id === undefined ? 1 : (observed.versionOf(request.id, part) ?? 1)}"`
  if (faults.has('if-match')) {
    request.headers.push(['If-Match', draw.one(['"0"', 'W/"0"', 'nonsense', '"-1"', '""', '"0", "999999999"'])])
    request.faults.push(fault('precondition', 'If-Match', 412))
  } else if (names.includes('if-match') && draw.chance(15)) {
    const value = draw.one([version, version, `"0", ${version}`, '*'])
    request.headers.push(['If-Match', value])
    // Another request may have changed the record meanwhile.
    if (value !== '*' || isPart) request.may.push(412)
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
