import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { fileName } from '../../src/lib/file-name.ts'
import { inboxOf } from '../support/inbox.ts'
import { errorsOf, type Given, type Row, recordsOf, UNKNOWN } from '../support/records.ts'
import { examples } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newContact } = recordsOf(() => server)
let inbox: ReturnType<typeof inboxOf>
let say: typeof inbox.say
let inMs: typeof inbox.inMs
before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
  ;({ say, inMs } = inbox)
})
after(() => server.stop())
beforeEach(() => server.advance(1000))

const MIB = 1_048_576

let count = 0
const newEmail = () => `person${++count}@firm.example`
const contactOf = (id: string): Promise<Row> => inbox.get(`/contacts/${id}`)
/** Opens a conversation with an inbound message. */
const comesFrom = (from: Given, given: Given = {}): Promise<Row> => say('inbound', undefined, { from, ...given })
const post = (given: Given, headers = {}) => server.call('POST', '/messages', given, { headers })
const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes as string).toString('base64')

const refusal = async (given: Given) => {
  const seq = server.lastSeq()
  const { status, body } = await post(given)
  assert.equal(server.lastSeq(), seq, 'nothing happened')
  return [status, ...errorsOf(body)]
}

describe('a message', () => {
  test('that came in is answered with all that is known of it', async () => {
    const contact = await newContact({
      first_name: 'Eva',
      emails: [{ email: newEmail() }],
      phones: [{ number: '+49 30 1234' }],
    })
    const { conversation_id } = await comesFrom({ email: contact.emails[0].email })
    const { status, body, headers } = await post({
      conversation_id,
      direction: 'inbound',
      body_text: 'Hello\n there ',
      external_id: '<1@mail.example>',
      in_reply_to: '<0@mail.example>',
      sent_at: '2026-11-20T09:00:00+01:00',
    })
    assert.equal(status, 201)
    const { id, ...made } = body
    assert.deepEqual(made, {
      conversation_id,
      channel: 'chat',
      direction: 'inbound',
      author: {
        type: 'contact',
        id: contact.id,
        name: 'Eva Ruiz',
        email: contact.emails[0].email,
        phone: '+49 30 1234',
      },
      body_text: 'Hello\n there ',
      body_html: null,
      external_id: '<1@mail.example>',
      in_reply_to: '<0@mail.example>',
      sent_at: '2026-11-20T08:00:00.000Z',
      status: 'received',
      error: null,
      to: [],
      bcc: [],
      cc: [],
      copies: [],
      date: null,
      send_at: null,
      forwards_message_id: null,
      from: null,
      is_history: false,
      is_automatic: false,
      enrollment_id: null,
      authentication: null,
      attachments: [],
      created_at: inMs(0),
      updated_at: inMs(0),
      version: 1,
    })
    assert.deepEqual([headers.get('location'), headers.get('etag')], [`/api/v1/messages/${id}`, '"1"'])
    assert.deepEqual(await inbox.get(`/messages/${id}`), body)
    const again = await server.call('GET', `/messages/${id}`, undefined, { headers: { 'if-none-match': '"1"' } })
    assert.deepEqual([again.status, again.text], [304, ''])
  })

  test('that goes out and a note are of the member whose token it is', async () => {
    const { conversation_id } = await say('inbound')
    for (const direction of ['outbound', 'note']) {
      const { author, status, sent_at } = await say(direction, conversation_id)
      assert.deepEqual(author, {
        type: 'member',
        id: server.a.owner,
        name: 'Ana',
        email: 'ana@acme.example',
        phone: null,
      })
      assert.deepEqual([status, sent_at], ['sent', inMs(0)])
    }
  })

  test('goes with one event after its name, whose object is the message, and then one of its conversation', async () => {
    const { conversation_id } = await comesFrom({ email: newEmail() }, { channel: 'email' })
    for (const [direction, given, events] of [
      ['inbound', {}, ['message.received', 'conversation.updated']],
      ['outbound', { sent_at: inMs(0) }, ['message.sent', 'conversation.updated']],
      ['outbound', {}, ['message.failed', 'conversation.updated']],
      ['note', {}, ['conversation.updated']],
    ] as const) {
      const seq = server.lastSeq()
      const message = await say(direction, conversation_id, given)
      const told = server.events(seq)
      assert.deepEqual(
        told.map(({ type }) => type),
        events,
      )
      const own = told.find(({ type }) => type.startsWith('message.'))
      if (own) assert.deepEqual([own.object, own.changed_fields, own.actor], [message, [], server.a.owner])
      assert.equal(told.at(-1)?.object_id, conversation_id)
    }
  })

  for (const [direction, channel, sent, status] of [
    ['inbound', 'email', false, 'received'],
    ['inbound', 'chat', false, 'received'],
    ['outbound', 'chat', false, 'sent'],
    ['outbound', 'sms', false, 'sent'],
    ['outbound', 'phone', false, 'sent'],
    ['outbound', 'other', false, 'sent'],
    ['outbound', 'email', true, 'sent'],
    ['outbound', 'email', false, 'failed'],
    ['note', 'email', false, 'sent'],
  ] as const) {
    test(`${direction} by ${channel} ${sent ? 'with' : 'without'} a time has the status ${status}`, async () => {
      const { conversation_id } = await comesFrom({ email: newEmail() }, { channel })
      const message = await say(direction, conversation_id, sent ? { sent_at: inMs(-1000) } : {})
      assert.equal(message.status, status)
      if (status === 'failed') assert.match(message.error, /no mailbox/)
      else assert.equal(message.error, null)
    })
  }

  test('of its own has no list, and cannot be changed or deleted', async () => {
    const { id } = await say('inbound')
    assert.equal((await server.call('GET', '/messages')).status, 405)
    for (const method of ['PATCH', 'DELETE', 'PUT'])
      assert.equal((await server.call(method, `/messages/${id}`, {})).status, 405)
  })

  test('with the same Idempotency-Key is written once', async () => {
    const { conversation_id } = await say('inbound')
    const given = {
      conversation_id,
      direction: 'outbound',
      body_text: 'Once',
      attachments: [{ name: 'a', data: 'AAAA' }],
    }
    const headers = { 'idempotency-key': 'message-1' }
    const first = await post(given, headers)
    const seq = server.lastSeq()
    const second = await post(given, headers)
    assert.deepEqual([second.status, second.text], [201, first.text])
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    assert.equal(server.lastSeq(), seq)
  })
})

