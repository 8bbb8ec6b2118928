import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AppServer, startApp } from '../support/app-data.ts'
import { insertRow } from '../support/enrolled.ts'
import type { Row } from '../support/records.ts'

// Reports over many deals, which are made in a thread, and those of several organisations.

const DEALS = 3000
const SOURCES = 60

let app: AppServer
before(async () => {
  app = await startApp()
  const { a, store } = app
  const now = store.clock.now()
  store.transaction(() => {
    const common = { org_id: a.org, tag_ids: '[]', created_at: now, updated_at: now, version: 1 }
    const contacts = Array.from({ length: SOURCES }, (_, at) => {
      const id = store.clock.id()
      insertRow(store, 'contacts', {
        ...{ ...common, id, name: 'Ana', name_key: 'ana', emails: '[]', phones: '[]', do_not_contact: 0 },
        source: `source ${at}`,
      })
      return id
    })
    for (let at = 0; at < DEALS; at++)
      insertRow(store, 'deals', {
        ...{ ...common, id: store.clock.id(), title: `Deal ${at}`, title_key: `deal ${at}`, currency: 'EUR' },
        ...{ amount_micros: 9_000_000_000_000_000_000, stage_id: a.stages.qualified, status: 'open' },
        ...{ stage_changed_at: now, primary_contact_id: contacts[at % SOURCES] as string },
      })
    return null
  })
})
after(() => app.stop())

const get = (path: string): Promise<Row> => app.ok('viewer', 'GET', path)

test('are exact beyond what a number and an integer of SQLite hold, and of one organisation', async () => {
  const { parts } = await get('/reports/forecast')
  const [sum] = parts[0].total.all.sums
  assert.deepEqual([sum.count, sum.amount], [DEALS, String(9_000_000_000_000n * BigInt(DEALS))])
  const other = await app.ok('stranger', 'GET', '/reports/forecast')
  assert.equal(other.parts[0].total.all.count, 0)
})

test('tell the largest sources, and the others as one bar that opens its list', async () => {
  const { parts } = await get('/reports/sources')
  const { bars, total } = parts[0]
  assert.equal(bars.length, 51)
  const others = bars.at(-1)
  assert.deepEqual([others.bar, others.names, others.all.count], ['others', SOURCES - 50, (DEALS / SOURCES) * 10])
  assert.equal(
    bars.reduce((sum: number, { all }: Row) => sum + all.count, 0),
    total.all.count,
  )
  const list = await get('/reports/sources/list?part=sources&bar=others&limit=100')
  assert.deepEqual(list.measure, others.all)
  const second = await get(`/reports/sources/list?part=sources&bar=others&limit=100&cursor=${list.next_cursor}`)
  assert.equal(new Set([...list.data, ...second.data].map(({ id }: Row) => id)).size, 200)
})

test('many at once are each answered, and what is wrong says so from the thread, too', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => get('/reports/funnel')))
  assert.ok(all.every(({ parts }) => parts[0].total.all.count === DEALS))
  for (const [path, status] of [
    ['/reports/none', 404],
    ['/reports/forecast/list', 400],
    ['/reports/forecast/list?part=none', 400],
    ['/reports/forecast/list?part=months&series=none', 400],
    ['/reports/won-lost?from=2026-13', 400],
    ['/reports/won-lost?from=2020-01&to=2023-01', 400],
    ['/reports/won-lost?from=2027-02&to=2027-01', 400],
    ['/reports/won-lost?owner_id=x', 400],
    ['/reports/won-lost?pipeline_id=x', 400],
    [`/reports/won-lost?pipeline_id=${app.ids.owner}`, 400],
    ['/reports/won-lost?currency=euro', 400],
    ['/reports/won-lost?as_of=2999-01-01T00:00:00Z', 400],
    ['/reports/won-lost?as_of=yesterday', 400],
  ] as const)
    assert.equal((await app.ask('viewer', 'GET', path)).status, status, path)
})
