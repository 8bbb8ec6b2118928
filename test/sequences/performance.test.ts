import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { resourceDeps } from '../../src/app/deps.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { sequenceFigures } from '../../src/sequences/sequences/figures.ts'
import { spansOf } from '../../src/sequences/sequences/intervals.ts'
import { EMAIL_STEP, enroll, insertRow, makeSequence, type Row } from '../support/enrolled.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The organisation of the tests is in Berlin, and today is 20 November 2026.

const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (text: string): number => Date.parse(text)
/** In the middle of today. */
const NOON = at('2026-11-20T11:00:00Z')
const CALL_STEP = { type: 'call', delay_s: 0, business_days_only: false, task_title: 'Call' }

let server: TestServer
let sequence: { id: string; steps: string[] }
let listening: string
let silent: string
let count = 0

before(async () => {
  server = await startServer()
  listening = mailbox({ imap: '{}' })
  silent = mailbox({ imap: null })
})
after(() => server.stop())
beforeEach(() => {
  sequence = makeSequence(server, server.a, { steps: [EMAIL_STEP, EMAIL_STEP, CALL_STEP] })
})

function mailbox(given: Row, org = server.a): string {
  const id = server.store.clock.id()
  insertRow(server.store, 'mailboxes', {
    ...{ org_id: org.org, id, key: id, name: 'Sales', address: 'sales@acme.example', is_default: 0, is_active: 1 },
    ...{ position: 0, has_reply_tags: 0, spacing_s: 0, smtp: '{}', created_at: 0, updated_at: 0, version: 1 },
    ...given,
  })
  return id
}

/** Returns an id of that time, like that of a record created then. */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${(count++).toString(16).padStart(12, '0')}`
}

function contact(): string {
  const id = idAt(NOON)
  insertRow(server.store, 'contacts', {
    ...{ org_id: server.a.org, id, name: 'Ana', name_key: 'ana', emails: '[]', phones: '[]', tag_ids: '[]' },
    ...{ do_not_contact: 0, created_at: 0, updated_at: 0, version: 1 },
  })
  return id
}

function deal(given: Row): string {
  const { a, store } = server
  const id = idAt(NOON)
  const closed = { status: 'won', stage_id: a.stages.won, close_reason_id: a.reasons.won, closed_at: NOON }
  insertRow(store, 'deals', {
    ...{ org_id: a.org, id, title: 'Desks', title_key: 'desks', tag_ids: '[]', stage_changed_at: 0 },
    ...{ ...closed, created_at: 0, updated_at: 0, version: 1, ...given },
  })
  return id
}

type Made = { at?: number; contact_id?: string | null; steps?: Row[] } & Record<string, unknown>

/** An enrollment that was made at a time, with what it has done; a mail goes by the mailbox that listens. */
function enrollment({ at: made = NOON, steps = [], ...given }: Made = {}, of = sequence): string {
  const id = idAt(made)
  const row = { id, contact_id: contact(), created_at: made, updated_at: made, ...given }
  enroll(server, server.a, of.id, row as Row)
  for (const [position, step] of steps.entries()) {
    const { mailbox_id = listening, ...rest } = step
    const message_id = idAt(made)
    insertRow(server.store, 'enrollment_steps', {
      ...{ org_id: server.a.org, enrollment_id: id, position, step_id: of.steps[position] as string, type: 'email' },
      ...{ at: made, ...rest },
    })
    if (rest.sent_at === undefined) continue
    addMail(message_id, mailbox_id)
    server.store.db
      .prepare('UPDATE enrollment_steps SET message_id = ? WHERE enrollment_id = ? AND position = ?')
      .run(message_id, id, position)
  }
  return id
}

function addMail(message_id: string, mailbox_id: string | number | null): void {
  const { store, a } = server
  const conversation_id = (store.db.prepare('SELECT id FROM conversations LIMIT 1').pluck().get() ??
    addConversation()) as string
  insertRow(store, 'messages', {
    ...{ org_id: a.org, id: message_id, conversation_id, channel: 'email', direction: 'outbound', author: '{}' },
    ...{ body_text: '', sent_at: 0, status: 'sent', sent_to: '[]', sent_cc: '[]', is_automatic: 0, attachments: '[]' },
    ...{ created_at: 0, updated_at: 0, version: 1 },
  })
  insertRow(store, 'message_headers', { org_id: a.org, message_id, mailbox_id, refs: '[]' })
}

function addConversation(): string {
  const { store, a } = server
  const id = idAt(NOON)
  insertRow(store, 'conversations', {
    ...{ org_id: a.org, id, number: 1, channel: 'email', status: 'closed', priority: 'normal', tag_ids: '[]' },
    ...{ unread_count: 0, last_message_at: 0, preview: '', sla: '{"status":"none"}', closed_at: 0 },
    ...{ created_at: 0, updated_at: 0, version: 1 },
  })
  return id
}

async function performance(query = '', of = sequence) {
  const { status, body } = await server.call('GET', `/sequences/${of.id}/performance${query && `?${query}`}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const summary = async (query = '', of = sequence) => (await performance(query, of)).summary
