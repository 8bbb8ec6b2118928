import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { replaySeed } from '../../../src/demo/replay/replay.ts'
import { type Profile, SIZES } from '../../../src/demo/story/steps.ts'
import { MAX_LOG_PAGES } from '../../../src/store/checkpoint.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const ASOF = Date.UTC(2026, 10, 20)

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const seedInto = (org: Org, profile: Profile = 'demo', seed = 1) =>
  replaySeed(server.store, { org: org.org, seed, profile, asOf: ASOF })

const all = (sql: string, org: Org) => server.store.db.prepare(sql).all(org.org) as Record<string, unknown>[]

const upwards = (left: number, right: number) => left - right

/** What a server on the same folder would do for them. */
const jobsOf = (org: Org) => all('SELECT id FROM main.jobs WHERE org_id = ?', org).length

/** What the records say, without ids, which differ from org to org. */
const told = (org: Org) => [
  all(
    'SELECT title, amount_micros, currency, status, expected_close_date, closed_at, created_at FROM deals WHERE org_id = ? ORDER BY id',
    org,
  ),
  all('SELECT name, emails, phones, job_title, address, created_at FROM contacts WHERE org_id = ? ORDER BY id', org),
  all(
    'SELECT name, domains, industry, address, custom_fields, created_at FROM companies WHERE org_id = ? ORDER BY id',
    org,
  ),
  all('SELECT title, body, is_pinned, created_at FROM notes WHERE org_id = ? ORDER BY id', org),
  all('SELECT title, status, priority, due_at, completed_at FROM tasks WHERE org_id = ? ORDER BY id', org),
  all('SELECT name, object, kind, filter FROM lists WHERE org_id = ? ORDER BY id', org),
  all(
    `SELECT number, subject, channel, status, priority, snoozed_until, unread_count, waiting_since, sla_status, created_at
     FROM conversations WHERE org_id = ? ORDER BY id`,
    org,
  ),
  all('SELECT direction, body_text, body_html, external_id, sent_at FROM messages WHERE org_id = ? ORDER BY id', org),
  all(
    'SELECT title, status, starts_at, summary, conference_url, version FROM meetings WHERE org_id = ? ORDER BY id',
    org,
  ),
  all(
    'SELECT position, start_ms, text FROM transcript_segments WHERE org_id = ? ORDER BY transcript_id, position',
    org,
  ),
  all('SELECT key, status, created_at, updated_at, version FROM sequences WHERE org_id = ? ORDER BY position', org),
  all(
    `SELECT status, stop_reason, current_step, next_step_at, replied_at, finished_at, created_at, version
     FROM enrollments WHERE org_id = ? ORDER BY id`,
    org,
  ),
  all(
    `SELECT position, type, at, sent_at, replied_at, bounced_at
     FROM enrollment_steps WHERE org_id = ? ORDER BY enrollment_id, position`,
    org,
  ),
  all('SELECT subject, refs FROM message_headers WHERE org_id = ? ORDER BY message_id', org),
]

