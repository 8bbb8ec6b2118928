import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { recordEvents } from '../../../src/site/app/timeline/events.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { enroll, insertRow, makeSequence } from '../../support/enrolled.ts'
import { type Row, UNKNOWN } from '../../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
})
after(() => app.stop())

async function walk(query: string, limit = 100): Promise<Row[]> {
  const all: Row[] = []
  let cursor = ''
  do {
    const page = await app.ok('viewer', 'GET', `/timeline?${query}&limit=${limit}${cursor}`)
    assert.ok(page.data.length <= limit)
    all.push(...page.data)
    cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
  } while (cursor)
  return all
}

function insertMessage(conversation_id: string, sent_at: number): string {
  const id = app.store.clock.id()
  insertRow(app.store, 'messages', {
    ...{ org_id: app.a.org, id, conversation_id, channel: 'email', direction: 'inbound', author: '{}', body_text: 'x' },
    ...{ sent_at, status: 'received', sent_to: '[]', sent_cc: '[]', is_automatic: 0, attachments: '[]' },
    ...{ created_at: sent_at, updated_at: sent_at, version: 1 },
  })
  return id
}

const kindsOf = async (query: string): Promise<string[]> => (await walk(query)).map(({ kind }) => kind)

/** One of everything that can hang on a deal, a minute apart. */
async function story() {
  const pass = () => app.advance(60_000)
  const company = await app.newCompany()
  const contact = await app.newContact({ company_id: company.id })
  const deal = await app.newDeal({ company_id: company.id, primary_contact_id: contact.id })
  const links = { contact_ids: [contact.id], company_ids: [company.id], deal_ids: [deal.id] }
  pass()
  const note = await app.newRecord('/notes', { body: 'Wants a roof', ...links })
  pass()
  const task = await app.newRecord('/tasks', { title: 'Call', ...links })
  pass()
  await app.patchRecord(`/tasks/${task.id}`, { status: 'done' })
  pass()
  const conversation = insertConversation(app.store, app.a.org, {
    contact_id: contact.id,
    company_id: company.id,
    deal_id: deal.id,
    subject: 'Roof',
  })
  const message = await app.newRecord('/messages', {
    conversation_id: conversation,
    direction: 'note',
    body_text: 'Hello',
  })
  pass()
  const starts_at = new Date(app.now()).toISOString()
  const meeting = await app.newRecord('/meetings', {
    title: 'Demo',
    starts_at,
    ends_at: new Date(app.now() + 60_000).toISOString(),
    company_id: company.id,
    deal_id: deal.id,
    participants: [{ contact_id: contact.id }],
  })
  pass()
  await app.patchRecord(`/deals/${deal.id}`, { stage: app.a.stages.demo, title: 'Roof' })
  pass()
  await app.patchRecord(`/deals/${deal.id}`, { amount: 500 })
  pass()
  await app.call('POST', `/deals/${deal.id}/close`, { reason_id: app.a.reasons.won })
  return { company, contact, deal, note, task, conversation, message, meeting }
}

