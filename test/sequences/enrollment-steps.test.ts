import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { mergeStore } from '../../src/cleanup/merges/merges.ts'
import type { Caller } from '../../src/lib/caller.ts'
import { enrollmentEngine } from '../../src/sequences/enrollments/engine.ts'
import { stopRules } from '../../src/sequences/enrollments/stop-rules.ts'
import { call, DAY, mail, mailbox, startTimelines, task } from './enrollment-replay.ts'

// What steps do, and what becomes of enrollments by what happens elsewhere: timelines are in enrollment-scenarios.test.ts.

type Timelines = Awaited<ReturnType<typeof startTimelines>>
type Given = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: tests look into rows of every shape
type Row = any

let timelines: Timelines
before(async () => {
  timelines = await startTimelines('Europe/Berlin')
})
after(() => timelines.stop())
beforeEach(() => timelines.apply({ steps: [mail(0, 'Hello')] }))

const rows = (sql: string, ...values: unknown[]): Row[] => timelines.store.db.prepare(sql).all(...values)
const get = async (path: string) => (await timelines.call('GET', path)).body
const due = () => timelines.goTo(timelines.now(), false)
const later = (ms: number) => timelines.goTo(timelines.now() + ms, false)
const idOf = (key: string): string => rows('SELECT id FROM sequences WHERE key = ?', key)[0].id
const applySequences = (sequences: Given[], more: Given = {}) =>
  applySettings(timelines.store, timelines.a.org, {
    mailboxes: [mailbox()],
    sequences: sequences.map((each, n) => ({ key: `q${n}`, name: 'Sequence', status: 'active', ...each })),
    ...more,
  })
const enroll = async (given: Given = {}): Promise<Row> => {
  const { status, body } = await timelines.call('POST', '/enrollments', {
    sequence_id: idOf('q0'),
    ...('contact_id' in given ? {} : { contact_id: await timelines.newContact() }),
    ...given,
  })
  assert.equal(status, 201, JSON.stringify(body))
  await due()
  return get(`/enrollments/${body.id}`)
}
const messagesOf = (id: string) => rows('SELECT * FROM messages WHERE enrollment_id = ? ORDER BY id', id)
const stepsOf = (id: string) => rows('SELECT * FROM enrollment_steps WHERE enrollment_id = ? ORDER BY position', id)
const tell = (job: (watch: ReturnType<typeof stopRules>) => void) =>
  timelines.store.write(() => void job(stopRules(timelines.deps)))

