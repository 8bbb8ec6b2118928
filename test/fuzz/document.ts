import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** A JSON Schema, as far as it has been looked into. */
export type Schema = { [keyword: string]: unknown }

export type Parameter = { name: string; in: 'query' | 'header' | 'path'; schema: Schema }

/** Says what is wrong with a value, or nothing. */
export type Check = (value: unknown) => string | undefined

export type Answers = {
  /** Headers that every answer of this status is said to have or may have. */
  headers: string[]
  /** By media type; empty where there is no body. */
  content: Map<string, Check>
}

/** A form with files: the name of its part of JSON, which may be missing where a file says everything, and of its files. */
export type Form = { part: string; files: string; isOptional: boolean }

export type Body = {
  /** Media types of JSON, and of files that are read as text. */
  types: string[]
  texts: string[]
  form: Form | undefined
  /** Of the JSON. */
  schema: Schema
  check: Check
  maxBytes: number
  /** In each of its arrays. */
  maxItems: number
}

export type Operation = {
  id: string
  method: string
  /** Below the base path, with names in braces. */
  template: string
  scopes: string[]
  query: Parameter[]
  headers: Parameter[]
  body: Body | undefined
  answers: Map<number, Answers>
  /** Media types beside JSON that the record is answered in. */
  forms: string[]
  /** Whether it answers a list, and the component of its items, or of the one record. */
  isList: boolean
  shows: string | undefined
}

export type Interface = {
  /** What stands before every path. */
  base: string
  operations: Operation[]
  /** By template. */
  paths: Map<string, Operation[]>
  /** The list that records of a component are below, by the name of the component. */
  homes: Map<string, string>
  /** Templates below a record where one more record is, such as its transcript. */
  parts: Set<string>
  problem: Check
  resolve: (schema: Schema) => Schema
}

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of many shapes
type Any = any

