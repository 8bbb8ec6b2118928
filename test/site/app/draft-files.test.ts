import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { purgeDraftFiles } from '../../../src/inbox/messages/draft-files.ts'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import { setMailboxes } from '../../support/mailbox.ts'
import { errorsOf, type Row } from '../../support/records.ts'

// The files of what a member is writing: on the server until they are sent or dropped, and nobody else's.

const MIB = 1_048_576
const HOUR = 3_600_000

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
let conversation: string
let key: string
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setMailboxes(app)
})
after(() => app.stop())
beforeEach(async () => {
  await app.pass(1000)
  app.store.db.prepare('DELETE FROM draft_files').run()
  conversation = (await inbox.opened({ from: { email: 'eva@firm.example' }, channel: 'email' })).id
  key = `reply:conversations:${conversation}`
})

const form = (name: string, content: string, type = 'text/plain') =>
  `--XX\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n--XX--\r\n`
const FORM = { 'content-type': 'multipart/form-data; boundary=XX' }
const upload = (name: string, content = 'Hello', headers = {}, person: Person = 'member', into = key) =>
  app.ask(person, 'POST', `/drafts/${into}/files`, form(name, content), { ...FORM, ...headers })
async function uploaded(name: string, content = 'Hello', person: Person = 'member', into = key): Promise<Row> {
  const { status, body, text } = await upload(name, content, {}, person, into)
  assert.equal(status, 200, text)
  return body
}
const files = async (person: Person = 'member', of = key): Promise<Row[]> =>
  (await app.ok(person, 'GET', `/drafts/${of}/files`)).data
const names = async (person: Person = 'member', of = key) => (await files(person, of)).map(({ name }) => name)
const reply = (ids: string[], given: object = {}) => ({
  ...{ conversation_id: conversation, direction: 'outbound', body_text: 'See the files' },
  draft_files: { key, ids },
  ...given,
})
const contents = (): number => app.store.db.prepare('SELECT count(*) FROM file_contents').pluck().get() as number
const bytesOf = async ({ id, attachments }: Row) =>
  Promise.all(
    attachments.map(async (each: Row) => {
      const { text } = await app.call('GET', `/messages/${id}/attachments/${each.id}`)
      return [each.name, each.content_type, each.size_bytes, text]
    }),
  )

test('wait for any screen of their member, each once, and leave as they are', async () => {
  const before = contents()
  const one = await uploaded('list.txt', '12 boxes')
  const large = 'x'.repeat(1_500_000)
  const two = await uploaded('plan.txt', large)
  assert.deepEqual(one, { id: one.id, name: 'list.txt', content_type: 'text/plain', size_bytes: 8 })
  for (let opening = 0; opening < 3; opening++) assert.deepEqual(await files(), [one, two])
  const { headers, text } = await app.ask('member', 'GET', `/drafts/${key}/files/${one.id}`)
  assert.deepEqual([text, headers.get('content-disposition')?.startsWith('attachment')], ['12 boxes', true])
  const sent = await app.ok('member', 'POST', '/messages', reply([two.id, one.id]))
  assert.deepEqual(await bytesOf(sent), [
    ['plan.txt', 'text/plain', 1_500_000, large],
    ['list.txt', 'text/plain', 8, '12 boxes'],
  ])
  assert.deepEqual([await files(), contents()], [[], before + 2])
})

test('leave once only, and not with what was not in the box', async () => {
  const [one, two] = [await uploaded('one.txt', '1'), await uploaded('two.txt', '2')]
  const sent = await app.ok('member', 'POST', '/messages', reply([one.id, one.id]))
  assert.deepEqual(
    sent.attachments.map(({ name }: Row) => name),
    ['one.txt'],
  )
  assert.deepEqual(await files(), [two], 'what came meanwhile on another screen stays')
  const again = await app.ask('member', 'POST', '/messages', reply([two.id, one.id]))
  assert.deepEqual([again.status, ...errorsOf(again.body)], [422, '/draft_files/ids/1 not_found'])
  assert.deepEqual(await files(), [two], 'nothing was taken')
})