describe('an email', () => {
  test('is a queued message of the sender in a conversation that is closed, and the next one goes into it', async () => {
    applySequences([{ steps: [mail(0, 'Hello {{contact.first_name}}'), mail(DAY), mail(DAY, 'Another matter')] }])
    const { id, conversation_id, contact_id } = await enroll()
    await later(2 * DAY * 1000)
    const conversation = await get(`/conversations/${conversation_id}`)
    assert.deepEqual(
      [conversation.status, conversation.subject, conversation.contact_id],
      ['closed', 'Hello Ana', contact_id],
    )
    const sent = messagesOf(id)
    assert.deepEqual(
      sent.map((each) => [each.conversation_id, each.status, each.direction, JSON.parse(each.author).id]),
      Array(3).fill([conversation_id, 'queued', 'outbound', timelines.a.owner]),
    )
    const subjects = rows(
      'SELECT subject, enrollment_id FROM message_headers WHERE enrollment_id = ? ORDER BY message_id',
      id,
    )
    assert.deepEqual(
      subjects.map(({ subject }) => subject),
      ['Hello Ana', 'Re: Hello Ana', 'Another matter'],
    )
    assert.deepEqual(
      sent.map(({ in_reply_to }) => in_reply_to),
      [null, sent[0].external_id, sent[1].external_id],
    )
    assert.deepEqual(
      stepsOf(id).map(({ position, type, message_id }) => [position, type, message_id]),
      sent.map((each, n) => [n, 'email', each.id]),
    )
  })

  test('without a subject answers the mail before it, which may have begun another matter', async () => {
    const steps = [mail(0, 'One'), mail(0), mail(0, 'Two'), mail(0), task(0, 'Look'), mail(0)]
    applySequences([{ steps }])
    const { id } = await enroll()
    const subjects = rows('SELECT subject FROM message_headers WHERE enrollment_id = ? ORDER BY message_id', id)
    assert.deepEqual(
      subjects.map(({ subject }) => subject),
      ['One', 'Re: One', 'Two', 'Re: Two', 'Re: Two'],
    )
  })

  test('whose subject comes to nothing has one that says so', async () => {
    applySequences([{ steps: [mail(0, '{{deal.title}}'), mail(0)] }])
    const { id, conversation_id } = await enroll()
    const subjects = rows('SELECT subject FROM message_headers WHERE enrollment_id = ? ORDER BY message_id', id)
    assert.deepEqual(
      subjects.map(({ subject }) => subject),
      ['(no subject)', 'Re: (no subject)'],
    )
    assert.equal((await get(`/conversations/${conversation_id}`)).subject, '(no subject)')
  })

  test('has its variables filled in, as text and as HTML', async () => {
    const company_id = await timelines.made('/companies', { name: 'North & Wind', industry: 'Kites' })
    await timelines.made('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text' })
    const deal_id = await timelines.made('/deals', { title: 'Rollout', amount: 1500, currency: 'EUR' })
    const body = [
      'Dear {{contact.name}} of {{company.name}} ({{company.industry}}, {{contact.custom_fields.tier}}),',
      '{{#deal.title}}about {{deal.title}} for {{deal.amount}} {{deal.currency}}{{/deal.title}}{{^deal.title}}-{{/deal.title}}',
      '',
      '{{sender.first_name}} of {{org.name}}, {{sender.email}}',
      '{{unsubscribe_url}}',
    ].join('\n')
    applySequences([{ steps: [mail(0, 'For {{contact.email}}', { body })] }])
    const emails = [{ email: 'second@x.example' }, { email: 'first@x.example', is_primary: true }]
    const contact_id = await timelines.newContact({ company_id, emails, custom_fields: { tier: 'gold' } })
    const [sent] = messagesOf((await enroll({ contact_id, deal_id })).id)
    const lines = sent.body_text.split('\n')
    assert.deepEqual(lines.slice(0, 4), [
      'Dear Ana Ruiz of North & Wind (Kites, gold),',
      'about Rollout for 1500 EUR',
      '',
      'Ana of Acme, ana@acme.example',
    ])
    assert.match(lines[4], /^https:\/\/crm\.acme\.example\/unsubscribe\/[\w-]+$/)
    assert.match(
      sent.body_html,
      /^<p>Dear Ana Ruiz of North &amp; Wind .*<br \/>about .*<\/p>\n<p>Ana of Acme.*<a href="/,
    )
    assert.deepEqual(JSON.parse(sent.sent_to), [{ email: 'first@x.example', name: 'Ana Ruiz' }])
    const [{ subject }] = rows('SELECT subject FROM message_headers WHERE message_id = ?', sent.id)
    assert.equal(subject, 'For first@x.example')
  })

  test('has a visible line for unsubscribing, once', async () => {
    applySequences([
      { steps: [mail(0, 'Hi', { body: 'Hello' }), mail(0, 'Hi', { body: 'Leave: {{unsubscribe_url}}' })] },
    ])
    const [plain, own] = messagesOf((await enroll()).id)
    const link = /https:\/\/crm\.acme\.example\/unsubscribe\/[\w-]{64}/
    assert.match(plain.body_text, new RegExp(`^Hello\n\nUnsubscribe: ${link.source}$`))
    assert.match(plain.body_html, new RegExp(`<p>Hello</p>\n<p><a href="${link.source}">Unsubscribe</a></p>$`))
    assert.match(own.body_text, new RegExp(`^Leave: ${link.source}$`))
  })

  test("leaves by the sequence's mailbox, else by the sender's own, else by the default one", async () => {
    const mailboxes = [
      mailbox(),
      mailbox({ key: 'own', address: 'own@acme.example', is_default: false, member: 'ana@acme.example' }),
      mailbox({ key: 'fair', address: 'fair@acme.example', is_default: false }),
    ]
    const steps = [mail(0, 'Hello')]
    const usedBy = async (given: Given = {}) => {
      const { id } = await enroll(given)
      const used = 'SELECT key FROM message_headers JOIN mailboxes ON mailboxes.id = mailbox_id WHERE enrollment_id = ?'
      return rows(used, id)[0].key
    }
    applySequences([{ steps, mailbox: 'fair' }, { steps }], { mailboxes })
    assert.equal(await usedBy(), 'fair')
    assert.equal(await usedBy({ sequence_id: idOf('q1') }), 'own')
    applySettings(timelines.store, timelines.a.org, { mailboxes: mailboxes.slice(0, 2) })
    assert.equal(await usedBy(), 'own', 'where that of the sequence is no longer used')
    applySequences([{ steps }], { mailboxes: mailboxes.slice(0, 1) })
    assert.equal(await usedBy(), 'sales')
  })

  test('without a sender, or of one who is gone, still goes out', async () => {
    applySequences([{ steps: [mail(0, 'Hello {{sender.name}}'), call(DAY, 'Call')] }])
    const { id } = await enroll()
    timelines.store.db.prepare('UPDATE enrollments SET sender_id = ? WHERE id = ?').run(timelines.a.deactivated, id)
    await later(DAY * 1000)
    assert.equal((await get(`/enrollments/${id}`)).status, 'completed')
    const [made] = (await get(`/tasks?sort=-created_at&limit=1`)).data
    assert.deepEqual([made.enrollment_id, made.owner_id], [id, null])
  })
})

