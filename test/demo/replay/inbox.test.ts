import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { defaultSettings } from '../../../src/app/settings/defaults.ts'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { replaySeed } from '../../../src/demo/replay/replay.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The inbox and the meetings of the demo, as its people find them.

const AS_OF = Date.UTC(2026, 10, 20)

let server: TestServer
before(async () => {
  server = await startServer()
  replaySeed(server.store, { org: server.a.org, seed: 1, profile: 'demo', asOf: AS_OF })
})
after(() => server.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
const listed = async (path: string): Promise<any[]> => {
  const { status, body, text } = await server.call('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100`)
  assert.equal(status, 200, text)
  return body.data
}

const rows = <Row>(sql: string, org: Org = server.a) => server.store.db.prepare(sql).all(org.org) as Row[]

describe('the inbox of a seed', () => {
  test('has conversations of every kind on the last day, and most of them are closed', async () => {
    const all = await listed('/conversations')
    const closed = all.filter(({ status }) => status === 'closed')
    assert.ok(closed.length > 45 && closed.length < all.length - 7)
    for (const query of [
      'status=open',
      'status=pending',
      'status=snoozed',
      'sla.status=at_risk',
      'sla.status=breached&status=open',
      'sla.status=ok',
      'sla.status=met',
      'waiting_since[lt]=2026-11-20T00:00:00.000Z',
      'owner_id=null',
      'priority=high',
      ...['email', 'chat', 'sms', 'phone'].map((channel) => `channel=${channel}`),
    ]) {
      assert.ok((await listed(`/conversations?${query}`)).length > 0, query)
    }
    assert.ok(all.some(({ unread_count, status }) => unread_count > 0 && status === 'open'))
    assert.ok(all.some(({ deal_id, company_id, tag_ids }) => deal_id && company_id && tag_ids.length > 0))
    for (const { status, snoozed_until, waiting_since, unread_count } of all) {
      assert.equal(status === 'snoozed', snoozed_until !== null)
      if (snoozed_until !== null) assert.ok(Date.parse(snoozed_until) > AS_OF)
      if (status === 'closed') assert.deepEqual([waiting_since, unread_count], [null, 0])
    }
  })

  test('has messages of all sorts, each at its time', async () => {
    const kinds = new Set<string>()
    let before = ''
    for (const { id, created_at } of (await listed('/conversations?sort=created_at')).slice(0, 30)) {
      assert.ok(created_at >= before)
      before = created_at
      const messages = await listed(`/conversations/${id}/messages?sort=created_at`)
      assert.ok(messages.length > 0)
      for (const { direction, status, author, body_html, attachments, sent_at, created_at: at } of messages) {
        kinds.add(direction)
        if (body_html) kinds.add('html')
        if (attachments.length > 0) kinds.add('file')
        assert.equal(status, direction === 'inbound' ? 'received' : 'sent')
        assert.equal(author.type, direction === 'inbound' ? 'contact' : 'member')
        assert.equal(sent_at, at)
        assert.ok(author.id && author.name)
      }
    }
    assert.deepEqual(kinds, new Set(['inbound', 'outbound', 'note', 'html', 'file']))
  })

  test('keeps the HTML of mails as it was written: none of it would do harm', () => {
    const html = rows<{ body_html: string }>(
      'SELECT body_html FROM messages WHERE org_id = ? AND body_html IS NOT NULL',
    ).map(({ body_html }) => body_html)
    assert.ok(html.length > 20)
    for (const tag of ['<p>', '<ol><li>', '<blockquote>', '<table>', '<a href="https://']) {
      assert.ok(
        html.some((each) => each.includes(tag)),
        tag,
      )
    }
  })

  test('has strangers who became contacts by writing', async () => {
    const strangers = rows<{ id: string }>("SELECT id FROM contacts WHERE org_id = ? AND source = 'inbox'")
    assert.ok(strangers.length > 2)
    for (const { id } of strangers) assert.equal((await listed(`/conversations?contact_id=${id}`)).length, 1)
  })

  test('told of each broken promise when it was broken, and woke up what was put off in time', () => {
    const breaches = rows<{ due_when_breached: number; breached_at: number; warned_at: number }>(
      'SELECT due_when_breached, breached_at, warned_at FROM sla_clocks WHERE org_id = ? AND breached_at IS NOT NULL',
    )
    assert.ok(breaches.length > 3)
    for (const { due_when_breached, breached_at, warned_at } of breaches) {
      assert.equal(breached_at, due_when_breached)
      assert.ok(warned_at <= breached_at)
    }
    const events = server.events()
    const told = events.filter(({ type }) => type === 'conversation.sla_breached')
    assert.deepEqual(
      told.map(({ at }) => at),
      breaches.map(({ breached_at }) => breached_at).toSorted((one, other) => one - other),
    )
    const woken = events.filter(
      ({ type, previous }) => type === 'conversation.updated' && previous.status === 'snoozed',
    )
    const byItself = woken.filter(({ actor }) => actor === null)
    assert.ok(byItself.length > 1)
    for (const { at, previous } of byItself) assert.equal(at, Date.parse(previous.snoozed_until))
  })

  test('leaves jobs for what is ahead only', () => {
    const jobs = rows<{ kind: string; due_at: number }>('SELECT kind, due_at FROM jobs WHERE org_id = ?')
    assert.deepEqual(
      new Set(jobs.map(({ kind }) => kind)),
      new Set(['conversation.wake', 'enrollment.step', 'sla.due']),
    )
    for (const { due_at } of jobs) assert.ok(due_at > AS_OF)
    const asleep = rows("SELECT id FROM conversations WHERE org_id = ? AND status = 'snoozed'")
    assert.equal(jobs.filter(({ kind }) => kind === 'conversation.wake').length, asleep.length)
  })
})

describe('what the team of a seed promises', () => {
  test('counts by office hours with holidays, and for key accounts around the clock', async () => {
    const [office, ...more] = await listed('/hours')
    assert.deepEqual([office.name, office.is_default, more], ['Office', true, []])
    assert.deepEqual(
      office.exceptions.map(({ from_date, to_date, name }: Record<string, string>) => [name, from_date, to_date]),
      [
        ['Summer party', '2025-07-03', '2025-07-03'],
        ['Between the years', '2025-12-24', '2026-01-01'],
        ['Summer party', '2026-07-03', '2026-07-03'],
        ['Between the years', '2026-12-24', '2027-01-01'],
      ],
    )
    const [key, standard] = await listed('/sla')
    assert.deepEqual([key.name, key.is_default, key.hours_id], ['Key accounts', false, null])
    assert.deepEqual([standard.name, standard.is_default, standard.hours_id], ['Standard', true, office.id])
    const outreach = rows<{ id: string }>('SELECT conversation_id AS id FROM enrollments WHERE org_id = ?')
    const isOutreach = new Set(outreach.map(({ id }) => id))
    const others = (await listed('/conversations')).filter(({ id }) => !isOutreach.has(id))
    const policies = new Set(others.map(({ sla }) => sla.policy_id))
    assert.deepEqual(policies, new Set([key.id, standard.id]))
  })

  test('is left as somebody has set it up, and gets holidays where there are none', async () => {
    const { hours = [] } = defaultSettings('Europe/Berlin')
    const [office] = hours as [(typeof hours)[number]]
    const own = { key: 'own', name: 'Own', hours: 'shop', targets: { low: {}, normal: {}, high: {}, urgent: {} } }
    const shop = { ...office, key: 'shop', name: 'Shop' }
    const org = await makeOrg(server.store, server.dataDir, 'Own')
    applySettings(server.store, org.org, { hours: [shop], sla: [own] })
    const before = showSettings(server.store, org.org)
    replaySeed(server.store, { org: org.org, seed: 1, profile: 'demo', asOf: AS_OF })
    const { hours: kept, sla } = showSettings(server.store, org.org)
    assert.deepEqual([kept, sla], [before.hours, before.sla])

    const usual = await makeOrg(server.store, server.dataDir, 'Usual')
    applySettings(server.store, usual.org, {
      hours: [
        { ...office, is_default: false },
        { ...shop, is_default: true },
      ],
    })
    replaySeed(server.store, { org: usual.org, seed: 1, profile: 'demo', asOf: AS_OF })
    const after = showSettings(server.store, usual.org)
    assert.deepEqual(
      after.hours.map(({ key, exceptions = [] }) => [key, exceptions.length]),
      [
        ['office', 4],
        ['shop', 0],
      ],
    )
    assert.deepEqual(
      after.sla.map(({ key, hours }) => [key, hours]),
      [
        ['key_accounts', null],
        ['standard', 'shop'],
      ],
    )
    assert.equal(rows("SELECT id FROM jobs WHERE org_id = ? AND kind = 'sla.recount'", usual).length, 0)
  })
})

describe('the meetings of a seed', () => {
  test('are past and ahead, with contacts, members and guests', async () => {
    const all = await listed('/meetings')
    for (const status of ['completed', 'no_show', 'canceled', 'scheduled'])
      assert.ok((await listed(`/meetings?status=${status}`)).length > 0, status)
    const ahead = await listed('/meetings?starts_at[gt]=2026-11-20T00:00:00.000Z&status=scheduled')
    assert.ok(ahead.length >= 4)
    const people = all.flatMap(({ participants }) => participants)
    assert.ok(people.some(({ contact_id, member_id }) => contact_id === null && member_id === null))
    for (const { name, contact_id, member_id } of people)
      assert.ok(name && (contact_id === null || member_id === null), name)
    for (const { status, summary, participants, owner_id, company_id, deal_id } of all) {
      assert.equal(participants.find(({ role }: { role: string }) => role === 'organizer').member_id, owner_id)
      assert.ok(
        company_id || deal_id || participants.some(({ contact_id }: { contact_id: string | null }) => contact_id),
      )
      if (summary !== null) assert.equal(status, 'completed')
    }
    assert.ok(all.some(({ summary }) => summary !== null))
  })

  test('are found by what was said there', async () => {
    const recorded = (await listed('/meetings')).filter(({ has_transcript }) => has_transcript)
    assert.ok(recorded.length >= 6 && recorded.length <= 8)
    const transcript = `/meetings/${recorded[0].id}/transcript`
    const { body } = await server.call('GET', `${transcript}?limit=100`)
    assert.ok(body.segments.length >= 20 && body.segments.length <= 60 && body.next_cursor === null)
    for (const { name, member_id, contact_id } of body.speakers)
      assert.ok(name && (member_id === null) !== (contact_id === null))
    const longest = (text: string) =>
      text.match(/\p{L}+/gu)?.toSorted((one, other) => other.length - one.length)[0] ?? ''
    const word = longest(body.segments[8].text)
    const found = await listed(`/meetings?q=${encodeURIComponent(word)}`)
    assert.ok(
      found.some(({ id }) => id === recorded[0].id),
      word,
    )
    const { body: matching } = await server.call('GET', `${transcript}?q=${encodeURIComponent(word)}`)
    assert.ok(matching.segments.length > 0 && matching.segments.length < body.segments.length)
  })
})

test('a seed goes into no organisation with a meeting, or with a conversation whose contact is gone', async () => {
  const seedInto = (org: Org) => replaySeed(server.store, { org: org.org, seed: 1, profile: 'demo', asOf: AS_OF })
  const { token } = server.b
  const hour = { title: 'Talk', starts_at: '2026-11-20T09:00:00.000Z', ends_at: '2026-11-20T10:00:00.000Z' }
  const { body: meeting } = await server.call('POST', '/meetings', hour, { token })
  assert.throws(() => seedInto(server.b), { code: 'not_empty', message: /has meetings already/ })
  await server.call('DELETE', `/meetings/${meeting.id}`, undefined, { token })
  const from = { email: 'jo@stranger.example' }
  const hello = { from, channel: 'email', direction: 'inbound', body_text: 'Hello' }
  const { body: message } = await server.call('POST', '/messages', hello, { token })
  await server.call('DELETE', `/contacts/${message.author.id}`, undefined, { token })
  assert.throws(() => seedInto(server.b), { code: 'not_empty', message: /has conversations already/ })
})