describe('who wrote', () => {
  test('is the contact with the email, without regard to case, and the oldest of several', async () => {
    const email = newEmail()
    const oldest = await newContact({ emails: [{ email: 'other@firm.example' }, { email: email.toUpperCase() }] })
    const twin = { last_name: 'Twin', emails: [{ email }] }
    assert.equal((await server.call('POST', '/contacts?allow_duplicate=true', twin)).status, 201)
    const seq = server.lastSeq()
    const { author, conversation_id } = await comesFrom({ email: email.replace('p', 'P') })
    assert.equal(author.id, oldest.id)
    assert.equal((await inbox.get(`/conversations/${conversation_id}`)).contact_id, oldest.id)
    assert.deepEqual(inbox.told(seq), ['conversation.created', 'message.received'])
  })

  for (const [stored, given, isOne] of [
    ['+49 30 55501234', '+49-30-5550 1234', true],
    ['+49 30 55502234', '0049 30 5550 2234', true],
    ['+49 (0)30 55503234', '+49 30 5550 3234', true],
    ['0049 (0)30 55504234', '+493055504234', true],
    ['+49 30 55505234', '030 55505234', true],
    ['030 / 5550-6235', '+493055506235', true],
    ['+43 30 55508234', '030 55508234', false],
    ['030 55509234 Durchwahl 12', '+493055509234', false],
    ['+49 30 55506234', '+49 30 555062345', false],
    ['+49 30 555072345', '+49 30 55507234', false],
    ['118', '118', true],
    ['11888', '1188', false],
  ] as [string, string, boolean][]) {
    test(`by phone ${given} is ${isOne ? '' : 'not '}the contact with ${stored}`, async () => {
      const contact = await newContact({ phones: [{ number: '5550' }, { number: stored }] })
      const { author } = await comesFrom({ phone: given })
      assert.equal(author.id === contact.id, isOne)
      assert.equal(author.phone, given)
    })
  }

  test('by phone is the oldest contact who has it', async () => {
    const oldest = await newContact({ phones: [{ number: '+49 40 7770001' }] })
    await newContact({ phones: [{ number: '+49 40 7770001' }] })
    assert.equal((await comesFrom({ phone: '+49 40 7770001' })).author.id, oldest.id)
  })

  test('is looked for by email first, then by phone', async () => {
    const email = newEmail()
    const byPhone = await newContact({ phones: [{ number: '+49 40 8880001' }] })
    const phone = '+49 40 888 0001'
    assert.equal((await comesFrom({ email, phone })).author.id, byPhone.id)
    const byEmail = await newContact({ emails: [{ email }] })
    assert.equal((await comesFrom({ email, phone })).author.id, byEmail.id)
  })

  test('is called as the message says, and reached as it says, else as the contact is', async () => {
    const email = newEmail()
    const contact = await newContact({ emails: [{ email }], phones: [{ number: '+49 40 9990001' }] })
    const asGiven = { email: email.toUpperCase(), name: 'E. Ruiz', phone: '+49 1111' }
    assert.deepEqual((await comesFrom(asGiven)).author, { type: 'contact', id: contact.id, ...asGiven })
    const { author } = await comesFrom({ email, name: null, phone: null })
    assert.deepEqual(author, { type: 'contact', id: contact.id, name: 'Ruiz', email, phone: '+49 40 9990001' })
    const { author: byPhone } = await comesFrom({ phone: '+49 40 9990001' })
    assert.deepEqual([byPhone.id, byPhone.email], [contact.id, email])
  })

  for (const [name, first, last] of [
    ['Eva Maria Ruiz', 'Eva Maria', 'Ruiz'],
    ['  Eva\t Ruiz ', 'Eva', 'Ruiz'],
    ['Madonna', 'Madonna', null],
    ['', null, null],
    ['   ', null, null],
    [undefined, null, null],
    [`${'a'.repeat(255)} ${'b'.repeat(255)}`, 'a'.repeat(255), 'b'.repeat(255)],
    ['a'.repeat(511), 'a'.repeat(255), null],
    ['🦄'.repeat(300), null, '🦄'.repeat(255)],
    ['Ruiz, Eva', 'Eva', 'Ruiz'],
    ['van der Berg, Jan', 'Jan', 'van der Berg'],
    ['Dr. Ruiz, Eva, MBA (Harbor GmbH)', 'Eva', 'Ruiz'],
    ["'Eva Ruiz' via Support", 'Eva', 'Ruiz'],
    ['Harbor GmbH', null, 'Harbor GmbH'],
    ['Anna und Peter Weber', null, 'Anna und Peter Weber'],
    ['eva.ruiz@firm.example', null, null],
    [`x${'🦄'.repeat(300)} Ruiz`, `x${'🦄'.repeat(254)}`, 'Ruiz'],
  ] as [string | undefined, string | null, string | null][]) {
    test(`unknown as ${JSON.stringify(name)?.slice(0, 40)} becomes a contact with that name`, async () => {
      const email = newEmail()
      const seq = server.lastSeq()
      const { author, conversation_id } = await comesFrom({ email, ...(name === undefined ? {} : { name }) })
      const contact = await contactOf(author.id)
      assert.deepEqual(contact, {
        ...contact,
        first_name: first,
        last_name: last,
        emails: [{ email, label: 'work', is_primary: true }],
        phones: [],
        source: 'inbox',
        company_id: null,
      })
      const [created] = server.events(seq)
      assert.deepEqual([created?.type, created?.object], ['contact.created', contact])
      assert.equal((await inbox.get(`/conversations/${conversation_id}`)).contact_id, contact.id)
    })
  }

  test('unknown by phone alone becomes a contact, too', async () => {
    const { author } = await comesFrom({ phone: '+49 40 1230001' })
    const { name, emails, phones } = await contactOf(author.id)
    assert.deepEqual([name, emails], ['+49 40 1230001', []])
    assert.deepEqual(phones, [{ number: '+49 40 1230001', label: 'work', is_primary: true }])
  })

  test('unknown becomes a contact also where custom fields are required of contacts', async () => {
    const field = { object: 'contact', key: 'vat', label: 'VAT', type: 'text', is_required: true }
    const { id } = await inbox.make('/custom-fields', field)
    assert.equal((await server.call('POST', '/contacts', { last_name: 'x' })).status, 422)
    const { author } = await comesFrom({ email: newEmail() })
    assert.deepEqual((await contactOf(author.id)).custom_fields, {})
    assert.equal((await server.call('DELETE', `/custom-fields/${id}`)).status, 204)
  })

  test('into a conversation is its contact, or whom the message names, known or not', async () => {
    const { conversation_id, author } = await comesFrom({ email: newEmail() })
    assert.deepEqual((await say('inbound', conversation_id)).author, author)
    const other = await newContact({ emails: [{ email: newEmail() }] })
    const message = await say('inbound', conversation_id, { from: { email: other.emails[0].email } })
    assert.equal(message.author.id, other.id)
    const email = newEmail()
    const seq = server.lastSeq()
    const unknown = await say('inbound', conversation_id, { from: { email, name: 'New One' } })
    assert.deepEqual([unknown.author.name, unknown.author.email], ['New One', email])
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['contact.created', 'message.received', 'conversation.updated'],
    )
    assert.equal((await inbox.get(`/conversations/${conversation_id}`)).contact_id, author.id)
  })
})

