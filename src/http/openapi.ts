import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import type { Filter, Operator } from '../store/conditions.ts'
import { HEADERS, PROBLEM_SCHEMA, PROBLEMS, problemsOf } from './openapi-parts.ts'
import { DEFAULT_LIMIT, operatorsOf } from './query.ts'
import type { ListRoute, Route, WriteRoute } from './route.ts'
import { API } from './tree.ts'

type Schema = Record<string, unknown>

/** The OpenAPI 3.1 document of the routes, from the schemas that validate. */
export function openApiDocument(routes: readonly Route[], version: string): Schema {
  const schemas: Record<string, Schema> = { Problem: PROBLEM_SCHEMA }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:([a-z_]+)/g, '{$1}')
    paths[path] ??= path.includes('{id}') ? { parameters: [{ $ref: '#/components/parameters/id' }] } : {}
    paths[path][route.method] = operation(route, schemas)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealbox',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API }],
    security: [{ bearer: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: `All about ${name.toLowerCase()}.` })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'PASETO v4.public' } },
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: PROBLEMS,
      schemas,
    },
  }
}

const DESCRIPTION = `The public interface of Dealbox, a CRM server in one executable.

Every call carries \`Authorization: Bearer <token>\`; each operation names the scope that the token needs, and a write
scope does not imply the read scope. Ids are UUIDs v7; times are RFC 3339 in UTC with milliseconds. Lists are paged
with \`limit\` and \`cursor\`, newest first unless \`sort\` says otherwise; fields without a value come last, whichever the
direction. Unknown parameters and unknown members of a body are refused, never ignored. A PATCH is a JSON Merge Patch
(RFC 7396): what is absent stays, null clears, arrays are replaced whole; a PATCH that changes nothing writes nothing.
\`Idempotency-Key\` makes a POST or PATCH safe to repeat for 24 hours: the first success is stored and answered again;
a refusal is not stored. Errors are RFC 9457 problem details with a stable \`code\`. A body of more than 1 MiB, nested
deeper than 32 levels, or with an array of more than 1,000 items is refused. Text is stored in NFC.`

const pascal = (text: string): string => text.replace(/(?:^|[ -])([a-z])/g, (_, letter: string) => letter.toUpperCase())
const tagOf = (route: Route): string => pascal(route.path.split('/')[1] as string).replace(/(?!^)([A-Z])/g, ' $1')

function operationId(route: Route): string {
  const [, first = '', id, action] = route.path.split('/')
  if (route.kind === 'list' && !id) return `list${pascal(first)}`
  if (route.kind === 'read') return `get${pascal(route.name)}`
  if (action) return `${action.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())}${pascal(route.name)}`
  return (
    { post: 'create', patch: 'update', put: 'replace', delete: 'delete', get: 'get' }[route.method] + pascal(route.name)
  )
}

function operation(route: Route, schemas: Record<string, Schema>): Schema {
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: [route.description, `Scope: \`${route.scope}\`.`].filter(Boolean).join('\n\n'),
    tags: [tagOf(route)],
    ...(route.kind === 'list'
      ? listParts(route, schemas)
      : route.kind === 'read'
        ? readParts(route, schemas)
        : writeParts(route, schemas)),
    'x-scope': route.scope,
  }
}

function listParts(route: ListRoute, schemas: Record<string, Schema>): Schema {
  const parameters: Schema[] = Object.entries(route.filters).flatMap(([name, filter]) =>
    operatorsOf(filter).map((operator) => filterParameter(name, filter, operator)),
  )
  const sorts = Object.keys(route.sorts)
  if (sorts.length > 0) {
    const schema = { type: 'string', enum: sorts.flatMap((name) => [name, `-${name}`]) }
    parameters.push({
      name: 'sort',
      in: 'query',
      description: 'The order; `-` in front is descending. Newest first without it.',
      schema,
    })
  }
  for (const name of ['limit', 'cursor', 'count']) parameters.push({ $ref: `#/components/parameters/${name}` })
  const list = {
    type: 'object',
    required: ['data', 'next_cursor'],
    additionalProperties: false,
    properties: {
      data: { type: 'array', items: component(pascal(route.name), route.item, schemas) },
      next_cursor: { type: ['string', 'null'], description: 'The `cursor` of the next page; null on the last.' },
      total: { type: 'integer', description: 'How many there are in all; with `count=true` only.' },
    },
  }
  return { parameters, responses: { 200: success('The page.', list, ['Link']), ...problemsOf(route) } }
}

function readParts(route: Extract<Route, { kind: 'read' }>, schemas: Record<string, Schema>): Schema {
  return {
    parameters: [{ $ref: '#/components/parameters/if-none-match' }],
    responses: {
      200: success(`The ${route.name}.`, component(pascal(route.name), route.returns, schemas), ['ETag']),
      304: { description: 'The version named by If-None-Match is the newest.', headers: headers(['ETag']) },
      ...problemsOf(route),
    },
  }
}