test('are neither read, sent nor removed by anybody else, nor under another draft', async () => {
  const { id } = await uploaded('secret.txt', 'secret')
  for (const person of ['other', 'owner', 'stranger'] as const) {
    assert.deepEqual(await files(person), [])
    assert.equal((await app.ask(person, 'GET', `/drafts/${key}/files/${id}`)).status, 404)
    assert.equal((await app.ask(person, 'DELETE', `/drafts/${key}/files/${id}`)).status, 404)
    await app.ok(person, 'DELETE', `/drafts/${key}/files`)
    if (person === 'stranger') continue
    assert.equal((await app.ask(person, 'POST', '/messages', reply([id]))).status, 422)
  }
  assert.equal((await app.ask('member', 'GET', `/drafts/note/files/${id}`)).status, 404)
  const elsewhere = reply([], { draft_files: { key: 'note', ids: [id] } })
  assert.equal((await app.ask('member', 'POST', '/messages', elsewhere)).status, 422)
  for (const path of [`/drafts/${key}/files`, `/drafts/${key}/files/${id}`])
    assert.equal((await app.ask('viewer', 'GET', path)).status, 403)
  assert.deepEqual(await names(), ['secret.txt'])
  assert.equal((await app.ask('member', 'GET', '/drafts/no%20key/files')).status, 404)
})

test('are there once, however often an upload is repeated', async () => {
  const once = { 'idempotency-key': 'upload-1' }
  const first = await upload('one.txt', 'Hello', once)
  const second = await upload('one.txt', 'Hello', once)
  assert.deepEqual([first.body, second.headers.get('idempotency-replayed')], [second.body, 'true'])
  assert.equal((await files()).length, 1)
})

test('come back with a letter that is taken back, each once, and go with it as often as it is sent', async () => {
  const before = contents()
  let ids = [(await uploaded('one.txt', 'first')).id, (await uploaded('two.txt', 'second')).id]
  for (let round = 0; round < 3; round++) {
    const held = await app.ok('member', 'POST', '/messages', reply(ids, { send_at: inbox.inMs(10_000) }))
    assert.deepEqual(await files(), [])
    assert.equal((await app.ask('other', 'POST', `/messages/${held.id}/take-back`, { key })).status, 403)
    assert.deepEqual(await files('other'), [], 'and nothing of it is copied')
    await app.ok('member', 'POST', `/messages/${held.id}/take-back`, { key })
    assert.equal((await app.ask('member', 'POST', `/messages/${held.id}/take-back`, { key })).status, 404)
    assert.deepEqual(await names(), ['one.txt', 'two.txt'])
    ids = (await files()).map(({ id }) => id)
  }
  assert.equal(contents(), before + 2)
  const sent = await app.ok('member', 'POST', '/messages', reply(ids))
  assert.deepEqual(
    (await bytesOf(sent)).map(([name, , , text]) => [name, text]),
    [
      ['one.txt', 'first'],
      ['two.txt', 'second'],
    ],
  )
})

test('of a message are copied once, and removing them takes nothing from the message', async () => {
  const given = { attachments: [{ name: 'drawing.pdf', data: 'aGVsbG8=' }] }
  const theirs = await inbox.say('inbound', conversation, given)
  for (let opening = 0; opening < 3; opening++)
    await app.ok('member', 'POST', `/drafts/${key}/files/copy`, { message_id: theirs.id })
  const [copy, ...more] = await files()
  assert.deepEqual([copy?.name, copy?.size_bytes, more], ['drawing.pdf', 5, []])
  await app.ok('member', 'DELETE', `/drafts/${key}/files/${copy?.id}`)
  assert.deepEqual((await bytesOf(theirs))[0]?.at(-1), 'hello')
  await app.ok('member', 'POST', `/drafts/${key}/files/copy`, { message_id: theirs.id })
  await app.ok('member', 'DELETE', `/drafts/${key}/files`)
  await app.ok('member', 'POST', `/drafts/${key}/files/copy`, { message_id: theirs.id })
  assert.deepEqual(await names(), ['drawing.pdf'], 'also after they were discarded')
  const foreign = await app.ask('stranger', 'POST', `/drafts/${key}/files/copy`, { message_id: theirs.id })
  assert.equal(foreign.status, 404)
})

