import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pendingWords } from '../../src/store/search/search-index.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The owner of a deal is one of the words that it is found by.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

async function newDeal(title: string, owner_id: string | null): Promise<string> {
  return (await server.call('POST', '/deals', { title, owner_id })).body.id
}

/** The ids of the deals that both lists of a search have, newest first and by amount. */
async function found(q: string, owner: string): Promise<string[]> {
  const asked = ['', '&sort=-amount'].map((sort) => server.call('GET', `/deals?q=${q}&owner_id=${owner}${sort}`))
  const [newest = [], byAmount = []] = (await Promise.all(asked)).map(({ body }) =>
    body.data.map(({ id }: { id: string }) => id).sort(),
  )
  assert.deepEqual(newest, byAmount)
  return newest
}

/** Moves all pending words into the index. */
const indexAll = () => server.store.transaction(() => void pendingWords(server.store.db).index(1000))

test('a change of owner is found at once, whether or not the index has it yet', async () => {
  const { owner } = server.a
  const id = await newDeal('Moving', null)
  assert.deepEqual(await found('moving', owner), [])
  for (const owner_id of [owner, null, owner]) {
    await server.call('PATCH', `/deals/${id}`, { owner_id })
    for (const move of [() => undefined, indexAll]) {
      move()
      assert.deepEqual(await found('moving', owner), owner_id === null ? [] : [id])
    }
  }
})

test('no text of a search is an owner', async () => {
  const { owner } = server.a
  await newDeal('Plain', owner)
  const hex = owner.replaceAll('-', '')
  for (const q of [hex, owner, `\ue000${hex}`, hex.slice(0, 8)])
    assert.deepEqual((await server.call('GET', `/deals?q=${encodeURIComponent(q)}`)).body.data, [], q)
})
