import fc from 'fast-check'
import type { Interface, Schema } from './document.ts'
import type { Draw } from './draw.ts'
import type { Observations } from './observations.ts'
import { freshText, plain } from './texts.ts'

// Values from schemas. They need not be valid to the last rule: requests.ts asks the compiled schema what a body is.

/** What a value is drawn for, and what became known of it on the way. */
export type Sketch = {
  draw: Draw
  api: Interface
  observed: Observations
  /** Picks the list that a reference is to whose name does not say it. */
  home: number
  /** Ids that were put in although no record of the org has them. */
  strangers: Set<string>
  /** Set where a number was written that a double does not carry. */
  inexact: boolean
  /** By the clock. */
  now: number
}

const MAX_DEPTH = 6
/** What is longer repeats itself: to draw takes longer than all else. */
const MAX_DRAWN = 1000
/** In a hundred. A required custom field refuses every new record that comes without it, and so almost all. */
const SELDOM_TRUE: Record<string, number> = { is_required: 0.1 }

const integers = fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.integer(), fc.maxSafeInteger())
const decimals = fc.tuple(fc.nat(999_999_999), fc.nat(6)).map(([digits, places]) => Number(`${digits}e-${places}`))
/** Around the bounds of amounts and of doubles. */
const edges = [
  0,
  -0,
  -1,
  1,
  0.000001,
  0.0000001,
  1e15,
  9e12,
  9e12 + 1,
  9e12 - 0.000001,
  123456789.123456,
  2 ** 53,
  2 ** 31,
  1e21,
  1e-9,
  1.7976931348623157e308,
]
const RAW = '\ue000raw:'
/** Numbers as they may stand in JSON and not in JavaScript. */
const inexact = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '0.1234567890123456789',
  '1e-400',
  '123456789012345678901234567890',
]
/** Other ways to write numbers that a double carries. */
const spelled = ['-0', '1E2', '1.0', '0e0', '1.50', '2.5e1', '100e-2', '0.0000010']
/**
 * Where webhooks may and may not point. The former is a part of IPv6 that nobody has: no name is asked for, and nobody
 * gets anything.
 */
const targets = ['[2d00::1]', '[2d00::2]:8443', '[2d00::3]', '127.0.0.1:9', '10.0.0.1', 'localhost', '[::ffff:7f00:1]']
const uuids = fc.uuid({ version: 7 })

/** The text of a JSON body, with the numbers that were spelled out. */
export const jsonText = (value: unknown): string => JSON.stringify(value).replace(/"\ue000raw:([^"]*)"/g, '$1')

export function valueFor(sketch: Sketch, given: Schema, name: string, depth = 0): unknown {
  const { draw, api, observed } = sketch
  const schema = api.resolve(given)
  if (depth === 0 || !isComposed(schema)) return freshValue(sketch, schema, name, depth)
  const [way, pick] = [draw.below(100), draw.below(1 << 20)]
  const value = freshValue(sketch, schema, name, depth)
  const seen = observed.object(name, pick)
  return way < 35 && seen !== undefined ? JSON.parse(seen) : value
}

/** Whether what fits may be an object, whose members fit each other in what was seen. */
const isComposed = (schema: Schema): boolean =>
  Boolean(schema.properties ?? schema.additionalProperties ?? schema.anyOf ?? schema.oneOf)

