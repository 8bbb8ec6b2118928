import { type Interface, type Operation, templateOf } from './document.ts'
import { type Draw, drawing } from './draw.ts'
import type { Kept, Observations } from './observations.ts'
import { authorize, conditions, NOBODY, negotiate, type Plan, pathOf, type Tokens } from './parts.ts'
import { faultyQuery, validQuery } from './queries.ts'
import { fault, type Request } from './request.ts'
import { addBody } from './sent.ts'

/** Of a hundred requests so many are outside the document, and so many repeat one with an Idempotency-Key. */
const OUTSIDE = 5
const REPEATS = 3
const FAULTLESS = 55
/** What a conversation or an enrollment is goes back to the whole way that it has come. */
const WEIGHTS: Record<string, number> = {
  createMessage: 8,
  updateConversation: 6,
  replaceTranscript: 3,
  createEnrollment: 8,
  updateEnrollment: 4,
}

/**
 * Answers the request of each number. Numbers always make the same decisions; ids, cursors and values that were seen
 * come from the observed, so they are those of the server that is asked.
 */
export function requests(
  api: Interface,
  observed: Observations,
  tokens: Tokens,
  { seed, only, clock = Date.now }: { seed: number; only?: string; clock?: () => number },
) {
  const operations = api.operations.filter(({ id }) => only === undefined || id === only)
  if (operations.length === 0) throw new Error(`The document has no operation ${only}.`)
  // Reads are cheap and alike; what writes is asked for twice as often, or more.
  const weighted = operations.flatMap((each) => Array(each.method === 'GET' ? 1 : (WEIGHTS[each.id] ?? 2)).fill(each))

  const make = drawing(seed, (draw) => {
    const [way, pick] = [draw.below(100), draw.below(1 << 20)]
    const operation = draw.one(weighted)
    if (way < OUTSIDE && only === undefined) return outside(draw, api, tokens, operation)
    const repeated = way < OUTSIDE + REPEATS && only === undefined ? observed.kept(pick) : undefined
    return repeated ? repeat(draw, repeated) : ordinary(draw, api, observed, tokens, operation, clock())
  })
  return (number: number): Request => {
    const request = make(number)
    request.number = number
    // Keys have to differ, so that none is used twice by accident.
    const key = request.repeats ? undefined : request.headers.find(([name]) => name === 'Idempotency-Key')
    if (key) key[1] = key[1].replace('<number>', `${seed}-${number}`)
    return request
  }
}

/** A request with nothing in it yet, and nothing wrong with it. */
export const blank = (operation: Operation | undefined, method: string, target: string): Request => ({
  number: -1,
  operation,
  method,
  target,
  headers: [],
  body: undefined,
  faults: [],
  may: [],
  id: undefined,
  form: undefined,
  said: undefined,
  isEmpty: false,
  question: undefined,
  repeats: undefined,
})

function ordinary(
  draw: Draw,
  api: Interface,
  observed: Observations,
  tokens: Tokens,
  operation: Operation,
  now: number,
): Request {
  const faults = new Set<string>()
  if (!draw.chance(FAULTLESS)) {
    const kinds = faultKinds(operation)
    for (let left = draw.chance(25) ? 2 : 1; left > 0; left--) faults.add(draw.one(kinds))
  }
  const request = blank(operation, operation.method === 'GET' && draw.chance(4) ? 'HEAD' : operation.method, '')
  const sketch = { draw, api, observed, home: draw.below(1 << 20), strangers: new Set<string>(), inexact: false, now }
  const plan: Plan = { sketch, request, operation, tokens, faults }
  authorize(plan)
  negotiate(plan)
  const path = api.base + pathOf(plan)
  conditions(plan)
  const query = addQuery(plan, path)
  request.target = path + (query === '' ? draw.one(['', '', '?', '?&&']) : `?${query}`)
  addBody(plan)
  return request
}

