import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import type { MailIn } from '../../../src/lib/mail/mail.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { deskOf, person } from '../../support/desk.ts'
import { mailIn } from '../../support/mailbox.ts'
import { errorsOf, type Row } from '../../support/records.ts'

// In whose mailboxes' views conversations stand.

let app: AppServer
let desk: ReturnType<typeof deskOf>
let scheduler: Scheduler
before(async () => {
  app = await startApp()
  desk = deskOf(app)
  scheduler = startScheduler({
    store: app.store,
    log: silentLog,
    kinds: bulkKinds(app.deps),
    recurring: [],
    afterJump: [],
  })
})
after(async () => {
  await scheduler.stop()
  await app.stop()
})

const rowsOf = async (query: Record<string, string>): Promise<string[]> => {
  const { data } = await app.ok(
    'member',
    'GET',
    `/rows/conversations?${new URLSearchParams({ limit: '100', ...query })}`,
  )
  return data.map(({ id }: Row) => id)
}
/** In whose views it stands. */
async function placesOf({ id }: Row): Promise<string[]> {
  const places: string[] = []
  for (const key of ['sales', 'support'] as const)
    if ((await rowsOf({ mailbox_id: desk.boxes[key].id })).includes(id)) places.push(key)
  return places
}
const move = (conversation: Row, box: { id: string }, who: 'member' | 'viewer' = 'member') =>
  app.ask(who, 'POST', `/conversations/${conversation.id}/mailbox`, { mailbox_id: box.id })
const senderOf = async ({ id }: Row): Promise<string> =>
  (await app.ok('member', 'GET', `/inbox/${id}/recipients`)).from.email
const linesOf = async ({ id }: Row): Promise<Row[]> =>
  (await app.ok('member', 'GET', `/inbox/${id}/history`)).data.filter(({ field }: Row) => field === 'mailbox')
const lastSeq = ({ id }: Row): number =>
  app.store.db
    .prepare('SELECT max(seq) FROM events WHERE org_id = ? AND object_id = ?')
    .pluck()
    .get(app.a.org, id) as number
const undo = async (conversation: Row): Promise<void> => {
  const { status, body } = await app.ask('member', 'POST', '/undo', { seq: lastSeq(conversation) })
  assert.equal(status, 200, JSON.stringify(body))
}
const answerTo = (message: Row): Partial<MailIn> => {
  app.advance(1000)
  return { from: message.author, inReplyTo: [message.external_id] }
}

test('a mail to two mailboxes is one conversation, which stands in both, is counted in both, and is told of', async () => {
  const { support, sales } = desk.boxes
  const mail = mailIn({ from: person('Eva') })
  await desk.take(mail)
  const { conversation_id: id } = (await desk.stored(mail.messageId)) as Row
  assert.deepEqual(await placesOf({ id }), ['support'])
  const counts = async () => (await app.ok('member', 'GET', '/inbox/counts')).mailboxes
  const [before, seq] = [await counts(), lastSeq({ id })]
  await desk.take(mail, sales)
  assert.deepEqual(await placesOf({ id }), ['sales', 'support'])
  assert.deepEqual(await counts(), { ...before, [sales.id]: before[sales.id] + 1 })
  assert.ok(before[support.id] > 0)
  assert.ok(lastSeq({ id }) > seq, 'who looks at the other mailbox sees it come')
  const told = lastSeq({ id })
  await desk.take(mail, sales)
  assert.equal(lastSeq({ id }), told, 'once more is nothing new')
})

test('a conversation that was moved leaves by the new mailbox, says so, and comes back whole', async () => {
  const { support, sales } = desk.boxes
  const first = await desk.arrive({ from: person('Mia') })
  const { conversation } = first
  assert.equal(await senderOf(conversation), support.address)
  app.advance(1000)
  const moved = await move(conversation, sales)
  assert.deepEqual([moved.status, moved.body.id], [200, conversation.id])
  assert.deepEqual(await placesOf(conversation), ['sales'])
  assert.equal(await senderOf(conversation), sales.address)
  const [line] = await linesOf(conversation)
  assert.equal(line?.after, sales.name)
  assert.ok(line?.actor_id)
  assert.deepEqual((await move(conversation, sales)).body.version, moved.body.version, 'it is there already')

  // What she writes to the old address is seen in both, and answered by the new one.
  await desk.arrive(answerTo(first))
  assert.deepEqual(await placesOf(conversation), ['sales', 'support'])
  assert.equal(await senderOf(conversation), sales.address)

  app.advance(1000)
  assert.equal((await move(conversation, sales)).status, 200)
  assert.deepEqual(await placesOf(conversation), ['sales'])
  await undo(conversation)
  assert.deepEqual(await placesOf(conversation), ['sales', 'support'])
  assert.equal((await linesOf(conversation)).length, 1)
  await undo(conversation)
  assert.deepEqual(await placesOf(conversation), ['sales'], 'the undo was taken back')
  assert.equal((await linesOf(conversation)).length, 2)

  // Once a mail has left by another one, the next leaves by that.
  app.advance(1000)
  await desk.reply(conversation.id, { from: { email: support.address } })
  assert.equal(await senderOf(conversation), support.address)
  assert.deepEqual(await placesOf(conversation), ['sales', 'support'])
})