function freshValue(sketch: Sketch, schema: Schema, name: string, depth: number): unknown {
  const { draw, api } = sketch
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return draw.one(schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return valueFor(sketch, alternative(sketch, choices, depth), name, depth + 1)
  if (Array.isArray(schema.allOf))
    return valueFor(
      sketch,
      Object.assign({}, schema, { allOf: undefined }, ...schema.allOf.map(api.resolve)),
      name,
      depth + 1,
    )
  const types =
    schema.type === undefined ? ['string', 'number', 'boolean', 'array', 'null'] : ([schema.type].flat() as string[])
  const others = types.filter((type) => type !== 'null')
  if (others.length < types.length && (others.length === 0 || draw.chance(12))) return null
  switch (draw.one(others)) {
    case 'string':
      return textOf(sketch, schema, name)
    case 'integer':
      return numberOf(sketch, schema, name, true)
    case 'number':
      return numberOf(sketch, schema, name, false)
    case 'boolean':
      return draw.chance(SELDOM_TRUE[name] ?? 50)
    case 'array':
      return arrayOf(sketch, schema, name, depth)
    default:
      return objectOf(sketch, schema, name, depth)
  }
}

/** Deep down, the alternative that ends soonest. */
function alternative({ draw, api }: Sketch, choices: Schema[], depth: number): Schema {
  const chosen = draw.one(choices)
  if (depth < MAX_DEPTH) return chosen
  return choices.reduce((best, each) => (heightOf(api, each, 0) < heightOf(api, best, 0) ? each : best))
}

function heightOf(api: Interface, given: Schema, level: number): number {
  if (level > 4) return level
  const schema = api.resolve(given)
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined
  if (choices) return Math.min(...choices.map((each) => heightOf(api, each, level + 1)))
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = ((schema.required ?? []) as string[]).map((name) => heightOf(api, properties[name] ?? {}, level + 1))
  const items = schema.items ? [heightOf(api, schema.items as Schema, level + 1)] : []
  return Math.max(level, ...required, ...items)
}

function arrayOf(sketch: Sketch, schema: Schema, name: string, depth: number): unknown[] {
  const { draw } = sketch
  const most = Number(schema.maxItems ?? 20)
  const least = Number(schema.minItems ?? 0)
  const full = draw.chance(0.2) ? most : Math.min(most, depth > 2 ? 2 : 4)
  const many = draw.chance(0.2) ? most : least + draw.below(Math.max(full - least, 0) + 1)
  const item = () => valueFor(sketch, (schema.items ?? {}) as Schema, name, depth + 1)
  const drawn = Array.from({ length: Math.min(many, MAX_DRAWN) }, item)
  return Array.from({ length: many }, (_, index) => structuredClone(drawn[index % drawn.length]))
}

function objectOf(sketch: Sketch, schema: Schema, name: string, depth: number): Record<string, unknown> {
  const { draw } = sketch
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const required = (schema.required ?? []) as string[]
  const optional = Object.keys(properties).filter((each) => !required.includes(each))
  const made: Record<string, unknown> = {}
  for (const each of required) made[each] = valueFor(sketch, properties[each] ?? {}, each, depth + 1)
  const some = draw.chance(20) ? draw.below(3) : 2 + draw.below(7)
  const many = draw.chance(5) ? 2 * optional.length : Math.min(some, optional.length)
  for (let left = many; left > 0; left--) {
    const each = draw.one(optional)
    made[each] = valueFor(sketch, properties[each]!, each, depth + 1)
  }
  if (schema.additionalProperties && typeof schema.additionalProperties === 'object')
    for (let left = draw.below(4); left > 0; left--) addFree(sketch, made, schema.additionalProperties as Schema, name)
  return made
}

/** A member of an object with free keys: mostly one that was seen in an answer, with the value it had or a new one. */
function addFree(sketch: Sketch, made: Record<string, unknown>, schema: Schema, name: string): void {
  const { draw, observed } = sketch
  const [pick, isNew, isKey] = [draw.below(1 << 20), draw.chance(30), draw.chance(10)]
  const key = draw.from(plain)
  const value = valueFor(sketch, schema, `${name} value`, MAX_DEPTH)
  const seen = observed.member(name, pick)
  const known = seen?.[0] ?? (observed.value('key', pick) as string | undefined)
  made[isKey || known === undefined ? key : known] = isNew || !seen ? value : seen[1]
}

function numberOf(sketch: Sketch, schema: Schema, name: string, whole: boolean): unknown {
  const { draw, observed } = sketch
  const [way, pick] = [draw.below(100), draw.below(1 << 20)]
  const least = Number(schema.minimum ?? -1e6)
  const most = Number(schema.maximum ?? 1e6)
  if (way < 3) {
    sketch.inexact = true
    return RAW + draw.one(inexact)
  }
  if (way < 6) return RAW + draw.one(spelled)
  if (way < 12) return draw.one(edges)
  if (way < 18) return draw.one([least, most, least + 1, most - 1])
  const value = draw.from(whole ? integers : decimals)
  const seen = observed.value(name, pick)
  if (way < 35 && typeof seen === 'number') return seen
  return Math.min(Math.max(value, least), most)
}

function textOf(sketch: Sketch, schema: Schema, name: string): string {
  const { draw, observed } = sketch
  if (schema.format === 'uuid' || String(schema.pattern ?? '').startsWith('^[0-9a-f]{8}-'))
    return reference(sketch, name)
  const [way, pick] = [draw.below(100), draw.below(1 << 20)]
  if (name === 'url' && way < 90) return `https://${draw.one(targets)}/${draw.below(99)}`
  const text = freshText(draw, schema)
  const [example] = (schema.examples ?? []) as string[]
  if (example !== undefined && way < 25) return example
  const seen = observed.value(name, pick)
  return way < 75 && typeof seen === 'string' ? seen : text
}

/** The id of a record of the org, or sometimes one that it does not have. */
export function reference({ draw, observed, strangers, home }: Sketch, field: string): string {
  const [way, pick] = [draw.below(100), draw.below(1 << 20)]
  const unknown = draw.from(uuids)
  const found =
    way < 92 ? observed.id(field, pick, 'own', home) : way < 96 ? observed.id(field, pick, 'foreign', home) : undefined
  if (found !== undefined && way < 92) return found
  const stranger = found ?? unknown
  strangers.add(stranger)
  return stranger
}