describe('what opens a conversation', () => {
  const from = { email: 'somebody@firm.example' }
  for (const [what, given, ...errors] of [
    ['nothing', {}, '/direction required'],
    ['no body', { direction: 'inbound', from, channel: 'chat' }, ' empty'],
    ['neither contact nor sender', { direction: 'inbound', channel: 'chat', body_text: 'x' }, ' no_contact'],
    [
      'contact and sender',
      { direction: 'inbound', channel: 'chat', from, contact_id: UNKNOWN, body_text: 'x' },
      ' no_contact',
    ],
    ['no channel', { direction: 'inbound', from, body_text: 'x' }, '/channel required'],
    ['neither', { direction: 'outbound', body_text: 'x' }, ' no_contact', '/channel required'],
    [
      'a channel that there is not',
      { direction: 'inbound', from, channel: 'fax', body_text: 'x' },
      '/channel invalid_choice',
    ],
    [
      'an unknown contact',
      { direction: 'inbound', contact_id: UNKNOWN, channel: 'chat', body_text: 'x' },
      '/contact_id reference_not_found',
    ],
    [
      'a sender without an address',
      { direction: 'inbound', from: { name: 'Eva' }, channel: 'chat', body_text: 'x' },
      '/from required',
    ],
    [
      'a sender with nulls',
      { direction: 'inbound', from: { email: null, phone: null }, channel: 'chat', body_text: 'x' },
      '/from required',
    ],
    [
      'a sender with an email that is none',
      { direction: 'inbound', from: { email: 'x' }, channel: 'chat', body_text: 'x' },
      '/from/email invalid_email',
    ],
    [
      'a sender with a field too many',
      { direction: 'inbound', from: { ...from, id: UNKNOWN }, channel: 'chat', body_text: 'x' },
      '/from/id unknown_field',
    ],
    [
      'a sender of what goes out',
      { direction: 'outbound', from, channel: 'chat', body_text: 'x' },
      '/from not_inbound',
    ],
    [
      'a note',
      { direction: 'note', contact_id: UNKNOWN, channel: 'chat', body_text: 'x' },
      '/conversation_id required',
    ],
    [
      'a note of a sender',
      { direction: 'note', from, channel: 'chat', body_text: 'x' },
      '/from not_inbound',
      '/conversation_id required',
    ],
    [
      'a direction that there is not',
      { direction: 'up', from, channel: 'chat', body_text: 'x' },
      '/direction invalid_choice',
    ],
    [
      'a time to come',
      { direction: 'inbound', from, channel: 'chat', body_text: 'x', sent_at: '2099-01-01T00:00:00Z' },
      '/sent_at in_future',
    ],
    [
      'a subject that is too long',
      { direction: 'inbound', from, channel: 'chat', body_text: 'x', subject: 'a'.repeat(256) },
      '/subject too_long',
    ],
    [
      'an empty external_id',
      { direction: 'inbound', from, channel: 'chat', body_text: 'x', external_id: '' },
      '/external_id empty',
    ],
    [
      'what is read-only',
      { direction: 'inbound', from, channel: 'chat', body_text: 'x', author: null },
      '/author unknown_field',
    ],
  ] as [string, Given, ...string[]][]) {
    test(`is not ${what}`, async () => {
      assert.deepEqual(await refusal(given), [422, ...errors])
    })
  }

  test('is not what goes into one that there is', async () => {
    const { conversation_id, author } = await say('inbound')
    const given = { conversation_id, direction: 'inbound', body_text: 'x' }
    for (const [name, value] of [
      ['contact_id', author.id],
      ['channel', 'chat'],
      ['subject', 'Order'],
    ] as const)
      assert.deepEqual(await refusal({ ...given, [name]: value }), [422, `/${name} not_opening`])
    assert.deepEqual(await refusal({ ...given, direction: 'outbound', from: { email: newEmail() } }), [
      422,
      '/from not_inbound',
    ])
    assert.deepEqual(await refusal({ ...given, direction: 'note', from: { email: newEmail() } }), [
      422,
      '/from not_inbound',
    ])
    assert.deepEqual(await refusal({ ...given, from: {} }), [422, '/from required'])
    assert.deepEqual(await refusal({ ...given, conversation_id: UNKNOWN }), [
      422,
      '/conversation_id reference_not_found',
    ])
    assert.deepEqual(await refusal({ ...given, conversation_id: null }), [422, '/conversation_id not_null'])
  })

  test('goes out to a contact, with a subject of up to 255 characters', async () => {
    const { id } = await newContact()
    const { conversation_id } = await inbox.make('/messages', {
      contact_id: id,
      channel: 'other',
      subject: '🦄'.repeat(255),
      direction: 'outbound',
      body_text: 'x',
    })
    const { subject, contact_id, channel } = await inbox.get(`/conversations/${conversation_id}`)
    assert.deepEqual([subject, contact_id, channel], ['🦄'.repeat(255), id, 'other'])
  })
})

