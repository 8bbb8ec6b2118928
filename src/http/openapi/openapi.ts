import type { Route, WriteRoute } from '../route.ts'
import { type Components, components, propertiesOf } from './openapi-components.ts'
import { exampleBody } from './openapi-example.ts'
import { fileParts, formContent } from './openapi-file.ts'
import { listParts, paging, pollParts } from './openapi-pages.ts'
import { HEADERS, headers, PARAMETERS, PROBLEMS, problemsOf, success } from './openapi-parts.ts'
import { nameIn, pascal, type Schema, type Schemas } from './openapi-schema.ts'
import { CUSTOM_LIST, DESCRIPTION } from './openapi-text.ts'
import { webhooksOf } from './openapi-webhooks.ts'

/**
 * Returns the OpenAPI 3.1 document of the routes, generated from the validation schemas. `server` is the URL before
 * every path.
 */
export function openApiDocument(routes: readonly Route[], server: string, version: string): Record<string, unknown> {
  const known = components()
  const { schemas } = known
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = templateOf(route)
    paths[path] ??= pathParameters(path)
    paths[path][route.method] = operation(route, routes, known)
  }
  markReadOnly(routes, schemas)
  // A test has a document of a few routes, without the records of events.
  const webhooks = 'Event' in schemas ? webhooksOf(known) : {}
  return {
    openapi: '3.1.0',
    info: {
      title: 'Dealbox',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{ bearer: [] }],
    tags: tagsOf(routes, schemas),
    paths,
    webhooks,
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

const templateOf = ({ path }: Route): string => path.replace(/:([a-z_]+)/g, '{$1}')

/** The parameters for the record in a path, and for the one below it. */
function pathParameters(path: string): Record<string, unknown> {
  const names = ['id', 'delivery_id', 'attachment_id'].filter((name) => path.includes(`{${name}}`))
  return names.length > 0 ? { parameters: names.map((name) => ({ $ref: `#/components/parameters/${name}` })) } : {}
}

const camel = (text: string): string => text.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** "/close-reasons/:id" → "Close reasons". */
const tagOf = (route: Route): string =>
  (route.path.split('/')[1] as string).replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase())

/** Where a record of the name is described: "a list" has a name that generators do not reserve. */
const shapeOf = (name: string, schemas: Schemas): Schema | undefined => schemas[name] ?? schemas[`Record${name}`]

/** Tags have the description of their record. */
function tagsOf(routes: readonly Route[], schemas: Schemas): Schema[] {
  const tags = new Map<string, Schema>()
  for (const route of routes) {
    const name = tagOf(route)
    const description = shapeOf(pascal(route.name), schemas)?.description ?? `Operations on ${name.toLowerCase()}.`
    if (!tags.has(name)) tags.set(name, { name, description })
  }
  return [...tags.values()]
}

/** Marks the fields that neither create nor PATCH accepts, for records that can be written. */
function markReadOnly(routes: readonly Route[], schemas: Schemas): void {
  for (const name of new Set(routes.map((route) => pascal(route.name)))) {
    const written = ['Create', 'Update'].map((verb) => propertiesOf(schemas[`${verb}${name}Request`]))
    if (written.every((properties) => Object.keys(properties).length === 0)) continue
    for (const [field, schema] of Object.entries(propertiesOf(shapeOf(name, schemas))))
      if (written.every((properties) => !(field in properties))) schema.readOnly = true
  }
}

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

/** For what says nothing of its own. */
function defaultDescription(route: Route): string {
  if (route.kind === 'list' && route.custom) return CUSTOM_LIST
  if (route.kind === 'list') return 'Several filters are combined with "and". `next_cursor` leads to the next page.'
  if (route.kind === 'read' && !route.isDerived && !route.timeDependent)
    return 'The `ETag` is the version: sent as `If-None-Match`, it makes the response 304 while nothing has changed.'
  if (route.method === 'get') return 'The response depends on the time, and is never 304.'
  if (route.method === 'patch')
    return 'Absent fields keep their values, `null` clears a field, and arrays are replaced.'
  if (route.method === 'delete') return 'Afterwards, requests for its id return 404.'
  return 'Returns the new record. With an `Idempotency-Key`, a repeat does not create another one.'
}

function operation(route: Route, routes: readonly Route[], known: Components): Schema {
  return {
    operationId: operationId(route),
    summary: route.summary,
    description: route.description ?? defaultDescription(route),
    tags: [tagOf(route)],
    security: [{ bearer: [route.scope] }],
    ...withSeq(route, parts(route, routes, known) as Parts),
  }
}

type Parts = { parameters: Schema[]; responses: Record<string, Schema> }

/** Every response says which event is the newest that it knows of, and a read may ask for at least that. */
function withSeq({ kind }: Route, { parameters, responses, ...others }: Parts): Schema {
  const isWrite = kind === 'write'
  const header = headers(isWrite ? ['Dealbox-Seq'] : ['Dealbox-Seq', 'Dealbox-Lag-Ms'])
  const answers = Object.entries(responses).map(([status, answer]) =>
    '$ref' in answer
      ? [status, answer]
      : [status, { ...answer, headers: { ...(answer.headers as Schema), ...header } }],
  )
  return {
    parameters: isWrite ? parameters : [...parameters, ...paging('dealbox-seq')],
    ...others,
    responses: Object.fromEntries(answers),
  }
}

