import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MAX_COUNT } from '../../../src/site/app/boot.ts'
import { type BoardAnswer, boardRows } from '../../../src/web/data/board-wire.ts'
import { inboxOf } from '../../support/inbox.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { setLevels } from '../../support/settings.ts'

const DAY_MS = 86_400_000

let server: TestServer
let screens: Screens
let ana: SignedIn
const { newDeal, newCompany, newRecord, patchRecord } = recordsOf(() => server)

before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const boot = async (who: SignedIn) => (await who.call('GET', '/app/boot')).body

describe('boot', () => {
  test('has the member, the organisation and its settings, as the API shows them', async () => {
    await newRecord('/tags', { name: 'Key account' })
    const found = await boot(ana)
    const listed = async (path: string) => (await server.call('GET', path)).body.data
    assert.deepEqual(found.members, (await listed('/members?limit=100')).reverse())
    assert.deepEqual(found.tags, await listed('/tags'))
    assert.deepEqual(found.close_reasons, await listed('/close-reasons?include_inactive=true'))
    const stages = found.stages.map(({ usual_days: _, ...stage }: Record<string, unknown>) => stage)
    assert.deepEqual(stages, await listed('/stages'))
    assert.deepEqual(found.pipelines.map(({ name }: { name: string }) => name).length, 2)
    assert.deepEqual(found.org, {
      id: server.a.id,
      name: 'Acme',
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      country: null,
    })
    assert.equal(found.first_weekday, 1, 'Monday, in the country of its zone')
    const { id, role, language, theme, has_password, totp } = found.me
    assert.deepEqual([id, role, language, theme, has_password, totp], [ana.id, 'member', 'en', 'system', true, false])
    assert.equal(found.seq, server.lastSeq())
    assert.equal(found.api_url, server.url, 'where tokens are taken, which the address of the page is not')
    assert.notEqual(found.api_url, screens.url)
    assert.deepEqual(found.views, [])
  })

  test('counts what is there, and the own tasks that are late or due today', async () => {
    const { counts: before } = await boot(ana)
    await newDeal()
    await newCompany()
    const at = (ms: number) => new Date(server.now() + ms).toISOString()
    for (const [owner_id, due_at] of [
      [ana.id, at(-1000)],
      [ana.id, at(3_600_000)],
      [ana.id, at(2 * DAY_MS)],
      [ana.id, null],
      [server.a.owner, at(-1000)],
    ])
      await newRecord('/tasks', { title: 'Call', owner_id, due_at })
    await newRecord('/tasks', { title: 'Done', owner_id: ana.id, due_at: at(-1000), status: 'done' })
    assert.deepEqual((await boot(ana)).counts, {
      ...before,
      deals: before.deals + 1,
      companies: before.companies + 1,
      notifications: before.notifications + 4, // one for each task that somebody else gave
      tasks_late: 1,
      tasks_now: 1,
    })
    assert.ok(before.contacts < MAX_COUNT)
  })

  test('counts the conversations that wait for us, and those that are late', async () => {
    const fresh = await startServer()
    const site = await startScreens(fresh)
    const inbox = inboxOf(fresh)
    const counts = async () => {
      const { inbox_now, inbox_late } = (await boot(await site.signedIn('viewer'))).counts
      return [inbox_now, inbox_late]
    }
    try {
      const targets = { normal: { first_response_s: 3600 } }
      setLevels(fresh.store, fresh.a.org, {
        sla: [{ key: 'usual', name: 'Usual', hours: null, pause_on: [], targets }],
      })
      const [one, two, three] = [await inbox.opened(), await inbox.opened(), await inbox.opened()]
      assert.deepEqual(await counts(), [3, 0])
      await inbox.say('outbound', one.id)
      await inbox.patch(two.id, { status: 'closed' })
      fresh.advance(3_600_000)
      assert.deepEqual(await counts(), [1, 0], 'a target is not missed in the second in which it is due')
      fresh.advance(1000)
      assert.deepEqual(await counts(), [1, 1])
      await inbox.patch(three.id, { status: 'snoozed', snoozed_until: inbox.inMs(3_600_000) })
      assert.deepEqual(await counts(), [0, 1], 'a snooze hides it from the work, and stops no target')
    } finally {
      await site.stop()
      await fresh.stop()
    }
  })

  test('has the first steps until the member has put them away', async () => {
    const bea = await screens.signedIn('member')
    const checklist = async (given: object) => {
      await bea.call('PATCH', '/app/preferences', { checklist: given })
      return (await boot(bea)).checklist
    }
    assert.deepEqual((await boot(bea)).checklist, {})
    assert.deepEqual(await checklist({ done: ['deal'] }), { done: ['deal'] })
    assert.equal(await checklist({ done: ['deal'], dismissed: true }), null)
  })

  test('says how long deals usually stay in a stage, once enough of them have left it', async () => {
    const fresh = await startServer()
    const site = await startScreens(fresh)
    try {
      const { qualified, demo } = fresh.a.stages
      const usual = async () => {
        const member = await site.signedIn('viewer')
        fresh.advance(3_600_000) // it is read once an hour
        const { stages } = await boot(member)
        return stages.find(({ id }: { id: string }) => id === qualified).usual_days
      }
      for (const days of [1, 2, 3, 8]) await move(days)
      assert.equal(await usual(), null)
      await move(20)
      assert.equal(await usual(), 3)
      await move(5)
      assert.equal(await usual(), 4)
      fresh.advance(366 * DAY_MS)
      assert.equal(await usual(), null)

      async function move(days: number): Promise<void> {
        const { body } = await fresh.call('POST', '/deals', { title: 'Moves' })
        fresh.advance(days * DAY_MS)
        await fresh.call('PATCH', `/deals/${body.id}`, { stage: demo })
      }
    } finally {
      await site.stop()
      await fresh.stop()
    }
  })
})