describe('sent_at', () => {
  test('may be five minutes ahead, and is now then', async () => {
    const { conversation_id } = await say('inbound')
    const given = { conversation_id, direction: 'inbound', body_text: 'x' }
    assert.deepEqual(await refusal({ ...given, sent_at: inMs(5 * 60_000 + 1) }), [422, '/sent_at in_future'])
    for (const ms of [5 * 60_000, 1])
      assert.equal((await say('inbound', conversation_id, { sent_at: inMs(ms) })).sent_at, inMs(0))
  })

  test('may be as early as 1970', async () => {
    const sent_at = '1970-01-01T00:00:00.000Z'
    const { conversation_id, sent_at: stored } = await say('inbound', undefined, { sent_at })
    assert.equal(stored, sent_at)
    const { last_message_at, waiting_since } = await inbox.get(`/conversations/${conversation_id}`)
    assert.deepEqual([last_message_at, waiting_since], [sent_at, sent_at])
    await say('outbound', conversation_id, { sent_at })
    assert.equal((await inbox.get(`/conversations/${conversation_id}`)).waiting_since, null)
    const early = { conversation_id, direction: 'inbound', body_text: 'x', sent_at: '1969-12-31T23:59:59.999Z' }
    assert.deepEqual(await refusal(early), [422, '/sent_at too_early'])
  })
})

describe('a repeat of an external_id', () => {
  test('in the channel answers 200 with the stored message, and nothing happens, whatever else it says', async () => {
    const external_id = '<repeat@mail.example>'
    const first = await comesFrom({ email: newEmail() }, { channel: 'email', external_id })
    const { conversation_id } = await comesFrom({ email: newEmail() }, { channel: 'email' })
    const seq = server.lastSeq()
    for (const given of [
      { from: { email: newEmail() }, channel: 'email', direction: 'inbound', body_text: 'Other' },
      { conversation_id: first.conversation_id, direction: 'outbound', body_text: 'Other' },
      { conversation_id, direction: 'note', body_text: 'Other', attachments: [{ name: 'a', data: 'AAAA' }] },
    ]) {
      const { status, body, headers } = await post({ ...given, external_id })
      assert.deepEqual([status, body], [200, first])
      assert.deepEqual([headers.get('location'), headers.get('etag')], [null, '"1"'])
    }
    assert.equal(server.lastSeq(), seq)
    const { rows, files } = counts()
    await post({
      conversation_id,
      direction: 'inbound',
      external_id,
      body_text: 'x',
      attachments: [{ name: 'a', data: 'AAAA' }],
    })
    assert.deepEqual(counts(), { rows, files })
  })

  test('in another channel is a new message, and in another organisation too', async () => {
    const external_id = 'same'
    const first = await comesFrom({ email: newEmail() }, { channel: 'sms', external_id })
    const second = await comesFrom({ email: newEmail() }, { channel: 'phone', external_id })
    assert.notEqual(first.id, second.id)
    const given = { from: { email: newEmail() }, channel: 'sms', direction: 'inbound', body_text: 'x', external_id }
    const { status } = await server.call('POST', '/messages', given, { token: server.b.token })
    assert.equal(status, 201)
  })

  test('with an Idempotency-Key is replayed as 200', async () => {
    const external_id = 'keyed'
    await comesFrom({ email: newEmail() }, { external_id })
    const given = { from: { email: newEmail() }, channel: 'chat', direction: 'inbound', body_text: 'x', external_id }
    const headers = { 'idempotency-key': 'repeat-1' }
    const first = await post(given, headers)
    const second = await post(given, headers)
    assert.deepEqual([first.status, second.status, second.text], [200, 200, first.text])
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
  })

  test('does not count where it is null', async () => {
    const { conversation_id, id } = await say('inbound', undefined, { external_id: null })
    assert.notEqual((await say('inbound', conversation_id, { external_id: null })).id, id)
  })

  test('is as long as a Message-ID may be', async () => {
    const external_id = 'a'.repeat(998)
    const { conversation_id } = await say('inbound', undefined, { external_id, in_reply_to: external_id })
    const given = { conversation_id, direction: 'inbound', body_text: 'x' }
    assert.deepEqual(await refusal({ ...given, external_id: `${external_id}a` }), [422, '/external_id too_long'])
    assert.deepEqual(await refusal({ ...given, in_reply_to: '' }), [422, '/in_reply_to empty'])
  })

  const counts = () => ({
    rows: server.store.db.prepare('SELECT count(*) FROM messages').pluck().get(),
    files: server.store.db.prepare('SELECT count(*) FROM attachments').pluck().get(),
  })
})

