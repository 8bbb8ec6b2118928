import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { officeOf } from '../../mail/office.ts'
import { calendarLines, EVA, type EventGiven, eventLines, invitingMail } from '../../support/invitation.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp.ts'
import { readInvitation, takeIn } from './post.ts'

// What members answer to invitations from outside. The clock of the server stands at 2026-11-20T08:36:00Z.

let server: TestServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  server = await startServer()
  desk = officeOf(server)
})
after(() => server.stop())
const { getRecord, patchRecord } = recordsOf(() => server)

const SALES = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }
const ANA = 'ana@acme.example'
const PEOPLE = [
  `;CN=Eva Ruiz;PARTSTAT=ACCEPTED:mailto:${EVA}`,
  `;CN=Ana;RSVP=TRUE:mailto:${ANA}`,
  ';RSVP=TRUE:mailto:sales@acme.example',
  ';RSVP=TRUE:mailto:bo@other.example',
]
let count = 0

/** Invitations of Eva, who invites Ana and a mailbox; `sent` returns what was answered since. */
async function invited(t: TestContext, event: EventGiven & { from?: string } = {}) {
  const smtp = await startSmtp(t)
  const { tick } = desk.office(t, smtp.server.port)
  const by = { smtp: { ...SUPPORT.smtp, port: smtp.server.port } }
  const boxes = setMailboxes(
    server,
    [SUPPORT, SALES].map((each) => ({ ...each, ...by })),
  )
  const uid = event.uid ?? `answered${++count}@google.com`
  const mails = async (method: string, { from = EVA, ...given }: EventGiven & { from?: string }) =>
    takeIn(
      server,
      boxes.support,
      invitingMail(calendarLines(method, [eventLines({ uid, attendees: PEOPLE, ...given })]), { from }),
    )
  await mails('REQUEST', event)
  const find = server.store.db
    .prepare("SELECT id FROM meetings WHERE ical_uid = ? OR ical_uid LIKE ? || '/%' ORDER BY starts_at")
    .pluck()
  const ids = find.all(uid, uid) as string[]
  let seen = 0
  const sent = async () => {
    await tick()
    const all = smtp.mails.slice(seen)
    seen = smtp.mails.length
    return Promise.all(all.map(async ({ source, to }) => ({ ...(await readInvitation(source)), rcpt: to })))
  }
  const meeting = (index = 0): Promise<Row> => getRecord(`/meetings/${ids[index]}`)
  async function respond(email: string, response: string, more: Row = {}, index = 0): Promise<Row> {
    const { id, participants } = await meeting(index)
    const all = participants.map((each: Row) => (each.email === email ? { ...each, response } : each))
    return patchRecord(`/meetings/${id}`, { participants: all, ...more })
  }
  return { uid, mails, ids, sent, meeting, respond }
}

