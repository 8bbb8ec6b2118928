import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { inverse } from '../../../src/site/app/undo/inverse.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { insertConversation } from '../../support/conversation.ts'
import { errorsOf, type Given, type Row, UNKNOWN } from '../../support/records.ts'

let app: AppServer
before(async () => {
  app = await startApp()
  for (const key of ['one', 'two'])
    await app.newRecord('/custom-fields', { object: 'deal', key, label: key, type: 'text' })
})
after(() => app.stop())

const undo = (given: Given = { seq: app.lastSeq() }) => app.ask('member', 'POST', '/undo', given)
const undone = async (given?: Given): Promise<Row> => {
  const { status, body } = await undo(given)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

describe('an undo', () => {
  test('gives a record its fields back, as an event of its own, and can be undone', async () => {
    const deal = await app.newDeal({ title: 'Roof', amount: 5, custom_fields: { one: 'a' } })
    await app.patchRecord(`/deals/${deal.id}`, {
      title: 'House',
      amount: null,
      expected_close_date: '2027-01-01',
      custom_fields: { one: null, two: 'b' },
    })
    const seq = app.lastSeq()
    const answer = await undone()
    const back = await app.getRecord(`/deals/${deal.id}`)
    const of = ({ title, amount, expected_close_date, custom_fields }: Row) => [
      title,
      amount,
      expected_close_date,
      custom_fields,
    ]
    assert.deepEqual([of(back), back.version], [of(deal), 3])
    const [event] = app.events(seq)
    assert.deepEqual([event?.type, event?.actor, event?.seq], ['deal.updated', app.ids.member, seq + 1])
    assert.equal(answer.event.seq, seq + 1)
    assert.deepEqual(answer.record, { kind: 'deals', id: deal.id, version: 3 })
    await undone({ event_id: answer.event.id })
    assert.deepEqual(of(await app.getRecord(`/deals/${deal.id}`)), ['House', null, '2027-01-01', { two: 'b' }])
  })

  test('keeps what others changed meanwhile, and refuses where it was the same field', async () => {
    const [gold, silver] = [await app.newRecord('/tags', { name: 'G' }), await app.newRecord('/tags', { name: 'S' })]
    const deal = await app.newDeal({ title: 'Roof' })
    const place = `/deals/${deal.id}`
    await app.patchRecord(place, { amount: 7, tag_ids: [gold.id], custom_fields: { one: 'x' } })
    const seq = app.lastSeq()
    await app.patchRecord(place, { title: 'House', tag_ids: [gold.id, silver.id], custom_fields: { two: 'y' } })
    await undone({ seq })
    const { title, amount, tag_ids, custom_fields } = await app.getRecord(place)
    assert.deepEqual([title, amount, tag_ids, custom_fields], ['House', null, [silver.id], { two: 'y' }])
    const before = app.lastSeq()
    await app.patchRecord(place, { amount: 1, custom_fields: { one: 'z' } })
    const first = app.lastSeq()
    await app.patchRecord(place, { amount: 2, custom_fields: { one: 'w' } })
    const { status, body } = await undo({ seq: first })
    assert.deepEqual([status, body.code, body.fields], [409, 'changed_since', ['amount', 'custom_fields.one']])
    assert.equal(app.lastSeq(), before + 2)
  })

  test('restores what was deleted, and deletes what was created', async () => {
    const note = await app.newRecord('/notes', { body: 'N', deal_ids: [(await app.newDeal()).id] })
    const seq = app.lastSeq()
    await undone()
    assert.equal((await app.call('GET', `/notes/${note.id}`)).status, 404)
    await undone()
    assert.equal((await app.getRecord(`/notes/${note.id}`)).body, 'N')
    await app.patchRecord(`/notes/${note.id}`, { body: 'M' })
    assert.equal((await undo({ seq })).body.code, 'changed_since')
    assert.equal((await undo({ seq: seq + 1 })).body.code, 'not_in_bin')
    const deal = await app.newDeal()
    await undone()
    assert.equal((await app.call('GET', `/deals/${deal.id}`)).status, 404)
  })

  test('moves a deal back, reopens a closed one, and closes it again', async () => {
    const deal = await app.newDeal()
    const place = `/deals/${deal.id}`
    await app.patchRecord(place, { stage: app.a.stages.proposal })
    await undone()
    assert.equal((await app.getRecord(place)).stage, app.a.stages.qualified)
    await app.call('POST', `${place}/close`, { reason_id: app.a.reasons.lost })
    const seq = app.lastSeq()
    await undone()
    const open = await app.getRecord(place)
    const outcome = ({ stage, status, close_reason_id, closed_at }: Row) => [stage, status, close_reason_id, closed_at]
    assert.deepEqual(outcome(open), [app.a.stages.qualified, 'open', null, null])
    assert.equal(app.events(seq)[0]?.type, 'deal.stage_changed')
    assert.equal((await undo({ seq })).body.code, 'changed_since')
    await undone()
    const { stage, status, close_reason_id } = await app.getRecord(place)
    assert.deepEqual([stage, status, close_reason_id], [app.a.stages.lost, 'lost', app.a.reasons.lost])
  })

  test('opens a task that was done', async () => {
    const task = await app.newRecord('/tasks', { title: 'T' })
    await app.patchRecord(`/tasks/${task.id}`, { status: 'done' })
    await undone()
    const { status, completed_at } = await app.getRecord(`/tasks/${task.id}`)
    assert.deepEqual([status, completed_at], ['open', null])
  })

  test('obeys the rules of a change', async () => {
    const company = await app.newCompany()
    const contact = await app.newContact({ company_id: company.id })
    await app.patchRecord(`/contacts/${contact.id}`, { company_id: null })
    const seq = app.lastSeq()
    await app.call('DELETE', `/companies/${company.id}`)
    const gone = await undo({ seq })
    assert.deepEqual([gone.status, errorsOf(gone.body)], [422, ['/company_id reference_not_found']])
    const one = await app.newContact({ emails: [{ email: 'u@example.com' }] })
    await app.patchRecord(`/contacts/${one.id}`, { emails: [], last_name: 'U' })
    const changed = app.lastSeq()
    await app.newContact({ emails: [{ email: 'u@example.com' }] })
    assert.equal((await undo({ seq: changed })).body.code, 'duplicate')
  })

  test('is refused for changes that have no inverse', async () => {
    const { db, clock } = app.store
    /** An event, as another version of the server may have written it. */
    const told = (type: string, record: string, data: object): number => {
      const seq = app.lastSeq() + 1
      db.prepare(
        `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data)
         VALUES (?, ?, ?, ?, ?, ?, 'system', ?)`,
      ).run(app.a.org, seq, clock.id(), type, record, clock.now(), JSON.stringify(data))
      db.prepare('UPDATE orgs SET last_seq = ? WHERE id = ?').run(seq, app.a.org)
      return seq
    }
    const deal = await app.newDeal()
    const conversation = insertConversation(app.store, app.a.org)
    const none = { object: deal, changed_fields: [], previous: {} }
    for (const [type, record, data] of [
      ['message.received', UNKNOWN, none],
      ['enrollment.created', UNKNOWN, none],
      ['transcript.deleted', UNKNOWN, none],
      ['conversation.created', conversation, { ...none, object: { id: conversation, version: 1 } }],
      ['deal.updated', deal.id, none],
    ] as const) {
      const { status, body } = await undo({ seq: told(type, record, data) })
      assert.deepEqual([status, body.code], [409, 'cannot_undo'], type)
    }
    const scored = { object: { ...deal, score: 3 }, changed_fields: ['score'], previous: { score: 2 } }
    const { body } = await undo({ seq: told('deal.updated', deal.id, scored) })
    assert.deepEqual([body.code, body.fields], ['changed_since', ['score']], 'nobody can set it')
    assert.deepEqual(await app.getRecord(`/deals/${deal.id}`), deal)
  })

  test('finds an event by its id also behind many others, and never one of another organisation', async () => {
    const { transaction } = app.store
    const deal = await app.newDeal({ title: 'Roof' })
    await app.patchRecord(`/deals/${deal.id}`, { title: 'House' })
    const [event] = app.store.db
      .prepare('SELECT id FROM events WHERE org_id = ? AND seq = ?')
      .all(app.a.org, app.lastSeq()) as [{ id: string }]
    const deals = dealStore(app.deps)
    transaction(() => {
      for (let at = 0; at < 1500; at++) deals.create({ org: app.a.org, member: app.a.owner }, { title: `${at}` })
      for (let at = 0; at < 5; at++) deals.create({ org: app.b.org, member: app.b.owner }, { title: `${at}` })
    })
    const foreign = await app.ask('stranger', 'POST', '/undo', { event_id: event.id })
    assert.equal(foreign.status, 404)
    assert.equal((await app.ask('stranger', 'POST', '/undo', { seq: app.lastSeq() })).status, 404)
    const { record, event: own } = await undone({ event_id: event.id })
    assert.deepEqual([record.id, own.seq], [deal.id, app.lastSeq()])
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).title, 'Roof')
  })

  test('is for members, of an event of their organisation', async () => {
    const deal = await app.newDeal()
    const given = { seq: app.lastSeq() }
    assert.equal((await app.ask('viewer', 'POST', '/undo', given)).status, 403)
    assert.equal((await app.ask('stranger', 'POST', '/undo', given)).status, 404)
    assert.equal((await undo({ event_id: UNKNOWN })).status, 404)
    for (const wrong of [{}, { ...given, event_id: UNKNOWN }])
      assert.deepEqual(errorsOf((await undo(wrong)).body), [' required'])
    assert.equal((await app.getRecord(`/deals/${deal.id}`)).id, deal.id)
  })
})