describe('the body', () => {
  test('is a text, HTML or a file, and not nothing', async () => {
    const { conversation_id } = await say('inbound')
    const given = { conversation_id, direction: 'note' }
    for (const none of [
      {},
      { body_text: '' },
      { body_text: ' \n' },
      { body_text: null, body_html: null },
      { body_html: ' ' },
      { attachments: [] },
    ])
      assert.deepEqual(await refusal({ ...given, ...none }), [422, ' empty'])
    const none = { body_text: undefined }
    const html = await say('note', conversation_id, { ...none, body_html: '<p>a</p>' })
    assert.deepEqual([html.body_text, html.body_html], ['a', '<p>a</p>'])
    const file = await say('note', conversation_id, { ...none, attachments: [{ name: 'a.txt', data: 'YQ==' }] })
    assert.deepEqual([file.body_text, file.body_html, file.attachments.length], ['', null, 1])
    const both = await say('note', conversation_id, { body_text: 'Text', body_html: '<p>HTML</p>' })
    assert.deepEqual([both.body_text, both.body_html], ['Text', '<p>HTML</p>'])
    for (const body_text of ['', '  ', null]) {
      const { body_text: stored } = await say('note', conversation_id, { body_text, body_html: '<p>a</p>' })
      assert.equal(stored, 'a', JSON.stringify(body_text))
    }
  })

  test('in HTML is stored without what could do harm', async () => {
    const { id } = await say('inbound', undefined, {
      body_text: null,
      body_html:
        '<p onclick="x()">Hi<script>alert(1)</script> <b>there</b></p><iframe src="https://x.example"></iframe>',
    })
    const { body_html, body_text } = await inbox.get(`/messages/${id}`)
    assert.deepEqual([body_html, body_text], ['<p>Hi <b>there</b></p>', 'Hi there'])
  })

  test('has up to 256 KiB of text and 1 MiB of HTML', async () => {
    const { conversation_id } = await say('inbound')
    const given = { conversation_id, direction: 'note' }
    const text = 'é'.repeat(MIB / 8)
    assert.equal((await say('note', conversation_id, { body_text: text })).body_text, text)
    assert.deepEqual(await refusal({ ...given, body_text: `${text}a` }), [422, '/body_text too_long'])
    assert.deepEqual(await refusal({ ...given, body_html: 'a'.repeat(MIB + 1) }), [422, '/body_html too_long'])
  })

  /** Every answer is held against the document by `call`. */
  for (const [what, html] of [
    ['text only', 'word '.repeat(MIB / 5)],
    ['signs to escape only', '&'.repeat(MIB)],
    ['signs of which most can be escaped', `${'<b>&</b>'.repeat(29_000)}`],
    ['links', '<a href=http:/x>'.repeat(29_000)],
    ['images', '<img src=http:/x>'.repeat(29_000)],
  ] as const) {
    test(`in HTML that is ${what} is stored whole, or refused where that takes more than 2 MiB`, async () => {
      const { conversation_id } = await say('inbound')
      const given = { conversation_id, direction: 'note', body_html: html }
      const { status, body } = await server.call('POST', '/messages', given)
      if (!['signs to escape only', 'links'].includes(what))
        assert.ok(status === 201 && body.body_html.length <= 2 * MIB && body.body_text.length <= MIB)
      else assert.deepEqual([status, errorsOf(body)], [422, ['/body_html too_long']])
    })
  }

  test('in HTML is normalized, also where marks are written as references', async () => {
    const { conversation_id } = await say('inbound')
    for (const [html, shown, text] of [
      ['e&#769;t&#x301;', 'é\u0074\u0301', 'é\u0074\u0301'],
      ['e<!-- -->&#769;', 'é', 'é'],
      ['<b>e</b>&#769;', '<b>e</b>\u0301', 'é'],
      ['&#x41;&#x30a;ngstr&#246;m', 'Ångström', 'Ångström'],
      // Normalized as it is, the tag would be another, with an attribute.
      ['<p>&#824; onclick=x()>', '<p>&#824; onclick=x()&gt;</p>', '\u0338 onclick=x()>'],
      ['<p>\u0323&#824;x', '<p>&#824;\u0323x</p>', '\u0338\u0323x'],
    ] as const) {
      const { body_html, body_text } = await say('note', conversation_id, { body_text: null, body_html: html })
      assert.deepEqual([body_html, body_text], [shown.normalize('NFC'), text.normalize('NFC')])
      assert.equal(body_html, body_html.normalize('NFC'))
    }
  })

  test('in HTML has no run of marks that takes minutes, as references or around tags', async () => {
    const { conversation_id } = await say('inbound')
    const marks = '&#769;&#803;'.repeat(80_000)
    const { body_html, body_text } = await say('note', conversation_id, { body_text: null, body_html: `a${marks}b` })
    assert.deepEqual(
      [body_html, body_text].map((text) => text.match(/\p{M}/gu)?.length),
      [29, 29],
    )
    const around = await say('note', conversation_id, { body_text: null, body_html: '<b>&#769;</b>'.repeat(5000) })
    assert.equal(around.body_text.length, 30)
  })

  test('has no half surrogates, NUL or long runs of marks', async () => {
    const { conversation_id } = await say('inbound')
    const given = { conversation_id, direction: 'note' }
    for (const text of ['\u0000', '\ud800', `a${'\u0301'.repeat(31)}`])
      for (const name of ['body_text', 'body_html'])
        assert.deepEqual(await refusal({ ...given, [name]: `x${text}` }), [422, `/${name} invalid_text`])
  })
})

