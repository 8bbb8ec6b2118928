import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { incomingStore } from '../../src/mail/incoming.ts'
import { inboxOf } from '../support/inbox.ts'
import { calendarLines, EVA, type EventGiven, eventLines, invitingMail, received } from '../support/invitation.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The clock of the server stands at 2026-11-20T08:36:00Z, and its organisation is in Europe/Berlin.

const SALES = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
let boxes: ReturnType<typeof setMailboxes>
before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
  boxes = setMailboxes(server, [SUPPORT, SALES])
})
after(() => server.stop())

let count = 0
const newUid = (): string => `event${++count}@google.com`

type Options = Parameters<typeof invitingMail>[1] & { arrivedAt?: number; now?: number }

/** Takes in a mail with this calendar; returns its message, or undefined if it was skipped. */
async function takes(calendar: readonly string[], options: Options = {}): Promise<Row | undefined> {
  const { now = server.now(), arrivedAt = now } = options
  const mail = await received(invitingMail(calendar, options), now, 'Europe/Berlin', arrivedAt)
  await server.store.write(() => incomingStore(server.deps).take(server.a.org, boxes.support as never, mail, arrivedAt))
  const id = server.store.db.prepare('SELECT id FROM messages WHERE external_id = ?').pluck().get(mail.messageId)
  return id ? inbox.get(`/messages/${id}`) : undefined
}

const mails = async (method: string, event: EventGiven | EventGiven[], options: Options = {}): Promise<Row> =>
  (await takes(calendarLines(method, [event].flat().map(eventLines)), options)) as Row
const invites = (event: EventGiven, options?: Options): Promise<Row> => mails('REQUEST', event, options)

/** The meetings of an event, by their start. */
async function meetingsOf(uid: string): Promise<Row[]> {
  const ids = server.store.db
    .prepare(
      "SELECT id FROM meetings WHERE org_id = ? AND (ical_uid = ? OR ical_uid LIKE ? || '/%') ORDER BY starts_at",
    )
    .pluck()
  return Promise.all((ids.all(server.a.org, uid, uid) as string[]).map((id) => inbox.get(`/meetings/${id}`)))
}
const meetingOf = async (uid: string): Promise<Row> => {
  const found = await meetingsOf(uid)
  assert.equal(found.length, 1)
  return found[0]
}
const patch = async ({ id }: Row, given: Row): Promise<void> => {
  const { status, text } = await server.call('PATCH', `/meetings/${id}`, given)
  assert.equal(status, 200, text)
}
const remove = async ({ id }: Row): Promise<void> => {
  assert.equal((await server.call('DELETE', `/meetings/${id}`)).status, 204)
}
const at = ({ starts_at, ends_at }: Row): string => `${starts_at.slice(5, 16)} ${ends_at.slice(11, 16)}`

