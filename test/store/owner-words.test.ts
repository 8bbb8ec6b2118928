import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { wordsOf } from '../../src/lib/words.ts'
import { addOwnerWords } from '../../src/store/schema/schema-3/owners.ts'
import { searchIndex } from '../../src/store/search/search.ts'
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

test('a migration adds the owners of all deals, and only the new words to the index', async () => {
  const { a, store } = server
  const [own, free, wordless] = [
    await newDeal('Older words', a.owner),
    await newDeal('Older words', null),
    await newDeal('–', a.owner),
  ]
  const { put } = searchIndex(store.db, 'deal')
  store.transaction(() => {
    for (const id of [own, free]) put(a.org, id, wordsOf(['Older words']))
    put(a.org, wordless, [])
  })
  indexAll()
  assert.deepEqual(await found('older', a.owner), [])
  store.transaction(() => addOwnerWords(store.db))
  assert.deepEqual(await found('older', a.owner), [own])
  assert.equal((await server.call('GET', '/deals?q=older')).body.data.length, 2)
  // Its words can be taken out of the index again.
  await server.call('PATCH', `/deals/${own}`, { title: 'Newer words', owner_id: null })
  await server.call('PATCH', `/deals/${wordless}`, { title: 'Newer words' })
  indexAll()
  assert.deepEqual(await found('older', a.owner), [])
  assert.deepEqual(await found('newer', a.owner), [wordless])
  store.db.exec("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
})
