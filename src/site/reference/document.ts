// The OpenAPI document as the reference needs it: grouped by tag, with references resolved.

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  default?: unknown
  pattern?: string
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  readOnly?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
}

type Ref = { $ref?: string }
type Media = Record<string, { schema: Schema; example?: unknown }>

export type Parameter = { name: string; in: string; required?: boolean; description?: string; schema: Schema }
export type Header = { description?: string }
export type Response = { description: string; headers?: Record<string, Ref & Header>; content?: Media }

type RawOperation = {
  operationId: string
  summary: string
  description?: string
  tags?: string[]
  security?: Record<string, string[]>[]
  parameters?: (Ref & Parameter)[]
  requestBody?: { content: Media }
  responses: Record<string, Ref & Response>
}

export type OpenApi = {
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, RawOperation> & { parameters?: never }>
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    [kind: string]: Record<string, unknown>
  }
}

export type Operation = {
  id: string
  method: string
  /** Includes the base path, such as /api/v1/deals/{id}. */
  path: string
  summary: string
  description: string | undefined
  scopes: string[]
  parameters: Parameter[]
  body: Media | undefined
  answers: { status: string; response: Response }[]
}

/** A tag with its operations, and the names of the schemas that they return. */
export type Group = {
  id: string
  name: string
  description: string | undefined
  operations: Operation[]
  objects: string[]
}

/** Resolves a reference inside the document; returns other values unchanged. */
export function resolve<T>(document: OpenApi, value: T & Ref): T {
  const { $ref } = value
  if ($ref === undefined) return value
  const [, , kind = '', name = ''] = $ref.split('/')
  return document.components[kind]?.[name] as T
}

/** The URL of the server, without and with only the path before all others. */
export const originOf = (document: OpenApi): string =>
  /^https?:\/\/[^/]+/.exec(document.servers[0]?.url ?? '')?.[0] ?? ''
export const basePath = (document: OpenApi): string => document.servers[0]?.url.slice(originOf(document).length) ?? ''

/** Returns the name of the referenced schema. */
export const nameOf = ({ $ref }: Ref): string | undefined => $ref?.split('/').at(-1)

export const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export function groupsOf(document: OpenApi): Group[] {
  const operations = Object.entries(document.paths).flatMap(([path, { parameters, ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => read(document, path, method, operation, parameters ?? [])),
  )
  // An object is shown with the tag that returns it alone, rather than with one that returns it in a list.
  const homes = new Map<string, string | undefined>()
  const lists = operations.map(listed(document))
  for (const each of [...operations.map(bare(document)), ...lists])
    for (const object of each.objects) if (!homes.has(object)) homes.set(object, each.tag)
  // The first one is what the group is about: what it lists.
  const items = new Set(lists.flatMap(({ objects }) => objects))
  const ranked = [...homes].sort(([one], [other]) => Number(items.has(other)) - Number(items.has(one)))
  return document.tags.map(({ name, description }) => {
    const own = operations.filter(({ tag }) => tag === name)
    const objects = ranked.filter(([, tag]) => tag === name).map(([object]) => object)
    return { id: slug(name), name, description, operations: own, objects }
  })
}

function read(document: OpenApi, path: string, method: string, raw: RawOperation, shared: (Ref & Parameter)[]) {
  return {
    id: raw.operationId,
    method,
    path: `${basePath(document)}${path}`,
    summary: raw.summary,
    description: raw.description,
    tag: raw.tags?.[0],
    scopes: (raw.security ?? []).flatMap((requirement) => Object.values(requirement).flat()),
    parameters: [...shared, ...(raw.parameters ?? [])].map((parameter) => resolve(document, parameter)),
    body: raw.requestBody?.content,
    answers: Object.entries(raw.responses).map(([status, response]) => ({
      status,
      response: resolve(document, response),
    })),
  }
}

type ReturnedObjects = { tag: string | undefined; objects: string[] }

/** Names of the schemas in successful responses: those returned alone, and those returned as items of a page. */
const bare =
  (document: OpenApi) =>
  (operation: Operation & { tag?: string | undefined }): ReturnedObjects => ({
    tag: operation.tag,
    objects: schemasOf(operation).flatMap((schema) =>
      isPage(resolve(document, schema)) ? [] : namesIn(document, schema),
    ),
  })
const listed =
  (document: OpenApi) =>
  (operation: Operation & { tag?: string | undefined }): ReturnedObjects => ({
    tag: operation.tag,
    objects: schemasOf(operation).flatMap((schema) => {
      const page = resolve(document, schema)
      return isPage(page) ? namesIn(document, page.properties?.data?.items ?? {}) : []
    }),
  })

const schemasOf = ({ answers }: Operation) =>
  answers
    .filter(({ status }) => status < '300')
    .flatMap(({ response }) => Object.values(response.content ?? {}))
    .map(({ schema }) => schema)

/** The name of a schema, or of each alternative of a union. */
function namesIn(document: OpenApi, schema: Schema): string[] {
  const { oneOf } = resolve(document, schema)
  if (oneOf) return oneOf.flatMap((each) => nameOf(each) ?? [])
  return [nameOf(schema) ?? []].flat()
}

/** A page of a list, which is shown with the operation that returns it. */
export const isPage = ({ properties = {} }: Schema): boolean => 'data' in properties && 'next_cursor' in properties

/**
 * Names of the schemas that are shown where they are used: pages, objects inside of others that nothing returns alone,
 * and unions of simple types and of objects.
 */
export function partsOf(document: OpenApi, groups: readonly Group[]): Set<string> {
  const { schemas } = document.components
  const objects = new Set(groups.flatMap((group) => group.objects))
  const used = new Set(Object.values(schemas).flatMap(refsIn))
  const isPart = ([name, schema]: [string, Schema]): boolean => {
    if (schema.oneOf) return schema.oneOf.every((each) => objects.has(nameOf(each) ?? '') || !nameOf(each))
    return isPage(schema) || (used.has(name) && !objects.has(name))
  }
  return new Set(Object.entries(schemas).flatMap((each) => (isPart(each) ? [each[0]] : [])))
}

function refsIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return []
  const name = nameOf(schema)
  return [...(name ? [name] : []), ...Object.values(schema).flatMap(refsIn)]
}
