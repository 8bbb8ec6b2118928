import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { contentOf } from '../../../src/inbox/messages/contents.ts'
import { draftFileStore } from '../../../src/inbox/messages/draft-files.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { deskOf, person } from '../../support/desk.ts'
import { errorsOf, type Given, idsOf, type Row, UNKNOWN } from '../../support/records.ts'
import { setLevels } from '../../support/settings.ts'

// Merging conversations and splitting a message off: docs/decisions/078-triage.md.

const policy = {
  key: 'usual',
  name: 'Usual',
  hours: null,
  match: null,
  pause_on: ['pending'],
  targets: { normal: { first_response_s: 3600, next_response_s: 3600 } },
}

let app: AppServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  app = await startApp()
  desk = deskOf(app, { has_reply_tags: true })
  setLevels(app.store, app.a.org, { sla: [policy] })
})
after(() => app.stop())
beforeEach(() => app.advance(60_000))

let count = 0
/** A mail of a new person, with its conversation. */
const arrived = async (name: string, given: Given = {}): Promise<Row> =>
  desk.arrive({ messageId: `<triage${++count}@firm.example>`, from: person(name), subject: `About ${name}`, ...given })
const answerTo = (mail: Row, name: string, given: Given = {}): Promise<Row> =>
  arrived(name, { inReplyTo: [mail.external_id], references: [mail.external_id], ...given })
const merge = (id: string, into_id: string, who: Person = 'member') =>
  app.ask(who, 'POST', `/conversations/${id}/merge`, { into_id })
