import type { Operation, Parameter, Schema } from './document.ts'
import { reference, type Sketch, valueFor } from './values.ts'

/** Names and values as text, not encoded yet. */
type Pairs = [string, string][]

const encode = (text: string): string => encodeURIComponent(text.toWellFormed().replaceAll('\u0000', ''))
const written = (pairs: Pairs): string => pairs.map(([name, value]) => `${encodeName(name)}=${encode(value)}`).join('&')
// Brackets are taken as they are and encoded.
const encodeName = (name: string): string => (name.length % 2 ? name : encode(name))

export type Query = {
  text: string
  question: string | undefined
  isEmpty: boolean
  /** 400 where it names fields that the org may not have. */
  may: number[]
}

const NOTHING: Query = { text: '', question: undefined, isEmpty: false, may: [] }

/** A target of more than 8192 bytes is refused; see broken.ts. */
const MAX_LENGTH = 6000
/** Of a range that has to be one. */
const DAYS = ['from', 'to']
const DAY_MS = 86_400_000
const PAGING = new Set(['limit', 'cursor', 'count'])

/** A query of parameters that the operation lists, with values that their schemas allow. */
export function validQuery(sketch: Sketch, { query }: Operation, path: string): Query {
  const { draw, observed } = sketch
  const [goesOn, pick, many] = [draw.chance(20), draw.below(1 << 20), draw.below(4)]
  const page: Pairs = []
  const asked: Pairs = []
  let isEmpty = false
  for (let left = many; left > 0 && query.length > 0; left--) {
    const parameter = draw.one(query)
    const { name } = parameter
    const value = parameterText(sketch, query, parameter)
    if (value === undefined || [...page, ...asked].some(([known]) => known === name)) continue
    if (PAGING.has(name)) page.push([name, value])
    else {
      asked.push([name, value])
      // Whoever names an id that is not there by "equal to" asks for nothing.
      isEmpty ||= sketch.strangers.has(value) && !name.includes('[')
    }
  }
  if (written([...asked, ...page]).length > MAX_LENGTH) return NOTHING
  const isList = query.some(({ name }) => name === 'cursor')
  const earlier = isList && goesOn ? observed.cursor(path, pick) : undefined
  if (earlier !== undefined) return { ...NOTHING, text: earlier, may: earlier.includes(CUSTOM) ? [400] : [] }
  const custom = isOffered(query) ? customFilter(sketch) : undefined
  if (custom && !asked.some(([name]) => name === custom[0])) asked.push(custom)
  const may = written(asked).includes(CUSTOM) ? [400] : []
  return { text: written([...asked, ...page]), question: isList ? written(asked) : undefined, isEmpty, may }
}

/** What stands before the key of a custom field, in filters and sorts. */
const CUSTOM = 'custom_fields.'

/** Whether a list can be asked for custom fields; the document says it of its sorts. */
const isOffered = (query: Parameter[]): boolean =>
  query.some(({ name, schema }) => name === 'sort' && JSON.stringify(schema).includes('custom_fields'))

/** A filter by a custom field; which there are, and of what types, the document cannot say. */
function customFilter({ draw, observed }: Sketch): [string, string] | undefined {
  const [isAsked, pick, operator] = [
    draw.chance(20),
    draw.below(1 << 20),
    draw.one(['', '', '', '[ne]', '[in]', '[gt]', '[lte]']),
  ]
  const [key, value] = observed.member('custom_fields', pick) ?? []
  return isAsked && key !== undefined ? [`${CUSTOM}${key}${operator}`, String(value)] : undefined
}

function parameterText(sketch: Sketch, all: Parameter[], { name, schema }: Parameter): string | undefined {
  const { draw } = sketch
  if (name === 'cursor') return undefined // only real ones are valid
  if (name === 'wait') return draw.chance(2) ? '1' : '0' // the fuzzer has no time to wait
  const [base = '', operator] = name.split(/[[\]]/)
  const schemaOf = (wanted: string) => all.find((each) => each.name === wanted)?.schema
  if (operator === 'in') {
    const one = withoutNull(schemaOf(base)!)
    const many = draw.chance(2) ? 100 : 1 + draw.below(4)
    return Array.from({ length: many }, () => plainText(sketch, base, one).replaceAll(',', '') || 'x').join(',')
  }
  const one = withoutNull(schema)
  if (one === schema) return plainText(sketch, base, schema)
  // The pattern of a date or a time allows more than there is; a comparison says what it is.
  return draw.chance(20) ? 'null' : plainText(sketch, base, schemaOf(`${base}[gte]`) ?? one)
}

const OR_NULL = /^\^\(null\|(.*)\)\$$/

/** The schema of a value, of one that may also be "null". */
function withoutNull(schema: Schema): Schema {
  if (Array.isArray(schema.enum) && schema.enum.includes('null'))
    return { ...schema, enum: schema.enum.filter((each) => each !== 'null') }
  const pattern = OR_NULL.exec(String(schema.pattern))?.[1]
  return pattern === undefined ? schema : { ...schema, pattern: `^${pattern}$` }
}

