import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { SECOND_MS } from '../../src/lib/time.ts'
import { makeOrg, type Org } from '../support/org.ts'
import type { Row } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The two ways through a list that miss nothing while records change, as the OpenAPI document promises.

let server: TestServer
let org: Org
let orgs = 0
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const send = async (method: string, path: string, body?: object): Promise<Row> =>
  (await server.call(method, path, body, { token: org.token })).body

async function newOrg(deals: number): Promise<string[]> {
  org = await makeOrg(server.store, server.dataDir, `Walk${++orgs}`)
  const ids: string[] = []
  for (let n = 0; n < deals; n++) ids.push((await send('POST', '/deals', { title: `Deal ${n}` })).id)
  return ids
}

/** Reads all pages, with something in between. */
async function walk(query: string, between: () => Promise<unknown>): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor: string | null = ''; cursor !== null; await between()) {
    const page = await send('GET', `/deals?limit=3&${query}${cursor && `&cursor=${cursor}`}`)
    rows.push(...page.data)
    cursor = page.next_cursor
  }
  return rows
}

/** Which deal changes, and how long after the one before. */
const changes = fc.array(fc.record({ pick: fc.nat(50), ms: fc.constantFrom(0, 0, 1, 700, 1500) }), { minLength: 6 })

/** Changes deals in turn, as long as there is something to change. */
const changing = (ids: readonly string[], left: { pick: number; ms: number }[]) => async () => {
  for (const { pick, ms } of left.splice(0, 2)) {
    server.advance(ms)
    await send('PATCH', `/deals/${ids[pick % ids.length]}`, { title: `Title ${pick} ${left.length}`, amount: pick })
  }
}

test('a walk by id shows what was there throughout exactly once, whatever changes', async () => {
  await fc.assert(
    fc.asyncProperty(changes, fc.constantFrom('', 'sort=created_at', 'sort=-created_at'), async (given, query) => {
      const ids = await newOrg(10)
      const seen = (await walk(query, changing(ids, [...given]))).map(({ id }) => id)
      assert.deepEqual(seen.toSorted(), ids.toSorted())
    }),
    { numRuns: examples(20) },
  )
})

test('polls by updated_at show the newest version of everything', async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (given) => {
      const ids = await newOrg(8)
      const left = [...given]
      const between = changing(ids, left)
      const known = new Map<string, Row>()
      // What changes in the millisecond of a row that was just read stands before it: the next poll but one has it.
      let [newest, before] = [0, 0]
      const poll = async () => {
        const since = new Date(before - SECOND_MS).toISOString()
        before = newest
        for (const row of await walk(`sort=updated_at&updated_at[gt]=${since}`, between)) known.set(row.id, row)
        newest = Math.max(...[...known.values()].map(({ updated_at }) => Date.parse(updated_at)))
      }
      while (left.length > 0) await poll()
      for (let more = 0; more < 2; more++) await poll()
      for (const id of ids) assert.deepEqual(known.get(id), await send('GET', `/deals/${id}`))
    }),
    { numRuns: examples(20) },
  )
})