function parts(route: Route, routes: readonly Route[], known: Components): Schema {
  const name = pascal(route.name)
  if (route.kind === 'list') return listParts(route, name, known)
  if (route.kind === 'read') return readParts(route, known)
  if (route.kind === 'poll') return pollParts(route, name, known)
  if (route.kind === 'file') return fileParts(route, headers, UNCHANGED)
  return writeParts(route, routes, known)
}

function readParts(route: Extract<Route, { kind: 'read' }>, { add }: Components): Schema {
  const { parameters = {}, paged, forms = {} } = route
  const own = Object.entries(parameters).map(([name, { schema, description }]) => ({
    name,
    in: 'query',
    description,
    schema,
  }))
  const isTagged = !route.isDerived
  const isConditional = isTagged && !route.timeDependent
  const found = success(`The ${route.name}.`, add(pascal(route.name), route.returns), [
    ...(isTagged ? ['ETag'] : []),
    ...(paged ? ['Link'] : []),
  ])
  for (const type of Object.keys(forms)) Object.assign(found.content as Schema, { [type]: { schema: TEXT } })
  return {
    parameters: [
      ...own,
      ...(paged ? paging('limit', 'cursor') : []),
      ...(isConditional ? paging('if-none-match') : []),
    ],
    responses: {
      200: found,
      ...(isConditional ? { 304: UNCHANGED } : {}),
      ...problemsOf(route),
    },
  }
}

const TEXT = { type: 'string', minLength: 1 }
const UNCHANGED = { description: 'The version in If-None-Match is the current one.', headers: headers(['ETag']) }

function writeParts(route: WriteRoute, routes: readonly Route[], known: Components): Schema {
  const parameters: Schema[] = Object.entries(route.flags ?? {}).map(([name, description]) => ({
    name,
    in: 'query',
    description,
    schema: { type: 'boolean', default: false },
  }))
  const canRepeat = route.method === 'post' || route.method === 'patch'
  if (canRepeat) parameters.push(...paging('idempotency-key'))
  if (route.find) parameters.push(...paging('if-match'))
  const body = requestBody(route, known)
  const answer = answerOf(route, routes, known)
  const repeated = route.replays ? { 200: { ...answer, description: route.replays } } : {}
  return { parameters, ...body, responses: { ...repeated, [route.status]: answer, ...problemsOf(route) } }
}

function answerOf(route: WriteRoute, routes: readonly Route[], { schemas, add, put }: Components): Schema {
  const { returns, bulkResult, method, status } = route
  if (!returns || status === 204) return { description: 'Done. The response has no body.', headers: headers([]) }
  const name = pascal(route.name)
  const isNew = status === 201
  const one = add(route.operation ? `${pascal(route.operation)}Answer` : name, returns)
  const isRecord = 'version' in propertiesOf(schemas[nameIn(one)])
  const several = bulkResult && add(`${name}s`, bulkResult)
  const shape = several ? put(`Create${name}Answer`, { oneOf: [one, several] }) : one
  const description = isNew ? `The new ${route.name}.` : `The ${route.name} as it is now.`
  const names = [
    ...(isRecord ? ['ETag'] : []),
    ...(isNew ? ['Location'] : []),
    ...(method === 'post' || method === 'patch' ? ['Idempotency-Replayed'] : []),
  ]
  const answer = success(isRecord ? description : 'The result.', shape, names)
  return isNew ? { ...answer, links: linksOf(route, routes) } : answer
}

/** What can be done with a new record, for programs that find their way by the document. */
function linksOf({ path }: Route, routes: readonly Route[]): Schema {
  const own = routes.filter((each) => each.path === `${path}/:id`)
  return Object.fromEntries(
    own.map((each) => {
      const id = operationId(each)
      return [id, { operationId: id, parameters: { id: '$response.body#/id' }, description: `${each.summary}.` }]
    }),
  )
}

function requestBody(route: WriteRoute, { schemas, addBody }: Components): Schema {
  if (!route.body) return {}
  const name = `${pascal(operationId(route))}Request`
  const schema = addBody(name, route.body)
  // The example of a change avoids fields that may have to be unique: those required for a create.
  const needed = (schemas[`Create${pascal(route.name)}Request`]?.required ?? []) as string[]
  const example = exampleBody(schemas[name] as Schema, route.method === 'patch' ? needed : undefined)
  const types = route.method === 'patch' ? ['application/json', 'application/merge-patch+json'] : ['application/json']
  const texts = Object.keys(route.accepts ?? {}).map((type) => [type, { schema: TEXT }])
  const content = Object.fromEntries([...types.map((type) => [type, { schema, example }]), ...texts])
  return {
    requestBody: {
      required: true,
      content: { ...content, ...formContent(route, schema) },
    },
  }
}
