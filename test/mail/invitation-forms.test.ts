import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { findWindows, WINDOWS_TO_IANA_MAP } from 'windows-iana'
import { outlookZone } from '../../src/lib/icalendar/outlook-zones.ts'
import { isTimezone } from '../../src/lib/time.ts'
import { deskOf } from '../support/desk.ts'
import { calendarLines, EVA, type EventGiven, eventLines, invitingMail, received } from '../support/invitation.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Invitations as programs write them. The clock stands at 2026-11-20T08:36:00Z, and the organisation is in Europe/Berlin.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server, { trusted_forwarders: ['firm.example'] })
})
after(() => server.stop())

let count = 0
const newUid = (): string => `form${++count}@google.com`

async function takes(calendar: readonly string[], options: Parameters<typeof invitingMail>[1] = {}): Promise<Row> {
  const mail = await received(invitingMail(calendar, options), server.now())
  await desk.take(mail)
  const message = (await desk.stored(mail.messageId)) as Row
  return message && { ...message, conversation: await desk.conversation(message.conversation_id) }
}
const mails = (method: string | null, event: EventGiven, options?: Parameters<typeof invitingMail>[1]): Promise<Row> =>
  takes(calendarLines(method, [eventLines(event)]), options)

async function meetingsOf(uid: string): Promise<Row[]> {
  const ids = server.store.db
    .prepare("SELECT id FROM meetings WHERE ical_uid = ? OR ical_uid LIKE ? || '/%' ORDER BY starts_at")
    .pluck()
    .all(uid, uid)
  return Promise.all(ids.map((id) => desk.get(`/meetings/${id}`)))
}
const times = (meetings: Row[]): string[] =>
  meetings.map(({ starts_at, ends_at }) => `${starts_at.slice(5, 16)} ${ends_at.slice(5, 16)}`)
const scheduled = async (uid: string): Promise<string[]> =>
  (await meetingsOf(uid)).filter(({ status }) => status === 'scheduled').map(({ starts_at }) => starts_at.slice(5, 16))

/** The lines of an event, without those that begin so, and with these. */
const lines = (given: EventGiven, without: RegExp, more: string[]): string[] => [
  ...eventLines(given).filter((line) => !without.test(line) && line !== 'END:VEVENT'),
  ...more,
  'END:VEVENT',
]

describe('an invitation without an end', () => {
  for (const [what, end] of [
    ['that states nothing', []],
    ['that ends when it starts', ['DTEND:20261201T090000Z']],
    ['that ends when it starts, in another zone', ['DTEND;TZID=Europe/Berlin:20261201T100000']],
    ['that lasts for nothing', ['DURATION:PT0S']],
    ['that lasts for no days', ['DURATION:P0D']],
  ] as const)
    test(`${what} takes an hour`, async () => {
      const uid = newUid()
      const message = await takes(calendarLines('REQUEST', [lines({ uid }, /^DTEND/, [...end])]))
      assert.equal(message.error, null)
      assert.deepEqual(times(await meetingsOf(uid)), ['12-01T09:00 12-01T10:00'])
    })

  test('takes a day where it is one', async () => {
    const uid = newUid()
    await takes(calendarLines('REQUEST', [lines({ uid }, /^DT(?:START|END)/, ['DTSTART;VALUE=DATE:20261201'])]))
    assert.deepEqual(times(await meetingsOf(uid)), ['11-30T23:00 12-01T23:00'])
  })

  test('or with one before its start is one of an hour, and the message says what was left out', async () => {
    const uid = newUid()
    const message = await mails('REQUEST', { uid, ends: ':20261201T080000Z' })
    assert.equal(message.error, 'A line of a meeting in this mail was left out: it ends before it starts.')
    assert.deepEqual(times(await meetingsOf(uid)), ['12-01T09:00 12-01T10:00'])
  })
})