function writeParts(route: WriteRoute, schemas: Record<string, Schema>): Schema {
  const parameters: Schema[] = Object.entries(route.flags ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'boolean', default: false },
  }))
  if (route.method === 'post' || route.method === 'patch')
    parameters.push({ $ref: '#/components/parameters/idempotency-key' })
  if (route.find) parameters.push({ $ref: '#/components/parameters/if-match' })
  const replayed = route.method === 'post' || route.method === 'patch' ? ['Idempotency-Replayed'] : []
  const answer =
    route.returns && route.status !== 204
      ? success(`The ${route.name}.`, component(pascal(route.name), route.returns, schemas), [
          'ETag',
          ...(route.status === 201 ? ['Location'] : []),
          ...replayed,
        ])
      : { description: 'Done.', headers: headers([]) }
  return { parameters, ...requestBody(route, schemas), responses: { [route.status]: answer, ...problemsOf(route) } }
}

function requestBody(route: WriteRoute, schemas: Record<string, Schema>): Schema {
  if (!route.body) return {}
  const id = operationId(route)
  const schema = component(`${pascal(id.replace(/^./, (letter) => letter.toLowerCase()))}Request`, route.body, schemas)
  const types = route.method === 'patch' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  return { requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) } }
}

function success(description: string, schema: Schema, names: string[]): Schema {
  return { description, headers: headers(names), content: { 'application/json': { schema } } }
}

const headers = (names: string[]): Schema =>
  Object.fromEntries(
    [...names, 'X-Request-Id', 'RateLimit-Policy', 'RateLimit'].map((name) => [
      name,
      { $ref: `#/components/headers/${name}` },
    ]),
  )

/** Puts the schema among the components, once, and refers to it. */
function component(name: string, schema: v.GenericSchema, schemas: Record<string, Schema>): Schema {
  schemas[name] ??= jsonSchema(schema)
  return { $ref: `#/components/schemas/${name}` }
}

function jsonSchema(schema: v.GenericSchema): Schema {
  // Checks that JSON Schema cannot say are said in metadata and descriptions instead.
  const { $schema, ...rest } = toJsonSchema(schema as never, {
    typeMode: 'input',
    errorMode: 'ignore',
    target: 'draft-2020-12',
  }) as Schema
  return rest
}

const TYPES: Record<Filter['type'], Schema> = {
  id: { type: 'string', format: 'uuid' },
  text: { type: 'string', minLength: 1, maxLength: 2048 },
  choice: { type: 'string' },
  flag: { type: 'boolean' },
  amount: { type: 'number', minimum: 0, maximum: 9_000_000_000_000 },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
}

const MEANING: Record<Operator, string> = {
  eq: 'Equal to this.',
  ne: 'Not equal to this; what has no value counts as not equal.',
  in: 'One of these, separated by commas; at most 100.',
  gt: 'Greater than this.',
  gte: 'At least this.',
  lt: 'Less than this.',
  lte: 'At most this.',
}

function filterParameter(name: string, filter: Filter, operator: Operator): Schema {
  const one = filter.choices ? { type: 'string', enum: filter.choices } : TYPES[filter.type]
  const orNull = filter.nullable && (operator === 'eq' || operator === 'ne')
  const schema = operator === 'in' ? { type: 'string' } : orNull ? { anyOf: [one, { const: 'null' }] } : one
  return {
    name: operator === 'eq' ? name : `${name}[${operator}]`,
    in: 'query',
    description: filter.description ?? MEANING[operator] + (orNull ? ' `null` means without a value.' : ''),
    schema,
  }
}

const PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, description: 'The id of the record.', schema: TYPES.id },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Records per page.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: DEFAULT_LIMIT },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description: 'Where to go on: `next_cursor` of the page before, with the same sort and filters.',
    schema: { type: 'string' },
  },
  count: {
    name: 'count',
    in: 'query',
    description: 'Whether to add `total`.',
    schema: { type: 'boolean', default: false },
  },
  'if-match': {
    name: 'If-Match',
    in: 'header',
    description: 'The ETag of the version that the change is meant for; 412 when the record has another by now.',
    schema: { type: 'string' },
  },
  'if-none-match': {
    name: 'If-None-Match',
    in: 'header',
    description: 'An ETag that is known already; 304 when it is the newest.',
    schema: { type: 'string' },
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Makes a repeat safe for 24 hours: 1 to 255 visible ASCII characters, quoted or bare.',
    schema: { type: 'string', maxLength: 257 },
  },
}