describe('an invitation', () => {
  test('is a meeting with its participants, linked to the conversation of the mail', async () => {
    const uid = newUid()
    const seq = server.lastSeq()
    const message = await invites({ uid, more: ['LOCATION:Room 4', 'X-GOOGLE-CONFERENCE:https://meet.google.com/abc'] })
    assert.equal(message.error, null)
    const meeting = await meetingOf(uid)
    const { title, starts_at, ends_at, location, conference_url, status, conversation_id, ical_uid } = meeting
    assert.deepEqual(
      { title, starts_at, ends_at, location, conference_url, status, conversation_id, ical_uid },
      {
        title: 'Kick-off',
        starts_at: '2026-12-01T09:00:00.000Z',
        ends_at: '2026-12-01T10:00:00.000Z',
        location: 'Room 4',
        conference_url: 'https://meet.google.com/abc',
        status: 'scheduled',
        conversation_id: message.conversation_id,
        ical_uid: uid,
      },
    )
    const [eva, team] = meeting.participants
    assert.deepEqual([eva.contact_id, eva.role, eva.response], [message.author.id, 'organizer', 'accepted'])
    assert.deepEqual([team.email, team.role, team.response], ['support@acme.example', 'attendee', 'pending'])
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['contact.created', 'conversation.created', 'message.received', 'meeting.created'],
    )
    const { data } = await inbox.get(`/meetings?conversation_id=${message.conversation_id}`)
    assert.deepEqual(
      data.map(({ id }: Row) => id),
      [meeting.id],
    )
    const refused = await server.call('PATCH', `/meetings/${meeting.id}`, { conversation_id: null })
    assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/conversation_id'])
  })

  test('takes over the company and the deal of its conversation', async () => {
    const uid = newUid()
    const asked = await mails('COUNTER', { uid })
    const company = await inbox.make('/companies', { name: 'Firm' })
    await inbox.patch(asked.conversation_id, { company_id: company.id })
    await invites({ uid }, { head: [`In-Reply-To: ${asked.external_id}`] })
    const { company_id, conversation_id } = await meetingOf(uid)
    assert.deepEqual([company_id, conversation_id], [company.id, asked.conversation_id])
  })

  test('that comes again, or as a copy of somebody else, changes nothing', async () => {
    const uid = newUid()
    await invites({ uid })
    const before = await meetingOf(uid)
    assert.equal((await invites({ uid })).error, null)
    assert.equal((await invites({ uid, title: 'Other' }, { from: 'bo@other.example' })).error, null)
    assert.deepEqual(await meetingOf(uid), before)
  })

  test('moves the meeting when the organizer moves it', async () => {
    const uid = newUid()
    await invites({ uid })
    const seq = server.lastSeq()
    const more = { sequence: 1, starts: ':20261202T140000Z', ends: ':20261202T150000Z' }
    const message = await invites({ uid, ...more })
    const meeting = await meetingOf(uid)
    assert.equal(at(meeting), '12-02T14:00 15:00')
    assert.deepEqual(inbox.told(seq, meeting.id), ['meeting.updated starts_at ends_at'])
    assert.notEqual(meeting.conversation_id, message.conversation_id) // the first one
  })

  test('that is older than what is known changes nothing, whenever it arrives', async () => {
    const uid = newUid()
    await invites({ uid, sequence: 2, stamp: '20261120T080000Z' })
    const before = await meetingOf(uid)
    await invites({ uid, sequence: 1, stamp: '20261121T080000Z', title: 'Late' })
    await invites({ uid, sequence: 2, stamp: '20261119T080000Z', title: 'Late' })
    assert.deepEqual(await meetingOf(uid), before)
    await invites({ uid, sequence: 2, stamp: '20261121T080000Z', title: 'New' })
    assert.equal((await meetingOf(uid)).title, 'New')
  })

  test('is canceled by its organizer, and stays visible', async () => {
    const uid = newUid()
    await invites({ uid })
    const seq = server.lastSeq()
    await mails('CANCEL', { uid, sequence: 1, more: ['STATUS:CANCELLED'] })
    const meeting = await meetingOf(uid)
    assert.equal(meeting.status, 'canceled')
    assert.deepEqual(inbox.told(seq, meeting.id), ['meeting.updated status'])
    await invites({ uid, stamp: '20261120T090000Z' })
    assert.equal((await meetingOf(uid)).status, 'canceled')
    await invites({ uid, sequence: 2 })
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('is not canceled by a cancellation of an earlier version that arrives late', async () => {
    const uid = newUid()
    await invites({ uid, sequence: 2 })
    await mails('CANCEL', { uid, sequence: 1 })
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('may be canceled in the mail that sends it', async () => {
    const uid = newUid()
    const canceled = calendarLines('CANCEL', [eventLines({ uid, sequence: 1 })])
    await takes([...calendarLines('REQUEST', [eventLines({ uid })]), ...canceled])
    assert.equal((await meetingOf(uid)).status, 'canceled')
  })

  test('in the report of a failed delivery is no invitation', async () => {
    const uid = newUid()
    const mail = await received(invitingMail(calendarLines('REQUEST', [eventLines({ uid })])), server.now())
    const report = { isStandard: true, messageId: null, recipients: [] }
    const other = (await invites({ uid: newUid() })).external_id
    await server.store.write(() =>
      incomingStore(server.deps).take(
        server.a.org,
        boxes.support as never,
        { ...mail, report, inReplyTo: [other] },
        server.now(),
      ),
    )
    assert.deepEqual(await meetingsOf(uid), [])
  })

  test('whose cancellation came first makes no meeting', async () => {
    const uid = newUid()
    await mails('CANCEL', { uid, sequence: 1 })
    await invites({ uid })
    assert.deepEqual(await meetingsOf(uid), [])
  })

  test('may leave out the times where it cancels', async () => {
    const uid = newUid()
    await invites({ uid })
    const lines = eventLines({ uid, sequence: 1 }).filter((line) => !/^DT(?:START|END)/.test(line))
    assert.equal((await takes(calendarLines('CANCEL', [lines])))?.error, null)
    assert.equal((await meetingOf(uid)).status, 'canceled')
  })

  test('that is a counter proposal is a file and no meeting', async () => {
    const uid = newUid()
    for (const method of ['COUNTER', 'ADD', 'REFRESH']) await mails(method, { uid })
    assert.deepEqual(await meetingsOf(uid), [])
    const message = await mails('COUNTER', { uid })
    assert.deepEqual([message.error, message.attachments[0].name], [null, 'invite.ics'])
  })

  test('has its method in the calendar or beside it', async () => {
    const uid = newUid()
    await takes(calendarLines(null, [eventLines({ uid })]), { type: 'Content-Type: text/calendar; method=REQUEST' })
    assert.equal((await meetingOf(uid)).title, 'Kick-off')
  })

  test('has the subject as its title if it has none', async () => {
    const uid = newUid()
    await invites({ uid, title: '' })
    assert.match((await meetingOf(uid)).title, /^Invitation \d+$/)
  })

  test('of a colleague who uses another program is a meeting without a conversation', async () => {
    const uid = newUid()
    const organizer = ':mailto:sales@acme.example'
    assert.equal(await invites({ uid, organizer }, { from: 'sales@acme.example' }), undefined)
    assert.equal((await meetingOf(uid)).conversation_id, null)
    const forged = newUid()
    const head = ['Authentication-Results: 127.0.0.1; dmarc=fail']
    await invites({ uid: forged, organizer }, { from: 'sales@acme.example', head })
    assert.deepEqual(await meetingsOf(forged), [])
  })

  test('links a meeting that was imported from a file', async () => {
    const uid = newUid()
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const participants = [{ email: EVA, role: 'organizer' }]
    await inbox.make('/meetings', { title: 'Old', ...times, ical_uid: uid, participants })
    const message = await invites({ uid, sequence: 1 })
    const { title, conversation_id } = await meetingOf(uid)
    assert.deepEqual([title, conversation_id], ['Kick-off', message.conversation_id])
  })
})

describe('what people changed here', () => {
  test('stays, except for what the organizer changed', async () => {
    const uid = newUid()
    const more = ['DESCRIPTION:Agenda', 'LOCATION:Room 4']
    await invites({ uid, more })
    const summary = 'They want it.'
    const deal = await inbox.make('/deals', { title: 'Offer' })
    await patch(await meetingOf(uid), { title: 'Ours', location: 'Ours', summary, deal_id: deal.id })
    await invites({
      uid,
      sequence: 1,
      starts: ':20261203T090000Z',
      ends: ':20261203T093000Z',
      more: [more[0] as string, 'LOCATION:Room 5'],
    })
    const after = await meetingOf(uid)
    assert.deepEqual(
      [at(after), after.title, after.description, after.location, after.summary, after.deal_id],
      ['12-03T09:00 09:30', 'Ours', 'Agenda', 'Room 5', summary, deal.id],
    )
  })

  test('as its status stays until the organizer sets the meeting anew', async () => {
    const uid = newUid()
    await invites({ uid })
    await patch(await meetingOf(uid), { status: 'canceled' })
    await invites({ uid, stamp: '20261120T090000Z', title: 'New title' })
    const { title, status } = await meetingOf(uid)
    assert.deepEqual([title, status], ['New title', 'canceled'])
    await invites({ uid, sequence: 1 })
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('as the result of a meeting stays where that is canceled afterwards', async () => {
    const uid = newUid()
    await invites({ uid })
    await patch(await meetingOf(uid), { status: 'no_show' })
    await mails('CANCEL', { uid, sequence: 1 })
    assert.equal((await meetingOf(uid)).status, 'no_show')
  })

  test('by deleting the meeting stays until the organizer sets it anew', async () => {
    const uid = newUid()
    await invites({ uid })
    await remove(await meetingOf(uid))
    await invites({ uid, stamp: '20261120T090000Z' })
    assert.deepEqual(await meetingsOf(uid), [])
    await invites({ uid, sequence: 1 })
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('in the answers stays where the organizer does not know them yet', async () => {
    const uid = newUid()
    await invites({ uid })
    const { participants, ...meeting } = await meetingOf(uid)
    await patch(meeting, { participants: participants.map((each: Row) => ({ ...each, response: 'accepted' })) })
    await invites({ uid, stamp: '20261120T090000Z' })
    assert.equal((await meetingOf(uid)).participants[1].response, 'accepted')
    await invites({ uid, sequence: 1 })
    assert.equal((await meetingOf(uid)).participants[1].response, 'pending')
  })
})

describe('a stranger', () => {
  const refused = /^The meeting "[^"]*" was not changed: this mail is not from its organizer\.$/

  test('neither moves a meeting nor cancels it', async () => {
    const uid = newUid()
    await invites({ uid })
    const before = await meetingOf(uid)
    const from = 'mallory@evil.example'
    for (const method of ['REQUEST', 'CANCEL'])
      assert.match((await mails(method, { uid, sequence: 5 }, { from })).error, refused)
    assert.deepEqual(await meetingOf(uid), before)
    await invites({ uid, sequence: 1, title: 'Still hers' })
    assert.equal((await meetingOf(uid)).title, 'Still hers')
  })

  test('does not do it in the name of the first one with another organizer, nor as one who sends for her', async () => {
    const uid = newUid()
    const from = 'calendar-notification@google.com'
    await invites({ uid }, { from })
    const organizer = ':mailto:mallory@evil.example'
    assert.match((await mails('CANCEL', { uid, sequence: 1, organizer }, { from })).error, refused)
    const sentBy = `;SENT-BY="mailto:mallory@evil.example":mailto:${EVA}`
    const message = await mails('CANCEL', { uid, sequence: 1, organizer: sentBy }, { from: 'mallory@evil.example' })
    assert.match(message.error, refused)
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('with a forged sender is noticed by the results of the mail server', async () => {
    const uid = newUid()
    await invites({ uid })
    const results = (dmarc: string) => ({ head: [`Authentication-Results: 127.0.0.1; spf=pass; dmarc=${dmarc}`] })
    const message = await mails('CANCEL', { uid, sequence: 1 }, results('fail'))
    assert.match(message.error, /according to the mail server, it is not from the sender/)
    assert.equal((await meetingOf(uid)).status, 'scheduled')
    await mails('CANCEL', { uid, sequence: 1 }, results('pass'))
    assert.equal((await meetingOf(uid)).status, 'canceled')
  })

  test('cannot cancel a meeting before its invitation', async () => {
    const uid = newUid()
    await mails('CANCEL', { uid, sequence: 9 }, { from: 'mallory@evil.example' })
    await mails(
      'CANCEL',
      { uid, sequence: 9, organizer: ':mailto:mallory@evil.example' },
      { from: 'mallory@evil.example' },
    )
    await invites({ uid })
    assert.equal((await meetingOf(uid)).status, 'scheduled')
  })

  test('does not change a meeting from a file, whose organizer is known', async () => {
    const uid = newUid()
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const participants = [{ email: EVA, role: 'organizer' }]
    await inbox.make('/meetings', { title: 'Old', ...times, ical_uid: uid, participants })
    assert.match((await invites({ uid, sequence: 1 }, { from: 'mallory@evil.example' })).error, refused)
  })

  test('the assistant whom the invitation named is none', async () => {
    const uid = newUid()
    const organizer = `;SENT-BY="mailto:Assistant@firm.example":mailto:${EVA}`
    await invites({ uid, organizer })
    await mails('CANCEL', { uid, sequence: 1, organizer }, { from: 'assistant@firm.example' })
    assert.equal((await meetingOf(uid)).status, 'canceled')
  })
})

describe('an answer to an invitation', () => {
  const ours = { organizer: ':mailto:support@acme.example' }
  const bo = 'bo@firm.example'
  const answer = (uid: string, response: string, given: EventGiven = {}, from = bo): Promise<Row> =>
    mails('REPLY', { uid, ...ours, attendees: [`;PARTSTAT=${response}:mailto:${bo}`], ...given }, { from })
  const responseIn = async (uid: string): Promise<string> =>
    (await meetingOf(uid)).participants.find(({ email }: Row) => email === bo)?.response

  async function invited(): Promise<string> {
    const uid = newUid()
    await invites({ uid, ...ours, attendees: [`:mailto:${bo}`] }, { from: 'support@acme.example' })
    return uid
  }

  test('is that of the participant', async () => {
    const uid = await invited()
    assert.equal(await responseIn(uid), 'pending')
    const message = await answer(uid, 'ACCEPTED')
    assert.equal(message.error, null)
    assert.equal(await responseIn(uid), 'accepted')
    await answer(uid, 'DECLINED', { stamp: '20261120T083000Z' })
    assert.equal(await responseIn(uid), 'declined')
  })

  test('of a meeting that was sent from here names it by its id', async () => {
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const { id } = await inbox.make('/meetings', { title: 'Ours', ...times, participants: [{ email: bo }] })
    await answer(`${id}@dealbox`, 'TENTATIVE')
    await answer(`${id}@dealbox`, 'DECLINED', { stamp: '20261119T080000Z' })
    assert.equal((await inbox.get(`/meetings/${id}`)).participants[0].response, 'tentative')
  })

  test('that is older than the last one, or than the meeting, changes nothing', async () => {
    const uid = await invited()
    await answer(uid, 'ACCEPTED', { stamp: '20261120T083000Z' })
    await answer(uid, 'DECLINED', { stamp: '20261120T080000Z' })
    assert.equal(await responseIn(uid), 'accepted')
    await invites({ uid, ...ours, sequence: 2, attendees: [`:mailto:${bo}`] }, { from: 'support@acme.example' })
    await answer(uid, 'DECLINED', { sequence: 1, stamp: '20261120T090000Z' })
    assert.equal(await responseIn(uid), 'pending')
  })

  test('of somebody else, or in the name of somebody else, changes nothing', async () => {
    const uid = await invited()
    const before = await meetingOf(uid)
    await answer(uid, 'DECLINED', {}, 'mallory@evil.example')
    await answer(uid, 'ACCEPTED', { attendees: [';PARTSTAT=ACCEPTED:mailto:zoe@firm.example'] }, 'zoe@firm.example')
    assert.deepEqual(await meetingOf(uid), before)
  })

  test('counts for the sender alone, also where another participant forwards it', async () => {
    const uid = newUid()
    const zoe = 'zoe@firm.example'
    const attendees = [`:mailto:${bo}`, `:mailto:${zoe}`]
    await invites({ uid, ...ours, attendees }, { from: 'support@acme.example' })
    await answer(uid, 'DECLINED', {}, zoe)
    const { participants } = await meetingOf(uid)
    assert.deepEqual(
      participants.slice(1).map(({ response }: Row) => response),
      ['pending', 'pending'],
    )
  })

  test('to a series is about what is not over', async () => {
    const uid = newUid()
    const event = { uid, starts: ':20261112T090000Z', ends: ':20261112T100000Z', more: ['RRULE:FREQ=WEEKLY;COUNT=4'] }
    const options = { from: 'support@acme.example', arrivedAt: Date.parse('2026-11-01T08:00:00Z') }
    await invites({ ...event, ...ours, attendees: [`:mailto:${bo}`] }, options)
    await answer(uid, 'ACCEPTED')
    assert.deepEqual(
      (await meetingsOf(uid)).map(({ participants }) => participants[1].response),
      ['pending', 'pending', 'accepted', 'accepted'],
    )
  })

  test('to a meeting that is not known leaves nothing behind', async () => {
    const uid = newUid()
    await answer(uid, 'ACCEPTED')
    const kept = server.store.db.prepare('SELECT count(*) FROM invitations WHERE uid = ?').pluck()
    assert.equal(kept.get(uid), 0)
  })
})

describe('a recurring meeting', () => {
  const weekly = { more: ['RRULE:FREQ=WEEKLY;COUNT=4'] }
  const times = async (uid: string): Promise<string[]> =>
    (await meetingsOf(uid)).map((each) => `${at(each)} ${each.status}`)
  const ofThird = { starts: ':20261215T110000Z', ends: ':20261215T120000Z', more: ['RECURRENCE-ID:20261215T090000Z'] }

  test('is a meeting each time, from when the invitation arrived', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    assert.deepEqual(await times(uid), [
      '12-01T09:00 10:00 scheduled',
      '12-08T09:00 10:00 scheduled',
      '12-15T09:00 10:00 scheduled',
      '12-22T09:00 10:00 scheduled',
    ])
    const old = newUid()
    await invites({
      uid: old,
      starts: ':20261106T090000Z',
      ends: ':20261106T100000Z',
      more: ['RRULE:FREQ=WEEKLY;COUNT=4'],
    })
    assert.deepEqual(await times(old), ['11-20T09:00 10:00 scheduled', '11-27T09:00 10:00 scheduled'])
  })

  test('without an end is one for a year', async () => {
    const uid = newUid()
    await invites({ uid, more: ['RRULE:FREQ=MONTHLY'] })
    const all = await meetingsOf(uid)
    assert.deepEqual([all.length, all.at(-1)?.starts_at.slice(0, 10)], [12, '2027-11-01'])
  })

  test('has one of them moved or canceled alone, which later changes of the others leave as it is', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    await invites({ uid, sequence: 1, ...ofThird })
    await mails('CANCEL', { uid, sequence: 1, more: ['RECURRENCE-ID:20261208T090000Z'] })
    await invites({ uid, sequence: 1, stamp: '20261120T083000Z', title: 'All of them', ...weekly })
    assert.deepEqual(await times(uid), [
      '12-01T09:00 10:00 scheduled',
      '12-08T09:00 10:00 canceled',
      '12-15T11:00 12:00 scheduled',
      '12-22T09:00 10:00 scheduled',
    ])
    assert.deepEqual(
      (await meetingsOf(uid)).map(({ title }) => title),
      ['All of them', 'Kick-off', 'Kick-off', 'All of them'],
    )
    await invites({ uid, sequence: 2, ...weekly })
    assert.equal((await times(uid))[2], '12-15T09:00 10:00 scheduled')
    await invites({ uid, sequence: 1, stamp: '20261120T083500Z', ...ofThird }) // late
    assert.equal((await times(uid))[2], '12-15T09:00 10:00 scheduled')
  })

  test('that is moved as a whole takes its meetings along, and cancels those that are left', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    const ids = (await meetingsOf(uid)).map(({ id }) => id)
    const later = { starts: ':20261202T130000Z', ends: ':20261202T140000Z', more: ['RRULE:FREQ=WEEKLY;COUNT=3'] }
    await invites({ uid, sequence: 1, ...later })
    const all = await meetingsOf(uid)
    assert.deepEqual(await times(uid), [
      '12-02T13:00 14:00 scheduled',
      '12-09T13:00 14:00 scheduled',
      '12-16T13:00 14:00 scheduled',
      '12-22T09:00 10:00 canceled',
    ])
    assert.deepEqual(
      all.map(({ id }) => id),
      ids,
    )
    assert.equal(all[0]?.ical_uid, `${uid}/20261202T130000Z`)
  })

  test('that is moved as a whole leaves those that were canceled here', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    await patch((await meetingsOf(uid))[1] as Row, { status: 'canceled' })
    await invites({ uid, sequence: 1, starts: ':20261202T130000Z', ends: ':20261202T140000Z', ...weekly })
    assert.deepEqual(await times(uid), [
      '12-02T13:00 14:00 scheduled',
      '12-08T09:00 10:00 canceled',
      '12-09T13:00 14:00 scheduled',
      '12-16T13:00 14:00 scheduled',
      '12-23T13:00 14:00 scheduled',
    ])
  })

  test('ignores earlier versions of single ones, also beside newer ones', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly, sequence: 1 })
    await invites({ uid, ...ofThird, sequence: 3 })
    const second = { uid, more: ['RECURRENCE-ID:20261208T090000Z'] }
    const third = { uid, more: ['RECURRENCE-ID:20261215T090000Z'], title: 'Late' }
    await mails('CANCEL', { ...second, sequence: 0 })
    await mails('CANCEL', [
      { ...third, sequence: 2 },
      { uid, more: ['RECURRENCE-ID:20261222T090000Z'], sequence: 2 },
    ])
    await mails('REQUEST', [
      { uid, ...weekly, sequence: 2 },
      { ...third, sequence: 2 },
    ])
    assert.deepEqual(await times(uid), [
      '12-01T09:00 10:00 scheduled',
      '12-08T09:00 10:00 scheduled',
      '12-15T11:00 12:00 scheduled',
      '12-22T09:00 10:00 canceled',
    ])
  })

  test('of which one was deleted gets it back only when the organizer sets all of them anew', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    await remove((await meetingsOf(uid))[1] as Row)
    await invites({ uid, stamp: '20261120T083000Z', title: 'Renamed', ...weekly })
    assert.equal((await meetingsOf(uid)).length, 3)
    await invites({ uid, sequence: 1, ...weekly })
    assert.equal((await meetingsOf(uid)).length, 4)
  })

  test('is canceled as a whole, or from one of them on', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    await mails('CANCEL', { uid, sequence: 1, more: ['RECURRENCE-ID;RANGE=THISANDFUTURE:20261215T090000Z'] })
    assert.deepEqual(
      (await meetingsOf(uid)).map(({ status }) => status),
      ['scheduled', 'scheduled', 'canceled', 'canceled'],
    )
    await mails('CANCEL', { uid, sequence: 2 })
    assert.deepEqual(new Set((await meetingsOf(uid)).map(({ status }) => status)), new Set(['canceled']))
  })

  test('has none where the invitation cancels one of them', async () => {
    const uid = newUid()
    const canceled = { uid, ...ofThird, more: [...ofThird.more, 'STATUS:CANCELLED'] }
    await mails('REQUEST', [{ uid, ...weekly }, canceled])
    assert.deepEqual((await meetingsOf(uid)).map(at), ['12-01T09:00 10:00', '12-08T09:00 10:00', '12-22T09:00 10:00'])
  })

  test('goes on for another year with the next mail about it, without what was deleted', async () => {
    const uid = newUid()
    const monthly = { uid, more: ['RRULE:FREQ=MONTHLY'] }
    await invites(monthly)
    await remove((await meetingsOf(uid))[0] as Row)
    await invites({ ...monthly, stamp: '20261120T083000Z' }, { now: server.now() + 60 * 86_400_000 })
    const all = await meetingsOf(uid)
    assert.deepEqual(
      [all.length, all[0]?.starts_at.slice(0, 7), all.at(-1)?.starts_at.slice(0, 7)],
      [13, '2027-01', '2028-01'],
    )
  })

  test('at other times, but not set anew, cancels what it no longer contains', async () => {
    const uid = newUid()
    await invites({ uid, more: ['RRULE:FREQ=MONTHLY;COUNT=2'] })
    const later = { starts: ':20280102T090000Z', ends: ':20280102T100000Z', more: ['RRULE:FREQ=MONTHLY;COUNT=2'] }
    await invites(
      { uid, stamp: '20261120T083000Z', ...later },
      { now: server.now() + 300 * 86_400_000, arrivedAt: server.now() },
    )
    assert.deepEqual(await times(uid), [
      '12-01T09:00 10:00 canceled',
      '01-01T09:00 10:00 canceled',
      '01-02T09:00 10:00 scheduled',
      '02-02T09:00 10:00 scheduled',
    ])
  })

  test('leaves the past as it is', async () => {
    const uid = newUid()
    const event = { uid, starts: ':20261105T090000Z', ends: ':20261105T100000Z', more: ['RRULE:FREQ=WEEKLY;COUNT=4'] }
    await invites(event, { arrivedAt: Date.parse('2026-11-01T08:00:00Z') })
    const [first] = await meetingsOf(uid)
    await patch(first as Row, { status: 'scheduled' })
    await invites({ ...event, sequence: 1 })
    await mails('CANCEL', { ...event, sequence: 2 })
    assert.deepEqual(
      (await meetingsOf(uid)).map(({ status }) => status),
      ['scheduled', 'completed', 'completed', 'canceled'],
    )
  })

  test('is changed in one of them only where the mail changes all later ones without the rest', async () => {
    const uid = newUid()
    await invites({ uid, ...weekly })
    const more = ['RECURRENCE-ID;RANGE=THISANDFUTURE:20261215T090000Z']
    const { error } = await invites({ uid, sequence: 1, ...ofThird, more })
    assert.equal(
      error,
      'This mail changes one meeting of a series and all later ones. Only the first of them was changed here.',
    )
    assert.deepEqual((await times(uid)).slice(2), ['12-15T11:00 12:00 scheduled', '12-22T09:00 10:00 scheduled'])
  })

  test('to one of which a person is invited is that one', async () => {
    const uid = newUid()
    await invites({ uid, ...ofThird })
    assert.deepEqual(await times(uid), ['12-15T11:00 12:00 scheduled'])
  })

  test('that was sent in an old mail begins when that arrived, and is over where it was', async () => {
    const uid = newUid()
    const more = ['RRULE:FREQ=WEEKLY;COUNT=3']
    const arrivedAt = Date.parse('2026-11-01T08:00:00Z')
    await invites({ uid, starts: ':20261105T090000Z', ends: ':20261105T100000Z', more }, { arrivedAt })
    assert.deepEqual(
      (await meetingsOf(uid)).map(({ status }) => status),
      ['completed', 'completed', 'completed'],
    )
  })
})

