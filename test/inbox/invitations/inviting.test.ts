import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { applySettings } from '../../../src/app/settings/document.ts'
import { binStore } from '../../../src/cleanup/bin/bin.ts'
import { meetingStore } from '../../../src/meetings/meetings.ts'
import { officeOf } from '../../mail/office.ts'
import { calendarLines, eventLines, invitingMail } from '../../support/invitation.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { errorsOf, type Row, recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp.ts'
import { readInvitation, replyTo, responsesOf, takeIn } from './post.ts'

// The clock of the server stands at 2026-11-20T08:36:00Z, and its organisation is in Europe/Berlin.

let server: TestServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  server = await startServer()
  desk = officeOf(server)
})
after(() => server.stop())
const { newRecord, getRecord, patchRecord, newContact } = recordsOf(() => server)

const SALES = {
  ...SUPPORT,
  key: 'sales',
  name: 'Acme Sales',
  address: 'sales@acme.example',
  aliases: ['offers@acme.example'],
  is_default: false,
}
const OWN = { ...SUPPORT, key: 'own', address: 'a.silva@acme.example', is_default: false, member: 'ana@acme.example' }
const MEETING = {
  title: 'Demo for Northwind',
  starts_at: '2026-12-01T09:00:00.000Z',
  ends_at: '2026-12-01T10:00:00.000Z',
  timezone: 'Europe/Berlin',
  location: 'Room 4',
  description: 'We show the board.',
  conference_url: 'https://meet.example/abc',
  send_invitations: true,
}
const EVA = { email: 'eva@firm.example', name: 'Eva Ruiz' }
const BO = { email: 'bo@other.example', name: 'Bo Lind' }
const IDA = { email: 'ida@third.example', name: 'Ida Moe' }

const plan = (given: Row = {}): Promise<Row> =>
  newRecord('/meetings', { ...MEETING, participants: [EVA, BO], ...given })
const patch = ({ id }: Row, given: Row): Promise<Row> => patchRecord(`/meetings/${id}`, given)
const meetingOf = ({ id }: Row): Promise<Row> => getRecord(`/meetings/${id}`)
const remove = async ({ id }: Row): Promise<void> => {
  const { status, text } = await server.call('DELETE', `/meetings/${id}`)
  assert.equal(status, 204, text)
}

/** An office with a mail server; `sent` delivers what waits and returns what came since, as the recipients read it. */
async function office(t: TestContext, more: Row[] = []) {
  const smtp = await startSmtp(t)
  const { tick } = desk.office(t, smtp.server.port)
  const by = { smtp: { ...SUPPORT.smtp, port: smtp.server.port } }
  const boxes = () =>
    setMailboxes(
      server,
      [SUPPORT, SALES, ...more].map((each) => ({ ...each, ...by })),
    )
  boxes()
  let seen = 0
  async function sent() {
    await tick()
    const mails = smtp.mails.slice(seen)
    seen = smtp.mails.length
    const all = await Promise.all(
      mails.map(async (mail) => ({ ...(await readInvitation(mail.source)), rcpt: mail.to, source: mail.source })),
    )
    return all.sort((one, other) => one.sequence - other.sequence) // they leave in any order
  }
  const one = async () => {
    const all = await sent()
    assert.equal(all.length, 1)
    return all[0] as (typeof all)[number]
  }
  return { sent, one, boxes }
}

const counts = (): number[] =>
  ['meetings', 'messages', 'conversations', 'jobs', 'attachments', 'invitations'].map(
    (table) => server.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
  )

