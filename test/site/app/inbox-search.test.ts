import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SQL } from '../../../src/inbox/conversations/hits.ts'
import { heldStore } from '../../../src/inbox/messages/held.ts'
import { type AppServer, startApp } from '../../support/app-data.ts'
import { inboxOf } from '../../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { idsOf, type Row, UNKNOWN } from '../../support/records.ts'

// What the search of the inbox finds, and the line that it shows for it.

let app: AppServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  app = await startApp()
  inbox = inboxOf(app)
  setMailboxes(app, [SUPPORT])
})
after(() => app.stop())

const found = async (q: string): Promise<string[]> =>
  idsOf((await app.ok('viewer', 'GET', `/rows/conversations?sort=due&q=${encodeURIComponent(q)}`)).data)
const hits = (q: string, ids: readonly string[] = []): Promise<Row> =>
  app.ok('viewer', 'GET', `/inbox/hits?q=${encodeURIComponent(q)}&ids=${ids.join(',')}`)
const lineOf = async (q: string, id: string): Promise<Row | undefined> => (await hits(q, [id])).data[0]

const mail = { channel: 'email', from: { name: 'Zoë Großmann', email: 'zoe.g@quux.example' } }
const file = { name: 'Lieferschein_2026-04.pdf', content_type: 'application/pdf', data: '' }

test('people and files are found as they are shown, with accents and ß folded, and no address of a picture', async () => {
  const { id } = await inbox.opened({
    ...{ ...mail, attachments: [file], subject: 'Boxes', body_text: 'See below' },
    body_html: '<img src="https://cdn.example/pix4711.png">See below',
  })
  await inbox.say('outbound', id, {
    to: [{ name: 'Warehouse Çelik', email: 'lager@parts.example' }],
    cc: [{ name: 'Ina Kopie', email: 'ina@third.example' }],
    bcc: [{ name: 'Blind Bcc', email: 'hidden@fourth.example' }],
  })
  for (const q of [
    'zoe',
    'Großmann',
    'grossmann',
    'zoe.g@quux.example',
    'celik',
    'lager',
    'kopie',
    'third',
    'lieferschein',
    'boxes below',
  ])
    assert.deepEqual(await found(q), [id], q)
  for (const q of ['pix4711', 'cdn', 'img', '4711', 'hidden', 'fourth']) assert.deepEqual(await found(q), [], q)
  assert.deepEqual(await lineOf('lieferschein', id), {
    ...{ conversation_id: id, kind: 'name', text: file.name },
    message_id: (await lineOf('lieferschein', id))?.message_id,
  })
  assert.equal((await lineOf('grossmann', id))?.text, 'Zoë Großmann zoe.g@quux.example')
  assert.equal((await lineOf('below', id))?.text, 'See below')
  assert.equal(await lineOf('boxes', id), undefined) // its subject tells
})

test('a name is found in either spelling, and two files by a word of each', async () => {
  const { id } = await inbox.opened({
    ...{ channel: 'email', from: { name: 'Jörg Köln', email: 'jk@firm.example' } },
    attachments: [
      { ...file, name: 'Aufmaß.txt' },
      { ...file, name: 'plan.dwg' },
    ],
  })
  for (const q of ['koeln', 'köln', 'Joerg', 'aufmass', 'aufmaß plan', 'plan.dwg'])
    assert.deepEqual(await found(q), [id], q)
  assert.equal((await lineOf('koeln', id))?.text, 'Jörg Köln jk@firm.example')
})

test('a note is found', async () => {
  const { id } = await inbox.opened({ ...mail, from: { email: 'ada@firm.example' } })
  await inbox.say('note', id, { body_text: 'Ask Quentin' })
  assert.deepEqual(await found('quentin'), [id])
  assert.equal((await lineOf('quentin', id))?.text, 'Ask Quentin')
})

test('the line is that of the newest message with the most of the words, and what is around them', async () => {
  const { id } = await inbox.opened({ ...mail, body_text: 'First\nthe red crank of 1987\nthanks' })
  const old = (await lineOf('crank', id))?.message_id
  await inbox.say('inbound', id, { body_text: 'the crank again' })
  const both = await lineOf('red crank', id)
  assert.deepEqual([both?.text, both?.message_id], ['the red crank of 1987', old])
  assert.equal((await lineOf('cranks crank', id))?.text, 'the crank again')
  const far = `${'filler '.repeat(60)}needle ${'more '.repeat(60)}`
  await inbox.say('inbound', id, { body_text: far })
  const text = (await lineOf('needle', id))?.text as string
  assert.ok(text.startsWith('…') && text.endsWith('…') && text.includes(' needle ') && text.length <= 162, text)
})