const merged = async (id: string, into: string): Promise<Row> => {
  const { status, body } = await merge(id, into)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const split = async (id: string): Promise<Row> => {
  const { status, body } = await app.ask('member', 'POST', `/messages/${id}/split`)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}
const read = (id: string): Promise<Row> => desk.conversation(id)
const idsIn = async (id: string): Promise<string[]> => idsOf(await desk.messagesOf(id)) as string[]
const listed = async (view: string): Promise<string[]> =>
  idsOf((await app.ok('member', 'GET', `/rows/conversations?view=${view}&limit=100`)).data) as string[]
const newestEventOf = (id: string) => app.events(0).findLast(({ object_id }) => object_id === id)
const undo = async (id: string): Promise<Row> => {
  const event = newestEventOf(id)
  return app.ask('member', 'POST', '/undo', { seq: event?.seq })
}
const state = async (id: string) => {
  const { status, waiting_since, unread_count, preview, last_message_at, owner_id, tag_ids, priority, sla } =
    await read(id)
  const { first_response_due_at, next_response_due_at } = sla
  return {
    ...{ status, waiting_since, unread_count, preview, last_message_at, owner_id, tag_ids, priority },
    ...{ first_response_due_at, next_response_due_at },
    messages: await idsIn(id),
  }
}

describe('a merge', () => {
  test('brings all messages, the earlier wait and both writers; the other one is closed and in no view', async () => {
    const one = await arrived('Ada One')
    app.advance(60_000)
    const two = await arrived('Bea Two')
    const [a, b] = [one.conversation_id, two.conversation_id]
    const tag = await app.newId('/tags', { name: 'Merged' })
    await desk.patch(a, { priority: 'high', tag_ids: [tag], owner_id: app.ids.other })
    const after = await merged(a, b)
    assert.equal(after.id, b)
    assert.deepEqual(await idsIn(b), [one.id, two.id])
    assert.deepEqual(await idsIn(a), [])
    assert.equal(after.waiting_since, one.conversation.waiting_since)
    assert.deepEqual(
      [after.unread_count, after.priority, after.tag_ids, after.owner_id],
      [2, 'high', [tag], app.ids.other],
    )
    assert.equal(after.contact_id, two.conversation.contact_id)
    assert.deepEqual([(await read(a)).status, (await read(a)).waiting_since], ['closed', null])
    for (const view of ['open', 'waiting', 'closed', 'snoozed']) assert.ok(!(await listed(view)).includes(a), view)
    const found = await app.ok('member', 'GET', '/rows/conversations?q=ada')
    assert.ok(!idsOf(found.data).includes(a))
    const { others } = await app.ok('member', 'GET', `/inbox/${b}/recipients`)
    assert.deepEqual(others.map(({ email }: Row) => email).sort(), ['ada.one@firm.example', 'bea.two@firm.example'])
  })

  test('an answer to any mail of it lands in the other one and opens it, by its id, by its address, by its number', async () => {
    const [one, two] = [await arrived('Cem One'), await arrived('Dov Two')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    const sent = await desk.reply(a)
    const { replyTo } = desk.out(sent)
    const tagged = JSON.stringify(replyTo).match(/support\+c[^"@>]*@[a-z.]*/)?.[0]
    assert.ok(tagged)
    await desk.sent(sent)
    await merged(a, b)
    const close = () => desk.patch(b, { status: 'closed' })
    await close()
    assert.equal((await answerTo(one, 'Cem One')).conversation_id, b)
    assert.equal((await read(b)).status, 'open')
    await close()
    assert.equal((await answerTo(sent, 'Cem One')).conversation_id, b)
    assert.equal((await read(b)).status, 'open')
    await close()
    const byAddress = await arrived('Cem One', { to: [{ email: tagged as string, name: null }] })
    assert.equal(byAddress.conversation_id, b)
    assert.equal((await read(b)).status, 'open')
    // Programs that know the old id go on with the one that stayed.
    assert.equal((await desk.say('inbound', a)).conversation_id, b)
    const { status, body } = await app.call('PATCH', `/conversations/${a}`, { status: 'open' })
    assert.deepEqual([status, body.code], [409, 'conversation_merged'])
    assert.ok(body.detail.includes(`#${(await read(b)).number}`))
    const history = await app.ok('viewer', 'GET', `/inbox/${a}/history`)
    assert.equal(history.merged_into, b)
  })

  test('leads on through a further merge, which is taken back first', async () => {
    const [one, two, three] = [await arrived('Eva'), await arrived('Fay'), await arrived('Gil')]
    const [a, b, c] = [one, two, three].map((mail) => mail.conversation_id) as [string, string, string]
    await merged(a, b)
    await merged(b, c)
    assert.equal((await answerTo(one, 'Eva')).conversation_id, c)
    assert.equal((await app.ok('viewer', 'GET', `/inbox/${a}/history`)).merged_into, c)
    const early = await undo(a)
    assert.deepEqual([early.status, early.body.code], [409, 'merged_since'])
    assert.equal((await undo(b)).status, 200)
    assert.equal((await undo(a)).status, 200)
    assert.ok((await idsIn(a)).includes(one.id))
  })

  test('is undone: both are as before, what came since stays, and it can be done anew', async () => {
    const [one, two] = [await arrived('Hal'), await arrived('Ida')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    const tag = await app.newId('/tags', { name: 'Undone' })
    await desk.patch(a, { tag_ids: [tag], priority: 'urgent' })
    const before = [await state(a), await state(b)]
    await merged(a, b)
    assert.equal((await undo(a)).status, 200)
    assert.deepEqual([await state(a), await state(b)], before)
    assert.equal((await answerTo(one, 'Hal')).conversation_id, a)
    const found = await app.ok('member', 'GET', '/rows/conversations?q=hal')
    assert.ok(idsOf(found.data).includes(a))
    // The undo is taken back, which merges them again.
    await desk.patch(a, { owner_id: app.ids.member })
    await merged(a, b)
    const late = await desk.say('note', b, { body_text: 'A word' })
    await desk.patch(b, { owner_id: app.ids.other })
    assert.equal((await undo(a)).status, 200)
    assert.ok((await idsIn(b)).includes(late.id))
    assert.equal((await read(b)).owner_id, app.ids.other)
    assert.equal((await read(a)).owner_id, app.ids.member)
    assert.equal((await undo(a)).status, 200)
    assert.equal((await app.ok('viewer', 'GET', `/inbox/${a}/history`)).merged_into, b)
  })

  test('opens what was closed if the other one waits, and takes tasks, notes and held mails along', async () => {
    const [one, two] = [await arrived('Jan'), await arrived('Kim')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    await desk.patch(b, { status: 'closed' })
    const task = await app.newRecord('/tasks', { title: 'Call', conversation_id: a })
    const held = await desk.reply(a, { send_at: new Date(app.now() + 3_600_000).toISOString() })
    await merged(a, b)
    assert.deepEqual([(await read(b)).status, (await read(b)).waiting_since], ['open', one.conversation.waiting_since])
    assert.equal((await app.getRecord(`/tasks/${task.id}`)).conversation_id, b)
    assert.ok((await idsIn(b)).includes(held.id))
    assert.equal((await undo(a)).status, 200)
    assert.equal((await read(b)).status, 'closed')
    assert.equal((await app.getRecord(`/tasks/${task.id}`)).conversation_id, a)
    assert.ok((await idsIn(a)).includes(held.id))
  })

  test('loses nothing of a draft', async () => {
    const [one, two] = [await arrived('Lea'), await arrived('Max')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    const put = (who: Person, id: string, text: string) =>
      app.ask(who, 'PUT', `/drafts/reply:conversations:${id}`, { body: { text } })
    const draft = async (who: Person, id: string) =>
      (await app.ok(who, 'GET', `/drafts/reply:conversations:${id}`)).body?.text
    await put('member', a, 'Dear Lea')
    await put('member', b, 'Dear Max')
    await put('other', a, 'Hello')
    const key = `reply:conversations:${a}`
    const whose = { org: app.a.org, member: app.ids.other }
    const content = { name: 'list.txt', content_type: 'text/plain', ...contentOf(Buffer.from('12 boxes')) }
    await app.store.write(() => void draftFileStore(app.deps).add(whose, key, content))
    await merged(a, b)
    assert.equal(await draft('member', b), 'Dear Max\n\nDear Lea')
    assert.equal(await draft('other', b), 'Hello')
    const filesAt = (id: string) => draftFileStore(app.deps).list(whose, `reply:conversations:${id}`)
    assert.deepEqual(
      filesAt(b).map(({ name }) => name),
      ['list.txt'],
    )
    const begun = idsOf((await app.ok('other', 'GET', '/rows/conversations?view=drafts')).data)
    assert.deepEqual([begun.includes(a), begun.includes(b)], [false, true])
    assert.equal((await undo(a)).status, 200)
    assert.equal(await draft('member', a), 'Dear Lea')
    assert.equal(filesAt(a).length, 1)
  })

  test('lets nobody answer twice who still has the merged one on the screen', async () => {
    const [one, two] = [await arrived('Raf'), await arrived('Sia')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    await merged(a, b)
    const answer = (last_seen_message_id: string) =>
      app.call('POST', '/messages', {
        ...{ conversation_id: a, direction: 'outbound', body_text: 'Here it is.', last_seen_message_id },
      })
    const stopped = await answer(one.id)
    assert.deepEqual([stopped.status, stopped.body.code, stopped.body.message_id], [409, 'newer_message', two.id])
    assert.equal((await answer(two.id)).status, 201)
    assert.equal((await answer(two.id)).body.code, 'newer_message')
  })

  test('keeps what is written on in the merged one where its messages are, and forgets what is sent from there', async () => {
    const [one, two] = [await arrived('Tor'), await arrived('Ulf')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    const keyOf = (id: string) => `reply:conversations:${id}`
    const put = (id: string, text: string, who: Person = 'member') =>
      app.ok(who, 'PUT', `/drafts/${keyOf(id)}`, { body: { text } })
    const forget = (id: string, who: Person = 'member') =>
      app.ask(who, 'DELETE', `/drafts/${keyOf(id)}`, undefined, { 'If-Match': '*' })
    const texts = async (who: Person = 'member') =>
      Promise.all([a, b].map(async (id) => (await app.ok(who, 'GET', `/drafts/${keyOf(id)}`)).body?.text))
    await put(a, 'Dear Tor')
    await put(b, 'Dear Ulf')
    await merged(a, b)
    await put(a, 'Dear Tor, thanks')
    assert.deepEqual(await texts(), ['Dear Tor, thanks', 'Dear Ulf\n\nDear Tor, thanks'])
    // What was changed there since stays, and the new text comes below it.
    await put(b, 'Dear both')
    await put(a, 'Dear Tor, thank you')
    assert.deepEqual(await texts(), ['Dear Tor, thank you', 'Dear both\n\nDear Tor, thank you'])
    await forget(a)
    assert.deepEqual(await texts(), [undefined, 'Dear both'])
    // Who had begun nothing there finds it all the same, and nothing once it was sent.
    await put(a, 'Hello', 'other')
    await put(a, 'Hello Tor', 'other')
    assert.deepEqual(await texts('other'), ['Hello Tor', 'Hello Tor'])
    await forget(a, 'other')
    assert.deepEqual(await texts('other'), [undefined, undefined])
  })

  test('is refused where it makes no sense, and to who may only read', async () => {
    const [one, two] = [await arrived('Nia'), await arrived('Ole')]
    const [a, b] = [one.conversation_id, two.conversation_id]
    const chat = (await desk.opened()).id
    for (const [into, error] of [
      [a, '/into_id same_conversation'],
      [chat, '/into_id other_channel'],
      [UNKNOWN, '/into_id reference_not_found'],
    ] as const) {
      const { status, body } = await merge(a, into)
      assert.deepEqual([status, errorsOf(body)], [422, [error]])
    }
    assert.equal((await merge(a, b, 'viewer')).status, 403)
    assert.equal((await merge(a, b, 'stranger')).status, 404)
    await merged(a, b)
    assert.equal((await merge(a, b)).body.code, 'conversation_merged')
    // Into what was merged itself is into where its messages are.
    const third = await arrived('Pam')
    assert.equal((await merged(third.conversation_id, a)).id, b)
  })
})

describe('a split', () => {
  test('gives the message to its writer, with what waits; later answers to it land there, also by the old address', async () => {
    const one = await arrived('Quin')
    app.advance(60_000)
    const other = await answerTo(one, 'Rosa', { cc: [person('Quin')], to: one.to })
    const old = one.conversation_id
    assert.equal(other.conversation_id, old)
    const before = await state(old)
    const made = await split(other.id)
    assert.equal(made.contact_id, other.author.id)
    assert.notEqual(made.contact_id, one.conversation.contact_id)
    assert.deepEqual([await idsIn(made.id), await idsIn(old)], [[other.id], [one.id]])
    assert.deepEqual([made.status, made.waiting_since], ['open', other.sent_at])
    const left = await read(old)
    assert.deepEqual([left.waiting_since, left.last_message_at, left.unread_count], [one.sent_at, one.sent_at, 1])
    assert.equal((await answerTo(other, 'Rosa')).conversation_id, made.id)
    const { replyTo } = desk.out(await desk.reply(old))
    const tagged = JSON.stringify(replyTo).match(/support\+c[^"@>]*@[a-z.]*/)?.[0] as string
    const late = await answerTo(other, 'Rosa', { to: [{ email: tagged, name: null }] })
    assert.equal(late.conversation_id, made.id)
    assert.equal((await answerTo(one, 'Quin')).conversation_id, old)
    const answer = await desk.reply(made.id)
    assert.deepEqual(
      answer.to.map(({ email }: Row) => email),
      ['rosa@firm.example'],
    )
    const lines = async (id: string) =>
      (await app.ok('viewer', 'GET', `/inbox/${id}/history`)).data
        .filter(({ field }: Row) => field.startsWith('split'))
        .map(({ field, after, before }: Row) => [field, after, before])
    assert.deepEqual(await lines(old), [['split_off', made.id, String(made.number)]])
    assert.deepEqual(await lines(made.id), [['split_from', old, String(left.number)]])
    assert.notDeepEqual(await state(old), before)
  })

  test('is undone: the message and what came after it are where they were, and the new number leads there', async () => {
    const one = await arrived('Sam')
    const other = await answerTo(one, 'Tia', { cc: [person('Sam')], to: one.to })
    const old = one.conversation_id
    const before = await state(old)
    const made = await split(other.id)
    const created = app
      .events(0)
      .find(({ object_id, type }) => object_id === made.id && type === 'conversation.created')
    const { status, body } = await app.ask('member', 'POST', '/undo', { seq: created?.seq })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(await state(old), before)
    assert.equal((await answerTo(other, 'Tia')).conversation_id, old)
    assert.equal((await app.ok('viewer', 'GET', `/inbox/${made.id}/history`)).merged_into, old)
    const again = await app.ask('member', 'POST', '/undo', { seq: created?.seq })
    assert.equal(again.status, 409)
  })

  test('keeps its files, and who was answered there waits for nothing here', async () => {
    const one = await arrived('Uma')
    const other = await desk.make('/messages', {
      conversation_id: one.conversation_id,
      direction: 'inbound',
      body_text: 'See the list',
      attachments: [{ name: 'list.txt', content_type: 'text/plain', data: Buffer.from('12 boxes').toString('base64') }],
    })
    app.advance(1000)
    await desk.reply(one.conversation_id)
    const made = await split(other.id)
    assert.equal(made.waiting_since, null)
    const [kept] = await desk.messagesOf(made.id)
    assert.deepEqual(
      kept?.attachments.map(({ name }: Row) => name),
      ['list.txt'],
    )
    const found = await app.ok('member', 'GET', '/rows/conversations?q=list')
    assert.ok(idsOf(found.data).includes(made.id))
    assert.ok(!idsOf(found.data).includes(one.conversation_id))
  })

  test('is refused for a note, for what has not left, for the only message, and to who may only read', async () => {
    const one = await arrived('Vic')
    const id = one.conversation_id
    const code = async (message: string, who: Person = 'member') =>
      (await app.ask(who, 'POST', `/messages/${message}/split`)).body.code
    assert.equal(await code(one.id), 'cannot_split')
    const note = await desk.say('note', id)
    assert.equal(await code(note.id), 'cannot_split')
    assert.equal(await code(one.id), 'cannot_split', 'a note is no second message')
    const held = await desk.reply(id, { send_at: new Date(app.now() + 3_600_000).toISOString() })
    assert.equal(await code(held.id), 'cannot_split')
    assert.equal((await app.ask('viewer', 'POST', `/messages/${one.id}/split`)).status, 403)
    assert.equal((await app.ask('stranger', 'POST', `/messages/${one.id}/split`)).status, 404)
  })
})

test('a held reply that leaves after its target is due is no answer before, for no clock', async () => {
  const one = await arrived('Wim')
  const before = (await read(one.conversation_id)).sla
  const held = await desk.reply(one.conversation_id, { send_at: new Date(app.now() + 2 * 3_600_000).toISOString() })
  assert.equal(held.status, 'queued')
  assert.deepEqual((await read(one.conversation_id)).sla, before)
})