describe('a meeting with send_invitations', () => {
  test('tells in an update which time and place it had, and nothing of what stayed', async (t) => {
    const { one } = await office(t)
    const meeting = await plan({ participants: [EVA] })
    await one()
    await patchRecord(`/meetings/${meeting.id}`, { location: 'Room 5' })
    const place = (await one()).text
    assert.match(place, /Where: Room 5\n {2}before: Room 4\n/)
    assert.equal(place.match(/before:/g)?.length, 1)
    await patchRecord(`/meetings/${meeting.id}`, {
      ends_at: new Date(Date.parse(meeting.ends_at) + 1_800_000).toISOString(),
    })
    const time = (await one()).text
    assert.match(
      time,
      /When: Tuesday, 1 December 2026, 10:00 to 11:30 \(Europe\/Berlin\)\n {2}before: Tuesday, 1 December 2026, 10:00 to 11:00/,
    )
    assert.equal(time.match(/before:/g)?.length, 1)
  })

  test('of whole days is in calendars as days, and its mail names them without a time', async (t) => {
    const { one } = await office(t)
    const days = {
      starts_at: '2027-01-22T23:00:00.000Z',
      ends_at: '2027-01-24T23:00:00.000Z',
      timezone: 'Europe/Berlin',
    }
    await plan({ ...days, participants: [EVA] })
    const { isDay, text } = await one()
    assert.equal(isDay, true)
    assert.match(text, /When: Saturday, 23 January 2027 to Sunday, 24 January 2027\n/)
  })

  test('is in the calendars of its participants, from an address of ours', async (t) => {
    const { one } = await office(t)
    const seq = server.lastSeq()
    const meeting = await plan({
      participants: [{ member_id: server.a.owner, role: 'organizer', response: 'accepted' }, EVA, BO],
    })
    assert.equal(meeting.version, 1)
    const mail = await one()
    assert.deepEqual(mail.rcpt.toSorted(), ['ana@acme.example', 'bo@other.example', 'eva@firm.example'])
    const { method, uid, sequence, status, title, starts, ends, description, location, organizer } = mail
    assert.deepEqual(
      { method, uid, sequence, status, title, description, location },
      {
        method: 'REQUEST',
        uid: `${meeting.id}@dealbox`,
        sequence: 0,
        status: 'CONFIRMED',
        title: 'Demo for Northwind',
        description: 'We show the board.\n\nLink: https://meet.example/abc',
        location: 'Room 4',
      },
    )
    assert.deepEqual([starts, ends], [Date.parse(MEETING.starts_at), Date.parse(MEETING.ends_at)])
    assert.deepEqual(organizer, { email: 'support@acme.example', name: 'Ana', sentBy: undefined })
    assert.equal(mail.from, 'support@acme.example')
    assert.deepEqual(mail.attendees, {
      'ana@acme.example': { partstat: 'ACCEPTED', role: 'CHAIR', rsvp: 'TRUE', sentBy: undefined },
      'eva@firm.example': { partstat: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT', rsvp: 'TRUE', sentBy: undefined },
      'bo@other.example': { partstat: 'NEEDS-ACTION', role: 'REQ-PARTICIPANT', rsvp: 'TRUE', sentBy: undefined },
    })
    assert.equal(mail.subject, 'Invitation: Demo for Northwind')
    assert.equal(
      mail.text.trim(),
      [
        'You are invited to this meeting.',
        '',
        'Demo for Northwind',
        'When: Tuesday, 1 December 2026, 10:00 to 11:00 (Europe/Berlin)',
        'Where: Room 4',
        'Link: https://meet.example/abc',
        'Organizer: Ana',
        '',
        'We show the board.',
      ].join('\n'),
    )
    const types = server.events(seq).map(({ type }) => type)
    assert.deepEqual(types, ['conversation.created', 'meeting.created', 'message.sent'])
  })

  test('has its mails in a closed conversation with the first contact who takes part, and is linked to it', async (t) => {
    const { sent } = await office(t)
    const company = await newRecord('/companies', { name: 'Northwind' })
    const contact = await newContact({ emails: [{ email: 'ulf@northwind.example' }], company_id: company.id })
    const meeting = await plan({ participants: [BO, { contact_id: contact.id }] })
    await sent()
    const talk = await getRecord(`/conversations/${meeting.conversation_id}`)
    const { status, subject, contact_id, company_id, waiting_since } = talk
    assert.deepEqual(
      { status, subject, contact_id, company_id, waiting_since },
      {
        status: 'closed',
        subject: 'Demo for Northwind',
        contact_id: contact.id,
        company_id: company.id,
        waiting_since: null,
      },
    )
    const moved = await patch(meeting, { title: 'Other' })
    assert.equal(moved.conversation_id, meeting.conversation_id)
    const { data } = await getRecord(`/conversations/${meeting.conversation_id}/messages?sort=created_at`)
    const [message] = data
    assert.equal(data.length, 2)
    assert.deepEqual(
      [message.status, message.direction, message.is_automatic, message.author.name],
      ['sent', 'outbound', true, 'Ana'],
    )
    const [{ name, content_type }] = message.attachments
    assert.deepEqual([name, content_type], ['invite.ics', 'text/calendar; method=REQUEST; charset=utf-8'])
  })

  for (const [name, given] of Object.entries({
    title: 'Other',
    description: null,
    starts_at: '2026-12-01T08:00:00.000Z',
    ends_at: '2026-12-01T11:00:00.000Z',
    timezone: 'Europe/Madrid',
    location: 'Room 5',
    conference_url: null,
  }))
    test(`is sent again to all when its ${name} changes`, async (t) => {
      const { one } = await office(t)
      const meeting = await plan()
      const first = await one()
      await patch(meeting, { [name]: given })
      const second = await one()
      assert.deepEqual([second.method, second.uid, second.rcpt.length], ['REQUEST', first.uid, 2])
      assert.ok(second.sequence > first.sequence)
      assert.match(second.subject, /^Updated invitation: /)
      assert.equal(second.organizer.email, first.organizer.email)
    })

  test('sends nothing for what no calendar shows, and for a patch that changes nothing', async (t) => {
    const { sent } = await office(t)
    const deal = await newRecord('/deals', { title: 'Rollout' })
    const meeting = await plan()
    await sent()
    await patch(meeting, {
      summary: 'Went well',
      owner_id: server.a.owner,
      deal_id: deal.id,
      recording_url: 'https://a.example/b',
    })
    await patch(meeting, { title: MEETING.title, send_invitations: true })
    await patch(meeting, {
      participants: [
        { ...EVA, response: 'accepted' },
        { ...BO, name: 'Bo L.' },
      ],
    })
    await patch(meeting, { status: 'completed' })
    assert.deepEqual(await sent(), [])
  })

  test('invites who is added, and cancels it for who is removed, with a number of their own', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan()
    const first = await one()
    await patch(meeting, { participants: [EVA, BO, IDA] })
    const added = await one()
    assert.deepEqual([added.method, added.rcpt], ['REQUEST', [IDA.email]])
    assert.deepEqual(Object.keys(added.attendees), [EVA.email, BO.email, IDA.email])
    await patch(meeting, { participants: [BO, IDA] })
    const removed = await one()
    assert.deepEqual([removed.method, removed.status, removed.rcpt], ['CANCEL', 'CANCELLED', [EVA.email]])
    assert.deepEqual(Object.keys(removed.attendees), [EVA.email])
    assert.ok(removed.sequence > first.sequence)
    assert.match(removed.text, /You were removed/)
    await patch(meeting, { participants: [EVA, IDA], title: 'All new' })
    const all = await sent()
    assert.deepEqual(all.map(({ method, rcpt, subject }) => [method, rcpt[0], subject]).toSorted(), [
      ['CANCEL', BO.email, 'Canceled: All new'],
      ['REQUEST', EVA.email, 'Invitation: All new'],
      ['REQUEST', IDA.email, 'Updated invitation: All new'],
    ])
  })

  test('is canceled in all calendars with its status and with its end, and set anew', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan()
    const first = await one()
    await patch(meeting, { status: 'canceled' })
    const canceled = await one()
    assert.deepEqual([canceled.method, canceled.uid, canceled.rcpt.length], ['CANCEL', first.uid, 2])
    assert.ok(canceled.sequence > first.sequence)
    await patch(meeting, { title: 'Nobody needs to know' })
    await patch(meeting, { participants: [EVA, BO, IDA] })
    assert.deepEqual(await sent(), [])
    await patch(meeting, { status: 'scheduled' })
    const again = await one()
    assert.deepEqual([again.method, again.rcpt.length, again.title], ['REQUEST', 3, 'Nobody needs to know'])
    assert.ok(again.sequence > canceled.sequence)
    await remove(meeting)
    const gone = await one()
    assert.deepEqual([gone.method, gone.uid, gone.rcpt.length], ['CANCEL', first.uid, 3])
    assert.ok(gone.sequence > again.sequence)
  })

  test('invites when it is switched on, and is silent when it is switched off', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan({ send_invitations: false })
    assert.equal(meeting.conversation_id, null)
    await patch(meeting, { title: 'Draft' })
    assert.deepEqual(await sent(), [])
    await patch(meeting, { send_invitations: true })
    const first = await one()
    assert.deepEqual([first.method, first.title, first.rcpt.length], ['REQUEST', 'Draft', 2])
    await patch(meeting, { send_invitations: false, title: 'Silent' })
    await patch(meeting, { starts_at: '2026-12-01T08:00:00.000Z' })
    assert.deepEqual(await sent(), [])
    await patch(meeting, { send_invitations: true })
    assert.equal((await one()).title, 'Silent')
    await patch(meeting, { send_invitations: false, status: 'canceled' })
    assert.deepEqual(await sent(), [])
    await patch(meeting, { status: 'scheduled', send_invitations: true })
    const again = await one()
    assert.deepEqual([again.title, again.rcpt.length], ['Silent', 2])
    assert.ok(again.sequence > first.sequence)
  })

  test('that is over writes to nobody, unless it was or will be ahead', async (t) => {
    const { one, sent } = await office(t)
    const past = { starts_at: '2026-11-02T09:00:00.000Z', ends_at: '2026-11-02T10:00:00.000Z' }
    const meeting = await plan(past)
    await patch(meeting, { title: 'Noted' })
    await patch(meeting, { status: 'canceled' })
    await remove(await plan(past))
    assert.deepEqual(await sent(), [])
    await patch(meeting, { status: 'scheduled', starts_at: MEETING.starts_at, ends_at: MEETING.ends_at })
    assert.equal((await one()).method, 'REQUEST')
    await patch(meeting, past)
    assert.equal((await one()).starts, Date.parse(past.starts_at))
  })

  test('asks again for answers to another time, unless they are given with it', async (t) => {
    const { one } = await office(t)
    const meeting = await plan({
      participants: [
        { ...EVA, response: 'accepted' },
        { ...BO, response: 'declined' },
        { email: 'support@acme.example', response: 'accepted' },
      ],
    })
    await one()
    const renamed = await patch(meeting, { title: 'Other' })
    assert.equal(responsesOf(renamed)[EVA.email], 'accepted')
    await one()
    const moved = await patch(meeting, { starts_at: '2026-12-01T08:00:00.000Z' })
    assert.deepEqual(responsesOf(moved), {
      [EVA.email]: 'pending',
      [BO.email]: 'pending',
      'support@acme.example': 'accepted',
    })
    assert.equal((await one()).attendees[EVA.email]?.partstat, 'NEEDS-ACTION')
    const given = { participants: [{ ...EVA, response: 'accepted' }], starts_at: '2026-12-01T08:30:00.000Z' }
    assert.equal(responsesOf(await patch(meeting, given))[EVA.email], 'accepted')
  })

  test('has its link where calendars show it', async (t) => {
    const { one } = await office(t)
    const meeting = await plan({ location: null })
    assert.deepEqual([meeting.location, (await one()).location], [null, MEETING.conference_url])
    await patch(meeting, { location: 'Room 4', description: `Join ${MEETING.conference_url}!` })
    const { location, description } = await one()
    assert.deepEqual([location, description], ['Room 4', `Join ${MEETING.conference_url}!`])
  })

  test('has another event for another ical_uid', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan({ participants: [EVA] })
    const first = await one()
    await patch(meeting, { ical_uid: 'demo-1@acme.example' })
    const both = await sent()
    assert.deepEqual(both.map(({ method, uid }) => [method, uid]).toSorted(), [
      ['CANCEL', first.uid],
      ['REQUEST', 'demo-1@acme.example'],
    ])
    await patch(meeting, { title: 'Other' })
    assert.equal((await one()).uid, 'demo-1@acme.example')
  })
})

