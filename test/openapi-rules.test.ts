import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { catalog, PREFIX } from '../src/app/api.ts'
import { resourceDeps } from '../src/app/deps.ts'
import { problemBody } from '../src/http/answer.ts'
import { openApiDocument } from '../src/http/openapi/openapi.ts'
import { startClock } from '../src/lib/id.ts'
import { notConfirmed, notPrimary } from '../src/store/folder/fence.ts'
import { vault } from '../src/store/folder/vault.ts'
import { movedProblem, pausedProblem } from '../src/store/orgs/org-states.ts'
import { emptyDatabase } from '../src/store/schema/memory.ts'

// What generators of clients need of the document beyond its validity; scripts/clients.ts runs them.

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON of many shapes
type Any = any

let document: Any
let all: { at: string; schema: Any }[]
let operations: { id: string; path: string; method: string; operation: Any }[]

before(() => {
  const db = emptyDatabase()
  const routes = catalog(resourceDeps({ db, clock: startClock(Date.now), vault: vault('.') }))
  document = JSON.parse(JSON.stringify(openApiDocument(routes, PREFIX, '0.0.0')))
  db.close()
  operations = Object.entries<Any>(document.paths).flatMap(([path, { parameters, ...methods }]) =>
    Object.entries<Any>(methods).map(([method, operation]) => ({ id: operation.operationId, path, method, operation })),
  )
  all = [...schemasIn(document.components, 'components'), ...schemasIn(document.paths, 'paths')]
})

/** Every schema below a part of the document, with the ones inside of it; examples are none. */
function schemasIn(part: Any, at: string): { at: string; schema: Any }[] {
  if (part === null || typeof part !== 'object') return []
  return Object.entries<Any>(part).flatMap(([name, value]) => {
    const here = `${at}/${name}`
    if (name === 'example' || name === 'examples') return []
    if (name === 'schema') return within(value, here)
    if (here === 'components/schemas')
      return Object.entries<Any>(value).flatMap(([each, schema]) => within(schema, `${here}/${each}`))
    return schemasIn(value, here)
  })
}

function within(schema: Any, at: string): { at: string; schema: Any }[] {
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = schema
  const parts: [string, Any][] = [
    ...Object.entries<Any>(properties),
    ...(items ? [['items', items] as [string, Any]] : []),
    ...(typeof additionalProperties === 'object' ? [['values', additionalProperties] as [string, Any]] : []),
    ...[...anyOf, ...oneOf].map((each: Any, index): [string, Any] => [String(index), each]),
  ]
  return [{ at, schema }, ...parts.flatMap(([name, part]) => within(part, `${at}/${name}`))]
}

const typesOf = ({ type }: Any): string[] => [type ?? []].flat().filter((each: string) => each !== 'null')
const where = (fits: (schema: Any, at: string) => unknown): string[] =>
  all.filter(({ at, schema }) => fits(schema, at)).map(({ at }) => at)
const resolve = (schema: Any): Any =>
  schema?.$ref ? resolve(document.components.schemas[schema.$ref.split('/').at(-1)]) : schema

test('every number is a double, and every integer has 64 bits', () => {
  const wanted: Record<string, string> = { number: 'double', integer: 'int64' }
  assert.ok(where((schema) => schema.format === 'double').length > 10)
  assert.deepEqual(
    where((schema) => typesOf(schema).some((type) => wanted[type] && wanted[type] !== schema.format)),
    [],
  )
})

test('a schema has one type, and null', () => {
  assert.ok(all.length > 1000)
  assert.deepEqual(
    where((schema) => typesOf(schema).length > 1),
    [],
  )
})

test('a union is a component of its own: of simple types, or of components', () => {
  const isSimple = (schema: Any) => schema.$ref || typesOf(schema).every((type) => type !== 'object')
  const isNullable = ({ anyOf }: Any) => anyOf?.length === 2 && anyOf[0].$ref && anyOf[1].type === 'null'
  assert.deepEqual(
    where((schema) => schema.anyOf && !isNullable(schema)),
    [],
    'anyOf is for null only',
  )
  assert.deepEqual(
    where((schema, at) => schema.oneOf && !/^components\/schemas\/\w+$/.test(at)),
    [],
  )
  assert.deepEqual(
    where((schema) => schema.oneOf && !schema.oneOf.every(isSimple)),
    [],
  )
  // A tree whose branches are inline is what openapi-python-client gives up on, where null may stand beside it.
  assert.deepEqual(
    document.components.schemas.ListFilter.oneOf.map((each: Any) => each.$ref),
    ['All', 'Any', 'Not', 'Condition'].map((form) => `#/components/schemas/Filter${form}`),
  )
})