/** A value of the schema as it stands in a query: what JSON leaves open, such as `1e3` for a number, is not used. */
function plainText(sketch: Sketch, name: string, given: Schema): string {
  const { draw, api, observed } = sketch
  const schema = api.resolve(given)
  const pattern = String(schema.pattern)
  const choices = (/^\^(?:-\?)?\((.+?)\)(?:\(,.*)?\$$/.exec(pattern)?.[1] ?? '').replaceAll('\\', '').split('|')
  if (pattern.includes('custom_fields')) {
    const [way, isOwn, pick] = [draw.one(['', '-']), draw.chance(50), draw.below(1 << 20)]
    const fixed = draw.one(choices.slice(0, -1))
    return way + (isOwn ? `${CUSTOM}${observed.member('custom_fields', pick)?.[0] ?? 'none'}` : fixed)
  }
  if (name === 'types') return Array.from({ length: 1 + draw.below(4) }, () => draw.one(choices)).join(',')
  const least = Number(schema.minimum ?? 0)
  const most = Number(schema.maximum ?? 1e6)
  if (schema.type === 'integer') return String(least + draw.below(Math.min(most - least, 1e6) + 1))
  if (schema.type === 'number') return String((draw.below(2_000_000_000) / 10 ** draw.below(3)).toFixed(draw.below(3)))
  if (schema.format === 'uuid') return reference(sketch, name)
  if (schema.format === 'date' && DAYS.includes(name) && draw.chance(80))
    return new Date(sketch.now + (draw.below(60) - (name === 'from' ? 55 : 20)) * DAY_MS).toISOString().slice(0, 10)
  if (schema.format === 'date') return `20${10 + draw.below(60)}-0${1 + draw.below(9)}-${10 + draw.below(19)}`
  if (schema.format === 'date-time')
    return `20${10 + draw.below(60)}-0${1 + draw.below(9)}-17T08:36:0${draw.below(10)}${draw.one(['Z', '.123Z', '+02:00'])}`
  // No text of the interface has NUL, halves of surrogate pairs or towers of marks.
  const text = String(valueFor(sketch, schema, name))
    .toWellFormed()
    .replace(/\0|\p{M}{31,}/gu, '')
  const longest = [...text].slice(0, Number(schema.maxLength ?? 200)).join('')
  return longest === '' ? 'x'.repeat(Number(schema.minLength ?? 1)) : longest
}

/** What makes a query one that has to be refused: 400 with `invalid_query` or `invalid_cursor`. */
export function faultyQuery(
  sketch: Sketch,
  operation: Operation,
  path: string,
  valid: string,
): { what: string; text: string } {
  const { draw, observed } = sketch
  const { query } = operation
  const pick = draw.below(1 << 20)
  const cursor = cursorOf(observed.cursor(path, pick))
  const foreign = cursorOf(observed.otherCursor(path, pick))
  const faults: [string, string][] = [
    [
      'unknown',
      draw.one([
        'unknown=1',
        'Limit=5',
        'limit[]=5',
        'offset=10',
        '__proto__=1',
        'constructor=1',
        '=1',
        'id=1',
        '%F0%9F%99%82=1',
      ]),
    ],
    [
      'unknown operator',
      draw.one(['[ne]=1', 'status[foo]=1', 'limit[gte]=1', 'sort[in]=a', 'created_at[]=1', 'title[eq]=x']),
    ],
    ['badly encoded', draw.one(['%ZZ=1', 'x=%', 'x=%f', 'x=%ff', 'x=%C3%28', 'x=%ED%A0%80', 'x=%00', '%C0%AF=1'])],
  ]
  const typed = query.filter(({ schema }) => misfit(sketch, schema) !== undefined)
  if (typed.length > 0) {
    const { name, schema } = draw.one(typed)
    faults.push(['malformed', `${encode(name)}=${encode(misfit(sketch, schema)!)}`])
    faults.push(['repeated', `${name}=1&${encode(name)}=1`])
  }
  if (query.some(({ name }) => name === 'cursor')) {
    faults.push([
      'no cursor',
      draw.one(['cursor=', 'cursor=x', 'cursor=AAAA', `cursor=${'A'.repeat(500)}`, 'cursor=%00']),
    ])
    faults.push(['altered cursor', `cursor=${altered(cursor, draw.below(1 << 20))}`])
    faults.push(['cursor of another list', `cursor=${foreign}`])
    if (query.some(({ name }) => name === 'q'))
      faults.push(['cursor of another question', `q=nobodyasksforthis&cursor=${cursor}`])
    faults.push([
      'limit',
      draw.one(['limit=0', 'limit=101', 'limit=-1', 'limit=1e1', 'limit=', 'limit=%205', 'limit=05', 'limit=5.0']),
    ])
  }
  const [what, text] = draw.one(faults)
  const isCursor = what.includes('cursor')
  const rest = isCursor ? '' : valid.replace(/(^|&)cursor=[^&]*/, '')
  return { what: `query: ${what}`, text: [rest, text].filter((each) => each !== '').join('&') }
}

/** A text that is no value of the schema; undefined where any text is one. */
function misfit(sketch: Sketch, given: Schema): string | undefined {
  const { api, draw } = sketch
  const schema = api.resolve(given)
  if (schema.format === 'uuid') return draw.one(['abc', '1', 'NULL', '019aa07f-0000'])
  if (typeof schema.pattern === 'string') return new RegExp(schema.pattern, 'u').test('~~') ? undefined : '~~'
  if (schema.enum) return 'nope'
  if (schema.type === 'boolean') return draw.one(['1', 'TRUE', '', 'yes', 'null'])
  if (schema.type === 'integer') return draw.one(['abc', '1.5', '-1', ''])
  if (schema.type === 'number') return draw.one(['abc', '-1', '', '1,5', 'NaN', 'Infinity', '0x10', '1.0000001'])
  if (schema.format === 'date') return draw.one(['2026-02-30', '2026-2-3', 'today', '', '20261120'])
  if (schema.format === 'date-time')
    return draw.one(['2026-11-20', 'now', '2026-11-20T08:36Z', '2026-02-30T00:00:00Z', ''])
  return undefined
}

const cursorOf = (query: string | undefined): string =>
  query?.match(/cursor=([^&]*)/)?.[1] ?? 'AAAAAAAAAAAAAAAAAAAAAAAA'

/** Another character somewhere in it. */
function altered(cursor: string, pick: number): string {
  const at = pick % cursor.length
  return `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`
}