describe('an invitation leaves by', () => {
  test('the address of the organizer if that is ours, then that of the member, and stays with it', async (t) => {
    const { one } = await office(t, [OWN])
    const offers = { email: 'offers@acme.example', name: 'Offers', role: 'organizer' }
    const meeting = await plan({ participants: [offers, EVA] })
    const first = await one()
    assert.deepEqual(
      [first.from, first.organizer.email, first.organizer.name, first.rcpt],
      ['offers@acme.example', 'offers@acme.example', 'Offers', [EVA.email]],
    )
    await patch(meeting, {
      title: 'Other',
      participants: [{ member_id: server.a.owner, role: 'organizer' }, EVA, { email: 'sales@acme.example' }],
    })
    const all = await desk.inbox.get(`/conversations/${meeting.conversation_id}/messages`)
    assert.deepEqual([...new Set(all.data.map(({ from }: Row) => from.email))], ['offers@acme.example'])
    const other = await plan({ participants: [{ member_id: server.a.owner, role: 'organizer' }, BO] })
    const { data } = await desk.inbox.get(`/conversations/${other.conversation_id}/messages`)
    assert.deepEqual(data[0].from, { email: 'a.silva@acme.example', name: 'Ana' })
  })

  test('the address that it first left by, whatever else its conversation uses', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan({ participants: [EVA] })
    const first = await one()
    await newRecord('/messages', {
      conversation_id: meeting.conversation_id,
      direction: 'outbound',
      body_text: 'Hello',
      from: { email: 'sales@acme.example' },
      to: [EVA],
    })
    server.store.db.exec("DELETE FROM jobs WHERE kind = 'message.send'")
    server.advance(1000)
    await patch(meeting, { title: 'Other' })
    const [second] = await sent()
    assert.equal(second?.organizer.email, first.organizer.email)
  })

  test('no address of ours goes to itself', async (t) => {
    const { one, sent } = await office(t)
    await plan({
      participants: [
        { email: 'Sales@Acme.example' },
        { email: 'support@acme.example' },
        { email: 'OFFERS@acme.example' },
      ],
    })
    assert.deepEqual(await sent(), [])
    await plan({ participants: [EVA, { email: 'Sales@Acme.example' }] })
    const mail = await one()
    assert.deepEqual(mail.rcpt, [EVA.email])
    assert.ok('Sales@Acme.example' in mail.attendees)
  })
})

