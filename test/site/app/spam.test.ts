import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { applySettings } from '../../../src/app/settings/document.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { deskOf, person } from '../../support/desk.ts'
import { type Given, idsOf, type Row } from '../../support/records.ts'

// Spam, and whose mails are: docs/decisions/078-triage.md.

let app: AppServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  app = await startApp()
  desk = deskOf(app)
})
after(() => app.stop())
beforeEach(() => app.advance(60_000))

let count = 0
const arrived = (name: string, given: Given = {}): Promise<Row> =>
  desk.arrive({ messageId: `<spam${++count}@firm.example>`, from: person(name), subject: `About ${name}`, ...given })
const mark = (id: string, given: Given = {}, who: Person = 'member') =>
  app.ask(who, 'POST', `/conversations/${id}/spam`, given)
const marked = async (id: string): Promise<Row> => {
  const { status, body } = await mark(id)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const release = (email: string, who: Person = 'owner') => app.ask(who, 'POST', '/inbox/spam/release', { email })
const spam = (): Promise<Row> => app.ok('owner', 'GET', '/inbox/spam')
const read = (id: string): Promise<Row> => desk.conversation(id)
const VIEWS = ['open', 'mine', 'nobody', 'waiting', 'snoozed', 'late', 'at_risk', 'closed', 'spam']
const viewsOf = async (id: string): Promise<string[]> => {
  const all = await Promise.all(
    VIEWS.map(async (view) =>
      idsOf((await app.ok('member', 'GET', `/rows/conversations?view=${view}&limit=100`)).data),
    ),
  )
  return VIEWS.filter((_, at) => all[at]?.includes(id))
}

test('a marked conversation is in Spam alone, its sender is listed, and what they send further is held there', async () => {
  const one = await arrived('Mal One')
  const id = one.conversation_id
  await marked(id)
  assert.deepEqual(await viewsOf(id), ['spam'])
  const seq = app.lastSeq()
  app.advance(60_000)
  // An answer to the same, an answer in a conversation of others, and a new one.
  const same = await arrived('Mal One', { inReplyTo: [one.external_id], references: [one.external_id] })
  assert.equal(same.conversation_id, id)
  const other = await arrived('Nice Two', { cc: [person('Mal One')] })
  const elsewhere = await arrived('Mal One', { inReplyTo: [other.external_id], references: [other.external_id] })
  assert.notEqual(elsewhere.conversation_id, other.conversation_id)
  const fresh = await arrived('Mal One')
  for (const each of [same, elsewhere, fresh]) assert.deepEqual(await viewsOf(each.conversation_id), ['spam'])
  assert.deepEqual(await viewsOf(other.conversation_id), ['open', 'nobody', 'waiting'])
  assert.ok(!app.events(seq).some(({ type }) => type === 'conversation.reopened'))
  const { senders, conversation_ids } = await spam()
  assert.deepEqual(senders, [
    {
      email: 'mal.one@firm.example',
      listed_by: app.ids.member,
      held: 3,
      listed_at: (await read(id)).closed_at,
      last_at: fresh.sent_at,
    },
  ])
  assert.ok([id, elsewhere.conversation_id, fresh.conversation_id].every((each) => conversation_ids.includes(each)))
  // The counts are those of the rows.
  const counts = await app.ok('member', 'GET', '/inbox/counts')
  for (const view of VIEWS.filter((each) => each !== 'closed')) {
    const { total } = await app.ok('member', 'GET', `/rows/conversations?view=${view}&count=true&skip=0&limit=1`)
    assert.equal(counts[view], total, view)
  }
  // The search finds them.
  const found = await app.ok('member', 'GET', '/rows/conversations?q=mal')
  assert.ok(idsOf(found.data).includes(fresh.conversation_id))
  assert.equal((await release('MAL.ONE@firm.example')).status, 200)
  // All are back, with their own times, and wait since they came.
  for (const each of [fresh, elsewhere]) {
    const { status, waiting_since, last_message_at } = await read(each.conversation_id)
    assert.deepEqual([status, waiting_since, last_message_at], ['open', each.sent_at, each.sent_at])
    assert.deepEqual(await viewsOf(each.conversation_id), ['open', 'nobody', 'waiting'])
  }
  assert.deepEqual([(await read(id)).status, (await read(id)).waiting_since], ['open', one.sent_at])
  assert.deepEqual((await spam()).senders, [])
  assert.equal((await release('mal.one@firm.example')).status, 404)
  assert.deepEqual(await viewsOf((await arrived('Mal One')).conversation_id), ['open', 'nobody', 'waiting'])
})

test('what was settled before stays settled, and what was answered waits for nothing', async () => {
  const settled = await arrived('Sol')
  app.advance(1000)
  await desk.patch(settled.conversation_id, { status: 'closed' })
  app.advance(1000)
  await marked(settled.conversation_id)
  const answered = await arrived('Tom')
  await desk.reply(answered.conversation_id)
  app.advance(1000)
  await marked(answered.conversation_id)
  for (const name of ['sol', 'tom']) assert.equal((await release(`${name}@firm.example`)).status, 200)
  assert.deepEqual(await viewsOf(settled.conversation_id), ['closed'])
  const { status, waiting_since } = await read(answered.conversation_id)
  assert.deepEqual([status, waiting_since], ['open', null])
})

test('is taken back as one step: the conversation, its wait and the list', async () => {
  const one = await arrived('Ugo')
  const id = one.conversation_id
  await marked(id)
  const event = app.events(0).findLast(({ object_id }) => object_id === id)
  const held = await arrived('Ugo')
  const { status, body } = await app.ask('member', 'POST', '/undo', { seq: event?.seq })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([(await read(id)).status, (await read(id)).waiting_since], ['open', one.sent_at])
  assert.equal((await read(held.conversation_id)).waiting_since, held.sent_at)
  assert.deepEqual((await spam()).senders, [])
})

test('a contact with an open deal and our own domain ask first, and only who may write marks and takes back', async () => {
  const one = await arrived('Val')
  const id = one.conversation_id
  const deal = await app.newDeal({ primary_contact_id: one.conversation.contact_id })
  const refused = await mark(id)
  assert.deepEqual([refused.status, refused.body.code], [409, 'confirm_open_deal'])
  assert.deepEqual(await viewsOf(id), ['open', 'nobody', 'waiting'])
  await app.call('POST', `/deals/${deal.id}/close`, { reason_id: app.a.reasons.won })
  assert.equal((await mark(id)).status, 200)
  const ours = await arrived('Zed', { from: person('Zed', 'acme.example') })
  const own = await mark(ours.conversation_id)
  assert.deepEqual([own.status, own.body.code], [409, 'confirm_own_domain'])
  assert.equal((await mark(ours.conversation_id, { confirm: true })).status, 200)
  assert.equal((await mark(id, {}, 'viewer')).status, 403)
  assert.equal((await mark(id, {}, 'stranger')).status, 404)
  assert.equal((await release('val@firm.example', 'viewer')).status, 403)
  assert.equal((await release('val@firm.example', 'stranger')).status, 404)
  assert.deepEqual((await app.ok('stranger', 'GET', '/inbox/spam')).senders, [])
  const outbound = await desk.make('/messages', {
    contact_id: one.conversation.contact_id,
    channel: 'email',
    direction: 'outbound',
    body_text: 'Hello',
  })
  assert.equal((await mark(outbound.conversation_id)).body.code, 'no_sender')
})

test('what is opened again by hand is no spam, its sender still is; spam is neither merged nor split', async () => {
  const [one, two] = [await arrived('Wes'), await arrived('Xia')]
  const id = one.conversation_id
  await marked(id)
  const code = async (path: string, given: Given) => (await app.ask('member', 'POST', path, given)).body.code
  assert.equal(await code(`/conversations/${id}/merge`, { into_id: two.conversation_id }), 'is_spam')
  assert.equal(await code(`/conversations/${two.conversation_id}/merge`, { into_id: id }), 'is_spam')
  assert.equal(await code(`/messages/${one.id}/split`, {}), 'is_spam')
  await desk.patch(id, { status: 'open' })
  assert.deepEqual(await viewsOf(id), ['open', 'nobody'])
  assert.deepEqual(await viewsOf((await arrived('Wes')).conversation_id), ['spam'])
  // Somebody else who writes there opens it as well.
  const third = await arrived('Yan')
  await marked(third.conversation_id)
  await arrived('Ann', { inReplyTo: [third.external_id], references: [third.external_id], cc: [person('Yan')] })
  assert.deepEqual(await viewsOf(third.conversation_id), ['open', 'nobody', 'waiting'])
})

test('no rule acts on what is held', async () => {
  const { body } = await mark((await arrived('Zoe')).conversation_id)
  assert.equal(body.status, 'closed')
  applySettings(app.store, app.a.org, {
    rules: [{ key: 'all', name: 'All', when: { from: 'firm.example' }, do: { priority: 'high' } }],
  })
  assert.equal((await arrived('Zoe')).conversation.priority, 'normal')
  assert.equal((await arrived('Zack')).conversation.priority, 'high')
})