describe('a calendar that is published, or has no method', () => {
  for (const method of [null, 'PUBLISH'])
    for (const [what, event] of [
      ['our mailbox as its organizer', { organizer: ':mailto:support@acme.example', attendees: [`:mailto:${EVA}`] }],
      ['our mailbox as a participant', {}],
      ['another mailbox of ours', { attendees: [':mailto:Sales@Acme.example'] }],
      ['an address of ours with a tag', { attendees: [':mailto:support+abc@acme.example'] }],
      ['a colleague', { attendees: [':mailto:agent@acme.example'] }],
    ] as const)
      test(`${method} is a meeting if it names ${what}`, async () => {
        const uid = newUid()
        const email = server.store.db.prepare('SELECT email FROM members WHERE org_id = ?').pluck().get(server.a.org)
        const attendees = what === 'a colleague' ? [`:mailto:${email}`] : undefined
        const message = await mails(method, { uid, ...(event as EventGiven), ...(attendees && { attendees }) })
        assert.equal(message.error, null)
        const [meeting] = await meetingsOf(uid)
        assert.equal(meeting?.conversation_id, message.conversation_id)
      })

  test('says in the message why it is none if it names nobody of us', async () => {
    for (const method of [null, 'PUBLISH']) {
      const uid = newUid()
      const message = await mails(method, { uid, attendees: [':mailto:bo@other.example'] })
      assert.match(message.error, /names nobody of us, so it made no meeting/)
      assert.deepEqual(await meetingsOf(uid), [])
    }
  })

  test('is updated and canceled by the service that sent it, and by nobody else', async () => {
    const uid = newUid()
    await mails('PUBLISH', { uid }, { from: 'no-reply@booking.example' })
    const moved = { uid, sequence: 1, starts: ':20261202T140000Z', ends: ':20261202T150000Z' }
    const other = await mails('PUBLISH', moved, { from: 'mallory@evil.example' })
    assert.match(other.error, /not from its organizer/)
    await mails('PUBLISH', moved, { from: 'no-reply@booking.example' })
    assert.deepEqual(times(await meetingsOf(uid)), ['12-02T14:00 12-02T15:00'])
    const more = ['STATUS:CANCELLED']
    await mails('PUBLISH', { ...moved, sequence: 2, more }, { from: 'no-reply@booking.example' })
    assert.deepEqual(await scheduled(uid), [])
  })
})

const BERLIN = { starts: ';TZID=Europe/Berlin:20261201T100000', ends: ';TZID=Europe/Berlin:20261201T110000' }
const RULE = 'RRULE:FREQ=WEEKLY;COUNT=3'
const LEFT = ['12-01T09:00', '12-15T09:00']