test('are discarded with their draft, can be brought back for an hour, and leave nothing then', async () => {
  const before = contents()
  await uploaded('one.txt', 'only here')
  await app.ok('member', 'DELETE', `/drafts/${key}/files`)
  assert.deepEqual(await files(), [])
  await app.ok('member', 'POST', `/drafts/${key}/files/restore`)
  assert.deepEqual(await names(), ['one.txt'])
  await app.ok('member', 'DELETE', `/drafts/${key}/files`)
  app.advance(HOUR - 1000)
  purgeDraftFiles(app.store)
  assert.equal(contents(), before + 1)
  app.advance(1000)
  purgeDraftFiles(app.store)
  assert.equal(contents(), before)
})

test('of a draft that nobody touches are kept for ninety days', async () => {
  const before = contents()
  await uploaded('one.txt', 'for long')
  app.advance(90 * 24 * HOUR - 1000)
  purgeDraftFiles(app.store)
  assert.equal(contents(), before + 1)
  app.advance(1000)
  assert.equal(purgeDraftFiles(app.store), undefined)
  assert.equal(contents(), before)
})

test('are bounded: by message, and by member', async () => {
  const half = 'x'.repeat(18 * MIB)
  await uploaded('one.txt', half)
  await uploaded('two.txt', half)
  const more = await upload('three.txt', 'x')
  assert.deepEqual([more.status, ...errorsOf(more.body)], [422, '/file too_large'])
  assert.deepEqual(await names(), ['one.txt', 'two.txt'])
  assert.equal((await upload('empty.txt', '')).status, 200)
  const row = app.store.db.prepare("SELECT * FROM draft_files WHERE name = 'empty.txt'").get() as Row
  const columns = Object.keys(row)
  const insert = app.store.db.prepare(
    `INSERT INTO draft_files (${columns}) VALUES (${columns.map((name) => `@${name}`)})`,
  )
  const fill = (of: string, count: number, given: object = {}) => {
    for (let at = 0; at < count; at++) insert.run({ ...row, id: app.store.clock.id(), key: of, ...given })
  }
  fill(key, 97)
  const hundred = await upload('more.txt', '')
  assert.deepEqual([hundred.status, ...errorsOf(hundred.body)], [422, '/file too_many'])
  fill('reply:a', 100)
  fill('reply:b', 100)
  fill('reply:c', 100)
  fill('reply:d', 100, { is_discarded: 1 })
  const elsewhere = await upload('more.txt', '', {}, 'member', 'reply:e')
  assert.equal(elsewhere.status, 200, 'what was discarded makes room')
  fill('reply:d', 99)
  const full = await upload('more.txt', '', {}, 'member', 'reply:f')
  assert.deepEqual([full.status, ...errorsOf(full.body)], [422, '/file too_many'])
  await uploaded('of another.txt', 'x', 'other')
  assert.equal((await upload('none.txt', '', { 'content-type': 'application/json' })).status, 400)
  const empty = await app.ask('member', 'POST', `/drafts/reply:g/files`, {})
  assert.deepEqual([empty.status, ...errorsOf(empty.body)], [422, '/file required'])
})

test('a mail to somebody new opens a conversation with them, made as a contact, and to somebody known with that one', async () => {
  const mail = { channel: 'email', direction: 'outbound', subject: 'Offer', body_text: 'Good morning' }
  const known = await app.newContact({ emails: [{ email: 'known@north.example' }] })
  const contactOf = async ({ conversation_id }: Row) => (await inbox.conversation(conversation_id)).contact_id
  const to = [{ email: 'KNOWN@north.example', name: 'Other' }, { email: 'second@north.example' }]
  assert.equal(await contactOf(await app.ok('member', 'POST', '/messages', { ...mail, to })), known.id)
  const fresh = { to: [{ email: 'fresh@north.example', name: 'Kim Fresh' }], cc: [{ email: 'known@north.example' }] }
  const contact = await app.getRecord(
    `/contacts/${await contactOf(await app.ok('member', 'POST', '/messages', { ...mail, ...fresh }))}`,
  )
  assert.deepEqual([contact.name, contact.emails[0].email], ['Kim Fresh', 'fresh@north.example'])
  const refused = { ...mail, to: [{ email: 'none@north.example' }], from: { email: 'ceo@other.example' } }
  assert.equal((await app.ask('member', 'POST', '/messages', refused)).status, 422)
  assert.equal((await app.call('GET', '/contacts?email=none@north.example')).body.data.length, 0)
  assert.equal((await app.ask('member', 'POST', '/messages', mail)).status, 422)
  assert.equal((await app.ask('viewer', 'POST', '/messages', { ...mail, to })).status, 403)
})