describe('a calendar that is broken', () => {
  test('does not keep its mail out, and the message says what could not be read', async () => {
    const uid = newUid()
    const broken = eventLines({ uid: newUid() }).filter((line) => !line.startsWith('DTSTART'))
    const message = await takes(calendarLines('REQUEST', [broken, eventLines({ uid })]))
    assert.equal(message?.error, 'A meeting in this mail was not imported: it has no DTSTART.')
    assert.equal((await meetingOf(uid)).title, 'Kick-off')
    const nonsense = await takes(['Nonsense'])
    assert.match(nonsense?.error, /^A calendar in this mail is not an iCalendar file/)
    const zone = await invites({ uid: newUid(), starts: ';TZID=Nowhere:20261201T090000' })
    assert.match(zone.error, /in the time zone "Nowhere", which is unknown/)
  })

  test('with values that no meeting can have leaves them out', async () => {
    const uid = newUid()
    const people = Array.from({ length: 600 }, (_, index) => `:mailto:p${index}@many.example`)
    const long = 'x'.repeat(70_000)
    const given = { uid, title: 'y'.repeat(300), attendees: people, more: [`DESCRIPTION:${long}`, `LOCATION:${long}`] }
    assert.equal((await invites(given)).error, null)
    const { title, participants, description, location } = await meetingOf(uid)
    assert.deepEqual([title.length, participants.length, description.length, location.length], [255, 500, 65_536, 255])
    assert.equal((await invites({ uid, sequence: '9'.repeat(40) as never })).error, null)
    const impossible = await invites({ uid: `${newUid()}\0` })
    assert.match(impossible.error, /^The meeting "Kick-off" was not imported: .*NUL character\.$/)
    const far = await invites({ uid: newUid(), starts: ':99990101T000000Z', ends: ':100000101T000000Z' })
    assert.ok(far.error)
  })

  test('or too large is bounded', async () => {
    const uid = newUid()
    const events = Array.from({ length: 250 }, (_, index) => eventLines({ uid: `${uid}/x${index}` }))
    const message = await takes(calendarLines('REQUEST', events))
    assert.equal(message?.error, 'Only the first 200 events of the calendars in this mail were read.')
    const made = server.store.db.prepare("SELECT count(*) FROM meetings WHERE ical_uid LIKE ? || '/%'").pluck()
    assert.equal(made.get(uid), 200)
    const daily = { uid: newUid(), more: ['RRULE:FREQ=DAILY', 'RDATE:20261201T120000Z'] }
    const [one, other, third] = [daily, { ...daily, uid: newUid() }, { ...daily, uid: newUid() }]
    const known = { uid: newUid(), more: ['RRULE:FREQ=WEEKLY;COUNT=2'] }
    await invites(known)
    const series = await mails('REQUEST', [one, other, third, { ...known, sequence: 1 }])
    assert.match(series.error, /^The meetings in this mail take place more than 1000 times; the rest was left out\.$/)
    const statuses = (await meetingsOf(known.uid)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set(['scheduled']))
    const some = [one, other, third].map(({ uid }) => made.get(uid) as number)
    assert.deepEqual(some, [355, 355, 290])
    const long = await invites({ uid: 'u'.repeat(231) })
    assert.match(long.error, /has a UID of more than 230 characters/)
    const rules = await invites({ uid: newUid(), more: Array(3).fill('RRULE:FREQ=DAILY') })
    assert.match(rules.error, /it has more than 2 rules/)
    const counted = {
      starts: ':10000101T090000Z',
      ends: ':10000101T100000Z',
      more: ['RRULE:FREQ=DAILY;COUNT=999999999'],
    }
    assert.match((await invites({ uid: newUid(), ...counted })).error, /began more than 20 years ago/)
    const large = await invites({ uid: newUid(), more: [`X-LARGE:${'x'.repeat(2_000_000)}`] })
    assert.match(large.error, /larger than 1 MiB/)
  })
})