function addQuery({ sketch, request, operation, faults }: Plan, path: string): string {
  const isBeside = sketch.draw.chance(10)
  const { text, isEmpty, question, may } = validQuery(sketch, operation, path)
  if (request.form !== undefined && !faults.has('query')) {
    // It is answered whole, and takes no parameter.
    if (!isBeside || text === '') return ''
    request.faults.push(fault('media', `a query beside ${request.form}`, 400))
    return text
  }
  if (!faults.has('query')) {
    Object.assign(request, { isEmpty, question })
    request.may.push(...may)
    return text
  }
  const faulty = faultyQuery(sketch, operation, path, text)
  request.faults.push(fault('media', faulty.what, 400))
  return faulty.text
}

function faultKinds({ method, body, headers, template, forms }: Operation): string[] {
  const names = headers.map(({ name }) => name.toLowerCase())
  return [
    'token',
    'scope',
    ...(forms.includes('*/*') ? [] : ['accept']), // the type of a file is known once it is found
    'query',
    ...(template.includes('{') ? ['id'] : []),
    ...(names.includes('if-match') ? ['if-match'] : []),
    ...(names.includes('idempotency-key') ? ['key'] : []),
    // Most of what can go wrong is in the body.
    ...(body
      ? ['type', 'encoding', ...Array(6).fill('mutated'), 'twisted', 'twisted', ...(method === 'PATCH' ? [] : ['huge'])]
      : []),
  ]
}

/** A request as it was sent before, or with the same key and another body. */
function repeat(draw: Draw, kept: Kept): Request {
  // What stands after a form is no part of it.
  const same = draw.chance(60) || kept.uploaded !== undefined
  const { operation, target, headers, body, uploaded } = kept
  const request: Request = { ...blank(operation, operation.method, target), headers, repeats: { kept, same } }
  if (uploaded) request.uploaded = uploaded
  request.body = same ? body : Buffer.concat([body, Buffer.from(draw.one([' ', '\n', '\r\n\t']))])
  return request
}

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'SEARCH',
  'PURGE',
  'LINK',
]

/** Methods that a path does not have, and paths that the document does not have. */
function outside(draw: Draw, api: Interface, tokens: Tokens, { template }: Operation): Request {
  const [isMethod, hasToken, pick] = [draw.chance(50), draw.chance(70), draw.below(1 << 20)]
  const path = api.base + template.replace(/\{\w+\}/g, NOBODY)
  const target = isMethod ? path : unknownPath(draw, path)
  // What was put behind an id is taken for one that no record has.
  const found = templateOf(api, target)
  const known = (found === undefined ? [] : api.paths.get(found)!).map(({ method }) => method)
  if (known.includes('GET')) known.push('HEAD')
  const others = METHODS.filter((each) => !known.includes(each))
  const request = blank(undefined, others[pick % others.length]!, target)
  if (hasToken) request.headers.push(['Authorization', `Bearer ${tokens.good}`])
  if (found === undefined) request.faults.push(fault('path', 'path', 404))
  else if (request.method === 'OPTIONS') request.may.push(204)
  else request.faults.push(fault('method', 'method', 405))
  return request
}

function unknownPath(draw: Draw, path: string): string {
  const last = path.split('/').at(-1)!
  return draw.one([
    `${path}/`,
    `${path}/x/y/z`,
    `/${path}`,
    path.replace(/.$/, ''),
    path.replace(/\/[a-z]/g, (start) => start.toUpperCase()),
    path.replace(/[a-z]$/, (one) => `%${one.charCodeAt(0).toString(16)}`).replace(/^((?!%).)*$/, '$&/'),
    path.replace('/api', ''),
    path.replace('/v1', '/v2'),
    path.replace(last, '..'),
    `${path};x=1`,
    `${path}.json`,
    `${path}%00`,
    `${path}%2f`,
    '/',
    '/health',
    '/livez',
    '/metrics',
    '/openapi.json',
    '/app',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/?x=%ff',
    '/favicon.ico',
    '/api/v1/__proto__',
    '/api/v1/constructor',
    `/${'x'.repeat(4000)}`,
  ])
}