test('a task and a call are work of the sender, for the contact and the deal', async () => {
  applySequences([
    {
      steps: [
        task(0, 'Look up {{contact.name}}', { body: 'At {{company.name}}' }),
        call(0, 'Call {{contact.first_name}}'),
        task(0, '{{deal.title}}'),
      ],
    },
  ])
  const deal_id = await timelines.made('/deals', { title: 'Rollout' })
  const seq = timelines.lastSeq()
  const { id, contact_id } = await enroll({ deal_id })
  const { data } = await get(`/tasks?deal_id=${deal_id}&sort=created_at`)
  const now = new Date(timelines.now()).toISOString()
  const common = {
    status: 'open',
    due_at: now,
    owner_id: timelines.a.owner,
    contact_ids: [contact_id],
    deal_ids: [deal_id],
    enrollment_id: id,
  }
  const shown = data.map(
    ({ title, type, body, status, due_at, owner_id, contact_ids, deal_ids, enrollment_id }: Row) => [
      [title, type, body],
      { status, due_at, owner_id, contact_ids, deal_ids, enrollment_id },
    ],
  )
  assert.deepEqual(shown, [
    [['Look up Ana Ruiz', 'todo', 'At '], common],
    [['Call Ana', 'call', null], common],
    [['Rollout', 'todo', null], common],
  ])
  const told = timelines.events(seq).map(({ type, actor }) => [type, actor])
  assert.deepEqual(
    told.filter(([type]) => type !== 'contact.created'),
    [
      ['enrollment.created', timelines.a.owner],
      ...[0, 1].flatMap(() => [
        ['task.created', null],
        ['enrollment.updated', null],
      ]),
      ['task.created', null],
      ['enrollment.completed', null],
    ],
  )
  assert.deepEqual(
    stepsOf(id).map(({ type, task_id }) => [type, task_id]),
    data.map((each: Row, n: number) => [n === 1 ? 'call' : 'task', each.id]),
  )
})

test('a title of a task that comes to nothing says what it is', async () => {
  applySequences([{ steps: [task(0, '{{deal.title}}'), call(0, ' {{deal.title}} ')] }])
  const { contact_id } = await enroll()
  const { data } = await get(`/tasks?contact_id=${contact_id}&sort=created_at`)
  assert.deepEqual(
    data.map(({ title }: Row) => title),
    ['To do', 'Call'],
  )
})

test('a step of what does not go on does nothing', async () => {
  applySequences([{ steps: [mail(0, 'Hello'), task(DAY, 'Call')] }])
  const { doStep } = enrollmentEngine(timelines.deps)
  for (const status of ['paused', 'stopped']) {
    const { id } = await enroll()
    const { body } = await timelines.call('PATCH', `/enrollments/${id}`, { status })
    await timelines.store.write(() => void doStep(timelines.a.org, id, {}))
    await timelines.store.write(() => void doStep(timelines.b.org, id, {}))
    assert.deepEqual(await get(`/enrollments/${id}`), body)
  }
})