describe('the board', () => {
  const board = async (who: SignedIn, pipeline: string, headers: Record<string, string> = {}) =>
    who.call('GET', `/app/board?pipeline_id=${pipeline}`, undefined, headers)

  test('has every open deal of the pipeline with what its card shows, as of one event', async () => {
    const company = await newCompany({ name: 'A "quoted" & Söhne' })
    const deal = await newDeal({ title: 'Tück', amount: 1250.5, currency: 'EUR', company_id: company.id })
    const [moved, closed] = [await newDeal({ title: 'Moved' }), await newDeal({ title: 'Closed' })]
    await patchRecord(`/deals/${moved.id}`, { stage: server.a.stages.demo })
    await server.call('POST', `/deals/${closed.id}/close`, { reason_id: server.a.reasons.won })
    const other = await newDeal({ title: 'Elsewhere', pipeline_id: server.a.pipelines.partners })
    const due = (days: number) => new Date(server.now() + days * DAY_MS).toISOString()
    await newRecord('/tasks', { title: 'Later', deal_ids: [deal.id], due_at: due(3) })
    const next = await newRecord('/tasks', { title: 'Next', type: 'call', deal_ids: [deal.id], due_at: due(1) })
    await newRecord('/tasks', { title: 'Done', deal_ids: [deal.id], due_at: due(0), status: 'done' })
    server.advance(60_000)
    await newRecord('/notes', { body: 'Spoke to them', deal_ids: [deal.id] })
    const { status, body } = await board(ana, server.a.pipelines.sales)
    assert.deepEqual([status, body.seq, body.is_complete], [200, server.lastSeq(), true])
    const byId = new Map(boardRows(body).map((row) => [row.id, row]))
    assert.deepEqual(byId.get(deal.id), {
      id: deal.id,
      title: 'Tück',
      amount: 1250.5,
      currency: 'EUR',
      stage_id: deal.stage,
      company_id: company.id,
      company_name: 'A "quoted" & Söhne',
      owner_id: deal.owner_id,
      expected_close_date: null,
      stage_changed_at: Date.parse(deal.stage_changed_at),
      last_activity_at: server.now(),
      next_task: { id: next.id, title: 'Next', type: 'call', due_at: Date.parse(next.due_at) },
      tag_ids: [],
      version: 1,
    })
    assert.equal(byId.get(moved.id)?.stage_id, server.a.stages.demo)
    assert.deepEqual([byId.has(closed.id), byId.has(other.id)], [false, false])
    const { body: listed } = await server.call('GET', '/deals?status=open&limit=100')
    const own = listed.data.filter(({ id }: { id: string }) => id !== other.id)
    assert.deepEqual([...byId.keys()].sort(), own.map(({ id }: { id: string }) => id).sort())
  })

  test('is 304 until something happens', async () => {
    const first = await board(ana, server.a.pipelines.sales)
    const known = { 'if-none-match': first.headers.get('etag') as string }
    assert.equal((await board(ana, server.a.pipelines.sales, known)).status, 304)
    await newDeal()
    assert.equal((await board(ana, server.a.pipelines.sales, known)).status, 200)
  })

  test('that is large is as new for the next member, and never that of another organisation', async () => {
    for (let number = 0; number < 280; number++) await newDeal({ title: `${number} `.padEnd(255, 'x') })
    const compressed = { 'accept-encoding': 'gzip' }
    const titles = async (who: SignedIn) => {
      const answer = await fetch(`${screens.url}/app/board?pipeline_id=${server.a.pipelines.sales}`, {
        headers: { cookie: who.cookie, ...compressed },
      })
      assert.equal(answer.headers.get('content-encoding'), 'gzip')
      return boardRows((await answer.json()) as BoardAnswer).map(({ title }) => title)
    }
    const before = await titles(ana)
    assert.ok(before.length > 280)
    const colleague = await screens.signedIn('viewer')
    assert.deepEqual(await titles(colleague), before)
    await newDeal({ title: 'The newest' })
    assert.ok((await titles(colleague)).includes('The newest'))
    const stranger = await screens.signedIn('owner', server.b)
    const other = await fetch(`${screens.url}/app/board?pipeline_id=${server.a.pipelines.sales}`, {
      headers: { cookie: stranger.cookie, ...compressed },
    })
    assert.deepEqual(boardRows((await other.json()) as BoardAnswer), [])
  })

  test('of another organisation has no deals, and needs a pipeline', async () => {
    const stranger = await screens.signedIn('owner', server.b)
    assert.deepEqual(boardRows((await board(stranger, server.a.pipelines.sales)).body), [])
    assert.equal((await board(ana, 'x')).body.code, 'invalid_query')
    assert.equal((await ana.call('GET', '/app/board')).status, 400)
  })
})