describe('an exception of a series in another form than its start', () => {
  const forms = [
    ['without a zone', BERLIN, ':20261208T100000', LEFT],
    ['in UTC', BERLIN, ':20261208T090000Z', LEFT],
    ['in another zone', BERLIN, ';TZID=America/New_York:20261208T040000', LEFT],
    ['by a name of Windows', BERLIN, ';TZID=W. Europe Standard Time:20261208T100000', LEFT],
    ['as a day', BERLIN, ';VALUE=DATE:20261208', LEFT],
    ['at midnight', BERLIN, ';TZID=Europe/Berlin:20261208T000000', LEFT],
    ['at midnight without a zone', BERLIN, ':20261208T000000', LEFT],
    ['without a zone, of one in UTC', {}, ':20261208T090000', LEFT],
    ['in a zone, of one in UTC', {}, ';TZID=Europe/Berlin:20261208T100000', LEFT],
    ['as a day, of one in UTC', {}, ';VALUE=DATE:20261208', LEFT],
    [
      'in a zone, of one without',
      { starts: ':20261201T100000', ends: ':20261201T110000' },
      ';TZID=America/New_York:20261208T100000',
      LEFT,
    ],
    [
      'as a time, of whole days',
      { starts: ';VALUE=DATE:20261201', ends: ';VALUE=DATE:20261202' },
      ':20261208T000000Z',
      ['11-30T23:00', '12-14T23:00'],
    ],
    [
      'as the midnight of its zone in UTC, of whole days',
      { starts: ';VALUE=DATE:20261201', ends: ';VALUE=DATE:20261202' },
      ':20261207T230000Z',
      ['11-30T23:00', '12-14T23:00'],
    ],
  ] as const

  for (const [what, event, at, left] of forms) {
    test(`(EXDATE) ${what} applies`, async () => {
      const uid = newUid()
      await mails('REQUEST', { uid, ...event, more: [RULE, `EXDATE${at}`] })
      assert.deepEqual(await scheduled(uid), left)
    })

    test(`(RECURRENCE-ID beside its series) ${what} applies`, async () => {
      const uid = newUid()
      const one = { uid, starts: ':20261210T130000Z', ends: ':20261210T140000Z', more: [`RECURRENCE-ID${at}`] }
      await takes(calendarLines('REQUEST', [eventLines({ uid, ...event, more: [RULE] }), eventLines(one)]))
      assert.deepEqual(await scheduled(uid), [left[0], '12-10T13:00', left[1]])
    })

    test(`(a single change) ${what} applies`, async () => {
      const uid = newUid()
      await mails('REQUEST', { uid, ...event, more: [RULE] })
      const one = { starts: ':20261210T130000Z', ends: ':20261210T140000Z', more: [`RECURRENCE-ID${at}`] }
      await mails('REQUEST', { uid, stamp: '20261120T083000Z', ...one })
      assert.deepEqual(await scheduled(uid), [left[0], '12-10T13:00', left[1]])
    })

    test(`(a single CANCEL) ${what} applies`, async () => {
      const uid = newUid()
      await mails('REQUEST', { uid, ...event, more: [RULE] })
      await takes(calendarLines('CANCEL', [lines({ uid }, /^DT(?:START|END)/, [`RECURRENCE-ID${at}`])]))
      assert.deepEqual(await scheduled(uid), left)
    })
  }

  test('leaves another occurrence of that day alone', async () => {
    const uid = newUid()
    await mails('REQUEST', { uid, ...BERLIN, more: [RULE, 'RDATE:20261208T150000Z', 'EXDATE:20261208T090000Z'] })
    assert.deepEqual(await scheduled(uid), ['12-01T09:00', '12-08T15:00', '12-15T09:00'])
  })
})