describe('the seed', () => {
  test('makes the same records of the same number, in ids of their own for each organisation', () => {
    const made = seedInto(server.a)
    const { notes, tasks, contacts, meetings, conversations, messages, ...others } = made
    assert.deepEqual(others, {
      members: 6,
      tags: 12,
      companies: 40,
      deals: 120,
      lists: 6,
      custom_fields: 9,
      sequences: 4,
      enrollments: 43,
    })
    const [{ strangers }] = all(
      "SELECT count(*) AS strangers FROM contacts WHERE org_id = ? AND source = 'inbox'",
      server.a,
    ) as [{ strangers: number }]
    assert.equal(contacts, 90 + strangers)
    assert.ok(strangers > 2 && notes > 150 && tasks > 150 && meetings > 35 && conversations > 60 && messages > 180)
    for (const [table, count] of Object.entries(made)) {
      if (table === 'members') continue
      assert.deepEqual(all(`SELECT count(*) AS n FROM ${table} WHERE org_id = ?`, server.a), [{ n: count }], table)
    }
    seedInto(server.b)
    assert.deepEqual(told(server.a), told(server.b))
    const ids = (org: Org) => new Set(all('SELECT id FROM deals WHERE org_id = ?', org).map(({ id }) => id))
    assert.ok(ids(server.a).isDisjointFrom(ids(server.b)))
  })

  // In this one a raised priority makes deadlines earlier than the change itself.
  test('makes others of another number, also in the order of their story', async () => {
    const org = await makeOrg(server.store, server.dataDir, 'Other')
    seedInto(org, 'demo', 2)
    assert.notDeepEqual(told(org), told(server.a))
    const times = server.events(0, org).map(({ at }) => at)
    assert.deepEqual(times, times.toSorted(upwards))
  })

  test('is refused where there are records, and leaves nothing behind', () => {
    const seq = server.lastSeq()
    assert.throws(() => seedInto(server.a), { code: 'not_empty' })
    assert.equal(server.lastSeq(), seq)
  })

  test('spreads deals over every stage of the pipeline', () => {
    const { qualified, demo, proposal, won, lost } = server.a.stages
    const used = new Set(
      all('SELECT DISTINCT stage_id FROM deals WHERE org_id = ?', server.a).map(({ stage_id }) => stage_id),
    )
    assert.deepEqual(used, new Set([qualified, demo, proposal, won, lost]))
  })

  test('writes an event for every change, so that seq has no gap, in the order of its story', () => {
    const events = server.events()
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    const times = events.map(({ at }) => at)
    assert.deepEqual(times, times.toSorted(upwards))
    assert.ok(
      events.some(({ type }) => type === 'deal.stage_changed') && events.some(({ type }) => type === 'deal.closed'),
    )
  })

  // A sixth of the profile is some batches as well.
  test('writes each deal of a large one once, as it is in the end, and every reference holds', async (t) => {
    const DEALS = 1750
    const whole = SIZES['10k']
    t.after(() => {
      SIZES['10k'] = whole
    })
    SIZES['10k'] = { ...whole, companies: 350, contacts: 700, deals: DEALS }
    const org = await makeOrg(server.store, server.dataDir, 'Large')
    const betweenBatches: number[] = []
    const onProgress = () => betweenBatches.push(jobsOf(org))
    const made = replaySeed(server.store, { org: org.org, seed: 1, profile: '10k', asOf: ASOF, onProgress })
    assert.equal(betweenBatches.pop(), jobsOf(org))
    assert.equal(made.deals, DEALS)
    const [{ deals, closed, events }] = all(
      `SELECT count(*) AS deals, count(closed_at) AS closed, (SELECT count(*) FROM events WHERE events.org_id = deals.org_id AND type LIKE 'deal.%') AS events
       FROM deals WHERE org_id = ?`,
      org,
    ) as [Record<string, number>]
    assert.deepEqual([deals, events], [DEALS, DEALS])
    assert.ok((closed as number) > 0.4 * DEALS && (closed as number) < 0.7 * DEALS)
    assert.deepEqual(server.store.db.pragma('foreign_key_check'), [])
    assert.ok(betweenBatches.length > 3 && betweenBatches.every((jobs) => jobs === 0), `${betweenBatches}`)
    assert.ok(jobsOf(org) > 5)
    assert.equal(server.store.db.pragma('wal_autocheckpoint', { simple: true }), MAX_LOG_PAGES)
  })

  test('has a list of every object with records in it, and work that is done, open and overdue', async () => {
    const { body } = await server.call('GET', '/lists')
    assert.deepEqual(
      new Set(body.data.map(({ object }: { object: string }) => object)),
      new Set(['contact', 'company', 'deal']),
    )
    for (const { name, member_count } of body.data) assert.ok(member_count > 0, `${name} is empty`)
    for (const query of ['status=done', 'status=canceled', 'status=open', 'is_overdue=true', 'priority=high']) {
      assert.ok((await server.call('GET', `/tasks?${query}`)).body.data.length > 0, query)
    }
    const links = all("SELECT id FROM notes WHERE org_id = ? AND deal_ids <> '[]' AND contact_ids <> '[]'", server.a)
    assert.ok(links.length > 100)
  })

  test('is read through the interface as the document says', async () => {
    for (const path of ['/deals', '/contacts', '/companies', '/notes', '/tasks', '/lists', '/custom-fields', '/tags']) {
      assert.equal((await server.call('GET', `${path}?limit=100`)).status, 200)
    }
  })
})