describe('a step that fails', () => {
  const failing = (what: string) =>
    timelines.store.db.exec(
      `CREATE TEMP TRIGGER fails BEFORE INSERT ON main.enrollment_steps ${what} BEGIN SELECT RAISE (ABORT, 'broken'); END`,
    )
  const mend = () => timelines.store.db.exec('DROP TRIGGER IF EXISTS temp.fails')
  after(mend)

  test('leaves nothing behind, and is done once when it is tried again', async () => {
    applySequences([{ steps: [mail(0, 'Hello'), task(DAY, 'Call')] }])
    failing('')
    const { id, status, current_step } = await enroll()
    assert.deepEqual([status, current_step, messagesOf(id)], ['active', 0, []])
    mend()
    await later(2000)
    assert.deepEqual([(await get(`/enrollments/${id}`)).current_step, messagesOf(id).length], [1, 1])
  })

  test('is given up after the last try: the enrollment has failed, and its job says why', async () => {
    applySequences([{ steps: [mail(0, 'Hello')] }])
    failing('')
    const seq = timelines.lastSeq()
    const { id } = await enroll()
    await later(12 * 3_600_000)
    const { status, stop_reason, next_step_at, finished_at } = await get(`/enrollments/${id}`)
    assert.deepEqual([status, stop_reason, next_step_at], ['failed', 'error', null])
    assert.ok(finished_at)
    assert.equal(timelines.events(seq).at(-1)?.type, 'enrollment.stopped')
    const [job] = rows('SELECT last_error, tries, failed_at FROM jobs WHERE key = ?', id)
    assert.deepEqual([job.last_error, job.tries, job.failed_at !== null], ['broken', 20, true])
    mend()
  })

  test('that comes too late to be given up leaves an enrollment that is over as it is', async () => {
    applySequences([{ steps: [task(0, 'Call')] }])
    const before = await enroll()
    await timelines.store.write(() => void enrollmentEngine(timelines.deps).giveUp(timelines.a.org, before.id))
    assert.deepEqual([before.status, await get(`/enrollments/${before.id}`)], ['completed', before])
  })
})

const answerBy = (id: string | null, conversation_id: string | null, at: number) => ({
  author: { id },
  conversation_id: conversation_id as string,
  sent_at: new Date(at).toISOString(),
})

describe('an answer', () => {
  test('is noted on the enrollment and on the newest step before it, once', async () => {
    applySequences([{ steps: [mail(0, 'Hello'), mail(DAY), task(DAY, 'Call')], stop_on: [] }])
    const { id, conversation_id, contact_id } = await enroll()
    await later(DAY * 1000)
    const at = timelines.now()
    await tell(({ messageReceived }) =>
      messageReceived({ org: timelines.a.org, member: null }, answerBy(contact_id, conversation_id, at)),
    )
    await later(DAY * 1000)
    await tell(({ messageReceived }) =>
      messageReceived({ org: timelines.a.org, member: null }, answerBy(contact_id, conversation_id, timelines.now())),
    )
    const { replied_at, status } = await get(`/enrollments/${id}`)
    assert.deepEqual([replied_at, status], [new Date(at).toISOString(), 'completed'])
    assert.deepEqual(
      stepsOf(id).map((step) => step.replied_at),
      [null, at, null],
    )
  })

  test('that comes in late is noted on the step that it was written after', async () => {
    applySequences([{ steps: [mail(0, 'Hello'), mail(DAY), mail(DAY)], stop_on: [] }])
    const { id, conversation_id, contact_id } = await enroll()
    const at = timelines.now() + 3_600_000
    await later(2 * DAY * 1000)
    await tell(({ messageReceived }) =>
      messageReceived({ org: timelines.a.org, member: null }, answerBy(contact_id, conversation_id, at)),
    )
    assert.deepEqual(
      stepsOf(id).map((step) => step.replied_at),
      [at, null, null],
    )
  })

  test('counts for all that had written to the contact, and for what the conversation is of, whoever writes', async () => {
    const steps = [mail(0, 'Hello'), mail(DAY)]
    applySequences([{ steps }, { steps }, { steps: [task(0, 'Call'), mail(DAY, 'Hello')] }])
    const contact_id = await timelines.newContact()
    const [one, two, three] = [0, 1, 2].map((n) => ({ contact_id, sequence_id: idOf(`q${n}`) }))
    const [first, second, third] = [await enroll(one), await enroll(two), await enroll(three)]
    const stranger = await enroll()
    const { conversation_id } = first
    await tell(({ messageReceived }) =>
      messageReceived({ org: timelines.a.org, member: null }, answerBy(null, conversation_id, timelines.now())),
    )
    const statuses = async () =>
      Promise.all([first, second, third, stranger].map(async ({ id }) => (await get(`/enrollments/${id}`)).status))
    assert.deepEqual(await statuses(), ['stopped', 'active', 'active', 'active'])
    await tell(({ messageReceived }) =>
      messageReceived({ org: timelines.a.org, member: null }, answerBy(contact_id, conversation_id, timelines.now())),
    )
    assert.deepEqual(await statuses(), ['stopped', 'stopped', 'active', 'active'])
  })

  test('that was written before the first mail is none to it', async () => {
    const { id, contact_id } = await (async () => {
      applySequences([{ steps: [mail(0, 'Hello'), mail(DAY)] }])
      return enroll()
    })()
    const other = await timelines.made('/messages', {
      ...{ contact_id, channel: 'chat', direction: 'inbound', body_text: 'Earlier' },
      sent_at: new Date(timelines.now() - 60_000).toISOString(),
    })
    assert.ok(other)
    assert.equal((await get(`/enrollments/${id}`)).status, 'active')
  })
})

