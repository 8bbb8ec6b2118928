import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { random } from '../../src/demo/story/random.ts'
import { fold } from '../../src/lib/pure/fold.ts'
import { matches, queryOf, wordsOf } from '../../src/lib/words.ts'
import type { Deal } from '../../src/records/deal.ts'
import { searchIndex } from '../../src/store/search/search.ts'
import { pendingWords } from '../../src/store/search/search-index.ts'
import { examples, seedOf } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { checkIntegrity, who, wordsNow } from './searched.ts'

type Shown = Pick<Deal, 'id' | 'title' | 'amount' | 'owner_id'>

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const { int } = random(seedOf(20261123))
const one = <T>(all: readonly T[]): T => all[int(all.length)] as T

const WORDS = ['Roll', 'Rollout', 'rollouts', 'Seat', 'Seats', 'Ångström', 'Straße', '12', '1234567', '🚀', 'b', 'Bö']
const QUERIES = [
  'r',
  'ro',
  'roll',
  'rollout',
  'rollouts',
  'sea',
  'seats',
  'roll sea',
  'ang',
  'strass',
  '12',
  '1234 567',
]
QUERIES.push('b', 'b r', 'nowhere', '🚀', 'roll nowhere')

const ORDERS: Record<string, (one: Shown, other: Shown) => number> = {
  '': (one, other) => (one.id > other.id ? -1 : 1),
  created_at: (one, other) => (one.id < other.id ? -1 : 1),
  title: (one, other) => compare([fold(one.title), one.id], [fold(other.title), other.id]),
  '-amount': (one, other) => compare([Number(other.amount), other.id], [Number(one.amount), one.id]),
}

function compare([key, id]: [string | number, string], [otherKey, otherId]: [string | number, string]): number {
  return key < otherKey || (key === otherKey && id < otherId) ? -1 : 1
}

describe('a search finds what the records say now, whatever of it is in the index', () => {
  /** What a search has to find. */
  function expected(live: Map<string, Shown>, q: string, sort: string, owner: string | undefined): string[] {
    return [...live.values()]
      .filter(({ title }) => matches(wordsOf([title]).join(' '), queryOf(q)))
      .filter(({ owner_id }) => owner === undefined || owner_id === owner)
      .sort(ORDERS[sort])
      .map(({ id }) => id)
  }

  test('through creations, changes, removals and whatever is indexed in between', async () => {
    const { a, deps, store, call } = server
    const deals = dealStore(deps)
    const pending = pendingWords(store.db)
    const live = new Map<string, Shown>()
    const title = () => Array.from({ length: 1 + int(4) }, () => one(WORDS)).join(' ')
    const current = (id: string): Deal => deals.columns.present(deals.find(who(a), id) as never)

    function change(): void {
      const act = int(10)
      const id = one([...live.keys()])
      if (act < 4 || id === undefined) {
        const given = { title: title(), amount: int(5), owner_id: one([a.owner, null]) }
        const made = deals.create(who(a), given as never)
        live.set(made.id, made)
      } else if (act < 7) live.set(id, deals.patch(who(a), current(id), { title: title() }))
      else if (act < 8) live.set(id, deals.patch(who(a), current(id), { amount: int(5) } as never))
      else {
        deals.removeForScreens(who(a), current(id))
        live.delete(id)
      }
    }

    for (let step = 0; step < examples(600); step++) {
      store.transaction(() => {
        for (let count = int(3); count >= 0; count--) change()
        if (int(4) === 0) pending.index(one([1, 3, 1000]))
      })
      const [q, sort] = [one(QUERIES), one(Object.keys(ORDERS))]
      const owner = int(3) === 0 ? a.owner : undefined
      const wanted = expected(live, q, sort, owner)
      const asked = `/deals?limit=${1 + int(4)}&count=true${owner ? `&owner_id=${owner}` : ''}&q=${encodeURIComponent(q)}${sort && `&sort=${sort}`}`
      const found: string[] = []
      let cursor = ''
      do {
        const { status, body } = await call('GET', `${asked}${cursor}`)
        assert.equal(status, 200)
        assert.equal(body.total, wanted.length, asked)
        found.push(...body.data.map(({ id }: Shown) => id))
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
        // What is indexed between two pages changes neither of them.
        if (int(4) === 0) store.transaction(() => void pending.index(2))
      } while (cursor !== '' && found.length < 12)
      assert.deepEqual(found, wanted.slice(0, found.length), `${step}: ${asked}`)
      assert.ok(cursor !== '' || found.length === wanted.length, asked)
    }
    checkIntegrity(store.db)
  })

  test('right after a write, and by no word of before', async () => {
    const { call } = server
    const found = async (q: string, more = '') =>
      (await call('GET', `/deals?q=${q}${more}`)).body.data.map(({ id }: Shown) => id)
    const { body: deal } = await call('POST', '/deals', { title: 'Firstwords', amount: 3 })
    assert.deepEqual(await found('firstw'), [deal.id])
    server.store.transaction(() => void pendingWords(server.store.db).index(1000))
    for (const title of ['Secondwords', 'Thirdwords']) {
      await call('PATCH', `/deals/${deal.id}`, { title })
      for (const more of ['', '&sort=-amount', '&sort=title', '&amount=3', '&count=true']) {
        assert.deepEqual(await found(title.toLowerCase(), more), [deal.id], more)
        assert.deepEqual(await found('firstwords', more), [], more)
      }
    }
    assert.deepEqual(await found('secondwords'), [])
    await call('PATCH', `/deals/${deal.id}`, { title: 'Firstwords' })
    assert.deepEqual([await found('thirdwords'), await found('firstwords')], [[], [deal.id]], 'as it is in the index')
  })

  test('with words that came one after the other, up to their limit', () => {
    const { a, store } = server
    const { put, add } = searchIndex(store.db, 'conversation')
    const id = store.clock.id()
    const words = () =>
      wordsNow(store.db)
        .find((doc) => doc[2] === id)?.[3]
        .replace(/[^a-z ]/gu, '')
    store.transaction(() => {
      put(a.org, id, ['alpha'])
      add(a.org, id, ['beta', 'alpha'], 3)
    })
    assert.equal(words(), 'alpha beta')
    store.transaction(() => {
      pendingWords(store.db).index(1000)
      add(a.org, id, ['gamma', 'delta'], 3)
    })
    assert.equal(words(), 'alpha beta gamma')
    store.transaction(() => searchIndex(store.db, 'conversation').remove(a.org, id))
  })

  test('and keeps no word of a record that is gone', async () => {
    const { call, store } = server
    const has = (word: string) =>
      ['search_docs', 'search_pending'].some(
        (table) => store.db.prepare(`SELECT 1 FROM ${table} WHERE instr(words, ?)`).get(word) !== undefined,
      )
    const { body: task } = await call('POST', '/tasks', { title: 'Oncesecret' })
    store.transaction(() => void pendingWords(store.db).index(1000))
    await call('PATCH', `/tasks/${task.id}`, { title: 'Nowsecret' })
    assert.ok(has('oncesecret') && has('nowsecret'))
    assert.equal((await call('DELETE', `/tasks/${task.id}`)).status, 204)
    assert.ok(!has('oncesecret') && !has('nowsecret'))
  })
})
