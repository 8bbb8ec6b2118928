import type { Operation } from './document.ts'
import type { Draw } from './draw.ts'
import { shape } from './shapes.ts'
import { jsonText, type Sketch, valueFor } from './values.ts'

type Body = Record<string, unknown>
/** A value in its place. */
type Slot = { holder: Body | unknown[]; key: string | number }

const LONG_ARRAYS = [1000, 1001, 5000]
const DEPTHS = [4, 31, 33, 200, 20_000]
/** Members that no body may have: unknown ones, read-only ones, and those that are something to JavaScript. */
const EXTRA = [
  'unknown',
  'id',
  'version',
  'created_at',
  'org_id',
  '__proto__',
  'constructor',
  'toString',
  '',
  'Title',
  'a/b~c',
  'ключ',
  '\u0000',
]

/** A body that the operation takes, as far as a draw can tell. */
function bodyFor(sketch: Sketch, { id, body }: Operation): Body {
  const drawn = valueFor(sketch, body!.schema, 'body') as Body
  shape(sketch, id, drawn)
  return drawn
}

export function validBody(sketch: Sketch, operation: Operation): string {
  return jsonText(bodyFor(sketch, operation))
}

/** The same with one to three members that are not as they should be. */
export function mutatedBody(sketch: Sketch, operation: Operation): string {
  const { draw } = sketch
  const body = bodyFor(sketch, operation)
  for (let left = 1 + (draw.chance(25) ? draw.below(3) : 0); left > 0; left--) mutate(draw, body)
  return jsonText(body)
}

function mutate(draw: Draw, body: Body): void {
  const slots = slotsOf(body)
  const way = draw.below(100)
  if (way < 25 || slots.length === 0) {
    const name = draw.one(EXTRA)
    // Assigned, `__proto__` would be no member.
    Object.defineProperty(body, name, { value: junk(draw), enumerable: true, configurable: true, writable: true })
    return
  }
  const { holder, key } = draw.one(slots)
  if (way < 40 && !Array.isArray(holder)) delete holder[key]
  else (holder as Body)[key] = junk(draw, (holder as Body)[key])
}

function slotsOf(holder: Body | unknown[]): Slot[] {
  return Object.entries(holder).flatMap(([key, value]) => [
    { holder, key },
    ...(value !== null && typeof value === 'object' ? slotsOf(value as Body) : []),
  ])
}

/** A value that seldom fits. */
function junk(draw: Draw, before?: unknown): unknown {
  // An empty array is an object to JavaScript, and text of an object is none.
  if (before !== null && typeof before === 'object' && draw.chance(50))
    return Array.isArray(before) ? { ...before } : draw.one([[], [], [before], Object.values(before), jsonText(before)])
  switch (draw.below(12)) {
    case 0:
      return null
    case 1:
      return draw.one([true, false])
    case 2:
      return draw.one([0, -1, 1.5, 1e15, 2 ** 53, -0, 1e-7])
    case 3:
      return draw.one(['', ' ', 'null', '0', 'true', '2026-02-30', '\u0000', '\ud800', 'a|b', 'x'.repeat(300)])
    case 4:
      return draw.one([[], [null], [[]], [{}], {}, { a: {} }, { length: 1 }])
    case 5:
      return Array(draw.one(LONG_ARRAYS)).fill(typeof before === 'string' && before.length < 50 ? before : 'x')
    case 6:
      return nested(draw.one(DEPTHS))
    case 7:
      return [before]
    case 8:
      return { value: before }
    case 9:
      return typeof before === 'object' ? jsonText(before) : String(before)
    case 10:
      return typeof before === 'string' ? `${before} ` : typeof before === 'object' ? 0 : Number(before)
    default:
      return typeof before === 'string' ? before.toUpperCase() : [before, before]
  }
}

/** Written as a number is: JSON.stringify itself goes no 20,000 levels down. */
const nested = (depth: number): string => `\ue000raw:${'['.repeat(depth)}1${']'.repeat(depth)}`

type Twist = (draw: Draw, json: string) => string | Buffer

/** What makes of a JSON object something that is none; all of it is 400. */
const TWISTS: Record<string, Twist> = {
  empty: () => '',
  'white space': () => ' \r\n',
  truncated: (draw, json) => json.slice(0, draw.below(json.length)),
  'a member twice': (_, json) => json.replace('{', '{"twice":1,"twice":1,').replace(/,}$/, '}'),
  'not UTF-8': (draw, json) =>
    Buffer.concat([
      Buffer.from('{"name":"'),
      Buffer.from(draw.one(['ff', 'c0af', 'eda080', 'f8888080', 'c3', '80']), 'hex'),
      Buffer.from(`","rest":${json}}`),
    ]),
  'a byte order mark': (_, json) => `\ufeff${json}`,
  'UTF-16': (_, json) => Buffer.from(json, 'utf16le'),
  'a comma too many': (_, json) => json.replace(/}$/, ',}'),
  'a comment': (_, json) => `/* */${json}`,
  'two values': (_, json) => json + json,
  'trailing text': (_, json) => `${json};`,
  'single quotes': () => "{'title':'x'}",
  NaN: () => '{"amount":NaN}',
  'leading zeros': () => '{"amount":01}',
  'no digits after the point': () => '{"amount":1.}',
  'a plus': () => '{"amount":+1}',
  'a raw line feed': () => '{"title":"a\nb"}',
  'a bad escape': () => '{"title":"\\x41"}',
  'another root': (draw, json) => draw.one(['null', 'true', '1', '"text"', '[]', '[{}]', `[${json}]`]),
  'too deep': (draw) => `{"a":${'['.repeat(draw.one([32, 40, 100_000]))}`,
  'deep and closed': () => `{"a":${'{"a":'.repeat(40)}1${'}'.repeat(41)}`,
  'a form': () => 'title=x&amount=1',
}

/** Bytes that are no JSON object, and what is wrong with them. */
export function twistedBody(sketch: Sketch, operation: Operation): { what: string; bytes: Buffer } {
  const { draw } = sketch
  const what = draw.one(Object.keys(TWISTS))
  const twisted = TWISTS[what]!(draw, validBody(sketch, operation))
  return { what, bytes: Buffer.from(twisted as string) }
}