describe('a meeting that a colleague sent with another program', () => {
  const OURS = {
    organizer: ':mailto:sales@acme.example',
    attendees: [';PARTSTAT=ACCEPTED:mailto:sales@acme.example', `:mailto:${EVA.email}`],
    sequence: 7,
  }
  /** The meetings of the event, by their start. */
  async function planned(boxes: () => Record<string, unknown>, event: Row): Promise<Row[]> {
    const lines = calendarLines('REQUEST', [eventLines({ ...OURS, ...event })])
    await takeIn(server, boxes().support, invitingMail(lines, { from: 'sales@acme.example' }))
    const find = server.store.db
      .prepare("SELECT id FROM meetings WHERE ical_uid LIKE ? || '%' ORDER BY starts_at")
      .pluck()
    return Promise.all((find.all(event.uid) as string[]).map((id) => getRecord(`/meetings/${id}`)))
  }

  test('is the same event when it is changed here, in a newer version of the same organizer', async (t) => {
    const { one, boxes } = await office(t)
    const [meeting] = await planned(boxes, { uid: 'outlook1@acme.example' })
    await patch(meeting, { location: 'Room 9', send_invitations: true })
    const mail = await one()
    assert.deepEqual(
      [mail.method, mail.uid, mail.recurrence, mail.rcpt],
      ['REQUEST', 'outlook1@acme.example', null, [EVA.email]],
    )
    assert.ok(mail.sequence > 7)
    assert.equal(mail.organizer.email, 'sales@acme.example')
    await patch(meeting, { status: 'canceled' })
    const canceled = await one()
    assert.ok(canceled.method === 'CANCEL' && canceled.sequence > mail.sequence)
  })

  test('is one occurrence of its series', async (t) => {
    const { one, boxes } = await office(t)
    const all = await planned(boxes, { uid: 'outlook2@acme.example', more: ['RRULE:FREQ=WEEKLY;COUNT=3'] })
    assert.equal(all.length, 3)
    await patch(all[1], {
      starts_at: '2026-12-08T12:00:00.000Z',
      ends_at: '2026-12-08T13:00:00.000Z',
      send_invitations: true,
    })
    const mail = await one()
    assert.deepEqual([mail.uid, mail.recurrence], ['outlook2@acme.example', '2026-12-08T09:00:00Z'])
    assert.equal(mail.starts, Date.parse('2026-12-08T12:00:00.000Z'))
    const reply = replyTo(mail, EVA.email, 'ACCEPTED')
    const named = reply.toSpliced(-2, 0, 'RECURRENCE-ID:20261208T090000Z')
    await takeIn(server, boxes().support, invitingMail(named, { from: EVA.email }))
    const responses = await Promise.all(all.map(async (each) => responsesOf(await meetingOf(each))[EVA.email]))
    assert.deepEqual(responses, ['pending', 'accepted', 'pending'])
  })
})

