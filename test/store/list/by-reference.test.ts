import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer, type TestServer } from '../../support/server.ts'

// Lists in the order of the records that their rows refer to.

let server: TestServer
const firms: Record<string, string> = {}
before(async () => {
  server = await startServer()
  for (const name of ['beck', 'Åland', 'Carr', 'Nobody works here'])
    firms[name] = (await server.call('POST', '/companies', { name })).body.id
  for (const [name, firm] of [
    ['B1', 'beck'],
    ['none', null],
    ['A1', 'Åland'],
    ['C1', 'Carr'],
    ['B2', 'beck'],
    ['A2', 'Åland'],
    ['A3', 'Åland'],
  ] as const)
    await server.call('POST', '/contacts', { last_name: name, company_id: firm && firms[firm] })
})
after(() => server.stop())

const namesOf = async (query: string): Promise<[names: string, cursor: string | null]> => {
  const { status, body } = await server.call('GET', `/contacts?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return [body.data.map(({ name }: { name: string }) => name).join(' '), body.next_cursor]
}

test('companies come by name, without case and accents, those of one together, and those of none last', async () => {
  assert.equal((await namesOf('sort=company_id'))[0], 'A1 A2 A3 B1 B2 C1 none')
  assert.equal((await namesOf('sort=-company_id'))[0], 'C1 B2 B1 A3 A2 A1 none')
})

test('a company that is renamed between two pages moves its own rows and no others', async () => {
  const [first, cursor] = await namesOf('sort=company_id&limit=2')
  assert.equal(first, 'A1 A2')
  await server.call('PATCH', `/companies/${firms.Åland}`, { name: 'Zell' })
  const [rest] = await namesOf(`sort=company_id&limit=2&cursor=${cursor}`)
  assert.equal(rest, 'A3 B1')
  const [all] = await namesOf('sort=company_id')
  assert.equal(all, 'B1 B2 C1 A1 A2 A3 none')
  await server.call('PATCH', `/companies/${firms.Åland}`, { name: 'Åland' })
})

test('a cursor of another sort, or of the other direction, is refused', async () => {
  const [, cursor] = await namesOf('sort=company_id&limit=2')
  for (const query of ['sort=owner_id', 'sort=-company_id', 'sort=name', '']) {
    const { status, body } = await server.call('GET', `/contacts?${query}&limit=2&cursor=${cursor}`.replace('?&', '?'))
    assert.deepEqual([status, body.code], [400, 'invalid_cursor'], query)
  }
})

test('the document says what a reference is sorted by', () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
  const paths = server.document.paths as any
  const { get } = paths['/api/v1/deals'] ?? paths['/deals']
  const sort = get.parameters.find(({ name }: { name: string }) => name === 'sort')
  for (const part of [/`stage` by its place/, /`company_id` by its name/, /`owner_id` by the name/])
    assert.match(sort.description, part)
})