describe('who answers an invitation from outside', () => {
  for (const [response, partstat, word] of [
    ['accepted', 'ACCEPTED', 'Accepted'],
    ['declined', 'DECLINED', 'Declined'],
    ['tentative', 'TENTATIVE', 'Tentatively accepted'],
  ] as const)
    test(`has ${response} in the calendar of its organizer`, async (t) => {
      const { uid, sent, respond, meeting } = await invited(t, { sequence: 3 })
      const before = await meeting()
      const seq = server.lastSeq()
      const after = await respond(ANA, response, { send_invitations: true })
      assert.equal(after.version, before.version + 1)
      assert.equal(after.conversation_id, before.conversation_id)
      const [mail, ...more] = await sent()
      assert.equal(more.length, 0)
      assert.deepEqual(mail?.rcpt, [EVA])
      const { method, sequence, organizer, attendees, description, recurrence, status, from, subject } =
        mail as NonNullable<typeof mail>
      assert.deepEqual(
        { method, uid: mail?.uid, sequence, description, recurrence, status, from },
        {
          method: 'REPLY',
          uid,
          sequence: 3,
          description: null,
          recurrence: null,
          status: 'CONFIRMED',
          from: 'support@acme.example',
        },
      )
      assert.deepEqual(organizer, { email: EVA, name: 'Eva Ruiz', sentBy: undefined })
      assert.deepEqual(attendees, {
        [ANA]: { partstat, role: 'REQ-PARTICIPANT', rsvp: undefined, sentBy: 'support@acme.example' },
      })
      const talk = await getRecord(`/conversations/${before.conversation_id}`)
      assert.equal(subject, `${word}: ${talk.subject}`)
      assert.match(mail?.text ?? '', /^Ana has /)
      assert.ok(talk.waiting_since !== null, 'who has only answered by calendar has not answered what else was asked')
      assert.deepEqual(
        server.events(seq).map(({ type }) => type),
        ['conversation.updated', 'meeting.updated', 'message.sent'],
      )
    })

  test('answers by the address that was invited if it is ours', async (t) => {
    const { sent, respond } = await invited(t)
    await respond('sales@acme.example', 'accepted', { send_invitations: true })
    const [mail] = await sent()
    assert.equal(mail?.from, 'sales@acme.example')
    assert.deepEqual(
      Object.entries(mail?.attendees ?? {}).map(([email, { sentBy }]) => [email, sentBy]),
      [['sales@acme.example', undefined]],
    )
  })

  test('answers once for each of us, and only if the answer changes', async (t) => {
    const { sent, respond, meeting } = await invited(t)
    const { id, participants } = await meeting()
    const all = participants.map((each: Row) => ({ ...each, response: 'accepted' }))
    await patchRecord(`/meetings/${id}`, { participants: all, send_invitations: true })
    const mails = await sent()
    assert.deepEqual(mails.map(({ attendees }) => Object.keys(attendees)).toSorted(), [[ANA], ['sales@acme.example']])
    await respond(ANA, 'accepted', { summary: 'Fine' })
    await respond(ANA, 'pending')
    assert.deepEqual(await sent(), [])
    await respond(ANA, 'declined')
    assert.equal((await sent()).length, 1)
  })

  test('keeps to themselves what they note here', async (t) => {
    const { sent, respond, meeting } = await invited(t)
    const { id } = await meeting()
    await patchRecord(`/meetings/${id}`, {
      title: 'A hot lead',
      description: 'Ask for the budget',
      location: 'Ours',
      send_invitations: true,
    })
    await patchRecord(`/meetings/${id}`, { starts_at: '2026-12-01T09:30:00.000Z' })
    assert.deepEqual(await sent(), [])
    await respond(ANA, 'accepted')
    const [mail] = await sent()
    assert.doesNotMatch(JSON.stringify(mail), /hot lead|budget|Ours/)
  })

  test('sends nothing without send_invitations, to what is over or canceled, and by its end', async (t) => {
    const { sent, respond, meeting, mails } = await invited(t)
    await respond(ANA, 'accepted')
    await respond(ANA, 'declined', { send_invitations: true, status: 'canceled' })
    await mails('CANCEL', { sequence: 1 })
    await respond(ANA, 'accepted')
    const { id } = await meeting()
    await server.call('DELETE', `/meetings/${id}`)
    const past = await invited(t, { starts: ':20261120T070000Z', ends: ':20261120T080000Z' })
    await past.respond(ANA, 'accepted', { send_invitations: true })
    assert.deepEqual([...(await sent()), ...(await past.sent())], [])
  })

  test('answers for one meeting of a series, as the organizer named it', async (t) => {
    const { uid, sent, respond, ids, mails } = await invited(t, { more: ['RRULE:FREQ=WEEKLY;COUNT=3'], sequence: 1 })
    assert.equal(ids.length, 3)
    await respond(ANA, 'accepted', { send_invitations: true }, 1)
    const [mail] = await sent()
    assert.deepEqual([mail?.uid, mail?.recurrence, mail?.sequence], [uid, '2026-12-08T09:00:00Z', 1])
    await mails('REQUEST', {
      sequence: 4,
      more: ['RECURRENCE-ID:20261215T090000Z'],
      starts: ':20261216T090000Z',
      ends: ':20261216T100000Z',
    })
    await respond(ANA, 'declined', { send_invitations: true }, 2)
    const [other] = await sent()
    assert.deepEqual([other?.recurrence, other?.sequence], ['2026-12-15T09:00:00Z', 4])
  })

  test('answers for one day of a series of whole days', async (t) => {
    const day = { starts: ';VALUE=DATE:20261201', ends: ';VALUE=DATE:20261202', more: ['RRULE:FREQ=DAILY;COUNT=2'] }
    const { sent, respond } = await invited(t, day)
    await respond(ANA, 'accepted', { send_invitations: true }, 1)
    const [mail] = await sent()
    assert.deepEqual([mail?.recurrence, mail?.isDay], ['2026-12-02', true])
  })

  test('answers the organizer also if a colleague passed the invitation on', async (t) => {
    const { sent, respond, meeting } = await invited(t, { from: 'sales@acme.example' })
    const { id } = await meeting()
    await patchRecord(`/meetings/${id}`, { title: 'Other', send_invitations: true })
    assert.deepEqual(await sent(), [])
    const answered = await respond(ANA, 'accepted')
    const [mail] = await sent()
    assert.deepEqual([mail?.method, mail?.rcpt, mail?.organizer.email], ['REPLY', [EVA], EVA])
    assert.ok(answered.conversation_id !== null)
  })

  test('leaves the meeting to its organizer after an answer', async (t) => {
    const { sent, respond, meeting, mails } = await invited(t)
    await respond(ANA, 'accepted', { send_invitations: true })
    await sent()
    await mails('REQUEST', { sequence: 1, starts: ':20261202T090000Z', ends: ':20261202T100000Z' })
    assert.equal((await meeting()).starts_at, '2026-12-02T09:00:00.000Z')
  })
})

test('a token that may not send messages does not answer', async (t) => {
  const { sent, meeting, respond } = await invited(t)
  await respond(ANA, 'pending', { send_invitations: true })
  const { id, participants } = await meeting()
  const { token } = await server.tokenWith(['rest.meetings.meetings.write'])
  const all = participants.map((each: Row) => (each.email === ANA ? { ...each, response: 'accepted' } : each))
  const { status, body } = await server.call('PATCH', `/meetings/${id}`, { participants: all }, { token })
  assert.deepEqual([status, body.scope], [403, 'rest.inbox.messages.write'])
  assert.deepEqual(await sent(), [])
})