describe('what comes back', () => {
  test('sets the response of who answered, by the id of the meeting and by its ical_uid', async (t) => {
    const { one, boxes } = await office(t)
    for (const given of [{}, { ical_uid: `own-${server.lastSeq()}@acme.example` }]) {
      const meeting = await plan(given)
      const mail = await one()
      const box = boxes().support
      await takeIn(server, box, invitingMail(replyTo(mail, EVA.email, 'ACCEPTED'), { from: EVA.email }))
      await takeIn(server, box, invitingMail(replyTo(mail, BO.email, 'DECLINED'), { from: BO.email }))
      assert.deepEqual(responsesOf(await meetingOf(meeting)), { [EVA.email]: 'accepted', [BO.email]: 'declined' })
    }
  })

  test('does not count if it answers an earlier time, and does where only somebody was added', async (t) => {
    const { one, boxes } = await office(t)
    const meeting = await plan({ participants: [EVA] })
    const first = await one()
    await patch(meeting, { participants: [EVA, BO] })
    await one()
    const box = boxes().support
    await takeIn(server, box, invitingMail(replyTo(first, EVA.email, 'ACCEPTED'), { from: EVA.email }))
    assert.equal(responsesOf(await meetingOf(meeting))[EVA.email], 'accepted')
    await patch(meeting, { starts_at: '2026-12-01T08:00:00.000Z' })
    await takeIn(
      server,
      box,
      invitingMail(replyTo(first, EVA.email, 'TENTATIVE', { stamp: '20261120T091000Z' }), { from: EVA.email }),
    )
    assert.equal(responsesOf(await meetingOf(meeting))[EVA.email], 'pending')
  })

  test('as a copy of our own mail makes no second meeting and changes nothing', async (t) => {
    const { sent, boxes } = await office(t)
    const meeting = await plan({ participants: [EVA, BO] })
    await patch(meeting, { participants: [EVA] })
    const mails = await sent()
    assert.deepEqual(
      mails.map(({ method }) => method),
      ['REQUEST', 'CANCEL'],
    )
    const { support, sales } = boxes()
    const before = await meetingOf(meeting)
    const [, messages, conversations] = counts()
    for (const { source } of mails)
      for (const box of [support, sales]) {
        await takeIn(server, box, source)
        assert.deepEqual(counts().slice(1, 3), [messages, conversations])
      }
    for (const [index, { source }] of mails.entries())
      await takeIn(server, support, source, `<given${index}@provider.example>`)
    assert.deepEqual(await meetingOf(meeting), before)
    await remove(meeting)
    const count = counts()[0]
    for (const [index, { source }] of mails.entries())
      await takeIn(server, sales, source, `<again${index}@provider.example>`)
    assert.equal(counts()[0], count)
  })
})

