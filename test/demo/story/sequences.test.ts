import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { replaySeed } from '../../../src/demo/replay/replay.ts'
import { exchange } from '../../../src/demo/story/inbox.ts'
import { life } from '../../../src/demo/story/sales.ts'
import { outreach } from '../../../src/demo/story/sequences.ts'
import type { Profile, Step } from '../../../src/demo/story/steps.ts'
import { work } from '../../../src/demo/story/work.ts'
import { hoursStore } from '../../../src/inbox/hours/hours.ts'
import { sequenceKinds } from '../../../src/sequences/enrollments/jobs.ts'
import { schedulerHarness } from '../../store/jobs/scheduler-harness.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { AS_OF, type Of } from '../replay/replay-fixture.ts'

const DAY_MS = 86_400_000
const SENT = new Set('sequences retire enroll answer bounce unsubscribe halt clear book met'.split(' ') as Step['do'][])

const around = (profile: Profile, seed = 1): Step[] => {
  const options = { seed, profile, asOf: AS_OF }
  return [...exchange(work(life(options), options), options)]
}
const tell = (profile: Profile, seed = 1): Step[] => [
  ...outreach(around(profile, seed), { seed, profile, asOf: AS_OF }),
]

describe('the story of what is sent to many', () => {
  test('changes nothing of the one around it', () => {
    const rest = tell('demo').filter((step) => !SENT.has(step.do))
    assert.equal(JSON.stringify(rest), JSON.stringify(around('demo')))
  })

  test('is the same for the same options, and another one for another seed', () => {
    const text = (seed: number) => JSON.stringify(tell('demo', seed).filter((step) => SENT.has(step.do)))
    assert.equal(text(1), text(1))
    assert.notEqual(text(1), text(2))
  })

  for (const [profile, count] of [
    ['demo', 43],
    ['10k', 500],
  ] as const) {
    test(`enrolls each contact of the ${profile} once, who can be written to, by somebody who sells`, () => {
      const reachable = new Set<number>()
      const sellers = new Set<number>()
      const enrolled: Of<'enroll'>[] = []
      const contacts = new Set<number>()
      let deals = 0
      let before = 0
      for (const step of tell(profile)) {
        assert.ok(step.at >= before && step.at <= AS_OF && Number.isInteger(step.at), 'out of order')
        before = step.at
        if (step.do === 'member' && step.given.role !== 'viewer') sellers.add(step.ref)
        if (step.do === 'contact' && step.given.emails.length > 0 && !step.given.do_not_contact) reachable.add(step.ref)
        if (step.do === 'deal') deals++
        if ('enrollment' in step) assert.ok(step.enrollment < enrolled.length, 'nobody is enrolled yet')
        if (step.do !== 'enroll') continue
        assert.equal(enrolled.push(step), step.ref + 1)
        assert.ok(reachable.has(step.contact) && !contacts.has(step.contact))
        contacts.add(step.contact)
        assert.ok(sellers.has(step.by) && (step.deal ?? -1) < deals)
        assert.ok(step.at > AS_OF - 100 * DAY_MS)
      }
      assert.equal(enrolled.length, count)
    })
  }
})

type Enrolled = {
  id: string
  key: string
  steps: string
  sequence_status: string
  sequence_version: number
  status: string
  stop_reason: string | null
  current_step: number
  due_at: number | null
  next_step_at: number | null
  conversation_id: string | null
  contact_id: string
  created_at: number
  finished_at: number | null
  replied_at: number | null
  unsubscribed_at: number | null
}
type Done = {
  position: number
  type: string
  at: number
  message_id: string | null
  task_id: string | null
  sent_at: number | null
}