test('a merge takes people and files along, and its undo gives them back; so does a split', async () => {
  const named = (name: string): Row => ({
    channel: 'email',
    from: { name, email: `${name.toLowerCase()}@firm.example` },
  })
  const one = await inbox.opened({ ...named('Olga'), attachments: [{ ...file, name: 'rotor.txt' }] })
  const other = await inbox.opened(named('Piet'))
  const { status } = await app.ask('member', 'POST', `/conversations/${one.id}/merge`, { into_id: other.id })
  assert.equal(status, 200)
  for (const q of ['olga', 'rotor', 'piet']) assert.deepEqual(await found(q), [other.id], q)
})

test('no more than a share of a long correspondence is read for one request, however short its mails are', async () => {
  const { id } = await inbox.opened({ ...mail, body_text: 'oldest of all' })
  const later = { body_text: 'x' }
  for (let count = 1; count < 500; count++) await inbox.say('inbound', id, later)
  assert.equal((await lineOf('oldest', id))?.text, 'oldest of all')
  await inbox.say('inbound', id, later)
  assert.equal(await lineOf('oldest', id), undefined)
  // Mails of one letter cost their time, too: some thousands of them are all that is read.
  const other = await inbox.opened({ ...mail, body_text: 'behind the oldest' })
  const behind = async (times: number) => (await hits('behind', [...Array(times).fill(id), other.id])).data.length
  assert.deepEqual([await behind(1), await behind(13)], [1, 0])
})

test('names count as what is read, too', async () => {
  const long = await inbox.opened({ ...mail, body_text: 'x' })
  const other = await inbox.opened({ ...mail, body_text: 'behind the names' })
  const find = async () => (await hits('behind', [long.id, other.id])).data.length
  assert.equal(await find(), 1)
  const name = (column: string, length: number) =>
    app.store.db
      .prepare(`UPDATE messages SET ${column} = ? WHERE conversation_id = ?`)
      .run(JSON.stringify([{ name: 'x'.repeat(length) }]), long.id)
  for (const column of ['sent_to', 'sent_cc', 'attachments']) {
    name(column, 2_097_152)
    assert.equal(await find(), 0, column)
    name(column, 1)
    assert.equal(await find(), 1, column)
  }
})

test('the conversation with the number is said, whatever else has these digits', async () => {
  const { id, number } = await inbox.opened({ ...mail, subject: 'Numbered' })
  const other = await inbox.opened({ ...mail, body_text: `Our reference ${number}` })
  assert.deepEqual(await found(String(number)), [other.id])
  for (const q of [`${number}`, ` #${number} `]) assert.equal((await hits(q)).numbered, id, q)
  for (const q of ['999999', `${number} x`, 'x']) assert.equal((await hits(q)).numbered, null, q)
  assert.equal((await app.ok('stranger', 'GET', `/inbox/hits?q=${number}`)).numbered === id, false)
})

test('nobody sees a line of another organisation, and too much is refused', async () => {
  const { id } = await inbox.opened({ ...mail, body_text: 'private words' })
  const { data } = await app.ok('stranger', 'GET', `/inbox/hits?q=private&ids=${id}`)
  assert.deepEqual(data, [])
  const many = Array.from({ length: 101 }, () => UNKNOWN).join(',')
  for (const query of [`q=x&ids=${many}`, 'q=x&ids=1', `q=${'x'.repeat(1001)}`])
    assert.equal((await app.ask('viewer', 'GET', `/inbox/hits?${query}`)).status, 400, query.slice(0, 20))
})

test('an answer that is held is found once it has left', async () => {
  const { id } = await inbox.opened(mail)
  const send_at = inbox.inMs(60_000)
  const held = await app.ask('member', 'POST', '/messages', {
    ...{ conversation_id: id, direction: 'outbound', body_text: 'Secret draft', send_at },
  })
  assert.deepEqual([held.status, held.body.send_at], [201, send_at])
  assert.deepEqual(await found('secret draft'), [])
  app.advance(60_000)
  const { release } = heldStore(app.deps)
  assert.equal(
    app.store.transaction(() => release(app.a.org, held.body.id)),
    true,
  )
  assert.deepEqual(await found('secret draft'), [id])
})

test('a line is looked for along the messages of one conversation, and a number in its index, however many there are', () => {
  const plan = (sql: string): string =>
    (app.store.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail).join()
  const { text, number } = SQL
  assert.match(
    plan(text.replaceAll('?', "'x'")),
    /^SEARCH messages USING INDEX messages_conversation \(org_id=\? AND conversation_id=\?\)$/,
  )
  assert.match(
    plan(number.replaceAll('?', '1')),
    /^SEARCH conversations USING INDEX conversations_number \(org_id=\? AND number=\?\)$/,
  )
})
