import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { deskOf } from '../support/desk.ts'
import { received } from '../support/invitation.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// What calendars send when somebody answers an invitation (METHOD:REPLY). The clock stands at 2026-11-20T08:36:00Z.

const BO = 'bo@firm.example'

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server, { trusted_forwarders: ['firm.example'] })
})
after(() => server.stop())

let count = 0

/** A meeting of ours with Bo. */
const meeting = (more: Row = {}): Promise<Row> =>
  desk.make('/meetings', {
    title: 'Demo',
    starts_at: '2026-12-10T10:00:00Z',
    ends_at: '2026-12-10T11:00:00Z',
    participants: [{ email: BO }, { email: 'zoe@other.example' }],
    ...more,
  })

type Given = {
  from?: string
  partstat?: string
  attendee?: string
  params?: string
  program?: string
  lines?: string[]
  text?: string
  html?: string
  head?: string[]
}

async function answers({ id }: Row, given: Given = {}): Promise<Row> {
  const { from = `Bo <${BO}>`, partstat = 'ACCEPTED', attendee = BO, params = '', lines = [], head = [] } = given
  const { program = '-//Google Inc//Google Calendar 70.9054//EN', text = 'Bo has accepted this invitation.' } = given
  const mail = [
    ...head,
    `From: ${from}`,
    'To: support@acme.example',
    `Subject: Accepted: Demo`,
    `Message-ID: <answer${++count}@calendar.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/alternative; boundary=b',
    '',
    '--b',
    `Content-Type: text/${given.html === undefined ? 'plain' : 'html'}; charset=utf-8`,
    '',
    given.html ?? text,
    '--b',
    'Content-Type: text/calendar; charset=utf-8; method=REPLY',
    '',
    'BEGIN:VCALENDAR',
    `PRODID:${program}`,
    'VERSION:2.0',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    'DTSTART:20261210T100000Z',
    'DTEND:20261210T110000Z',
    'DTSTAMP:20261120T080000Z',
    'ORGANIZER:mailto:support@acme.example',
    `UID:${id}@dealbox`,
    `ATTENDEE;PARTSTAT=${partstat}${params}:mailto:${attendee}`,
    ...lines,
    'SEQUENCE:0',
    'END:VEVENT',
    'END:VCALENDAR',
    '--b--',
    '',
  ].join('\r\n')
  const parsed = await received(Buffer.from(mail), server.now())
  await desk.take(parsed)
  const message = (await desk.stored(parsed.messageId)) as Row
  return { ...message, conversation: await desk.conversation(message.conversation_id) }
}

const responsesOf = async ({ id }: Row): Promise<string[]> =>
  (await desk.get(`/meetings/${id}`)).participants.map(({ response }: Row) => response)

const OUTLOOK = 'Microsoft Exchange Server 2010'

describe('an answer to an invitation', () => {
  for (const [what, given, response] of [
    ['by Google', {}, 'accepted'],
    ['that declines', { partstat: 'DECLINED' }, 'declined'],
    ['by Outlook, without a text', { program: OUTLOOK, text: '' }, 'accepted'],
    [
      'by Outlook, with an empty HTML',
      { program: OUTLOOK, html: '<style>p{margin:0}</style><p>&nbsp;</p>' },
      'accepted',
    ],
    ['by the service of Google', { from: 'Google Calendar <calendar-notification@google.com>' }, 'accepted'],
    ['by the service of Apple', { from: 'Bo <noreply@email.apple.com>', head: [`Reply-To: ${BO}`] }, 'accepted'],
  ] as const)
    test(`${what} is one of the meeting, and nobody waits`, async () => {
      const one = await meeting()
      const message = await answers(one, given as Given)
      assert.deepEqual(await responsesOf(one), [response, 'pending'])
      const { waiting_since, status } = message.conversation
      assert.deepEqual([message.is_automatic, waiting_since, status, message.error], [true, null, 'closed', null])
    })

  test('is in the conversation of its meeting, and does not reopen it', async () => {
    const asked = await desk.arrive({ from: { email: BO, name: 'Bo' } })
    const one = await meeting()
    server.store.db.prepare('UPDATE meetings SET conversation_id = ? WHERE id = ?').run(asked.conversation_id, one.id)
    await desk.patch(asked.conversation_id, { status: 'closed' })
    const message = await answers(one)
    assert.equal(message.conversation_id, asked.conversation_id)
    assert.equal(message.conversation.status, 'closed')
    // Who only knows the id of the meeting is not let in.
    const other = await answers(one, { from: 'mallory@evil.example' })
    assert.notEqual(other.conversation_id, asked.conversation_id)
  })

  test('to a meeting that is not known is open, and nobody waits', async () => {
    const message = await answers({ id: '01a1f819-2580-779d-8582-feaf8640ddce' })
    assert.deepEqual([message.conversation.status, message.conversation.waiting_since], ['open', null])
  })

  test('from another address of the same contact counts', async () => {
    const emails = [
      { email: 'ida@firm.example', label: 'work', is_primary: true },
      { email: 'ida@home.example', label: 'home', is_primary: false },
    ]
    await desk.make('/contacts', { first_name: 'Ida', emails })
    const one = await meeting({ participants: [{ email: 'ida@firm.example' }] })
    await answers(one, { from: 'ida@home.example', attendee: 'ida@firm.example' })
    assert.deepEqual(await responsesOf(one), ['accepted'])
  })

  test('by an address that only resembles a service, or of a forged one, does not count, but nobody waits', async () => {
    for (const given of [
      { from: 'calendar-notification@evil.example' },
      { from: 'mallory@google.com' },
      { from: 'mallory@evil.example', head: [`Reply-To: ${BO}`] },
      {
        from: 'calendar-notification@google.com',
        head: ['Authentication-Results: 127.0.0.1; dmarc=fail'],
      },
    ]) {
      const one = await meeting()
      const message = await answers(one, given)
      assert.deepEqual(await responsesOf(one), ['pending', 'pending'])
      assert.equal(message.conversation.waiting_since, null)
    }
  })

  for (const [what, given] of [
    ['as a COMMENT', { lines: ['COMMENT:Could we do Thursday?'] }],
    ['as Google has it', { params: ';X-RESPONSE-COMMENT="Could we do Thursday?"' }],
    ['as the text of Outlook', { program: OUTLOOK, text: 'Could we do Thursday?' }],
    ['as the HTML of Outlook', { program: OUTLOOK, html: '<p>Could we do Thursday?</p>' }],
  ] as const)
    test(`to which the person wrote something (${what}) waits for one, with what they wrote`, async () => {
      const one = await meeting()
      const message = await answers(one, { partstat: 'DECLINED', ...(given as Given) })
      assert.deepEqual(await responsesOf(one), ['declined', 'pending'])
      assert.equal(message.is_automatic, false)
      assert.notEqual(message.conversation.waiting_since, null)
      assert.match(message.body_text, /Could we do Thursday\?/)
    })
})