/** Words of Python, Go, Java, Rust and TypeScript that a type cannot or should not have as its name, in any case. */
const RESERVED =
  `abstract all and annotated any array as assert async await base bool boolean box break byte case catch char class
  classvar const continue crate debugger declare def default del dict do double elif else enum error except exception export
  extends false field final finally float fn for from func function generic global go goto if impl implements import in
  instanceof int integer interface is iterable lambda let list long loop map match mod module move mut namespace native new
  nil none nonlocal not null number object ok option optional or override package partial pass private process protected
  protocol pub public raise range record ref request response result return self send set short some static str string
  struct super switch symbol sync synchronized thread throw throws trait transient true try tuple type typeof undefined
  union unsafe unset unsized use var vec void volatile where while with yield`.split(/\s+/)

test('no component has a name that a language or its generator reserves', () => {
  const names = Object.keys(document.components.schemas)
  assert.ok(names.includes('RecordList') && names.includes('FilterNot'))
  assert.deepEqual(
    names.filter((name) => RESERVED.includes(name.toLowerCase()) || !/^[A-Z][A-Za-z]+$/.test(name)),
    [],
  )
  // Files of clients are named after them, also where case does not count.
  assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length)
})

test('objects are components: nothing has to invent a name for one', () => {
  const isInline = (schema: Any) => typesOf(schema).includes('object') && schema.properties
  assert.deepEqual(
    where((schema, at) => isInline(schema) && !/^components\/schemas\/\w+$|multipart\/form-data\/schema$/.test(at)),
    [],
  )
  const pages = operations.filter(({ id }) => id.startsWith('list'))
  assert.ok(pages.length > 15)
  for (const { id, operation } of pages)
    assert.match(operation.responses[200].content['application/json'].schema.$ref, /\/[A-Z]\w+Page$/, id)
})

test('a parameter is filled in with one value of one type', () => {
  const parameters = [
    ...Object.values<Any>(document.components.parameters),
    ...operations.flatMap(({ operation }) => operation.parameters.filter(({ $ref }: Any) => !$ref)),
  ]
  assert.ok(parameters.length > 200)
  for (const { name, schema } of parameters) {
    assert.equal(typesOf(schema).length, 1, name)
    assert.equal(schema.anyOf ?? schema.oneOf ?? schema.$ref, undefined, name)
    if (name.endsWith('[in]')) assert.match(schema.pattern, /^\^.*\{0,99\}\$$/, name)
  }
  const fits = (name: string, value: string) =>
    new RegExp(parameters.find((each) => each.name === name).schema.pattern, 'u').test(value)
  const id = '019aa07f-13d1-7ed7-8740-db6cad66b18a'
  for (const value of [id, 'null']) assert.ok(fits('owner_id', value), value)
  for (const value of ['', 'NULL', id.toUpperCase(), `${id},${id}`]) assert.ok(!fits('owner_id', value), value)
  for (const value of [id, `${id},${id}`, Array(100).fill(id).join()]) assert.ok(fits('owner_id[in]', value))
  for (const value of ['null', `${id},`, Array(101).fill(id).join()]) assert.ok(!fits('owner_id[in]', value))
  assert.ok(fits('sort', '-amount') && fits('sort', 'custom_fields.seats') && !fits('sort', 'amounts'))
  assert.ok(fits('types', 'deal.*,task.completed') && !fits('types', 'deal.unknown'))
  for (const key of ['a', '"a"', '!#~', `"${'x'.repeat(255)}"`, 'x'.repeat(255), 'a"b'])
    assert.ok(fits('Idempotency-Key', key), key)
  for (const key of ['', '"', '""', '"a', 'a"', 'a b', '"a"b"', 'ü', 'x'.repeat(256)])
    assert.ok(!fits('Idempotency-Key', key), key)
  assert.ok(fits('cursor', 'A'.repeat(30)) && !fits('cursor', 'A'.repeat(29)) && !fits('cursor', 'A='.repeat(30)))
})

