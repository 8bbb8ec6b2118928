import type * as v from 'valibot'
import type { Filter, Operator } from '../store/list/conditions.ts'
import { exampleBody } from './openapi-example.ts'
import { fileParts, formContent } from './openapi-file.ts'
import {
  FIELDS,
  FILTER_TYPES,
  HEADERS,
  OPERATOR_MEANING,
  PARAMETERS,
  PROBLEM_SCHEMA,
  PROBLEMS,
  pollParameters,
  problemsOf,
} from './openapi-parts.ts'
import { jsonSchema, type Schema } from './openapi-schema.ts'
import { CUSTOM_LIST, CUSTOM_SORT, DESCRIPTION } from './openapi-text.ts'
import { operatorsOf } from './query.ts'
import type { ListRoute, PollRoute, Route, WriteRoute } from './route.ts'

type Schemas = Record<string, Schema>

/** Returns the OpenAPI 3.1 document of the routes below the prefix, generated from the validation schemas. */
export function openApiDocument(routes: readonly Route[], prefix: string, version: string): Record<string, unknown> {
  const schemas: Schemas = { Problem: PROBLEM_SCHEMA }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
    paths[path] ??= pathParameters(path)
    paths[path][route.method] = operation(route, schemas)
  }
  markReadOnly(routes, schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealbox',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: prefix }],
    security: [{ bearer: [] }],
    tags: tagsOf(routes, schemas),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'PASETO v4.public',
          description: 'A token created by `dealbox token create`. Each operation names the scope that it needs.',
        },
      },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: PROBLEMS,
      schemas,
    },
  }
}

/** The parameters for the record in a path, and for the one below it. */
function pathParameters(path: string): Record<string, unknown> {
  const names = ['id', 'delivery_id', 'attachment_id'].filter((name) => path.includes(`{${name}}`))
  return names.length > 0 ? { parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })) } : {}
}

const pascal = (text: string): string => text.replace(/(?:^|[ -])([a-z])/g, (_, letter: string) => letter.toUpperCase())
const camel = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** "/close-reasons/:id" → "Close reasons". */
const tagOf = (route: Route): string =>
  (route.path.split('/')[1] as string).replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase())

/** Tags have the description of their record. */
function tagsOf(routes: readonly Route[], schemas: Schemas): Schema[] {
  const tags = new Map<string, Schema>()
  for (const route of routes) {
    const name = tagOf(route)
    const description = schemas[pascal(route.name)]?.description ?? `Operations on ${name.toLowerCase()}.`
    if (!tags.has(name)) tags.set(name, { name, description })
  }
  return [...tags.values()]
}

/** Marks the fields that neither create nor PATCH accepts, for records that can be written. */
function markReadOnly(routes: readonly Route[], schemas: Schemas): void {
  for (const name of new Set(routes.map((route) => pascal(route.name)))) {
    const written = ['Create', 'Update'].map((verb) => propertiesOf(schemas[`${verb}${name}Request`]))
    if (written.every((properties) => Object.keys(properties).length === 0)) continue
    for (const [field, schema] of Object.entries(propertiesOf(schemas[name])))
      if (written.every((properties) => !(field in properties))) schema.readOnly = true
  }
}

const propertiesOf = (schema: Schema | undefined): Schemas => (schema?.properties ?? {}) as Schemas

function operationId(route: Route): string {
  if (route.operation) return route.operation
  const [, first = '', id, action] = route.path.split('/')
  if (route.kind === 'list' && !id) return `list${pascal(first)}`
  if (route.kind === 'read') return `get${pascal(route.name)}`
  if (action) return camel(action) + pascal(route.name)
  return (
    { post: 'create', patch: 'update', put: 'replace', delete: 'delete', get: 'get' }[route.method] + pascal(route.name)
  )
}

const DEFAULT_DESCRIPTION: Partial<Record<Route['method'], string>> = {
  patch: 'Absent fields keep their values, `null` clears a field, and arrays are replaced.',
  delete: 'Afterwards, requests for its id return 404.',
}

const isCustom = (route: Route): boolean => route.kind === 'list' && route.custom !== undefined