const TODAY = 'from=2026-11-20&to=2026-11-20'

describe('what is asked for', () => {
  test('is the last 30 days, by day, unless it is said', async () => {
    const body = await performance()
    assert.deepEqual(
      [body.sequence_id, body.from, body.to, body.interval, body.timezone, body.timeline.length],
      [sequence.id, '2026-10-22', '2026-11-20', 'day', 'Europe/Berlin', 30],
    )
    assert.equal(body.timeline[0].from, '2026-10-22')
    assert.equal(body.timeline[29].from, '2026-11-20')
  })

  test('is 30 days with the last of them, or from the first until today', async () => {
    const [ending, beginning] = [await performance('to=2026-03-31'), await performance('from=2026-11-19')]
    assert.deepEqual([ending.from, ending.to], ['2026-03-02', '2026-03-31'])
    assert.deepEqual([beginning.from, beginning.to], ['2026-11-19', '2026-11-20'])
  })

  test('today is that of the organisation', async () => {
    const was = server.now()
    server.advance(at('2026-11-20T23:30:00Z') - was)
    assert.equal((await performance()).to, '2026-11-21')
    server.advance(was - server.now())
  })

  test('is cut into weeks and months, of which the first and the last may be shorter', async () => {
    const froms = async (query: string) => (await performance(query)).timeline.map(({ from }: { from: string }) => from)
    assert.deepEqual(await froms('from=2026-11-04&to=2026-11-17&interval=week'), [
      '2026-11-04',
      '2026-11-09',
      '2026-11-16',
    ])
    assert.deepEqual(await froms('from=2026-01-31&to=2026-03-01&interval=month'), [
      '2026-01-31',
      '2026-02-01',
      '2026-03-01',
    ])
  })

  test('has at most 400 intervals', async () => {
    assert.equal((await performance('from=2025-01-01&to=2026-02-04')).timeline.length, 400)
    const { status, body } = await server.call(
      'GET',
      `/sequences/${sequence.id}/performance?from=2025-01-01&to=2026-02-05`,
    )
    assert.deepEqual([status, body.code], [400, 'invalid_query'])
    assert.match(body.detail, /400 intervals/)
    assert.equal((await performance('from=2025-01-01&to=2026-02-05&interval=week')).timeline.length, 58)
  })

  for (const query of [
    'from=2026-02-30',
    'to=yesterday',
    'from=2026-11-20T00:00:00Z',
    'from=',
    'from=2026-11-21',
    'from=2026-11-02&to=2026-11-01',
    'interval=hour',
    'interval=',
    'cursor=x',
    'limit=5',
    'from=2026-11-01&from=2026-11-02',
    'from=0001-01-01&to=9999-12-31&interval=month',
  ])
    test(`is 400 for ${query}`, async () => {
      const { status, body } = await server.call('GET', `/sequences/${sequence.id}/performance?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
    })

  test('may lie at either end of time', async () => {
    assert.equal((await performance('from=0001-01-01&to=0001-01-02')).timeline.length, 2)
    assert.equal((await performance('from=9999-12-30&to=9999-12-31')).timeline.length, 2)
  })

  test('has no entity tag, and is never 304', async () => {
    const { status, headers } = await server.call('GET', `/sequences/${sequence.id}/performance`, undefined, {
      headers: { 'if-none-match': '*' },
    })
    assert.deepEqual([status, headers.get('etag')], [200, null])
  })

  test('is 400 for a day that is none before anybody looks for the sequence', async () => {
    assert.equal((await server.call('GET', '/sequences/x/performance?from=2026-02-30')).status, 400)
  })

  test('is 404 for a sequence of another organisation', async () => {
    const foreign = makeSequence(server, server.b)
    assert.equal((await server.call('GET', `/sequences/${foreign.id}/performance`)).status, 404)
  })
})

describe('a day', () => {
  test('begins and ends at midnight in the zone of the organisation, to the millisecond', async () => {
    const begin = at('2026-11-19T23:00:00Z')
    for (const made of [begin - 1, begin, begin + DAY - 1, begin + DAY]) enrollment({ at: made })
    assert.equal((await summary(TODAY)).enrolled, 2)
  })

  test('has 25 hours where clocks are set back', async () => {
    const begin = at('2026-10-24T22:00:00Z')
    for (const made of [begin - 1, begin, begin + 25 * HOUR - 1, begin + 25 * HOUR]) enrollment({ at: made })
    assert.equal((await summary('from=2026-10-25&to=2026-10-25')).enrolled, 2)
  })

  test('that a zone leaves out is empty', () => {
    const spans = spansOf('2011-12-29', '2011-12-31', { interval: 'day', timezone: 'Pacific/Apia', most: 9 })
    assert.deepEqual(
      spans?.map(({ start, end }) => (end - start) / DAY),
      [1, 0, 1],
    )
  })

  test('follows the one before without a gap, whatever they are cut into', () => {
    const date = fc.date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Sao_Paulo', 'Asia/Kathmandu', 'Pacific/Apia')
    fc.assert(
      fc.property(
        date,
        fc.nat(900),
        zone,
        fc.constantFrom('day', 'week', 'month'),
        (first, days, timezone, interval) => {
          const from = first.toISOString().slice(0, 10)
          const to = new Date(at(from) + days * DAY).toISOString().slice(0, 10)
          const spans = spansOf(from, to, { interval, timezone, most: 1000 })!
          assert.equal(spans[0]?.from, from)
          for (const [index, span] of spans.entries()) {
            if (index > 0) assert.equal(span.start, spans[index - 1]!.end)
            const day = new Date(`${span.from}T12:00:00Z`)
            if (index > 0 && interval === 'week') assert.equal(day.getUTCDay(), 1)
            if (index > 0 && interval === 'month') assert.equal(day.getUTCDate(), 1)
          }
          const whole = spansOf(from, to, { interval: 'day', timezone, most: 1000 })!
          assert.deepEqual([spans[0]?.start, spans.at(-1)?.end], [whole[0]?.start, whole.at(-1)?.end])
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('the summary', () => {
  test('of a sequence that nothing was done with is empty, and knows of nothing that it does not hear', async () => {
    assert.deepEqual(await summary(), {
      enrolled: 0,
      active: 0,
      completed: 0,
      stopped: 0,
      sent: 0,
      replied: null,
      bounced: null,
      unsubscribed: null,
      meetings_booked: 0,
      deals_won: 0,
      amount_won: [],
      reply_rate: null,
      bounce_rate: null,
    })
  })

  test('counts each thing when it happened, not when its enrollment was made', async () => {
    enrollment({
      at: NOON - 60 * DAY,
      status: 'stopped',
      replied_at: NOON,
      unsubscribed_at: NOON,
      meeting_booked_at: NOON,
      finished_at: NOON,
      steps: [{ sent_at: NOON - 50 * DAY }, { sent_at: NOON - HOUR, replied_at: NOON, bounced_at: NOON }],
    })
    const { enrolled, active, completed, stopped, sent, replied, bounced, unsubscribed, meetings_booked } =
      await summary(TODAY)
    assert.deepEqual([enrolled, active, completed, stopped], [0, 0, 0, 1])
    assert.deepEqual([sent, replied, bounced, unsubscribed, meetings_booked], [1, 1, 1, 1, 1])
    const before = await summary('from=2026-09-01&to=2026-11-19')
    assert.deepEqual([before.enrolled, before.active, before.stopped, before.sent, before.replied], [1, 1, 0, 1, 0])
  })

  test('has those active that are live at the end of the range, and those that failed among the stopped', async () => {
    for (const status of ['scheduled', 'active', 'paused']) enrollment({ status })
    enrollment({ status: 'failed', finished_at: NOON })
    enrollment({ status: 'stopped', finished_at: NOON })
    enrollment({ status: 'completed', finished_at: NOON })
    enrollment({ status: 'completed', finished_at: NOON + DAY })
    enrollment({ at: NOON + DAY })
    const { active, completed, stopped } = await summary(TODAY)
    assert.deepEqual([active, completed, stopped], [4, 1, 2])
    const later = await summary('from=2026-11-21&to=2026-11-22')
    assert.deepEqual([later.active, later.completed, later.stopped], [4, 1, 0])
  })

  test('is of the sequence alone', async () => {
    const other = makeSequence(server, server.a)
    enrollment({ replied_at: NOON, deal_id: deal({ amount_micros: 1_000_000 }), steps: [{ sent_at: NOON }] }, other)
    const { enrolled, active, sent, replied, deals_won } = await summary()
    assert.deepEqual([enrolled, active, sent, replied, deals_won], [0, 0, 0, null, 0])
  })
})

describe('the rates', () => {
  test('are of contacts who answered after a mail of the range, each once', async () => {
    const [twice, never] = [contact(), contact()]
    enrollment({ contact_id: twice, status: 'stopped', replied_at: NOON + 3, steps: [{ sent_at: NOON }] })
    enrollment({ contact_id: twice, status: 'stopped', replied_at: NOON + 9, steps: [{ sent_at: NOON + 5 }] })
    enrollment({ contact_id: never, steps: [{ sent_at: NOON }, { sent_at: NOON + HOUR }] })
    const gone = { contact_id: null, status: 'stopped', finished_at: NOON }
    enrollment({ ...gone, steps: [{ sent_at: NOON }] })
    enrollment({ ...gone, replied_at: NOON + 40 * DAY, steps: [{ sent_at: NOON }] })
    enrollment({ replied_at: NOON - 1, steps: [{ sent_at: NOON }] })
    enrollment({ replied_at: NOON, steps: [{ sent_at: NOON - 2 * DAY }] })
    assert.equal((await summary(TODAY)).reply_rate, 2 / 5)
  })

  test('are of mails that came back, of those that were sent in the range', async () => {
    enrollment({ steps: [{ sent_at: NOON, bounced_at: NOON + 40 * DAY }, { sent_at: NOON }] })
    enrollment({ steps: [{ sent_at: NOON }, { sent_at: NOON }] })
    enrollment({ steps: [{ sent_at: NOON - 2 * DAY, bounced_at: NOON }] })
    const { bounce_rate, bounced, sent } = await summary(TODAY)
    assert.deepEqual([bounce_rate, bounced, sent], [1 / 4, 1, 4])
  })

  test('are null where none was sent in the range', async () => {
    enrollment({ replied_at: NOON, steps: [{ sent_at: NOON - 2 * DAY, bounced_at: NOON }] })
    const { reply_rate, bounce_rate, replied, bounced } = await summary(TODAY)
    assert.deepEqual([reply_rate, bounce_rate, replied, bounced], [null, null, 1, 1])
  })
})

describe('what is not tracked is null', () => {
  const tracked = ({ replied, bounced, unsubscribed, reply_rate, bounce_rate }: Record<string, unknown>) => [
    ...[replied, bounced, unsubscribed],
    ...[reply_rate, bounce_rate],
  ]

  test('in every part, where no mail went by a mailbox that listens', async () => {
    enrollment({ steps: [{ sent_at: NOON, mailbox_id: silent }] })
    const { summary, steps, timeline } = await performance(TODAY)
    assert.deepEqual([summary.sent, ...tracked(summary)], [1, null, null, null, null, null])
    assert.deepEqual(
      tracked(steps[0]).filter((value) => value !== undefined),
      [null, null, null, null],
    )
    assert.deepEqual([timeline[0].replied, timeline[0].bounced, timeline[0].unsubscribed], [null, null, null])
  })

  test('also where the mailbox is gone, and where the only mail by one that listens was sent later', async () => {
    enrollment({ steps: [{ sent_at: NOON, mailbox_id: null }, { sent_at: NOON + DAY }] })
    assert.deepEqual(tracked(await summary(TODAY)), [null, null, null, null, null])
    assert.deepEqual(tracked(await summary('from=2026-11-20&to=2026-11-21')), [0, 0, 0, 0, 0])
  })

  test('and 0 where one mail went by a mailbox that listens, also before the range', async () => {
    enrollment({ steps: [{ sent_at: NOON - 50 * DAY }, { sent_at: NOON, mailbox_id: silent }] })
    assert.deepEqual(tracked(await summary(TODAY)), [0, 0, 0, 0, 0])
  })

  test('but not where it is known anyway, at any time', async () => {
    const sent = { sent_at: NOON, mailbox_id: silent }
    enrollment({ steps: [sent], replied_at: NOON - 50 * DAY })
    assert.deepEqual(tracked(await summary(TODAY)), [0, null, null, 0, null])
    enrollment({ steps: [{ ...sent, bounced_at: NOON + 50 * DAY }] })
    assert.deepEqual(tracked(await summary(TODAY)), [0, 0, null, 0, 1 / 2])
    enrollment({ unsubscribed_at: NOON - 50 * DAY })
    assert.deepEqual(tracked(await summary(TODAY)), [0, 0, 0, 0, 1 / 2])
  })

  test('and people can unsubscribe where the organisation can be reached', async () => {
    const setUrl = server.store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
    setUrl.run('https://crm.acme.example', server.a.org)
    assert.equal((await summary()).unsubscribed, 0)
    setUrl.run(null, server.a.org)
    assert.equal((await summary()).unsubscribed, null)
  })
})

describe('deals', () => {
  test('that were won in the range count once each, with their amounts by currency, exactly', async () => {
    const euro = deal({ currency: 'EUR', amount_micros: 123_456_789_123_456n as never })
    enrollment({ deal_id: euro })
    enrollment({ deal_id: euro })
    enrollment({ deal_id: deal({ currency: 'EUR', amount_micros: 1 }) })
    enrollment({ deal_id: deal({ currency: null, amount_micros: 5_000_000 }) })
    enrollment({ deal_id: deal({ currency: 'CHF', amount_micros: 2_500_000 }) })
    enrollment({ deal_id: deal({ currency: 'USD', amount_micros: null }) })
    enrollment({ deal_id: deal({ closed_at: NOON - DAY }) })
    enrollment({ deal_id: deal({ closed_at: NOON + DAY }) })
    const { lost } = server.a.reasons
    enrollment({ deal_id: deal({ status: 'lost', stage_id: server.a.stages.lost, close_reason_id: lost }) })
    const open = { status: 'open', stage_id: server.a.stages.demo, close_reason_id: null, closed_at: null }
    enrollment({ deal_id: deal(open) })
    const { deals_won, amount_won } = await summary(TODAY)
    assert.equal(deals_won, 5)
    assert.deepEqual(amount_won, [
      { currency: 'CHF', amount: 2.5 },
      { currency: 'EUR', amount: 123_456_789.123457 },
      { currency: null, amount: 5 },
    ])
  })

  test('are null, number and amounts, without the scope to read deals', async () => {
    enrollment({ deal_id: deal({ currency: 'EUR', amount_micros: 1_000_000 }) })
    const path = `/sequences/${sequence.id}/performance?${TODAY}`
    const { token } = await server.tokenWith(SCOPES.filter((scope) => scope !== 'rest.crm.deals.read'))
    const [limited, full] = [await server.call('GET', path, undefined, { token }), await server.call('GET', path)]
    assert.deepEqual(full.body.summary.amount_won, [{ currency: 'EUR', amount: 1 }])
    const none = { deals_won: null, amount_won: null }
    assert.deepEqual(limited.body, { ...full.body, summary: { ...full.body.summary, ...none } })
  })

  test('may together be worth more than one may be, to the last digit', async () => {
    const most = 9_000_000_000_000_000_000n
    for (const more of [0n, 1n, 2n]) {
      const id = deal({ currency: 'EUR', amount_micros: 1 })
      server.store.db.prepare('UPDATE deals SET amount_micros = ? WHERE id = ?').run(most - more, id)
      enrollment({ deal_id: id })
    }
    const { text } = await server.call('GET', `/sequences/${sequence.id}/performance?${TODAY}`)
    assert.ok(text.includes('"amount_won":[{"currency":"EUR","amount":26999999999999.999997}]'), text)
  })
})

describe('the steps', () => {
  test('have what came of each of them, and null where they send nothing', async () => {
    enrollment({
      replied_at: NOON,
      steps: [
        { sent_at: NOON - HOUR, bounced_at: NOON },
        { sent_at: NOON - HOUR, replied_at: NOON },
        { type: 'call', replied_at: NOON },
      ],
    })
    enrollment({ steps: [{ sent_at: NOON }] })
    const { steps } = await performance(TODAY)
    const [first, second, call] = sequence.steps
    assert.deepEqual(steps, [
      {
        ...{ step_id: first, position: 0, type: 'email', is_current: true },
        ...{ sent: 2, replied: 0, bounced: 1, reply_rate: 0, bounce_rate: 0.5 },
      },
      {
        ...{ step_id: second, position: 1, type: 'email', is_current: true },
        ...{ sent: 1, replied: 1, bounced: 0, reply_rate: 1, bounce_rate: 0 },
      },
      {
        ...{ step_id: call, position: 2, type: 'call', is_current: true },
        ...{ sent: null, replied: 1, bounced: null, reply_rate: null, bounce_rate: null },
      },
    ])
  })

  test('of earlier versions are told of where they have figures, behind those of now', async () => {
    const { db } = server.store
    enrollment({ steps: [{ sent_at: NOON }, { sent_at: NOON }] })
    const [first, second, call] = sequence.steps as [string, string, string]
    const added = idAt(NOON)
    const steps = JSON.stringify([second, added].map((id, position) => ({ ...EMAIL_STEP, id, position })))
    insertRow(server.store, 'sequence_versions', {
      ...{ org_id: server.a.org, sequence_id: sequence.id, number: 2, steps, stop_on: '[]', created_at: 0 },
    })
    db.prepare('UPDATE sequences SET current_version = 2, steps = ? WHERE id = ?').run(steps, sequence.id)
    const told = async (query: string) =>
      (await performance(query)).steps.map((step: Record<string, unknown>) => [
        step.step_id,
        step.position,
        step.is_current,
        step.sent,
      ])
    assert.deepEqual(await told(TODAY), [
      [second, 0, true, 1],
      [added, 1, true, 0],
      [first, 0, false, 1],
    ])
    assert.deepEqual(await told('from=2026-11-01&to=2026-11-02'), [
      [second, 0, true, 0],
      [added, 1, true, 0],
    ])
    assert.ok(!(await told(TODAY)).flat().includes(call))
  })
})

describe('against a naive count', () => {
  const moment = fc.integer({ min: NOON - 40 * DAY, max: NOON + 5 * DAY })
  const maybe = fc.option(moment, { nil: null, freq: 2 })
  const step = fc.record({ sent_at: maybe, replied_at: maybe, bounced_at: maybe })
  const anyEnrollment = fc.record({
    at: moment,
    contact: fc.nat(3),
    deal: fc.option(fc.nat(2), { nil: null }),
    status: fc.constantFrom('active', 'paused', 'completed', 'stopped', 'failed'),
    finished_at: moment,
    replied_at: maybe,
    unsubscribed_at: maybe,
    meeting_booked_at: maybe,
    steps: fc.array(step, { maxLength: 2 }),
  })
  const day = fc.integer({ min: -45, max: 5 }).map((days) => new Date(NOON + days * DAY).toISOString().slice(0, 10))
  const AMOUNTS = [1_500_000, 2_000_000, 0]

  test('of anything that may have happened, in any range', async () => {
    const property = fc.asyncProperty(
      fc.array(anyEnrollment, { maxLength: 12 }),
      fc.tuple(day, day),
      fc.constantFrom('day', 'week', 'month'),
      async (all, days, interval) => {
        const [from, to] = days.sort() as [string, string]
        sequence = makeSequence(server, server.a, { steps: [EMAIL_STEP, EMAIL_STEP] })
        const people = [contact(), contact(), contact()]
        const deals = AMOUNTS.map((amount_micros, index) =>
          deal({ amount_micros, currency: 'EUR', closed_at: NOON - index * 20 * DAY }),
        )
        const liveContacts = new Set<number>()
        const made = all.map((one) => {
          // No two live ones of one contact, and none of the fourth: it is one that was deleted.
          const isDouble = one.contact === 3 || liveContacts.has(one.contact)
          const status = isDouble && ['active', 'paused'].includes(one.status) ? 'stopped' : one.status
          const isLive = status === 'active' || status === 'paused'
          if (isLive) liveContacts.add(one.contact)
          const finished_at = isLive ? null : Math.max(one.at, one.finished_at)
          return { ...one, status, finished_at }
        })
        for (const { contact: person, deal: about, steps, ...row } of made)
          enrollment({
            ...row,
            contact_id: people[person] ?? null,
            deal_id: about === null ? null : deals[about],
            steps: steps.map((each) => Object.fromEntries(Object.entries(each).filter(([, ms]) => ms !== null))),
          } as Made)
        const answer = await performance(`from=${from}&to=${to}&interval=${interval}`)
        const dayOf = (ms: number) => new Date(ms).toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
        const isIn = (ms: number | null, first = from, last = to) =>
          ms !== null && dayOf(ms) >= first && dayOf(ms) <= last
        const mails = made.flatMap(({ steps }) => steps)
        const everSent = mails.some(({ sent_at }) => sent_at !== null && dayOf(sent_at) <= to)
        const hears = {
          replied: everSent || made.some(({ replied_at }) => replied_at !== null),
          bounced: everSent || mails.some(({ bounced_at }) => bounced_at !== null),
          unsubscribed: everSent || made.some(({ unsubscribed_at }) => unsubscribed_at !== null),
        }
        const counts = (first: string, last: string) => {
          const counted = (values: (number | null)[]) => values.filter((ms) => isIn(ms, first, last)).length
          return {
            enrolled: counted(made.map((one) => one.at)),
            sent: counted(mails.map(({ sent_at }) => sent_at)),
            replied: hears.replied ? counted(made.map(({ replied_at }) => replied_at)) : null,
            bounced: hears.bounced ? counted(mails.map(({ bounced_at }) => bounced_at)) : null,
            unsubscribed: hears.unsubscribed ? counted(made.map(({ unsubscribed_at }) => unsubscribed_at)) : null,
            meetings_booked: counted(made.map(({ meeting_booked_at }) => meeting_booked_at)),
          }
        }
        const ended = made.filter(({ finished_at }) => isIn(finished_at))
        const written = made.flatMap(({ steps, contact: person, replied_at }, index) => {
          const sent = steps.map(({ sent_at }) => sent_at).filter((ms) => isIn(ms)) as number[]
          if (sent.length === 0) return []
          const answered = replied_at !== null && replied_at >= Math.min(...sent)
          return [{ who: people[person] ?? `deleted ${index}`, answered }]
        })
        const whos = (of: typeof written) => new Set(of.map(({ who }) => who)).size
        const inRange = mails.filter(({ sent_at }) => isIn(sent_at))
        const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole)
        const wonDeals = [0, 1, 2].filter(
          (index) => made.some(({ deal: about }) => about === index) && isIn(NOON - index * 20 * DAY),
        )
        assert.deepEqual(answer.summary, {
          ...counts(from, to),
          active: made.filter((one) => dayOf(one.at) <= to && (one.finished_at === null || dayOf(one.finished_at) > to))
            .length,
          completed: ended.filter(({ status }) => status === 'completed').length,
          stopped: ended.filter(({ status }) => status !== 'completed').length,
          deals_won: wonDeals.length,
          amount_won:
            wonDeals.length === 0
              ? []
              : [{ currency: 'EUR', amount: wonDeals.reduce((sum, index) => sum + AMOUNTS[index]!, 0) / 1_000_000 }],
          reply_rate: hears.replied ? rate(whos(written.filter(({ answered }) => answered)), whos(written)) : null,
          bounce_rate: hears.bounced
            ? rate(inRange.filter(({ bounced_at }) => bounced_at !== null).length, inRange.length)
            : null,
        })
        const { timeline } = answer
        assert.equal(timeline[0].from, from)
        for (const [index, { from: first, ...counted }] of timeline.entries()) {
          const next = timeline[index + 1]?.from
          const last = next ? new Date(at(next) - DAY).toISOString().slice(0, 10) : to
          assert.deepEqual(counted, counts(first, last), `${interval} ${first}`)
        }
        for (const [position, told] of answer.steps.entries()) {
          const own = made.flatMap(({ steps }) => steps.slice(position, position + 1))
          const sent = own.filter(({ sent_at }) => isIn(sent_at))
          assert.deepEqual(
            [told.sent, told.replied, told.bounced, told.reply_rate],
            [
              sent.length,
              hears.replied ? own.filter(({ replied_at }) => isIn(replied_at)).length : null,
              hears.bounced ? own.filter(({ bounced_at }) => isIn(bounced_at)).length : null,
              hears.replied ? rate(sent.filter(({ replied_at }) => replied_at !== null).length, sent.length) : null,
            ],
          )
        }
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })
})

test('every statement searches an index, and most of them nothing else', () => {
  const { db } = server.store
  const prepared: string[] = []
  const { prepare } = db
  db.prepare = (sql: string) => {
    prepared.push(sql)
    return prepare.call(db, sql) as never
  }
  sequenceFigures(resourceDeps(server.store))
  db.prepare = prepare
  const counted = prepared.filter((sql) => /FROM (?:enrollments|enrollment_steps)/.test(sql))
  assert.ok(counted.length > 10)
  for (const sql of counted) {
    const marks = sql.match(/\?/g)?.length ?? 0
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(marks).fill(1)) as { detail: string }[]
    const plan = rows.map(({ detail }) => detail)
    for (const step of plan) assert.doesNotMatch(step, /^SCAN (?!step VIRTUAL|step$|\(subquery)/, sql)
    if (!/JOIN|FROM \(/.test(sql)) assert.match(plan.join(), /^SEARCH \w+ USING COVERING INDEX/, sql)
    assert.match(plan.join(), /\((?:org_id=\? AND (?:sequence_id|step_id)=\?)/, sql)
  }
})