describe('attachments', () => {
  const repeated = Uint8Array.from({ length: 65_536 }, (_, at) => (at * 7 + (at >> 8)) % 256)
  const bytesOf = (length: number): Uint8Array => Buffer.alloc(length, repeated)

  test('come back to the byte, where they are asked for', async () => {
    const files = [0, 1, 2, 3, 4, 1000, 65_537, 3 * 65_536, 3 * 65_536 + 1, 500_000].map((length) => bytesOf(length))
    const message = await say('inbound', undefined, {
      attachments: files.map((bytes, at) => ({
        name: `Datei ${at} "ä".bin`,
        data: base64(bytes),
        ...(at % 2 ? { content_type: 'image/svg+xml' } : {}),
      })),
    })
    const shown = message.attachments.map(({ id, ...rest }: Row) => rest)
    assert.deepEqual(
      shown,
      files.map((bytes, at) => ({
        name: `Datei ${at} "ä".bin`,
        content_type: at % 2 ? 'image/svg+xml' : 'application/octet-stream',
        size_bytes: bytes.length,
      })),
    )
    assert.deepEqual(await inbox.get(`/messages/${message.id}`), message)
    const { data: list } = await inbox.get(`/conversations/${message.conversation_id}/messages`)
    assert.deepEqual(list, [message])
    const path = `/messages/${message.id}?include=attachments`
    const { status, body, headers, text } = await server.call('GET', path)
    assert.deepEqual([status, headers.get('etag')], [200, '"1"'])
    const withData = message.attachments.map((one: Row, at: number) => ({ ...one, data: base64(files[at]!) }))
    assert.deepEqual(body, { ...message, attachments: withData })
    assert.deepEqual(Object.keys(body).slice(-3), ['created_at', 'updated_at', 'version'])
    assert.equal(headers.get('content-length'), String(Buffer.byteLength(text)))
    const head = await server.call('HEAD', path)
    assert.deepEqual(
      [head.status, head.text, head.headers.get('content-length')],
      [200, '', headers.get('content-length')],
    )
    const known = await server.call('GET', path, undefined, { headers: { 'if-none-match': '"1"' } })
    assert.equal(known.status, 304)
  })

  test('that are asked for where there are none are an empty list', async () => {
    const { id, ...message } = await say('inbound')
    assert.deepEqual(await inbox.get(`/messages/${id}?include=attachments`), { id, ...message })
  })

  test('are the only thing to ask for', async () => {
    const { id } = await say('inbound')
    const path = `/messages/${id}`
    for (const query of [
      'include=',
      'include=all',
      'include=attachments,attachments',
      'include=attachments&include=attachments',
      'limit=1',
      'cursor=x',
      'Include=attachments',
      'constructor=1',
    ])
      for (const headers of [{}, { 'if-none-match': '"1"' }]) {
        const { status, body } = await server.call('GET', `${path}?${query}`, undefined, { headers })
        assert.deepEqual([status, body.code], [400, 'invalid_query'], query)
      }
    assert.equal((await server.call('GET', `/messages/${UNKNOWN}?include=all`)).status, 400)
    assert.equal((await server.call('GET', `/messages/${UNKNOWN}?include=attachments`)).status, 404)
  })

  test('may have 36 MiB together, and not a byte more', async () => {
    const { conversation_id } = await say('inbound')
    const half = base64(bytesOf(18 * MIB))
    const given = { conversation_id, direction: 'inbound' }
    const one = { name: 'one', data: half }
    const more = { name: 'two', data: base64(bytesOf(18 * MIB + 1)) }
    assert.deepEqual(await refusal({ ...given, attachments: [one, more] }), [422, '/attachments too_large'])
    const message = await inbox.make('/messages', { ...given, attachments: [one, { ...one, name: 'two' }] })
    const { attachments } = await inbox.get(`/messages/${message.id}?include=attachments`)
    assert.deepEqual(
      attachments.map(({ data }: Row) => data === half),
      [true, true],
    )
  })

  test('in base64 are written bit by bit where they are large, and leave nothing if the message is refused', async () => {
    const { conversation_id } = await say('inbound')
    const given = {
      conversation_id,
      direction: 'inbound',
      attachments: [{ name: 'one', data: base64(bytesOf(20 * MIB)) }],
    }
    const contents = () => server.store.db.prepare('SELECT count(*), sum(is_staged) FROM file_contents').raw().get()
    const before = contents()
    let commits = 0
    const end = server.store.committed.subscribe(() => void commits++)
    assert.deepEqual(await refusal({ ...given, sent_at: '2099-01-01T00:00:00Z' }), [422, '/sent_at in_future'])
    assert.ok(commits > 20, `${commits} commits`)
    assert.deepEqual(contents(), before)
    end()
    const { attachments } = await inbox.make('/messages', given)
    assert.equal(attachments[0].size_bytes, 20 * MIB)
    assert.deepEqual(contents(), [(before as number[])[0]! + 1, 0])
  })

  test('in base64 are decoded once, one at a time, and not at all for a message that is refused for something else', async (t) => {
    const { conversation_id } = await say('inbound')
    const attachments = ['one', 'two', 'three'].map((name, at) => ({ name, data: base64(bytesOf(2 * MIB + at)) }))
    const given = { conversation_id, direction: 'inbound', attachments }
    const decodes: number[] = []
    let turns = 0
    let isOver = false
    const count = () => {
      turns++
      if (!isOver) setImmediate(count)
    }
    t.after(() => {
      isOver = true
    })
    count()
    const real = Buffer.from
    t.mock.method(Buffer, 'from', (...all: unknown[]) => {
      if (all[1] === 'base64' && (all[0] as string).length > MIB) decodes.push(turns)
      return Reflect.apply(real, Buffer, all)
    })
    const wrong = [
      [{ body_text: 7 }, '/body_text invalid_type'],
      [{ attachments: [...attachments, { name: 'a/b', data: '' }] }, '/attachments/3/name invalid_name'],
      [{ attachments: Array.from({ length: 20 }, () => attachments[0]) }, '/attachments too_large'],
      [
        { attachments: Array.from({ length: 101 }, () => ({ ...attachments[0], data: 'A'.repeat(400_000) })) },
        '/attachments too_many',
      ],
    ] as const
    for (const [more, error] of wrong) assert.deepEqual(await refusal({ ...given, ...more }), [422, error])
    assert.deepEqual(decodes, [])
    const bad = attachments.map((each, at) => (at === 1 ? { ...each, data: `${each.data.slice(0, -4)}A===` } : each))
    assert.deepEqual(await refusal({ ...given, attachments: bad }), [422, '/attachments/1/data invalid_base64'])
    assert.equal(decodes.length, 2, 'those behind it are not looked at')
    decodes.length = 0
    const message = await inbox.make('/messages', given)
    assert.equal(message.attachments.length, 3)
    assert.deepEqual([decodes.length, new Set(decodes).size], [3, 3])
  })

  test('go with a body of up to 54 MiB', async () => {
    const { conversation_id } = await say('inbound')
    const padded = (length: number) => {
      const start = `{"conversation_id":"${conversation_id}","direction":"inbound","body_text":"x"`
      return `${start}${' '.repeat(length - start.length - 1)}}`
    }
    const raw = (text: string) =>
      server.call('POST', '/messages', undefined, { raw: text, headers: { 'content-type': 'application/json' } })
    assert.equal((await raw(padded(54 * MIB))).status, 201)
    const { status, body } = await raw(padded(54 * MIB + 1))
    assert.deepEqual([status, body.code], [413, 'body_too_large'])
  })

  test('have names that are harmless as the name of a file', async () => {
    const names = [
      ['..', 'attachment'],
      ['.hidden. ', 'hidden'],
      ['CON', '_CON'],
      ['aux.txt', '_aux.txt'],
      ['invoice\u202efdp.exe', 'invoicefdp.exe'],
      ['a.txt:b.exe', 'a.txt_b.exe'],
      ['\u2066', 'attachment'],
    ] as const
    const given = names.map(([name]) => ({ name, data: 'AAAA' }))
    const seq = server.lastSeq()
    const { id, attachments } = await say('inbound', undefined, { attachments: given })
    const wanted = names.map(([, name]) => name)
    assert.deepEqual(
      attachments.map(({ name }: Row) => name),
      wanted,
    )
    for (const query of ['', '?include=attachments']) {
      const shown = (await inbox.get(`/messages/${id}${query}`)).attachments
      assert.deepEqual(
        shown.map(({ name }: Row) => name),
        wanted,
      )
    }
    const told = server.events(seq).find(({ object_id }) => object_id === id)
    assert.deepEqual(
      told?.object.attachments.map(({ name }: Row) => name),
      wanted,
    )
  })

  for (const [what, given, ...errors] of [
    ['without a name', { data: 'AAAA' }, '/attachments/0/name required'],
    ['with an empty name', { name: ' ', data: 'AAAA' }, '/attachments/0/name empty'],
    ['with a path', { name: 'a/b', data: 'AAAA' }, '/attachments/0/name invalid_name'],
    ['with a path of Windows', { name: 'a\\b', data: 'AAAA' }, '/attachments/0/name invalid_name'],
    ['with a line break in its name', { name: 'a\nb', data: 'AAAA' }, '/attachments/0/name invalid_name'],
    ['with a name that is too long', { name: 'a'.repeat(256), data: 'AAAA' }, '/attachments/0/name too_long'],
    ['without data', { name: 'a' }, '/attachments/0/data required'],
    ['with null for data', { name: 'a', data: null }, '/attachments/0/data not_null'],
    ['with base64 of URLs', { name: 'a', data: '-_-_' }, '/attachments/0/data invalid_base64'],
    ['with base64 without its end', { name: 'a', data: 'AAA' }, '/attachments/0/data invalid_base64'],
    ['with base64 in lines', { name: 'a', data: 'AAAA\nAAAA' }, '/attachments/0/data invalid_base64'],
    ['with base64 after its end', { name: 'a', data: 'AA==AAAA' }, '/attachments/0/data invalid_base64'],
    ['with a line break after its data', { name: 'a', data: 'AAAA\n' }, '/attachments/0/data invalid_base64'],
    [
      'with a type that is none',
      { name: 'a', content_type: 'pdf', data: 'AAAA' },
      '/attachments/0/content_type invalid_media_type',
    ],
    [
      'with a type and parameters',
      { name: 'a', content_type: 'text/plain; charset=x', data: 'AAAA' },
      '/attachments/0/content_type invalid_media_type',
    ],
    [
      'with a line break in its type',
      { name: 'a', content_type: 'text/plain\r\nX: y', data: 'AAAA' },
      '/attachments/0/content_type invalid_media_type',
    ],
    ['with a size', { name: 'a', data: 'AAAA', size_bytes: 3 }, '/attachments/0/size_bytes unknown_field'],
  ] as [string, Given, ...string[]][]) {
    test(`are refused ${what}`, async () => {
      const { conversation_id } = await say('inbound')
      const message = { conversation_id, direction: 'inbound', body_text: 'x' }
      assert.deepEqual(await refusal({ ...message, attachments: [given] }), [422, ...errors])
    })
  }

  test('with base64 whose last bits are not zero are the bytes that they mean', async () => {
    const { id, attachments } = await say('inbound', undefined, { attachments: [{ name: 'a', data: 'YR==' }] })
    assert.equal(attachments[0].size_bytes, 1)
    const { attachments: stored } = await inbox.get(`/messages/${id}?include=attachments`)
    assert.equal(stored[0].data, 'YQ==')
  })

  test('are at most 100', async () => {
    const { conversation_id } = await say('inbound')
    const attachments = Array(101).fill({ name: 'a', data: '' })
    const given = { conversation_id, direction: 'inbound', attachments }
    assert.deepEqual(await refusal(given), [422, '/attachments too_many'])
    await inbox.make('/messages', { ...given, attachments: attachments.slice(1) })
  })

  test('of any bytes come back as they are', async () => {
    const { conversation_id } = await say('inbound')
    const file = fc.record({
      name: fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
        .map((text) => fileName(`f${text.replace(/[/\\\p{Cc}]/gu, '_')}`)), // others are made harmless
      bytes: fc.uint8Array({ maxLength: 300 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 4 }), async (files) => {
        const attachments = files.map(({ name, bytes }) => ({ name, data: base64(bytes) }))
        const { id } = await say('inbound', conversation_id, { attachments })
        const { attachments: stored } = await inbox.get(`/messages/${id}?include=attachments`)
        assert.deepEqual(
          stored.map(({ name, data }: Row) => [name, data]),
          attachments.map(({ name, data }) => [name.normalize('NFC'), data]),
        )
      }),
      { numRuns: examples(60) },
    )
  })
})