describe('nobody is written to', () => {
  test('when a meeting comes back from the bin, until it is changed', async (t) => {
    const { one, sent } = await office(t)
    const meeting = await plan()
    await remove(meeting)
    const [, canceled] = await sent()
    const event = server.store.db.prepare('SELECT max(event_id) FROM bin').pluck().get() as string
    const who = { org: server.a.org, member: server.a.owner }
    await server.store.write(() => binStore(server.deps).restore(who, event) as never)
    assert.deepEqual(await sent(), [])
    await patch(meeting, { participants: [EVA, BO, IDA] })
    const again = await one()
    assert.deepEqual([again.method, again.rcpt.length], ['REQUEST', 3])
    assert.ok(again.sequence > (canceled?.sequence ?? 0))
  })

  test('by what the store writes: mail, imports, seeds, undo', async (t) => {
    const { sent, one } = await office(t)
    const store = meetingStore(server.deps)
    const who = { org: server.a.org, member: server.a.owner }
    const meeting = await plan()
    await one()
    await server.store.write(() => {
      const made = store.create(who, { ...MEETING, participants: [EVA] as never })
      store.patch(who, store.patch(who, made, { title: 'Other' }), { status: 'canceled' })
      store.patch(who, meeting as never, { title: 'By a mail' })
      return undefined
    })
    assert.deepEqual(await sent(), [])
  })

  test('by a token that may not send messages', async (t) => {
    const { sent } = await office(t)
    const { token } = await server.tokenWith(['rest.meetings.meetings.write', 'rest.meetings.meetings.read'])
    const meeting = await plan()
    await sent()
    const before = counts()
    const ask = async (method: string, path: string, given?: Row) => await server.call(method, path, given, { token })
    for (const refused of [
      await ask('POST', '/meetings', { ...MEETING, participants: [EVA] }),
      await ask('POST', '/meetings', MEETING),
      await ask('PATCH', `/meetings/${meeting.id}`, { title: 'Other' }),
      await ask('PATCH', `/meetings/${meeting.id}`, { participants: [EVA] }),
      await ask('DELETE', `/meetings/${meeting.id}`),
    ])
      assert.deepEqual(
        [refused.status, refused.body.code, refused.body.scope],
        [403, 'insufficient_scope', 'rest.inbox.messages.write'],
      )
    assert.deepEqual(counts(), before)
    assert.deepEqual(await sent(), [])
    assert.equal((await ask('PATCH', `/meetings/${meeting.id}`, { summary: 'Fine' })).status, 200)
    assert.equal(
      (await ask('PATCH', `/meetings/${meeting.id}`, { send_invitations: false, title: 'Other' })).status,
      200,
    )
    assert.equal((await ask('DELETE', `/meetings/${meeting.id}`)).status, 204)
    assert.deepEqual(await sent(), [])
  })

  test('without a mailbox, and beyond the recipients of one mail', async (t) => {
    const { sent } = await office(t)
    const meeting = await plan({ ical_uid: 'own-uid@acme.example' }) // ours, although its mailbox is gone
    await sent()
    const before = counts()
    const many = Array.from({ length: 101 }, (_, index) => ({ email: `p${index}@many.example` }))
    const tooMany = await server.call('POST', '/meetings', { ...MEETING, participants: many })
    assert.deepEqual([tooMany.status, errorsOf(tooMany.body)], [422, ['/send_invitations too_many']])
    applySettings(server.store, server.a.org, { mailboxes: [] })
    for (const [method, path, given] of [
      ['POST', '/meetings', { ...MEETING, participants: [EVA] }],
      ['PATCH', `/meetings/${meeting.id}`, { title: 'Other' }],
      ['DELETE', `/meetings/${meeting.id}`, undefined],
    ] as const) {
      const refused = await server.call(method, path, given)
      assert.deepEqual([refused.status, errorsOf(refused.body)], [422, ['/send_invitations no_mailbox']])
    }
    assert.deepEqual(counts(), before)
    assert.equal((await server.call('POST', '/meetings', { ...MEETING, participants: [] })).status, 201)
  })

  test('by bad input, which leaves nothing behind', async (t) => {
    await office(t)
    await plan({ ical_uid: 'taken@acme.example' })
    const before = counts()
    for (const given of [
      { ical_uid: 'taken@acme.example' },
      { ends_at: MEETING.starts_at },
      { owner_id: '01890000-0000-7000-8000-000000000000' },
      { participants: [EVA, EVA] },
      { send_invitations: null },
    ])
      assert.ok((await server.call('POST', '/meetings', { ...MEETING, participants: [EVA], ...given })).status >= 400)
    assert.deepEqual(counts(), before)
  })
})