test('what becomes of a mail is noted on its step', async () => {
  applySequences([{ steps: [mail(0, 'Hello'), mail(DAY)], stop_on: [] }])
  const { id } = await enroll()
  const [message] = messagesOf(id)
  const { version } = await get(`/enrollments/${id}`)
  const [a, b] = [timelines.a, timelines.b].map(({ org }) => ({ org, member: null })) as [Caller, Caller]
  const sentAt = timelines.now()
  await tell(({ sent }) => sent(a, message))
  timelines.advance(5)
  await tell(({ sent }) => sent(a, message))
  await tell(({ bounced }) => bounced(a, message))
  const [step] = stepsOf(id)
  assert.deepEqual([step.sent_at, step.bounced_at], [sentAt, timelines.now()])
  const [kept] = rows('SELECT bounced_at, version FROM enrollments WHERE id = ?', id)
  assert.deepEqual([kept.bounced_at, kept.version], [timelines.now(), version], 'the outside sees nothing of it')
  await tell(({ sent, failed, bounced }) => {
    const gone = { id: '01890000-0000-7000-8000-000000000000' }
    for (const become of [sent, failed, bounced]) become(a, gone)
    for (const become of [sent, failed]) become(b, message)
  })
  assert.equal((await get(`/enrollments/${id}`)).status, 'active')
})

test('a mail that is refused after the next step is done leaves a completed enrollment as it is', async () => {
  applySequences([{ steps: [mail(0, 'Hello'), task(0, 'Call')] }])
  const { id, status } = await enroll()
  assert.equal(status, 'completed')
  const [message] = messagesOf(id)
  await tell(({ failed }) => failed({ org: timelines.a.org, member: null }, message))
  assert.equal((await get(`/enrollments/${id}`)).status, 'completed')
})

describe('a meeting', () => {
  const starts_at = '2031-01-01T09:00:00Z'
  const meeting = { title: 'Demo', starts_at, ends_at: '2031-01-01T10:00:00Z' }
  const statusOf = async (id: string) => (await get(`/enrollments/${id}`)).stop_reason
  const change = async (id: string, given: Given) =>
    assert.equal((await timelines.call('PATCH', `/meetings/${id}`, given)).status, 200)
  beforeEach(() => applySequences([{ steps: [mail(0, 'Hello'), mail(DAY)] }]))

  test('counts when it is made, unless it was called off', async () => {
    const { id, contact_id } = await enroll()
    const participants = [{ contact_id }]
    await timelines.made('/meetings', { ...meeting, participants, status: 'canceled' })
    assert.equal(await statusOf(id), null)
    await timelines.made('/meetings', { ...meeting, participants })
    assert.equal(await statusOf(id), 'meeting_booked')
  })

  test('counts for those who are added to it, and not again for those who were there', async () => {
    const [first, second] = [await enroll(), await enroll()]
    const made = await timelines.made('/meetings', meeting)
    await change(made, { participants: [{ contact_id: first.contact_id }] })
    assert.deepEqual([await statusOf(first.id), await statusOf(second.id)], ['meeting_booked', null])
    const again = await enroll({ contact_id: first.contact_id })
    await change(made, { participants: [{ contact_id: first.contact_id }, { contact_id: second.contact_id }] })
    assert.deepEqual([await statusOf(again.id), await statusOf(second.id)], [null, 'meeting_booked'])
    await change(made, { title: 'Another' })
    assert.equal(await statusOf(again.id), null)
    await change(made, { starts_at: '2031-01-01T09:30:00Z' })
    assert.equal(await statusOf(again.id), 'meeting_booked')
  })

  test('is noted on what is over, where it had done something', async () => {
    const { id, contact_id } = await enroll()
    await timelines.call('PATCH', `/enrollments/${id}`, { status: 'stopped' })
    const never = await enroll({ start_at: '2031-01-01T00:00:00Z', contact_id })
    await timelines.call('PATCH', `/enrollments/${never.id}`, { status: 'stopped' })
    await timelines.made('/meetings', { ...meeting, participants: [{ contact_id }] })
    const noted = rows('SELECT meeting_booked_at AS at FROM enrollments WHERE contact_id = ? ORDER BY id', contact_id)
    assert.deepEqual(
      noted.map(({ at }) => at),
      [timelines.now(), null],
    )
  })
})

