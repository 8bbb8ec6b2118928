import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { mergeStore } from '../../../src/crm/merges/merges.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
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
    assert.ok(page.data.length > 0 || all.length === 0)
    all.push(...page.data)
    cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : ''
  } while (cursor)
  return all
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