describe('the messages of a conversation', () => {
  test('are listed newest first, of this one alone, by the way and by the time', async () => {
    const { advance } = server
    const first = await say('inbound')
    const { conversation_id } = first
    await say('inbound')
    advance(1000)
    const second = await say('outbound', conversation_id, { sent_at: inMs(-60_000) })
    advance(1000)
    const third = await say('note', conversation_id)
    const listed = async (query: string) => {
      const { data } = await inbox.get(`/conversations/${conversation_id}/messages?${query}`)
      return data.map(({ id }: Row) => [first, second, third].findIndex((one) => one.id === id))
    }
    for (const [query, expected] of [
      ['', [2, 1, 0]],
      ['sort=created_at', [0, 1, 2]],
      ['sort=-created_at', [2, 1, 0]],
      ['direction=inbound', [0]],
      ['direction[ne]=note', [1, 0]],
      ['direction[in]=note,inbound', [2, 0]],
      [`created_at[gt]=${first.created_at}`, [2, 1]],
      [`created_at[lte]=${second.created_at}&direction=outbound`, [1]],
    ] as const)
      assert.deepEqual(await listed(query), expected, query)
    const { total } = await inbox.get(`/conversations/${conversation_id}/messages?count=true&limit=1`)
    assert.equal(total, 3)
    const { data } = await inbox.get(`/conversations/${conversation_id}/messages`)
    assert.deepEqual(data, [third, second, first])
  })

  test('come in pages', async () => {
    const { conversation_id, id } = await say('inbound')
    const all = [id]
    for (let n = 0; n < 6; n++) all.unshift((await say(n % 2 ? 'outbound' : 'note', conversation_id)).id)
    await say('inbound')
    const found: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, next_cursor } = await inbox.get(
        `/conversations/${conversation_id}/messages?limit=3${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...data.map(({ id }: Row) => id))
      cursor = next_cursor
    }
    assert.deepEqual(found, all)
  })

  test('need the scope of conversations, and one message that of messages', async () => {
    const { conversation_id, id } = await say('inbound')
    const { token } = await server.tokenWith(['rest.inbox.conversations.read'])
    assert.equal(
      (await server.call('GET', `/conversations/${conversation_id}/messages`, undefined, { token })).status,
      200,
    )
    assert.equal((await server.call('GET', `/messages/${id}`, undefined, { token })).status, 403)
  })
})
