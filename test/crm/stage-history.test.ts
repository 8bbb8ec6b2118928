import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { usualDays } from '../../src/crm/stages/usual-days.ts'
import { stageChanges } from '../../src/exports/parts.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { timelinePlaces } from '../../src/site/app/timeline/places.ts'
import { eachRow } from '../../src/store/schema/tables.ts'
import { pendingStageChanges } from '../../src/store/stage-changes.ts'
import { who } from '../store/searched.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const DEALS = 6
const END = { at: Number.MAX_SAFE_INTEGER, id: '~' }

/** Makes deals that go through four stages, a day in each. */
async function movedDeals(): Promise<string[]> {
  const { a, call, advance } = server
  const ids: string[] = []
  for (let count = 0; count < DEALS; count++) ids.push((await call('POST', '/deals', { title: 'Moved' })).body.id)
  for (const stage of [a.stages.demo, a.stages.proposal, a.stages.qualified]) {
    advance(DAY_MS)
    for (const id of ids) assert.equal((await call('PATCH', `/deals/${id}`, { stage })).status, 200)
  }
  return ids
}

describe('the stage changes of deals', () => {
  test('are the same for everyone who reads them, however many of them are pending', async () => {
    const { a, b, deps, store } = server
    const { db } = store
    const ids = await movedDeals()
    const deals = dealStore(deps)
    const pending = pendingStageChanges(db)
    const part = { ...stageChanges(db), select: 'deal_id, deal_version, at, from_stage_id, to_stage_id, member_id' }
    const asRead = () => ({
      exported: [...eachRow(db, part, a.org)],
      days: [...usualDays(db)(a.org, store.clock.now())],
      timelines: ids.map((id) =>
        timelinePlaces(db)(a.org, 'deal', id, END, 100).found.filter((each) => each.kind === 'stage'),
      ),
    })
    const first = asRead()
    assert.equal(first.exported.length, DEALS * 3)
    assert.deepEqual(
      first.exported.map(([id, version]) => [id, version]),
      ids.toSorted().flatMap((id) => [2, 3, 4].map((version) => [id, version])),
    )
    assert.deepEqual(new Map(first.days).get(a.stages.demo), 1)
    assert.ok(first.timelines.every((found) => found.length === 3))
    for (const most of [1, 4, 6, 1000]) {
      assert.equal(pending.has(1), true)
      store.transaction(() => pending.move(most))
      assert.deepEqual(asRead(), first)
    }
    assert.equal(pending.has(1), false)
    assert.deepEqual([...eachRow(db, part, b.org)], [])

    // A deletion takes all of them along, and keeps them for the bin.
    const [id = ''] = ids
    await server.call('PATCH', `/deals/${id}`, { stage: a.stages.demo })
    store.transaction(() => deals.removeForScreens(who(a), deals.columns.present(deals.find(who(a), id) as never)))
    const count = (sql: string) => db.prepare(`SELECT count(*) FROM ${sql} WHERE deal_id = ?`).pluck().get(id)
    assert.deepEqual([count('deal_stage_changes'), count('deal_stage_changes_pending')], [0, 0])
    const kept = db.prepare("SELECT json_extract(kept, '$.stages[#-1].deal_version') FROM bin WHERE record_id = ?")
    assert.equal(kept.pluck().get(id), 5)
  })

  test('are moved behind the commits, in the order of time', async () => {
    const { a, call, store } = server
    const { body: deal } = await call('POST', '/deals', { title: 'Often' })
    const pending = store.db.prepare('SELECT count(*) FROM deal_stage_changes_pending').pluck()
    for (let count = 0; count < 150; count++) {
      const stage = count % 2 ? a.stages.demo : a.stages.proposal
      await call('PATCH', `/deals/${deal.id}`, { stage })
      assert.ok((pending.get() as number) <= 65)
    }
    const versions = store.db
      .prepare('SELECT deal_version FROM deal_stage_history WHERE deal_id = ? ORDER BY 1')
      .pluck()
    assert.deepEqual(
      versions.all(deal.id),
      Array.from({ length: 150 }, (_, at) => at + 2),
    )
  })
})