describe('zones by the names of Windows and Outlook', () => {
  test('are all known', () => {
    const names = [...new Set(WINDOWS_TO_IANA_MAP.map(({ windowsName }) => windowsName))]
    assert.equal(names.length, 139)
    for (const name of names) {
      const zone = outlookZone(name)
      assert.ok(zone !== undefined && isTimezone(zone), name)
      assert.ok((findWindows(zone) as string[]).includes(name), `${name}: ${zone}`)
    }
  })

  for (const [name, expected] of [
    ['tzone://Microsoft/Utc', 'Etc/UTC'],
    ['tzone://Microsoft/W. Europe Standard Time', 'Europe/Berlin'],
    ['(UTC) Coordinated Universal Time', 'Etc/UTC'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['(GMT+01.00) Sarajevo/Skopje/Sofija/Vilnius/Warsaw/Zagreb', 'Europe/Sarajevo'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ['Romance Daylight Time', 'Europe/Paris'],
    ['W. Europe Standard Time 1', 'Europe/Berlin'],
    ['(UTC-03:00) Brasilia', 'Etc/GMT+3'],
    ['GMT+0100', 'Etc/GMT-1'],
    ['UTC-5', 'Etc/GMT+5'],
    ['+05:30', '+05:30'],
    ['tzone://Microsoft/Custom', undefined],
    ['Customized Time Zone', undefined],
    ['Nowhere', undefined],
  ] as const)
    test(`as ${name}`, () => assert.equal(outlookZone(name), expected))

  test('are the zone of the meeting, unless it has no name', async () => {
    const [uid, other] = [newUid(), newUid()]
    const of = (zone: string) => ({
      starts: `;TZID="${zone}":20261201T150000`,
      ends: `;TZID="${zone}":20261201T160000`,
    })
    await mails('REQUEST', { uid, ...of('Central Asia Standard Time') })
    await mails('REQUEST', { uid: other, ...of('(UTC+05:45) Somewhere') })
    const [one, two] = [(await meetingsOf(uid))[0], (await meetingsOf(other))[0]]
    assert.deepEqual([one?.starts_at, one?.timezone], ['2026-12-01T10:00:00.000Z', 'Asia/Almaty'])
    assert.deepEqual([two?.starts_at, two?.timezone], ['2026-12-01T09:15:00.000Z', null])
  })
})

describe('one line that is broken', () => {
  for (const [line, said] of [
    ['NONSENSE', 'has a line that cannot be read: "NONSENSE"'],
    ['which was not folded, as it should be', 'has a line that cannot be read'],
    ['EXDATE:2026', 'has an invalid EXDATE'],
    ['EXDATE;TZID=Nowhere:20261208T090000', 'is in the time zone "Nowhere"'],
    ['RRULE:FREQ=NEVER', 'has a line that cannot be read: "RRULE:FREQ=NEVER"'],
    ['RDATE:never', 'has an invalid RDATE'],
    ['DURATION:PEND', 'has an invalid DURATION'],
    ['ATTENDEE;CN="Bo:mailto:bo@other.example', 'has a line that cannot be read'],
    ['SEQUENCE:many', null],
    ['DTSTAMP:now', null],
  ] as const)
    test(`(${line}) costs that line`, async () => {
      const uid = newUid()
      const without = line.startsWith('DURATION') ? /^DTEND/ : /^$/
      const message = await takes(calendarLines('REQUEST', [lines({ uid }, without, [line])]))
      if (said === null) assert.equal(message.error, null)
      else
        assert.ok(message.error?.includes(`A line of a meeting in this mail was left out: it ${said}`), message.error)
      assert.deepEqual(times(await meetingsOf(uid)), ['12-01T09:00 12-01T10:00'])
    })

  test('in an alarm costs nothing', async () => {
    for (const alarm of [
      ['BEGIN:VALARM', 'NONSENSE', 'END:VALARM'],
      ['BEGIN:VALARM', 'ACTION:DISPLAY'],
    ]) {
      const [uid, next] = [newUid(), newUid()]
      const message = await takes(calendarLines('REQUEST', [lines({ uid }, /^$/, alarm), eventLines({ uid: next })]))
      assert.equal(message.error, null)
      for (const each of [uid, next]) assert.equal((await meetingsOf(each)).length, 1)
    }
  })

  test('that ends an event costs nothing', async () => {
    const [uid, next] = [newUid(), newUid()]
    const open = eventLines({ uid }).slice(0, -1)
    assert.equal((await takes(calendarLines('REQUEST', [open, eventLines({ uid: next })]))).error, null)
    for (const each of [uid, next]) assert.equal((await meetingsOf(each)).length, 1)
  })

  test('with the rule of a series cancels none of its meetings', async () => {
    const uid = newUid()
    await mails('REQUEST', { uid, more: [RULE] })
    await mails('REQUEST', { uid, sequence: 1, title: 'New', more: ['RRULE:FREQ=NEVER'] })
    assert.deepEqual(await scheduled(uid), ['12-01T09:00', '12-08T09:00', '12-15T09:00'])
    assert.equal((await meetingsOf(uid))[0]?.title, 'New')
  })

  test('that names an occurrence does not change the series', async () => {
    const uid = newUid()
    await mails('REQUEST', { uid, more: [RULE] })
    const message = await mails('REQUEST', { uid, sequence: 1, title: 'New', more: ['RECURRENCE-ID:someday'] })
    assert.match(message.error, /has an invalid RECURRENCE-ID/)
    assert.deepEqual(new Set((await meetingsOf(uid)).map(({ title }) => title)), new Set(['Kick-off']))
  })
})