test('what comes in after a move is not lost from view by its undo', async () => {
  const { support, sales } = desk.boxes
  const first = await desk.arrive({ from: person('Pia') }, sales)
  assert.equal((await move(first.conversation, support)).status, 200)
  const seq = lastSeq(first.conversation)
  await desk.arrive(answerTo(first), sales)
  assert.deepEqual(await placesOf(first.conversation), ['sales', 'support'])
  assert.equal((await app.ask('member', 'POST', '/undo', { seq })).status, 200)
  assert.deepEqual(await placesOf(first.conversation), ['sales'])
  // Nor what came in by the mailbox that it had been moved to.
  const other = await desk.arrive({ from: person('Pit') })
  app.advance(1000)
  assert.equal((await move(other.conversation, sales)).status, 200)
  const moved = lastSeq(other.conversation)
  await desk.arrive(answerTo(other), sales)
  assert.equal((await app.ask('member', 'POST', '/undo', { seq: moved })).status, 200)
  assert.deepEqual(await placesOf(other.conversation), ['sales', 'support'])
})

test('nobody moves it who may not, nor to what is no mailbox or is off, nor what is no mail, or spam, or merged', async () => {
  const { sales } = desk.boxes
  const { conversation } = await desk.arrive({ from: person('Ida') })
  assert.equal((await move(conversation, sales, 'viewer')).status, 403)
  const none = await move(conversation, { id: conversation.id })
  assert.deepEqual([none.status, errorsOf(none.body)], [422, ['/mailbox_id reference_not_found']])
  const chat = await desk.opened()
  assert.deepEqual(errorsOf((await move(chat, sales)).body), ['/mailbox_id other_channel'])
  const other = await desk.arrive({ from: person('Ida') })
  await app.ok('member', 'POST', `/conversations/${other.conversation.id}/merge`, { into_id: conversation.id })
  assert.deepEqual([(await move(other.conversation, sales)).body.code], ['conversation_merged'])
  const spam = await desk.arrive({ from: person('Spa') })
  await app.ok('member', 'POST', `/conversations/${spam.conversation.id}/spam`, {})
  assert.deepEqual([(await move(spam.conversation, sales)).body.code], ['is_spam'])
  app.store.db.prepare('UPDATE mailboxes SET is_active = 0 WHERE org_id = ? AND id = ?').run(app.a.org, sales.id)
  assert.deepEqual(errorsOf((await move(conversation, sales)).body), ['/mailbox_id reference_not_found'])
  const own = (member: string | null) =>
    app.store.db
      .prepare('UPDATE mailboxes SET is_active = 1, member_id = ? WHERE org_id = ? AND id = ?')
      .run(member, app.a.org, sales.id)
  own(app.ids.other)
  assert.deepEqual(errorsOf((await move(conversation, sales)).body), ['/mailbox_id reference_not_found'])
  const ids = [conversation.id]
  const many = await app.ask('member', 'POST', '/bulk', { kind: 'conversations', ids, mailbox_id: sales.id })
  assert.deepEqual(errorsOf(many.body), ['/mailbox_id reference_not_found'])
  own(null)
  assert.deepEqual(await placesOf(conversation), ['support'])
  assert.deepEqual(await linesOf(conversation), [])
})

test('merging and splitting take the mailboxes along, and back', async () => {
  const { sales } = desk.boxes
  const one = await desk.arrive({ from: person('Ole') })
  const two = await desk.arrive({ from: person('Ole') }, sales)
  await app.ok('member', 'POST', `/conversations/${one.conversation.id}/merge`, { into_id: two.conversation.id })
  assert.deepEqual(await placesOf(two.conversation), ['sales', 'support'])
  await undo(one.conversation)
  assert.deepEqual(await placesOf(two.conversation), ['sales'])
  assert.deepEqual(await placesOf(one.conversation), ['support'])
  const next = await desk.arrive(answerTo(one), sales)
  assert.equal(next.conversation.id, one.conversation.id)
  const split = await app.ask('member', 'POST', `/messages/${next.id}/split`, {})
  assert.equal(split.status, 201)
  assert.deepEqual(await placesOf(split.body), ['sales'])
})