function operation(route: Route, schemas: Schemas): Schema {
  const description = route.description ?? (isCustom(route) ? CUSTOM_LIST : DEFAULT_DESCRIPTION[route.method])
  return {
    operationId: operationId(route),
    summary: route.summary,
    ...(description ? { description } : {}),
    tags: [tagOf(route)],
    security: [{ bearer: [route.scope] }],
    ...parts(route, schemas),
  }
}

function parts(route: Route, schemas: Schemas): Schema {
  if (route.kind === 'list') return listParts(route, schemas)
  if (route.kind === 'read') return readParts(route, schemas)
  if (route.kind === 'poll') return pollParts(route, schemas)
  if (route.kind === 'file') return fileParts(route, headers, UNCHANGED)
  return writeParts(route, schemas)
}

function listParts(route: ListRoute, schemas: Schemas): Schema {
  const items = route.itemNames
    ? { anyOf: route.itemNames.map((name) => ({ $ref: `#/components/schemas/${pascal(name)}` })) }
    : component(pascal(route.name), route.item, schemas)
  const fields = propertiesOf(schemas[pascal(route.name)])
  const parameters: Schema[] = Object.entries(route.filters).flatMap(([name, filter]) =>
    operatorsOf(filter).map((operator) => filterParameter(name, filter, operator, fields[name]?.description)),
  )
  const sorts = Object.keys(route.sorts)
  if (sorts.length > 0) {
    const fixed = { type: 'string', enum: sorts.flatMap((name) => [name, `-${name}`]) }
    const schema = isCustom(route) ? { anyOf: [fixed, { type: 'string', pattern: CUSTOM_SORT }] } : fixed
    const description = 'Sort order; a leading `-` means descending. Newest first by default.'
    parameters.push({ name: 'sort', in: 'query', description, schema })
  }
  for (const name of ['limit', 'cursor', 'count']) parameters.push({ $ref: `#/components/parameters/${name}` })
  const list = {
    type: 'object',
    required: ['data', 'next_cursor'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items, description: 'The records of this page.' },
      next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page; null on the last page.' },
      total: { type: 'integer', description: 'Number of records on all pages; only with `count=true`.' },
    },
  }
  return { parameters, responses: { 200: success('A page of the list.', list, ['Link']), ...problemsOf(route) } }
}

function pollParts(route: PollRoute, schemas: Schemas): Schema {
  const items = component(pascal(route.name), route.item, schemas)
  const answer = {
    type: 'object',
    required: ['data', 'last_seq', 'next_cursor'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items, description: 'Events in the order of `seq`.' },
      last_seq: {
        type: 'integer',
        description: 'The position up to which events were read: use it as `after_seq` of the next request.',
      },
      next_cursor: {
        type: ['string', 'null'],
        description:
          'Not null if more events are available now. `data` can be empty nevertheless, if none of them has a requested type.',
      },
    },
  }
  return {
    parameters: [
      ...pollParameters(route.patterns),
      ...['limit', 'cursor'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ],
    responses: { 200: success('The available events.', answer, ['Link']), ...problemsOf(route) },
  }
}

function readParts(route: Extract<Route, { kind: 'read' }>, schemas: Schemas): Schema {
  const { parameters = {}, paged, forms = {} } = route
  const own = Object.entries(parameters).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }))
  const pages = paged ? ['limit', 'cursor'].map((name) => ({ $ref: `#/components/parameters/${name}` })) : []
  const isTagged = !route.isDerived
  const isConditional = isTagged && !route.timeDependent
  const conditional = isConditional ? [{ $ref: '#/components/parameters/if-none-match' }] : []
  const record = component(pascal(route.name), route.returns, schemas)
  const found = success(`The ${route.name}.`, record, [...(isTagged ? ['ETag'] : []), ...(paged ? ['Link'] : [])])
  for (const type of Object.keys(forms))
    Object.assign(found.content as Schema, { [type]: { schema: { type: 'string' } } })
  return {
    parameters: [...own, ...pages, ...conditional],
    responses: {
      200: found,
      ...(isConditional ? { 304: UNCHANGED } : {}),
      ...problemsOf(route),
    },
  }
}

