import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { dealStore } from '../../src/crm/deals/deals.ts'
import type { Caller } from '../../src/lib/caller.ts'
import type { Deal } from '../../src/records/deal.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import { type Row, recordsOf } from '../support/records.ts'

// What reports say of single deals, as people in other products did not get it. It is 20 November 2026 in Berlin.

const DAY = 86_400_000

let app: AppServer
const { newDeal, patchRecord, getRecord } = recordsOf(() => app)
before(async () => {
  app = await startApp()
})
after(() => app.stop())

const get = (path: string): Promise<Row> => app.ok('viewer', 'GET', path)
const barOf = async (path: string, bar: string, part = 0): Promise<Row> =>
  (await get(path)).parts[part].bars.find((each: Row) => each.bar === bar)
const close = async (id: string, reason: 'won' | 'lost'): Promise<Row> => {
  const { status, body, text } = await app.call('POST', `/deals/${id}/close`, { reason_id: app.a.reasons[reason] })
  assert.equal(status, 200, text)
  return body
}
const setZone = (timezone: string): void => {
  const { org } = showSettings(app.store, app.a.org)
  applySettings(app.store, app.a.org, { org: { ...org, timezone } })
}
/** Each test has a currency of its own, so that none sees the deals of another. */
let count = 0
const own = (): string => `?currency=${['SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'RON'][count++]}`
const currencyIn = (query: string): string => query.slice(-3)

test('a date is in its month in every zone, and all open deals are in exactly one bar', async () => {
  const query = own()
  const currency = currencyIn(query)
  for (const date of ['2026-12-01', '2026-12-31', '2026-11-19', '2026-11-20', '2027-11-01', null])
    await newDeal({ amount: 10, currency, expected_close_date: date })
  const closed = await newDeal({ amount: 10, currency, expected_close_date: '2026-01-01' })
  await close(closed.id, 'won')
  for (const zone of ['Pacific/Honolulu', 'Asia/Kolkata', 'Pacific/Auckland', 'Europe/Berlin']) {
    setZone(zone)
    const { parts } = await get(`/reports/forecast${query}`)
    const bars = Object.fromEntries(parts[0].bars.map(({ bar, all }: Row) => [bar, all.count]))
    assert.deepEqual(
      [bars['2026-12'], bars.later, bars.none, bars.passed + bars['2026-11'], parts[0].total.all.count],
      [2, 1, 1, 2, 6],
      zone,
    )
  }
})

test('a month begins in the zone of the organisation', async () => {
  const query = own()
  // Half past midnight on 1 December in Berlin, still November in Los Angeles.
  app.advance(Date.parse('2026-11-30T23:30:00Z') - app.now())
  await close((await newDeal({ amount: 1, currency: currencyIn(query) })).id, 'won')
  await app.pass(0)
  for (const [zone, month] of [
    ['Europe/Berlin', '2026-12'],
    ['America/Los_Angeles', '2026-11'],
    ['Europe/Berlin', '2026-12'],
  ] as const) {
    setZone(zone)
    const path = `/reports/won-lost${query}`
    assert.equal((await barOf(path, month)).series.won.count, 1)
    const list = await get(`/reports/won-lost/list${query}&part=months&bar=${month}&series=won`)
    assert.equal(list.data.length, 1)
  }
})

test('months without a deal are there with 0, and the running one is marked', async () => {
  const query = own()
  const { parts } = await get(`/reports/won-lost${query}`)
  assert.equal(parts[0].bars.length, 12)
  assert.ok(parts[0].bars.every(({ all }: Row) => all.count === 0 && all.sums.length === 0))
  assert.deepEqual(
    parts[0].bars.filter(({ is_running }: Row) => is_running).map(({ bar }: Row) => bar),
    ['2026-12'],
  )
})

test('a deal that is opened again leaves all figures, and counts once in the month of its last closing', async () => {
  const query = own()
  const currency = currencyIn(query)
  const path = `/reports/won-lost${query}`
  const deal = await newDeal({ amount: 100, currency })
  const closed = await close(deal.id, 'won')
  assert.equal((await barOf(path, '2026-12')).series.won.count, 1)
  const deals = dealStore(app.deps)
  const who = { org: app.a.org, member: app.a.owner } as Caller
  await app.store.write(() => void deals.reopen(who, closed as Deal, app.a.stages.qualified))
  assert.equal((await get(path)).parts[0].total.all.count, 0)
  assert.equal((await barOf(`/reports/forecast${query}`, 'none')).all.count, 1)
  await app.pass(40 * DAY)
  await close(deal.id, 'won')
  const bars = (await get(path)).parts[0].bars.filter(({ all }: Row) => all.count > 0)
  assert.deepEqual(
    bars.map(({ bar, series }: Row) => [bar, series.won.count, series.won.sums[0].amount]),
    [['2027-01', 1, '100']],
  )
})

test('two visits add up, the one that goes on is apart, and losing and taking that back change nothing', async () => {
  const query = own()
  const { stages } = app.a
  const deal = await newDeal({ currency: currencyIn(query) })
  const move = (stage: string) => patchRecord(`/deals/${deal.id}`, { stage })
  await app.pass(10 * DAY)
  await move(stages.demo)
  await app.pass(2 * DAY)
  await move(stages.qualified)
  await app.pass(3 * DAY)
  await move(stages.proposal)
  await app.pass(4 * DAY)
  const asOf = new Date(app.now()).toISOString()
  const times = async () => {
    const { parts } = await get(`/reports/funnel${query}&as_of=${asOf}`)
    return parts[1].bars.map(({ bar, series }: Row) => [
      bar,
      series.finished.count,
      series.finished.ms / DAY,
      series.running.ms / DAY,
    ])
  }
  const expected = [
    [stages.qualified, 2, 13, 0],
    [stages.demo, 1, 2, 0],
    [stages.proposal, 0, 0, 4],
  ]
  assert.deepEqual(await times(), expected)
  const before = (await getRecord(`/deals/${deal.id}`)) as Deal
  const lost = (await close(deal.id, 'lost')) as Deal
  const who = { org: app.a.org, member: app.a.owner } as Caller
  const back = { undone: lost, times: { stage_changed_at: before.stage_changed_at } }
  await app.store.write(() => void dealStore(app.deps).reopen(who, lost, before.stage, back))
  assert.deepEqual(await times(), expected)
})

test('a deal that skips stages has passed them, and no step is larger than the one before', async () => {
  const query = own()
  const currency = currencyIn(query)
  const { stages } = app.a
  const skipping = await newDeal({ currency })
  await patchRecord(`/deals/${skipping.id}`, { stage: stages.proposal })
  const returning = await newDeal({ currency })
  for (const stage of [stages.demo, stages.qualified, stages.demo, stages.qualified])
    await patchRecord(`/deals/${returning.id}`, { stage })
  await close((await newDeal({ currency })).id, 'won')
  const lost = await newDeal({ currency })
  await patchRecord(`/deals/${lost.id}`, { stage: stages.demo })
  await close(lost.id, 'lost')
  const { bars } = (await get(`/reports/funnel${query}`)).parts[0]
  assert.deepEqual(
    bars.map(({ all }: Row) => all.count),
    [4, 4, 2, 1],
  )
})