test('what was moved since is not moved by the undo of a merge, nor of an older move', async () => {
  const { sales, support } = desk.boxes
  const tick = () => app.advance(1000)
  // Moved, then merged: the undo of the merge does not bring back where it was moved from.
  const into = await desk.arrive({ from: person('Kim') })
  tick()
  await move(into.conversation, sales)
  const from = await desk.arrive({ from: person('Kim') })
  tick()
  const merge = (one: Row, other: Row) =>
    app.ok('member', 'POST', `/conversations/${one.id}/merge`, { into_id: other.id })
  await merge(from.conversation, into.conversation)
  assert.deepEqual(await placesOf(into.conversation), ['sales', 'support'])
  await undo(from.conversation)
  assert.deepEqual(await placesOf(into.conversation), ['sales'])
  assert.equal(await senderOf(into.conversation), sales.address)
  // Merged, then moved by a colleague.
  const third = await desk.arrive({ from: person('Kai') })
  const fourth = await desk.arrive({ from: person('Kai') })
  tick()
  await merge(fourth.conversation, third.conversation)
  tick()
  assert.equal(
    (await app.ask('other', 'POST', `/conversations/${third.conversation.id}/mailbox`, { mailbox_id: sales.id }))
      .status,
    200,
  )
  await undo(fourth.conversation)
  assert.deepEqual(await placesOf(third.conversation), ['sales'])
  assert.equal(await senderOf(third.conversation), sales.address)
  // An older move, after a colleague's.
  const { conversation } = await desk.arrive({ from: person('Kay') })
  const seqs: number[] = []
  for (const [who, box] of [
    ['member', sales],
    ['member', support],
    ['other', sales],
  ] as const) {
    tick()
    assert.equal(
      (await app.ask(who, 'POST', `/conversations/${conversation.id}/mailbox`, { mailbox_id: box.id })).status,
      200,
    )
    seqs.push(lastSeq(conversation))
  }
  const refused = await app.ask('member', 'POST', '/undo', { seq: seqs[0] })
  assert.deepEqual([refused.status, refused.body.code], [409, 'changed_since'])
  assert.deepEqual(await placesOf(conversation), ['sales'])
})

test('many are moved at once, with one way back', async () => {
  const { sales } = desk.boxes
  const all = [await desk.arrive({ from: person('Uta') }), await desk.arrive({ from: person('Ulf') })]
  const ids = all.map(({ conversation }) => conversation.id)
  const { status, body } = await app.ask('member', 'POST', '/bulk', {
    kind: 'conversations',
    ids,
    mailbox_id: sales.id,
  })
  assert.equal(status, 202, JSON.stringify(body))
  await scheduler.tick()
  for (const { conversation } of all) assert.deepEqual(await placesOf(conversation), ['sales'])
  assert.equal((await app.ask('member', 'POST', `/bulk/${body.id}/undo`)).status, 202)
  await scheduler.tick()
  for (const { conversation } of all) assert.deepEqual(await placesOf(conversation), ['support'])
  const asked = (given: Row) => app.ask('member', 'POST', '/bulk', { ids, kind: 'conversations', ...given })
  assert.deepEqual(errorsOf((await asked({ kind: 'contacts', mailbox_id: sales.id })).body), [
    '/mailbox_id not_supported',
  ])
  assert.deepEqual(errorsOf((await asked({ mailbox_id: ids[0] })).body), ['/mailbox_id reference_not_found'])
  const two = await asked({ mailbox_id: sales.id, patch: { priority: 'high' } })
  assert.deepEqual(errorsOf(two.body), ['/mailbox_id contradiction'])
})

test('a view is filtered by mailboxes beside its other fields', async () => {
  const { sales, support } = desk.boxes
  const { conversation } = await desk.arrive({ from: person('Fay'), subject: 'Filtered' }, sales)
  const filter = (box: { id: string }) =>
    JSON.stringify({
      all: [
        { field: 'mailbox_ids', op: 'has_any', value: [box.id] },
        { field: 'subject', op: 'contains', value: 'FILTERED' },
        { field: 'sla.status', op: 'eq', value: 'none' },
        { field: 'waiting_since', op: 'not_null' },
      ],
    })
  assert.deepEqual(await rowsOf({ view: 'open', filter: filter(sales) }), [conversation.id])
  assert.deepEqual(await rowsOf({ view: 'open', filter: filter(support) }), [])
  assert.deepEqual(await rowsOf({ view: 'closed', filter: filter(sales) }), [])
  const query = new URLSearchParams({ filter: filter({ id: conversation.id }) })
  const wrong = await app.ask('member', 'GET', `/rows/conversations?${query}`)
  assert.deepEqual([wrong.status, errorsOf(wrong.body)], [422, ['/filter/all/0/value/0 reference_not_found']])
})