describe('a timeline', () => {
  test('shows what hangs on a record, newest first, with who did it', async () => {
    await story()
    const { company, contact, deal, note, task, message, meeting } = await story()
    const all = await walk(`deal_id=${deal.id}`)
    assert.deepEqual(
      all.map(({ kind }) => kind),
      ['stage', 'change', 'change', 'stage', 'meeting', 'mail', 'task_completed', 'task', 'note', 'created'],
    )
    const of = (kind: string) => all.find((each) => each.kind === kind)
    assert.deepEqual(
      [of('note').note.id, of('note').note.body, of('note').actor_id],
      [note.id, 'Wants a roof', app.a.owner],
    )
    assert.deepEqual([of('task').task.id, of('task').actor_id], [task.id, app.a.owner])
    assert.deepEqual([of('task_completed').task.status, of('task_completed').actor_id], ['done', app.a.owner])
    assert.deepEqual([of('mail').mail.id, of('mail').mail.subject, of('mail').mail.text], [message.id, 'Roof', 'Hello'])
    assert.deepEqual([of('meeting').meeting.id, of('meeting').at], [meeting.id, meeting.starts_at])
    const { event_id, ...closing } = of('stage').stage
    assert.deepEqual(closing, { from_stage_id: app.a.stages.demo, to_stage_id: app.a.stages.won })
    const moves = all.filter(({ kind }) => kind === 'stage').map((each) => each.stage.event_id)
    assert.notEqual(moves[0], moves[1])
    // By its event, each change of stages can be taken back.
    const { record } = await app.ok('member', 'POST', '/undo', { event_id })
    assert.equal(record.id, deal.id)
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).stage, app.a.stages.demo)
    const { fields, previous, current } = of('change').change
    assert.deepEqual([fields, previous, current], [['amount'], { amount: null }, { amount: 500 }])
    assert.equal(of('created').actor_id, app.a.owner)
    assert.deepEqual(await kindsOf(`contact_id=${contact.id}`), [
      ...['meeting', 'mail', 'task_completed', 'task', 'note', 'created'],
    ])
    assert.deepEqual(await kindsOf(`company_id=${company.id}`), [
      ...['meeting', 'mail', 'task_completed', 'task', 'note', 'created'],
    ])
  })

  test('is the same in pages of every size, also where everything has one time', async () => {
    const { deal, contact } = await story()
    for (let at = 0; at < 5; at++) {
      await app.newRecord('/notes', { body: `N${at}`, deal_ids: [deal.id], contact_ids: [contact.id] })
      await app.patchRecord(`/contacts/${contact.id}`, { job_title: `J${at}` })
    }
    const open = await app.newDeal({})
    for (const stage of ['demo', 'proposal', 'qualified', 'demo', 'proposal'] as const) {
      await app.patchRecord(`/deals/${open.id}`, { stage: app.a.stages[stage] })
      await app.patchRecord(`/deals/${open.id}`, { stage: app.a.stages[stage], title: `T ${stage}` })
      await app.newRecord('/tasks', { title: stage, deal_ids: [open.id] })
    }
    for (const query of [`deal_id=${deal.id}`, `contact_id=${contact.id}`, `deal_id=${open.id}`]) {
      const whole = await walk(query)
      assert.equal(new Set(whole.map(({ id }) => id)).size, whole.length)
      assert.equal(whole.at(-1).kind, 'created')
      for (const limit of [1, 2, 3, 7]) assert.deepEqual(await walk(query, limit), whole, `${query} by ${limit}`)
    }
    assert.deepEqual((await kindsOf(`deal_id=${open.id}`)).toSorted(), [
      ...Array.from({ length: 5 }, () => 'change'),
      'created',
      ...Array.from({ length: 5 }, () => 'stage'),
      ...Array.from({ length: 5 }, () => 'task'),
    ])
  })

  test('ends with the creation in the previous system, if the record has its date', async () => {
    const originally_created_at = '2019-04-01T08:30:00.000Z'
    const [contact, company, deal] = await Promise.all(
      [app.newContact, app.newCompany, app.newDeal].map((make) => make({ originally_created_at })),
    )
    await app.newRecord('/notes', { body: 'New', deal_ids: [deal?.id] })
    for (const query of [`contact_id=${contact?.id}`, `company_id=${company?.id}`, `deal_id=${deal?.id}`]) {
      const whole = await walk(query)
      const [created, origin] = whole.slice(-2)
      assert.deepEqual([created.kind, origin.kind, origin.at], ['created', 'originally_created', originally_created_at])
      assert.equal(origin.actor_id, null)
      assert.deepEqual(await walk(query, 1), whole)
    }
    await app.patchRecord(`/deals/${deal?.id}`, { originally_created_at: '0001-01-01T00:00:00.000Z' })
    assert.equal((await walk(`deal_id=${deal?.id}`, 1)).at(-1).at, '0001-01-01T00:00:00.000Z')
    await app.patchRecord(`/deals/${deal?.id}`, { originally_created_at: null })
    assert.equal((await walk(`deal_id=${deal?.id}`)).at(-1).kind, 'created')
  })

  test('begins with the creation of a deal that was moved in the same millisecond, whatever its id', async () => {
    const moved = async () => {
      const deal = await app.newDeal({})
      for (const stage of ['demo', 'proposal', 'demo'] as const)
        await app.patchRecord(`/deals/${deal.id}`, { stage: app.a.stages[stage] })
      return deal.id as string
    }
    let id = await moved()
    while (id[24] !== 'f') id = await moved() // the ids of stage changes are made from that of the deal
    for (const deal of [id, await moved()]) {
      const whole = await walk(`deal_id=${deal}`)
      assert.deepEqual(
        whole.map(({ kind, stage }) => stage?.to_stage_id ?? kind),
        [app.a.stages.demo, app.a.stages.proposal, app.a.stages.demo, 'created'],
      )
      for (const limit of [1, 2, 3]) assert.deepEqual(await walk(`deal_id=${deal}`, limit), whole, `by ${limit}`)
    }
  })

  test('searches 50,000 events for a page, and goes on behind them with the next', async () => {
    const { db } = app.store
    const many = db.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)
       INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data)
       SELECT @org, @last + i, 'e' || (@last + i), 'deal.updated', 'another', @at, 'system', '{}' FROM n`,
    )
    const lastSeq = db.prepare('UPDATE orgs SET last_seq = last_seq + ? WHERE id = ?')
    const pass = (count: number) => {
      app.advance(60_000)
      many.run({ org: app.a.org, last: app.lastSeq(), at: app.now(), count })
      lastSeq.run(count, app.a.org)
      app.advance(60_000)
    }
    const deal = await app.newDeal({ title: 'Roof' })
    await app.patchRecord(`/deals/${deal.id}`, { title: 'House' })
    await app.newRecord('/notes', { body: 'Old', deal_ids: [deal.id] })
    pass(50_000)
    await app.newRecord('/notes', { body: 'New', deal_ids: [deal.id] })
    await app.patchRecord(`/deals/${deal.id}`, { title: 'Palace' })
    const query = `deal_id=${deal.id}`
    const first = await app.ok('viewer', 'GET', `/timeline?${query}`)
    assert.deepEqual(
      first.data.map(({ kind }: Row) => kind),
      ['change', 'note'],
      'what is older than the events that were searched is not told yet, also of notes',
    )
    const whole = await walk(query)
    assert.deepEqual(
      whole.map(({ kind, note, change }) => note?.body ?? change?.current.title ?? kind),
      ['Palace', 'New', 'Old', 'House', 'created'],
    )
    for (const limit of [1, 2, 3]) assert.deepEqual(await walk(query, limit), whole, `by ${limit}`)
  })

  test('tells of the beginning and the end of sequences, of a contact and of a deal', async () => {
    const [contact, deal] = [await app.newContact(), await app.newDeal()]
    const sequence = makeSequence(app, app.a)
    app.advance(60_000)
    const links = { contact_id: contact.id, deal_id: deal.id }
    const running = enroll(app, app.a, sequence.id, links)
    app.advance(60_000)
    const given = { ...links, status: 'stopped', stop_reason: 'reply', created_at: app.now() }
    const ended = enroll(app, app.a, sequence.id, { ...given, finished_at: app.now() + 5000 })
    enroll(app, app.a, sequence.id, {})
    app.advance(60_000)
    for (const query of [`contact_id=${contact.id}`, `deal_id=${deal.id}`]) {
      const whole = await walk(query)
      assert.deepEqual(
        whole.map(({ kind, enrollment }) => [kind, enrollment?.id, enrollment?.status]),
        [
          ['enrollment_finished', ended, 'stopped'],
          ['enrollment', ended, 'stopped'],
          ['enrollment', running, 'active'],
          ['created', undefined, undefined],
        ],
      )
      const [{ enrollment, at, actor_id }] = whole
      assert.deepEqual([enrollment.sequence_name, enrollment.stop_reason, actor_id], ['Welcome', 'reply', null])
      assert.equal(at, enrollment.finished_at)
      for (const limit of [1, 2]) assert.deepEqual(await walk(query, limit), whole)
    }
    const company = await app.newCompany()
    await app.patchRecord(`/contacts/${contact.id}`, { company_id: company.id })
    assert.deepEqual(await kindsOf(`company_id=${company.id}`), ['created'])
  })

  test('shows the beginning of long texts', async () => {
    const deal = await app.newDeal({ title: 'Roof' })
    app.advance(1000)
    const [short, long] = ['x'.repeat(4000), 'x'.repeat(4001)]
    const conversation = insertConversation(app.store, app.a.org, { deal_id: deal.id, subject: 'Roof' })
    for (const text of [short, long]) {
      await app.newRecord('/notes', { body: text, deal_ids: [deal.id] })
      await app.newRecord('/messages', { conversation_id: conversation, direction: 'note', body_text: text })
      app.advance(1000)
    }
    const all = await walk(`deal_id=${deal.id}`)
    const [notes, mails] = ['note', 'mail'].map((kind) => all.filter((each) => each.kind === kind))
    assert.deepEqual(
      notes?.map(({ note }) => [note.body.length, note.is_cut]),
      [
        [4000, true],
        [4000, false],
      ],
    )
    assert.deepEqual(
      mails?.map(({ mail }) => [mail.text.length, mail.is_cut, mail.is_automatic, mail.attachments]),
      [
        [4000, true, false, 0],
        [4000, false, false, 0],
      ],
    )
    const { id } = await app.newContact({ job_title: 'a' })
    app.advance(1000)
    await app.newRecord('/custom-fields', { object: 'contact', key: 'life', label: 'Life', type: 'text' })
    await app.patchRecord(`/contacts/${id}`, { custom_fields: { life: 'b' }, job_title: null })
    const [{ change }] = await walk(`contact_id=${id}`)
    assert.deepEqual(
      [change.previous, change.current],
      [
        { custom_fields: {}, job_title: 'a' },
        { custom_fields: { life: 'b' }, job_title: null },
      ],
    )
  })

  test('has its records in the form of the API', async () => {
    const contact = await app.newContact()
    app.advance(1000)
    const ends_at = new Date(app.now() + 60_000).toISOString()
    const given = { title: 'Demo', starts_at: new Date(app.now()).toISOString(), ends_at }
    const meeting = await app.newRecord('/meetings', { ...given, participants: [{ contact_id: contact.id }] })
    app.advance(1000)
    const task = await app.newRecord('/tasks', { title: 'Call', due_at: ends_at, contact_ids: [contact.id] })
    app.advance(1000)
    const note = await app.newRecord('/notes', { body: 'Call', is_pinned: true, contact_ids: [contact.id] })
    const [noted, told, met] = await walk(`contact_id=${contact.id}`)
    const ofApi = (shown: Row, stored: Row) =>
      Object.fromEntries(Object.keys(shown).map((name) => [name, stored[name]]))
    const { is_cut, ...shown } = noted.note
    assert.deepEqual(shown, ofApi(shown, note))
    assert.deepEqual([is_cut, shown.is_pinned, shown.title, shown.contact_ids], [false, true, null, [contact.id]])
    assert.deepEqual(told.task, ofApi(told.task, task))
    assert.deepEqual([told.task.due_at, told.task.completed_at], [ends_at, null])
    assert.deepEqual(met.meeting, ofApi(met.meeting, meeting))
    assert.deepEqual([met.meeting.participants[0].contact_id, met.meeting.has_transcript], [contact.id, false])
    assert.deepEqual(
      [noted, told, met].map(({ id, actor_id }) => [id, actor_id]),
      [
        [`note:${note.id}`, app.a.owner],
        [`task:${task.id}`, app.a.owner],
        [`meeting:${meeting.id}`, null],
      ],
    )
  })

  test('mixes the mails of all conversations by their time, in pages of every size', async () => {
    const contact = await app.newContact()
    const start = app.now()
    app.advance(60_000)
    const sent: { at: number; id: string }[] = []
    for (let conversation = 0; conversation < 8; conversation++) {
      // Times that interleave, and some that are equal.
      const times = Array.from({ length: 6 }, (_, at) => start + 1 + ((conversation * 7 + at * 11) % 40))
      const last_message_at = Math.max(...times)
      const id = insertConversation(app.store, app.a.org, { contact_id: contact.id, last_message_at })
      for (const at of times) sent.push({ at, id: insertMessage(id, at) })
    }
    for (let other = 0; other < 3; other++) {
      const merged = await app.newContact()
      app.store.transaction(() =>
        mergeStore(app.deps).merge({ org: app.a.org, member: app.ids.member }, 'contact', contact.id, merged.id),
      )
    }
    const whole = await walk(`contact_id=${contact.id}`)
    const mails = whole.flatMap(({ mail }) => mail?.id ?? [])
    sent.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
    assert.deepEqual(
      mails,
      sent.map(({ id }) => id),
    )
    assert.equal(whole.filter(({ kind }) => kind === 'merge').length, 3)
    for (const limit of [1, 2, 3, 7, 20])
      assert.deepEqual(await walk(`contact_id=${contact.id}`, limit), whole, `by ${limit}`)
  })

  test('has the mails of the latest 200 conversations', async () => {
    const contact = await app.newContact()
    app.advance(1000)
    const mails = Array.from({ length: 203 }, () =>
      insertMessage(insertConversation(app.store, app.a.org, { contact_id: contact.id }), app.now()),
    )
    const shown = (await walk(`contact_id=${contact.id}`)).flatMap(({ mail }) => mail?.id ?? [])
    assert.deepEqual(shown.toSorted(), mails.slice(3).toSorted())
  })

  test('tells of merges of the record alone, and when one was undone', async () => {
    const [kept, merged, company, second] = [
      await app.newContact(),
      await app.newContact(),
      await app.newCompany(),
      await app.newCompany({ name: 'South' }),
    ]
    const merges = mergeStore(app.deps)
    const who = { org: app.a.org, member: app.ids.member }
    app.advance(1000)
    const { id } = app.store.transaction(() => merges.merge(who, 'contact', kept.id, merged.id))
    app.store.transaction(() => merges.merge(who, 'company', company.id, second.id))
    const mergesOf = async (query: string) => (await walk(query)).flatMap(({ merge }) => merge ?? [])
    const told = { id, merged_id: merged.id, title: merged.name, undone_at: null }
    assert.deepEqual(await mergesOf(`contact_id=${kept.id}`), [told])
    assert.equal((await mergesOf(`company_id=${company.id}`))[0].merged_id, second.id)
    app.advance(1000)
    app.store.transaction(() => merges.undo(who, id))
    assert.deepEqual(await mergesOf(`contact_id=${kept.id}`), [
      // It has its name itself again.
      { ...told, title: null, undone_at: new Date(app.now()).toISOString() },
    ])
  })

  test('follows links that are moved, cleared and deleted', async () => {
    const [one, other] = [await app.newContact(), await app.newContact()]
    const note = await app.newRecord('/notes', { body: 'N', contact_ids: [one.id, other.id] })
    const task = await app.newRecord('/tasks', { title: 'T', status: 'done', contact_ids: [one.id] })
    assert.deepEqual((await kindsOf(`contact_id=${one.id}`)).toSorted(), ['created', 'note', 'task_completed'])
    await app.patchRecord(`/tasks/${task.id}`, { status: 'open', contact_ids: [other.id] })
    await app.patchRecord(`/notes/${note.id}`, { contact_ids: [other.id] })
    assert.deepEqual(await kindsOf(`contact_id=${one.id}`), ['created'])
    assert.deepEqual((await kindsOf(`contact_id=${other.id}`)).toSorted(), ['created', 'note', 'task'])
    await app.call('DELETE', `/notes/${note.id}`)
    assert.deepEqual((await kindsOf(`contact_id=${other.id}`)).toSorted(), ['created', 'task'])
    const kept = await app.newContact()
    app.store.transaction(() =>
      mergeStore(app.deps).merge({ org: app.a.org, member: app.ids.member }, 'contact', kept.id, other.id),
    )
    const all = await walk(`contact_id=${kept.id}`)
    assert.deepEqual(all.map(({ kind }) => kind).toSorted(), ['created', 'merge', 'task'])
    const { merge, actor_id } = all.find(({ kind }) => kind === 'merge')
    assert.deepEqual([merge.merged_id, actor_id], [other.id, app.ids.member])
  })

  test('reads the events of a record from the index of seq', () => {
    const sql =
      'SELECT at FROM events INDEXED BY events_seq WHERE org_id = ? AND seq BETWEEN ? AND ? AND object_id = ? ORDER BY seq DESC LIMIT 9'
    const plan = app.store.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(1, 2, 3, 'r') as { detail: string }[]
    assert.deepEqual(
      plan.map(({ detail }) => detail),
      ['SEARCH events USING INDEX events_seq (org_id=? AND seq>? AND seq<?)'],
    )
  })

  test('is of one record of the own organisation', async () => {
    const contact = await app.newContact()
    assert.equal((await app.ask('stranger', 'GET', `/timeline?contact_id=${contact.id}`)).status, 404)
    assert.equal((await app.ask('viewer', 'GET', `/timeline?deal_id=${contact.id}`)).status, 404)
    assert.equal((await app.ask('viewer', 'GET', `/timeline?deal_id=${UNKNOWN}`)).status, 404)
    for (const query of ['', 'contact_id=1', `contact_id=${UNKNOWN}&deal_id=${UNKNOWN}`, 'note_id=1']) {
      const { status, body } = await app.ask('viewer', 'GET', `/timeline?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'], query)
    }
  })
})

test('events older than a record are not searched', async () => {
  const { after } = recordEvents(app.store.db)
  const newest = { at: Number.MAX_SAFE_INTEGER, id: '~' }
  assert.notEqual(after(app.a.org, (await app.newDeal()).id, newest, 9).until, undefined) // 50,000 in the last day
  app.advance(DAY_MS + 60_000)
  const { id } = await app.newDeal()
  await app.patchRecord(`/deals/${id}`, { title: 'New' })
  const { found, until } = after(app.a.org, id, newest, 9)
  assert.deepEqual([found.map(({ type }) => type), until], [['deal.updated', 'deal.created'], undefined])
})