test('a deal ends what is about it, and what is about none of its contact', async () => {
  const steps = [mail(0, 'Hello'), mail(DAY)]
  applySequences([{ steps }, { steps }, { steps, stop_on: ['reply'] }])
  const contact_id = await timelines.newContact()
  const [deal_id, other] = [
    await timelines.made('/deals', { title: 'Rollout', primary_contact_id: contact_id }),
    await timelines.made('/deals', { title: 'Other' }),
  ]
  const [about, elsewhere, unasked] = [
    await enroll({ contact_id, deal_id }),
    await enroll({ contact_id, deal_id: other, sequence_id: idOf('q1') }),
    await enroll({ contact_id, deal_id, sequence_id: idOf('q2') }),
  ]
  const colleague = await enroll({ deal_id })
  await timelines.call('POST', `/deals/${deal_id}/close`, { reason_id: timelines.a.reasons.lost })
  const reasons = [about, elsewhere, unasked, colleague].map(
    async ({ id }) => (await get(`/enrollments/${id}`)).stop_reason,
  )
  assert.deepEqual(await Promise.all(reasons), ['deal_closed', null, null, 'deal_closed'])
})

describe('contacts that become one', () => {
  const merge = (kept: string, merged: string): string => {
    let id = ''
    timelines.store.transaction(() => {
      id = mergeStore(timelines.deps).merge(timelines.who, 'contact', kept, merged).id
    })
    return id
  }
  beforeEach(() => applySequences([{ steps: [mail(0, 'Hello'), mail(DAY)] }, { steps: [task(DAY, 'Call')] }]))

  test('are left alone where one of them is to be: what is live of the other ends with its next step', async () => {
    const kept = await timelines.newContact({ do_not_contact: true })
    const { id, contact_id } = await enroll({ contact_id: await timelines.newContact(), sequence_id: idOf('q1') })
    merge(kept, contact_id)
    await later(DAY * 1000)
    const { status, stop_reason, current_step } = await get(`/enrollments/${id}`)
    assert.deepEqual([status, stop_reason, current_step], ['stopped', 'do_not_contact', 0])
  })

  test('keep the enrollments of both; of two in one sequence the one of the contact that goes is stopped', async () => {
    const [kept, merged] = [await timelines.newContact(), await timelines.newContact()]
    const [first, second] = [await enroll({ contact_id: kept }), await enroll({ contact_id: merged })]
    const third = await enroll({ contact_id: merged, sequence_id: idOf('q1') })
    const seq = timelines.lastSeq()
    const id = merge(kept, merged)
    const shown = async ({ id }: Row) => {
      const { contact_id, status, stop_reason } = await get(`/enrollments/${id}`)
      return [contact_id === kept ? 'kept' : 'merged', status, stop_reason]
    }
    assert.deepEqual(await shown(first), ['kept', 'active', null])
    assert.deepEqual(await shown(second), ['kept', 'stopped', 'merged'])
    assert.deepEqual(await shown(third), ['kept', 'active', null])
    const told = timelines.events(seq).filter(({ type }) => type.startsWith('enrollment.'))
    assert.deepEqual(
      told.map(({ type, object_id }) => [type, object_id === second.id]),
      [
        ['enrollment.stopped', true],
        ['enrollment.updated', true],
        ['enrollment.updated', false],
      ],
    )
    timelines.store.transaction(() => void mergeStore(timelines.deps).undo(timelines.who, id))
    assert.deepEqual(await shown(first), ['kept', 'active', null])
    assert.deepEqual(await shown(second), ['merged', 'stopped', 'merged'])
    assert.deepEqual(await shown(third), ['merged', 'active', null])
  })
})

