import type { Schema } from './openapi-schema.ts'

// The document in OpenAPI 3.0, for tools that know no 3.1: the same paths, but no webhooks, which 3.0 does not have.

type Json = unknown

/** Returns the document as 3.0.3; `document` stays as it is. */
export function asOpenApi30(document: Schema): Schema {
  const { openapi, info, webhooks, ...rest } = JSON.parse(JSON.stringify(document)) as Schema
  const schemas = (rest.components as { schemas: Record<string, Schema> }).schemas
  const converted = walk(rest, (schema) => converting(schema, schemas)) as Schema
  withoutUnused(converted, (converted.components as { schemas: Schema }).schemas)
  return { openapi: '3.0.3', info: { ...(info as Schema), license: LICENSE }, ...converted }
}

/** 3.0 has an address in place of the identifier. */
const LICENSE = { name: 'MIT', url: 'https://opensource.org/license/mit' }

/** Removes what only webhooks refer to. */
function withoutUnused(document: Schema, schemas: Schema): void {
  const text = JSON.stringify(document)
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))
  for (const name of unused) delete schemas[name]
  if (unused.length > 0) withoutUnused(document, schemas)
}

/** Converts the schemas in a part of the document. Examples are data, whatever their fields are called. */
function walk(part: Json, convert: (schema: Schema) => Schema): Json {
  if (Array.isArray(part)) return part.map((each) => walk(each, convert))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (name === 'example' || name === 'examples') return [name, value]
      if (name === 'schema') return [name, convert(value as Schema)]
      if (name === 'schemas') return [name, each(value as Schema, convert)]
      return [name, walk(value, convert)]
    }),
  )
}

const each = (schemas: Schema, convert: (schema: Schema) => Schema): Schema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, convert(schema as Schema)]))

function converting(schema: Schema, known: Record<string, Schema>): Schema {
  const convert = (inner: Schema) => converting(inner, known)
  const { $ref, type, const: only, examples, propertyNames, contentMediaType, contentEncoding, ...rest } = schema
  // 3.0 ignores what stands beside a reference.
  if ($ref !== undefined) return Object.keys(schema).length === 1 ? schema : { allOf: [{ $ref }], ...rest }
  const given: Schema = { ...rest }
  if (type !== undefined) Object.assign(given, typed(type as string | string[]))
  if (only !== undefined) given.enum = [only]
  if (Array.isArray(examples)) given.example = examples[0]
  if (contentEncoding === 'base64') given.format = 'byte'
  if (given.properties) given.properties = each(given.properties as Schema, convert)
  for (const name of ['items', 'additionalProperties'])
    if (typeof given[name] === 'object') given[name] = convert(given[name] as Schema)
  if (given.oneOf) given.oneOf = unionOf(given.oneOf as Schema[]).map(convert)
  for (const bound of ['Minimum', 'Maximum']) {
    const exclusive = given[`exclusive${bound}`]
    if (typeof exclusive === 'number')
      Object.assign(given, { [`exclusive${bound}`]: true, [bound.toLowerCase()]: exclusive })
  }
  return given.anyOf ? withoutNull(given, known, convert) : given
}

/** "null" is no type of 3.0. */
function typed(type: string | string[]): Schema {
  const types = [type].flat().filter((each) => each !== 'null')
  return { type: types[0], ...(types.length < [type].flat().length && { nullable: true }) }
}

/** Without null as a form of its own: the first form may be null instead. */
function unionOf(forms: Schema[]): Schema[] {
  const [first, ...others] = forms.filter(({ type }) => type !== 'null')
  return others.length + 1 === forms.length ? forms : [{ ...first, type: [first?.type, 'null'] }, ...others]
}

/** A union with null is a reference that may be null: it has to name a type for that. */
function withoutNull(
  { anyOf, ...rest }: Schema,
  known: Record<string, Schema>,
  convert: (s: Schema) => Schema,
): Schema {
  const all = anyOf as Schema[]
  const others = all.filter(({ type }) => type !== 'null')
  if (others.length === all.length) return { ...rest, anyOf: all.map(convert) }
  const name = String(others[0]?.$ref).split('/').at(-1) as string
  return { ...rest, type: typeOf(name, known), nullable: true, allOf: others.map(convert) }
}

/** Of a union, that of its first form: in unions with null, all forms have the same. */
function typeOf(name: string, known: Record<string, Schema>): unknown {
  const { type, oneOf } = known[name] ?? {}
  if (type !== undefined) return typed(type as string | string[]).type
  const [first] = (oneOf ?? []) as Schema[]
  return typeOf(String(first?.$ref).split('/').at(-1) as string, known)
}