describe('the sequences of a seed', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
    replaySeed(server.store, { org: server.a.org, seed: 1, profile: 'demo', asOf: AS_OF })
  })
  after(() => server.stop())

  const rows = <Row>(sql: string, ...values: unknown[]) => server.store.db.prepare(sql).all(...values) as Row[]

  const enrolledIn = (org: Org): Enrolled[] =>
    rows(
      `SELECT enrollments.*, sequences.key, sequences.status AS sequence_status, version.steps
       FROM enrollments
         JOIN sequences ON sequences.org_id = enrollments.org_id AND sequences.id = enrollments.sequence_id
         JOIN sequence_versions AS version ON version.org_id = enrollments.org_id
           AND version.sequence_id = enrollments.sequence_id AND version.number = enrollments.sequence_version
       WHERE enrollments.org_id = ? ORDER BY enrollments.id`,
      org.org,
    )

  const isLive = ({ status }: Enrolled) => ['scheduled', 'active', 'paused'].includes(status)
  const stepsLeft = ({ steps, current_step }: Enrolled) =>
    (JSON.parse(steps) as { type: string }[]).slice(current_step).map(({ type }) => type)

  test('go by the office hours; one is paused, and one was given up', async () => {
    const { body } = await server.call('GET', '/sequences')
    const { body: hours } = await server.call('GET', '/hours')
    assert.deepEqual(
      body.data.map(({ name, status }: Record<string, string>) => [name, status]),
      [
        ['New leads', 'active'],
        ['After the demo', 'active'],
        ['Win back', 'paused'],
        ['Met at the autumn fair', 'archived'],
      ],
    )
    for (const { send_window, counts, created_at } of body.data) {
      assert.equal(send_window.hours_id, hours.data[0].id)
      assert.ok(counts.active + counts.paused + counts.completed + counts.stopped >= 5)
      assert.ok(Date.parse(created_at) < AS_OF - 85 * DAY_MS)
    }
  })

  test('end in all the ways in which they can, and some go on', () => {
    const all = enrolledIn(server.a)
    const ends = new Set(all.map(({ status, stop_reason }) => stop_reason ?? status))
    for (const way of ['completed', 'active', 'reply', 'bounce', 'unsubscribe', 'meeting_booked', 'sequence_archived'])
      assert.ok(ends.has(way), way)
    assert.ok(!ends.has('failed') && !ends.has('no_mailbox') && !ends.has('error'))
    for (const { status, finished_at, created_at } of all.filter((each) => !isLive(each)))
      assert.ok(finished_at !== null && finished_at > created_at && finished_at <= AS_OF, status)
  })

  test('have each step on record: in the hours, in its order, with the mail or the task that it made', () => {
    const office = rows<{ id: string }>('SELECT id FROM hours WHERE org_id = ?', server.a.org)[0]?.id as string
    const hours = hoursStore(server.deps).businessTimeOf(server.a.org, office)
    let mails = 0
    for (const one of enrolledIn(server.a)) {
      const done = rows<Done>(
        'SELECT * FROM enrollment_steps WHERE org_id = ? AND enrollment_id = ? ORDER BY position',
        server.a.org,
        one.id,
      )
      const steps = JSON.parse(one.steps) as { id: string; type: string }[]
      assert.equal(done.length, one.current_step)
      let before = one.created_at
      for (const [index, { position, type, at, message_id, task_id, sent_at }] of done.entries()) {
        assert.deepEqual([position, type], [index, steps[index]?.type])
        assert.ok(at >= before && at <= AS_OF && hours.isOpen(at), new Date(at).toISOString())
        before = at
        if (type !== 'email') {
          assert.equal(rows('SELECT 1 FROM tasks WHERE org_id = ? AND id = ?', server.a.org, task_id).length, 1)
          continue
        }
        mails++
        assert.equal(sent_at, at)
        const [mail] = rows<Record<string, unknown>>(
          `SELECT conversation_id, direction, status, external_id, sent_at, mailbox_id, message_headers.enrollment_id, subject
           FROM messages JOIN message_headers ON message_headers.org_id = messages.org_id AND message_headers.message_id = messages.id
           WHERE messages.org_id = ? AND messages.id = ?`,
          server.a.org,
          message_id,
        )
        assert.equal(mail?.conversation_id, one.conversation_id)
        assert.deepEqual([mail?.direction, mail?.mailbox_id, mail?.enrollment_id], ['outbound', null, one.id])
        assert.ok(mail?.status === 'sent' || (mail?.status === 'failed' && one.stop_reason === 'bounce'))
        assert.match(mail?.external_id as string, /^<sequence-\d+\.\d@northwind-demo\.example>$/)
        assert.ok(mail?.subject)
      }
    }
    assert.ok(mails > 50)
  })

  test('write to people by name, in a thread that stays closed until there is an answer', async () => {
    for (const { conversation_id, replied_at, contact_id } of enrolledIn(server.a)) {
      if (conversation_id === null) continue
      const { body } = await server.call('GET', `/conversations/${conversation_id}/messages?sort=created_at`)
      const { body: contact } = await server.call('GET', `/contacts/${contact_id}`)
      const [first, second] = body.data
      assert.ok(first.body_text.startsWith(`Hello ${contact.first_name},\n\n`), first.body_text)
      assert.ok(first.body_text.endsWith(`\n\n${first.author.name}\n${first.author.email}`), first.body_text)
      assert.ok(!/\{\{|undefined|null/.test(first.body_text) && first.body_html.startsWith('<p>Hello '))
      assert.equal(first.to[0].email, contact.emails[0].email)
      if (second) assert.equal(second.in_reply_to, first.external_id)
      const { body: conversation } = await server.call('GET', `/conversations/${conversation_id}`)
      const answers = body.data.filter(({ direction }: { direction: string }) => direction === 'inbound')
      if (answers.length === 0) assert.deepEqual([conversation.status, conversation.owner_id], ['closed', null])
      else assert.ok(replied_at !== null && replied_at <= Date.parse(answers[0].sent_at))
    }
  })

  test('mark who has unsubscribed', () => {
    const left = rows<{ id: string }>(
      'SELECT id FROM contacts WHERE org_id = ? AND unsubscribed_at IS NOT NULL',
      server.a.org,
    )
    const told = enrolledIn(server.a).filter(({ unsubscribed_at }) => unsubscribed_at !== null)
    assert.ok(left.length > 0)
    assert.deepEqual(new Set(told.map(({ contact_id }) => contact_id)), new Set(left.map(({ id }) => id)))
  })

  test('show figures that make sense', async () => {
    const { body } = await server.call('GET', '/sequences?status=active')
    const range = 'from=2026-08-01&to=2026-11-20&interval=month'
    const { body: figures } = await server.call('GET', `/sequences/${body.data[0].id}/performance?${range}`)
    const { enrolled, active, completed, stopped, sent, replied, reply_rate } = figures.summary
    assert.equal(enrolled, active + completed + stopped)
    assert.deepEqual([enrolled, sent > enrolled && sent < 2 * enrolled], [19, true])
    assert.ok(replied >= 3 && reply_rate > 0.1 && reply_rate < 0.7)
    assert.equal(figures.timeline.length, 4)
    assert.deepEqual(
      figures.steps.map((step: { type: string }) => step.type),
      ['email', 'email', 'call'],
    )
  })

  test('leave no mailbox, and no mail to come in one that is active', () => {
    assert.equal(rows('SELECT 1 FROM mailboxes').length, 0)
    assert.equal(rows("SELECT 1 FROM messages WHERE org_id = ? AND status = 'queued'", server.a.org).length, 0)
    const live = enrolledIn(server.a).filter(isLive)
    const going = live.filter(({ sequence_status }) => sequence_status === 'active')
    assert.ok(going.length >= 2)
    for (const one of going) {
      assert.ok(!stepsLeft(one).includes('email') && one.next_step_at !== null && one.next_step_at > AS_OF)
      const due = rows("SELECT due_at FROM jobs WHERE kind = 'enrollment.step' AND key = ?", one.id)
      assert.deepEqual(due, [{ due_at: one.next_step_at }])
    }
    const still = live.filter(({ sequence_status }) => sequence_status === 'paused')
    assert.equal(still.length + going.length, live.length)
    assert.ok(still.length >= 2 && still.some((one) => stepsLeft(one).includes('email')))
  })

  test('go on by themselves where they are served, without a mail', async () => {
    const going = enrolledIn(server.a).filter((one) => isLive(one) && one.sequence_status === 'active')
    const seq = server.lastSeq()
    const scheduler = schedulerHarness(server, { kinds: sequenceKinds(server.deps) })
    server.advance(53 * DAY_MS) // a Tuesday in January, when the office is open
    await scheduler.tick()
    await scheduler.tick()
    const types = server.events(seq).map(({ type }) => type)
    assert.equal(types.filter((type) => type === 'task.created').length, going.length)
    assert.equal(types.filter((type) => type === 'enrollment.completed').length, going.length)
    assert.ok(types.every((type) => !type.startsWith('message.') && type !== 'enrollment.stopped'))
    const stays = enrolledIn(server.a).filter(isLive)
    assert.ok(stays.length >= 2 && stays.every(({ sequence_status }) => sequence_status === 'paused'))
    await scheduler.stop()
  })

  test('are left as somebody has set them up, and then nobody is enrolled', async () => {
    const org = await makeOrg(server.store, server.dataDir, 'Own')
    const steps = [{ type: 'call', delay_s: 0, task_title: 'Call' }]
    applySettings(server.store, org.org, { sequences: [{ key: 'own', name: 'Own', status: 'active', steps }] })
    const before = showSettings(server.store, org.org).sequences
    const made = replaySeed(server.store, { org: org.org, seed: 1, profile: 'demo', asOf: AS_OF })
    assert.deepEqual([made.enrollments, made.sequences], [0, 0])
    assert.deepEqual(showSettings(server.store, org.org).sequences, before)
  })

  test('have no mail to come either where the hours hold them up', async () => {
    const org = await makeOrg(server.store, server.dataDir, 'Slow')
    const weekly = { sun: [{ from: '10:00', to: '10:30' }] }
    const slow = { key: 'slow', name: 'Slow', timezone: 'Europe/Berlin', is_default: true, weekly }
    applySettings(server.store, org.org, { hours: [slow] })
    replaySeed(server.store, { org: org.org, seed: 1, profile: 'demo', asOf: AS_OF })
    const going = enrolledIn(org).filter(({ sequence_status }) => sequence_status === 'active')
    assert.ok(going.some(({ stop_reason, current_step }) => stop_reason === 'manual' && current_step > 0))
    for (const one of going.filter(isLive)) assert.ok(!stepsLeft(one).includes('email'))
  })
})
