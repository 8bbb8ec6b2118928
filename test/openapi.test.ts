import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { catalog } from '../src/app/api.ts'
import { EVENT_NAMES } from '../src/events/names.ts'
import { asOpenApi30 } from '../src/http/openapi/openapi-30.ts'
import { conformance } from './support/conformance.ts'
import { startServer, type TestServer } from './support/server.ts'

const modules = join(import.meta.dirname, '../node_modules')

let server: TestServer
let folder: string

before(async () => {
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'dealbox-client-'))
  symlinkSync(modules, join(folder, 'node_modules'), 'junction')
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
})

const run = promisify(execFile)
/** Runs a program of node_modules, or a file of the folder, in the folder and with nothing else of this environment. */
const node = (args: string[], env: Record<string, string> = {}) =>
  run(process.execPath, args, { cwd: folder, env: { PATH: '', HOME: folder, ...env } })

async function lint(document: object): Promise<string[]> {
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  const offline = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
  const cli = join(modules, '@redocly/cli/bin/cli.js')
  const { stdout } = await node([cli, 'lint', 'openapi.json', '--format=json'], offline).catch((error) => error)
  const { totals, problems } = JSON.parse(stdout)
  assert.equal(totals.errors + totals.warnings + totals.ignored, problems.length)
  return problems.map(({ ruleId, message }: { ruleId: string; message: string }) => `${ruleId}: ${message}`)
}

test('the document lints clean, without errors, warnings or exceptions', async () => {
  assert.deepEqual(await lint(server.document), [])
})

test('so does the document in OpenAPI 3.0, which has the same operations and no word of 3.1', async () => {
  const document = JSON.parse(JSON.stringify(asOpenApi30(server.document)))
  assert.match(document.openapi, /^3\.0\./)
  assert.deepEqual(await lint(document), [])
  const operations = ({ paths }: { paths: Record<string, object> }) =>
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)])
  assert.deepEqual(operations(document), operations(server.document))
  // Tools for 3.0 ignore what they do not know, so that a linter alone may miss it.
  const schemas = JSON.stringify(document.components.schemas)
  for (const word of ['"type":[', '"type":"null"', '"const":', '"examples":', '"propertyNames":', '"contentEncoding":'])
    assert.ok(!schemas.includes(word), word)
  const { Deal, SlaPolicy, CustomFieldInput, AttachmentInput } = document.components.schemas
  assert.deepEqual([Deal.properties.amount.type, Deal.properties.amount.nullable], ['number', true])
  assert.deepEqual(SlaPolicy.properties.match.allOf, [{ $ref: '#/components/schemas/ListFilter' }])
  assert.deepEqual([SlaPolicy.properties.match.type, SlaPolicy.properties.match.nullable], ['object', true])
  assert.deepEqual([CustomFieldInput.oneOf.length, CustomFieldInput.oneOf[0].nullable], [4, true])
  assert.equal(AttachmentInput.properties.data.format, 'byte')
  assert.equal(document.components.headers['Idempotency-Replayed'].schema.enum[0], 'true')
  assert.ok(!('DealEvent' in document.components.schemas) && 'Event' in document.components.schemas)
})

test('the linter would have said so', async () => {
  const document = structuredClone(server.document)
  delete document.paths['/deals'].get.summary
  document.paths['/tags'].post.requestBody.content['application/json'].example.color = 7
  const problems = (await lint(document)).join('\n')
  assert.match(problems, /^operation-summary: /m)
  assert.match(problems, /^no-invalid-media-type-examples: /m)
})

test('what every list answers is what the document says', async () => {
  const { paths } = server.document as { paths: Record<string, object> }
  const lists = Object.keys(paths).filter((path) => !path.includes('{') && 'get' in (paths[path] as object))
  assert.ok(lists.length >= 7)
  await server.call('POST', '/deals', { title: 'To have one' })
  for (const path of lists) assert.equal((await server.call('GET', path)).status, 200) // call checks the answer
})

test('every event type has the body that webhooks receive, with the record in its own form', async () => {
  const { webhooks, components } = server.document
  assert.deepEqual(Object.keys(webhooks), [...EVENT_NAMES])
  const ok = async (method: string, path: string, body?: object) => (await server.call(method, path, body)).body
  const { id } = await ok('POST', '/deals', { title: 'Rollout', amount: 12.5, currency: 'EUR' })
  await ok('PATCH', `/deals/${id}`, { title: 'Other' })
  await ok('POST', '/tags', { name: 'Key account' })
  await ok('POST', '/companies', { name: 'Harbor' })
  await ok('POST', '/tasks', { title: 'Call' })
  await ok('POST', '/notes', { body: 'Likes tea', deal_ids: [id] })
  await ok('POST', '/lists', { name: 'All', object: 'contact', kind: 'static' })
  await ok('POST', '/custom-fields', { object: 'deal', key: 'seats', label: 'Seats', type: 'number' })
  const from = { email: 'eva@firm.example', name: 'Eva Ruiz' }
  await ok('POST', '/messages', { direction: 'inbound', channel: 'chat', from, body_text: 'Hello' })
  const { data } = await ok('GET', '/webhooks/events?limit=100')
  const { received } = conformance(catalog(server.deps))
  for (const event of data) received(event)
  assert.throws(() => received({ ...data[0], type: 'tag.created' }), /object/)
  const resources = new Set(data.map(({ type }: { type: string }) => type.split('.')[0]))
  for (const resource of 'deal tag company task note list custom_field contact conversation message'.split(' '))
    assert.ok(resources.has(resource), resource)
  const { properties } = components.schemas.DealEventData
  assert.equal(properties.object.$ref, '#/components/schemas/Deal')
})

test('what only the server sets is read-only, and nothing else', () => {
  const { Deal, Stage } = server.document.components.schemas
  const readOnly = (schema: { properties: Record<string, { readOnly?: boolean }> }) =>
    Object.keys(schema.properties).filter((name) => schema.properties[name]?.readOnly)
  const set = [
    'id',
    'status',
    'close_reason_id',
    'closed_at',
    'stage_changed_at',
    'created_at',
    'updated_at',
    'version',
  ]
  assert.deepEqual(readOnly(Deal), set)
  assert.deepEqual(readOnly(Stage), []) // where nothing can be written, it goes without saying
})