function writeParts(route: WriteRoute, schemas: Schemas): Schema {
  const parameters: Schema[] = Object.entries(route.flags ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'boolean', default: false },
  }))
  const canRepeat = route.method === 'post' || route.method === 'patch'
  if (canRepeat) parameters.push({ $ref: '#/components/parameters/idempotency-key' })
  if (route.find) parameters.push({ $ref: '#/components/parameters/if-match' })
  const isNew = route.status === 201
  const description = isNew ? `The new ${route.name}.` : `The ${route.name} as it is now.`
  let answer: Schema = { description: 'Done. The response has no body.', headers: headers([]) }
  if (route.returns && route.status !== 204) {
    const name = route.operation ? `${pascal(route.operation)}Answer` : pascal(route.name)
    const schema = component(name, route.returns, schemas)
    const isRecord = 'version' in propertiesOf(schemas[name])
    const names = [
      ...(isRecord ? ['ETag'] : []),
      ...(isNew ? ['Location'] : []),
      ...(canRepeat ? ['Idempotency-Replayed'] : []),
    ]
    const several = route.bulkResult && component(`${name}s`, route.bulkResult, schemas)
    const shape = several ? { anyOf: [schema, several] } : schema
    answer = success(isRecord ? description : 'The result.', shape, names)
  }
  const repeated = route.replays ? { 200: { ...answer, description: route.replays } } : {}
  const responses = { ...repeated, [route.status]: answer, ...problemsOf(route) }
  return { parameters, ...requestBody(route, schemas), responses }
}

function requestBody(route: WriteRoute, schemas: Schemas): Schema {
  if (!route.body) return {}
  const name = `${pascal(operationId(route))}Request`
  const schema = component(name, route.body, schemas)
  // The example of a change avoids fields that may have to be unique: those required for a create.
  const needed = (schemas[`Create${pascal(route.name)}Request`]?.required ?? []) as string[]
  const example = exampleBody(schemas[name] as Schema, route.method === 'patch' ? needed : undefined)
  const types = route.method === 'patch' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  const texts = Object.keys(route.accepts ?? {}).map((type) => [type, { schema: { type: 'string' } }])
  const content = Object.fromEntries([...types.map((type) => [type, { schema, example }]), ...texts])
  return { requestBody: { required: true, content: { ...content, ...formContent(route, schema) } } }
}

const UNCHANGED = { description: 'The version in If-None-Match is the current one.', headers: headers(['ETag']) }

function success(description: string, schema: Schema, names: string[]): Schema {
  return { description, headers: headers(names), content: { 'application/json': { schema } } }
}

function headers(names: string[]): Schema {
  const all = [...names, 'X-Request-Id', 'RateLimit-Policy', 'RateLimit']
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Adds the schema to the components, once, and returns a reference. */
function component(name: string, schema: v.GenericSchema, schemas: Schemas): Schema {
  if (!schemas[name]) {
    schemas[name] = jsonSchema(schema)
    for (const property of Object.values(propertiesOf(schemas[name]))) {
      Object.assign(schemas, property.definitions) // a recursive schema has its own components
      delete property.definitions
    }
    for (const [field, property] of Object.entries(propertiesOf(schemas[name])))
      if (FIELDS[field]) property.description ??= FIELDS[field]
  }
  return { $ref: `#/components/schemas/${name}` }
}

function filterParameter(name: string, filter: Filter, operator: Operator, description: unknown): Schema {
  const one = filter.choices
    ? { type: 'string', enum: filter.choices }
    : { ...FILTER_TYPES[filter.type], ...(filter.pattern ? { pattern: filter.pattern.source } : {}) }
  const orNull = filter.nullable && (operator === 'eq' || operator === 'ne')
  const schema = operator === 'in' ? { type: 'string' } : orNull ? { anyOf: [one, { const: 'null' }] } : one
  const meaning = operator === 'eq' ? (filter.description ?? description ?? FIELDS[name]) : undefined
  return {
    name: operator === 'eq' ? name : `${name}[${operator}]`,
    in: 'query',
    description: meaning ?? OPERATOR_MEANING[operator],
    schema,
  }
}