test('a body has no defaults, which a client would send with every change', () => {
  const bodies = operations.flatMap(({ operation }) => Object.values<Any>(operation.requestBody?.content ?? {}))
  const reached = new Set<Any>()
  const visit = (schema: Any): void => {
    for (const { schema: each } of within(resolve(schema), '')) {
      if (reached.has(each)) continue
      reached.add(each)
      if (each.$ref) visit(each)
    }
  }
  for (const { schema } of bodies) visit(schema)
  assert.ok(reached.size > 200)
  assert.deepEqual(
    [...reached].filter((schema) => 'default' in schema),
    [],
  )
  const { ContactEmailInput } = document.components.schemas
  assert.match(ContactEmailInput.properties.label.description, /`work` by default\.$/)
})

test('a web address, a phone number and a file of captions are what the server accepts', () => {
  const { website } = document.components.schemas.CreateContactRequest.properties
  const { number } = document.components.schemas.ContactPhoneInput.properties
  const is = ({ pattern }: Any, value: string) => new RegExp(pattern, 'u').test(value)
  for (const url of ['https://a.example', 'HTTP://a b@x', 'http:////x', 'https://x/ä?b#c']) {
    assert.ok(URL.canParse(url) && is(website, url), url)
  }
  for (const url of ['a.example', 'ftp://x', 'http://', 'https:///', 'http://?x', 'http://x\n', 'https://x/\u0085'])
    assert.ok(!is(website, url), url)
  for (const phone of ['+49 30 12', '123', 'ext 1-2-3']) assert.ok(is(number, phone), phone)
  for (const phone of ['', '12', 'none']) assert.ok(!is(number, phone), phone)
  const { content } = document.paths['/meetings/{id}/transcript'].put.requestBody
  assert.equal(content['text/vtt'].schema.minLength, 1)
})

test('every create links to its record', () => {
  const creates = operations.filter(({ method, operation }) => method === 'post' && operation.responses[201])
  assert.ok(creates.length >= 11)
  for (const { id, path, operation } of creates) {
    const { operationId } = document.paths[`${path}/{id}`].get
    for (const status of [200, 201]) {
      const { links } = operation.responses[status] ?? { links: undefined }
      if (operation.responses[status]) assert.deepEqual(links[operationId].parameters, { id: '$response.body#/id' }, id)
    }
    for (const link of Object.values<Any>(operation.responses[201].links))
      assert.ok(operations.some((each) => each.id === link.operationId && each.path === `${path}/{id}`))
  }
})

test('every operation says in a sentence what it does', () => {
  for (const { id, operation } of operations) assert.match(operation.description ?? '', /^[A-Z`].+\.$/ms, id)
})

test('what any request may get after a move or a failover is in every operation', () => {
  const successor = { epoch: 2, primary_url: 'https://b.example', promoted_at: null }
  const problems = [movedProblem('https://a.example'), notPrimary(successor), notConfirmed(), pausedProblem()]
  const known = Object.keys(document.components.schemas.Problem.properties)
  for (const problem of problems) {
    const members = Object.keys(JSON.parse(problemBody(problem, 'id')))
    assert.deepEqual(
      members.filter((member) => !known.includes(member)),
      [],
      problem.code,
    )
    for (const { id, operation } of operations) {
      const name = operation.responses[problem.status]?.$ref.split('/').at(-1)
      assert.match(document.components.responses[name].description, new RegExp(`\`${problem.code}\``), id)
      for (const header of Object.keys(problem.headers ?? {}))
        assert.ok(document.components.responses[name].headers[header], `${problem.code}: ${header}`)
    }
  }
})

test('only reads know of events that a failover has lost', () => {
  for (const { id, method, path, operation } of operations) {
    const gone = operation.responses[410]?.$ref
    assert.equal(gone, method === 'get' ? '#/components/responses/Gone' : undefined, id)
    if (path === '/webhooks/events') assert.equal(operation.responses[409].$ref, '#/components/responses/Gap')
  }
})

test('every client of the docs has its folder, and its commands are there', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
  const sections = read('docs/clients.md').split(/^##+ /m)
  const headings = [...read('scripts/clients.ts').matchAll(/heading: '([^']+)'/g)].map(
    ([, heading]) => heading as string,
  )
  assert.equal(headings.length, 6)
  for (const heading of headings)
    assert.ok(
      sections.some((section) => section.startsWith(`${heading}\n`) && section.includes('```sh\n')),
      heading,
    )
})