describe('a sequence whose status changes', () => {
  const MANY = 230
  const count = (sql: string) => rows(`SELECT count(*) AS n FROM ${sql}`)[0].n

  test('takes all of its enrollments along, some at a time', async () => {
    const many = { key: 'many' }
    const steps = [task(DAY, 'Call')]
    applySequences([{ ...many, steps }])
    const sequence_id = idOf('many')
    const waiting = `jobs WHERE key IN (SELECT id FROM enrollments WHERE sequence_id = '${sequence_id}')`
    for (let n = 0; n < MANY; n += 10) {
      const contact_ids = await Promise.all(Array.from({ length: 10 }, () => timelines.newContact()))
      await timelines.call('POST', '/enrollments', { sequence_id, contact_ids })
    }
    applySequences([{ ...many, steps, status: 'paused' }])
    await later(2 * DAY * 1000)
    assert.equal(count(waiting), 0, 'none waits')
    assert.equal(count(`enrollments WHERE status = 'active' AND sequence_id = '${sequence_id}'`), MANY)
    applySequences([{ ...many, steps }])
    await due()
    assert.equal(count(`enrollments WHERE status = 'completed' AND sequence_id = '${sequence_id}'`), MANY)
    applySequences([{ ...many, steps, status: 'archived' }])
    await due()
    assert.equal(count(`enrollments WHERE status = 'completed' AND sequence_id = '${sequence_id}'`), MANY)
  })

  test('that was given up stops what is scheduled, active and paused', async () => {
    const steps = [task(DAY, 'Call')]
    applySequences([{ steps }])
    const all = [await enroll(), await enroll(), await enroll({ start_at: '2031-01-01T00:00:00Z' })]
    await timelines.call('PATCH', `/enrollments/${all[0].id}`, { status: 'paused' })
    applySequences([{ steps, status: 'archived' }])
    await due()
    for (const { id } of all) {
      const { status, stop_reason } = await get(`/enrollments/${id}`)
      assert.deepEqual([status, stop_reason], ['stopped', 'sequence_archived'])
      assert.deepEqual(rows('SELECT 1 FROM jobs WHERE key = ?', id), [])
    }
  })

  test('that was given up stops those of each status, however many of another one are newer', async () => {
    const steps = [task(DAY, 'Call')]
    applySequences([{ steps }])
    const oldest = await enroll()
    const contact_ids = await Promise.all(Array.from({ length: 30 }, () => timelines.newContact()))
    const given = { sequence_id: idOf('q0'), contact_ids, start_at: '2031-01-01T00:00:00Z' }
    assert.equal((await timelines.call('POST', '/enrollments', given)).body.data.length, 30)
    applySequences([{ steps, status: 'archived' }])
    await due()
    assert.equal((await get(`/enrollments/${oldest.id}`)).status, 'stopped')
    const still = `enrollments WHERE sequence_id = '${idOf('q0')}' AND status IN ('scheduled', 'active', 'paused')`
    assert.equal(count(still), 0)
  })
})

test('one whose last mail was refused later ended when it was completed, as far as its figures go', async () => {
  applySequences([{ steps: [mail(0, 'Hello')] }])
  const before = await enroll()
  assert.equal(before.status, 'completed')
  await later(3_600_000)
  await tell((watch) => watch.failed({ org: timelines.a.org, member: null }, messagesOf(before.id)[0]))
  const { status, finished_at } = await get(`/enrollments/${before.id}`)
  assert.deepEqual([status, finished_at], ['failed', before.finished_at])
})

test('the one of another organisation is left alone', async () => {
  applySequences([{ steps: [mail(0, 'Hello'), mail(DAY)] }])
  const { id, contact_id, conversation_id } = await enroll()
  await tell((watch) => {
    const org = timelines.b.org
    const who = { org, member: null }
    watch.messageReceived(who, answerBy(contact_id, conversation_id, timelines.now()))
    watch.meetingBooked(org, [contact_id])
    watch.contactUpdated(who, { id: contact_id, do_not_contact: true })
    watch.unsubscribed(org, contact_id)
    watch.dealClosed(who, { id, primary_contact_id: contact_id })
    watch.clearContact(who, contact_id)
  })
  assert.equal((await get(`/enrollments/${id}`)).version, 2)
})
