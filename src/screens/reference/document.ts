// The OpenAPI document as the reference needs it: grouped by tag, with references resolved.

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
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
  for (const each of [...operations.map(bare), ...operations.map(listed)])
    for (const object of each.objects) if (!homes.has(object)) homes.set(object, each.tag)
  return document.tags.map(({ name, description }) => {
    const own = operations.filter(({ tag }) => tag === name)
    const objects = [...homes].filter(([, tag]) => tag === name).map(([object]) => object)
    return { id: slug(name), name, description, operations: own, objects }
  })
}

function read(document: OpenApi, path: string, method: string, raw: RawOperation, shared: (Ref & Parameter)[]) {
  return {
    id: raw.operationId,
    method,
    path: `${document.servers[0]?.url ?? ''}${path}`,
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

/** Names of the schemas in successful responses: those returned alone, and those returned as items. */
const bare = (operation: Operation & { tag?: string | undefined }): ReturnedObjects => ({
  tag: operation.tag,
  objects: schemasOf(operation).flatMap((schema) => nameOf(schema) ?? []),
})
const listed = (operation: Operation & { tag?: string | undefined }): ReturnedObjects => ({
  tag: operation.tag,
  objects: schemasOf(operation).flatMap(({ properties = {} }) =>
    Object.values(properties).flatMap(({ items }) => (items && nameOf(items)) ?? []),
  ),
})

const schemasOf = ({ answers }: Operation) =>
  answers
    .filter(({ status }) => status < '300')
    .flatMap(({ response }) => Object.values(response.content ?? {}))
    .map(({ schema }) => schema)