/** The OpenAPI document as the fuzzer uses it: flat operations, and schemas that are compiled once, when needed. */
export function readDocument(document: Any): Interface {
  const ajv = new Ajv2020({ strict: false })
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addSchema(document, 'openapi')

  const checkAt = (steps: string[]): Check => {
    const pointer = steps.map((step) => encodeURIComponent(step.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')
    let valid: ReturnType<typeof ajv.compile> | undefined
    return (value) => {
      valid ??= ajv.compile({ $ref: `openapi#/${pointer}` })
      return valid(value) ? undefined : ajv.errorsText(valid.errors, { dataVar: 'body' })
    }
  }

  /** The place of a reference's target, and the target. */
  function follow(steps: string[], value: Any): { steps: string[]; value: Any } {
    if (!value?.$ref) return { steps, value }
    const target = value.$ref.slice(2).split('/').map(unescaped)
    return follow(
      target,
      target.reduce((at: Any, step: string) => at?.[step], document),
    )
  }
  const resolve = (schema: Schema): Schema => follow([], schema).value

  function parameters(given: Any[]): Parameter[] {
    return given.map((each) => {
      const { name, in: place, schema } = follow([], each).value
      return { name, in: place, schema }
    })
  }

  function answersOf(at: string[], status: string, given: Any): [number, Answers] {
    const { steps, value } = follow([...at, status], given)
    const types = Object.keys(value.content ?? {})
    const content = new Map(types.map((type) => [type, checkAt([...steps, 'content', type, 'schema'])]))
    return [Number(status), { headers: Object.keys(value.headers ?? {}), content }]
  }

  function operation(template: string, method: string, shared: Any[], given: Any): Operation {
    const steps = ['paths', template, method]
    const all = parameters([...shared, ...(given.parameters ?? [])])
    const content = given.responses[200]?.content ?? given.responses[201]?.content ?? {}
    return {
      id: given.operationId,
      method: method.toUpperCase(),
      template,
      scopes: (given.security ?? document.security ?? []).flatMap((each: Any) => Object.values(each).flat()),
      query: all.filter((each) => each.in === 'query'),
      headers: all.filter((each) => each.in === 'header'),
      body: given.requestBody && bodyOf(given, [...steps, 'requestBody', 'content']),
      answers: new Map(
        Object.entries(given.responses).map(([status, each]) => answersOf([...steps, 'responses'], status, each)),
      ),
      forms: Object.keys(content).filter((type) => !isJson(type)),
      ...shownIn(content['application/json']?.schema),
    }
  }

  function bodyOf(given: Any, steps: string[]): Body {
    const { content } = given.requestBody
    const types = Object.keys(content)
    const [first = ''] = types.filter(isJson)
    const { schema } = content[first]
    const [, mib = 1] = /The body can have up to (\d+) MiB/.exec(given.description ?? '') ?? []
    return {
      types: types.filter(isJson),
      texts: types.filter((type) => !isJson(type) && type !== FORM),
      form: content[FORM] && formOf(content[FORM].schema),
      schema,
      check: checkAt([...steps, first, 'schema']),
      maxBytes: Number(mib) * 1_048_576,
      maxItems: Math.max(MAX_ITEMS, ...Object.values<Any>(resolve(schema).properties ?? {}).map(maxOf)),
    }
  }

  const maxOf = (given: Schema): number => Number(resolve(given).maxItems ?? 0)

  function shownIn(given: Any): Pick<Operation, 'isList' | 'shows'> {
    const shape = resolve(given ?? {}) as Any
    const { data, next_cursor: next } = shape.properties ?? {}
    const isList = Boolean(data && next)
    // Of what may be one or several, the one; items of several kinds have no component in common.
    const schema = isList ? data.items : (shape.oneOf?.[0] ?? given)
    const isMixed = isList && (resolve(data.items) as Any).oneOf
    return { isList, shows: isMixed ? undefined : schema?.$ref?.split('/').at(-1) }
  }

  const operations = Object.entries<Any>(document.paths).flatMap(([template, { parameters: shared = [], ...rest }]) =>
    Object.entries(rest).map(([method, given]) => operation(template, method, shared, given)),
  )
  const reads = operations.filter(({ method }) => method === 'GET')
  const isRecord = ({ isList, shows }: Operation): boolean =>
    !isList && shows !== undefined && document.components.schemas[shows].properties.version !== undefined
  return {
    base: new URL(document.servers[0].url, 'http://127.0.0.1').pathname,
    operations,
    paths: Map.groupBy(operations, (each) => each.template),
    homes: new Map(
      reads.flatMap(({ template, shows }) => {
        const [, list] = /^([^{]+)\/\{id\}$/.exec(template) ?? []
        return list && shows ? [[shows, list]] : []
      }),
    ),
    parts: new Set(
      reads.filter((each) => each.template.includes('}/') && isRecord(each)).map(({ template }) => template),
    ),
    problem: checkAt(['components', 'schemas', 'Problem']),
    resolve,
  }
}

/** Of the arrays of every body, where nothing else is said. */
const MAX_ITEMS = 1000

const FORM = 'multipart/form-data'

function formOf({ properties, required = [] }: Any): Form {
  const [part = '', files = ''] = Object.keys(properties)
  return { part, files, isOptional: !required.includes(part) }
}

export const isJson = (type: string): boolean => type.endsWith('json')

const unescaped = (step: string): string => decodeURIComponent(step).replace(/~1/g, '/').replace(/~0/g, '~')

export const successes = (operation: Operation): number[] =>
  [...operation.answers.keys()].filter((status) => status < 300)

/** The template that a path, without its query, follows; undefined for what the document does not have. */
export function templateOf({ base, paths }: Pick<Interface, 'base' | 'paths'>, path: string): string | undefined {
  if (path.includes('%')) return undefined // paths are exact, and none of them has to be encoded
  const steps = path.split('/')
  const own = path.slice(base.length)
  if (path.startsWith(base) && paths.has(own)) return own // without an open part it is that path alone
  return [...paths.keys()].find((template) => {
    const parts = `${base}${template}`.split('/')
    return (
      parts.length === steps.length &&
      parts.every((part, index) => (part.startsWith('{') ? steps[index] !== '' : part === steps[index]))
    )
  })
}