test('the inverse leaves what cannot be set to what follows from it, unless it has changed by itself', () => {
  const told = (name: string) => ({ object: { [name]: 2 }, changed_fields: [name], previous: { [name]: 1 } })
  const now = (name: string, value: number) => ({ id: 'x', version: 1, [name]: value })
  assert.deepEqual(inverse(now('score', 2), told('score'), new Set()), { patch: {}, changed: [] })
  assert.deepEqual(inverse(now('score', 3), told('score'), new Set()), { patch: {}, changed: ['score'] })
  assert.deepEqual(inverse(now('closed_at', 3), told('closed_at'), new Set()), { patch: {}, changed: [] })
})

test('the inverse of custom fields is that of the changed ones only', () => {
  const custom = (custom_fields: object) => ({ custom_fields })
  const told = {
    ...{ object: custom({ one: 'a', two: 'b' }), changed_fields: ['custom_fields'] },
    previous: custom({ one: 'a', three: 'c' }),
  }
  const now = { id: 'x', version: 1, ...custom({ one: 'z', two: 'b' }) }
  assert.deepEqual(inverse(now, told, new Set(['custom_fields'])), {
    patch: custom({ two: null, three: 'c' }),
    changed: [],
  })
})

test('the inverse of a change of sets gives back once what somebody has given back already', () => {
  const told = { object: { tag_ids: ['a'] }, changed_fields: ['tag_ids'], previous: { tag_ids: ['b'] } }
  const back = inverse({ id: 'x', version: 1, tag_ids: ['a', 'b'] }, told, new Set(['tag_ids']))
  assert.deepEqual(back.patch, { tag_ids: ['b'] })
  const grown = { object: { tag_ids: ['a', 'b'] }, changed_fields: ['tag_ids'], previous: { tag_ids: ['a'] } }
  const rest = inverse({ id: 'x', version: 1, tag_ids: [] }, grown, new Set(['tag_ids']))
  assert.deepEqual(rest.patch, { tag_ids: [] }, 'what stayed then and was taken since')
})

test('the inverse of a change of sets takes back the difference', () => {
  const told = { object: { tag_ids: ['a', 'b'] }, changed_fields: ['tag_ids'], previous: { tag_ids: ['b', 'c'] } }
  const back = inverse({ id: 'x', version: 1, tag_ids: ['a', 'b', 'd'] }, told, new Set(['tag_ids']))
  assert.deepEqual(back, { patch: { tag_ids: ['b', 'd', 'c'] }, changed: [] })
})
