import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import ICAL from 'ical.js'
import nodeIcal from 'node-ical'
import { meetingCalendar } from '../../src/meetings/calendar.ts'
import type { Meeting } from '../../src/meetings/meeting.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The calendar files of meetings, read by two other iCalendar programs.

const MEETING: Meeting = {
  id: '019aa07f-5d16-74d1-8b2d-5b2ae3c0a1f4',
  title: 'Demo',
  description: null,
  starts_at: '2026-12-01T09:00:00.000Z',
  ends_at: '2026-12-01T10:00:00.000Z',
  timezone: null,
  status: 'scheduled',
  location: null,
  conference_url: null,
  participants: [],
  company_id: null,
  deal_id: null,
  owner_id: null,
  ical_uid: null,
  send_invitations: false,
  conversation_id: null,
  recording_url: null,
  summary: null,
  has_transcript: false,
  created_at: '2026-11-20T08:36:00.123Z',
  updated_at: '2026-11-21T08:36:00.456Z',
  version: 1,
}
type Participant = Meeting['participants'][number]
const somebody = (given: Partial<Participant>): Participant => ({
  contact_id: null,
  member_id: null,
  email: 'ana@acme.example',
  name: 'Ana',
  role: 'attendee',
  response: 'pending',
  ...given,
})

const written = (given: Partial<Meeting>): string => meetingCalendar({ ...MEETING, ...given })
const linesOf = (text: string): string[] => text.replace(/\r\n /g, '').split('\r\n')
const eventLines = (given: Partial<Meeting>): string[] => {
  const lines = linesOf(written(given))
  return lines.slice(lines.indexOf('BEGIN:VEVENT') + 1, lines.indexOf('END:VEVENT'))
}
const lineOf = (given: Partial<Meeting>, name: string): string | undefined =>
  eventLines(given).find((line) => line.startsWith(`${name}:`) || line.startsWith(`${name};`))

/** The event as ical.js reads it, with the zones of the file and no other. */
function parsed(text: string) {
  ICAL.TimezoneService.reset()
  const calendar = new ICAL.Component(ICAL.parse(text))
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone)
  const events = calendar.getAllSubcomponents('vevent')
  assert.equal(events.length, 1)
  return new ICAL.Event(events[0] as InstanceType<typeof ICAL.Component>)
}

// biome-ignore lint/suspicious/noExplicitAny: what another program makes of it
function asOthersRead(text: string): any {
  const all = Object.values(nodeIcal.sync.parseICS(text)).filter((each) => each?.type === 'VEVENT')
  assert.equal(all.length, 1)
  return all[0]
}

const cut = (time: string): number => Math.floor(Date.parse(time) / 1000) * 1000

function assertTimes({ starts_at, ends_at }: Pick<Meeting, 'starts_at' | 'ends_at'>, text: string): void {
  const [starts, ends] = [cut(starts_at), Math.max(cut(ends_at), cut(starts_at) + 1000)]
  const [ours, others] = [parsed(text), asOthersRead(text)]
  assert.deepEqual([ours.startDate.toJSDate().getTime(), ours.endDate.toJSDate().getTime()], [starts, ends], text)
  assert.deepEqual([others.start.getTime(), others.end.getTime()], [starts, ends], text)
}

/** Every line ends in CRLF, has up to 75 octets and begins as a line of its own or as one that goes on. */
function assertLines(text: string): void {
  assert.match(text, /\r\nEND:VCALENDAR\r\n$/)
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/)
  assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
  assert.ok(text.isWellFormed())
  for (const line of text.slice(0, -2).split('\r\n')) {
    assert.ok(Buffer.byteLength(line) <= 75, line)
    assert.match(line, /^(?: |[A-Z-]+[:;])/)
  }
}

describe('the file of a meeting', () => {
  test('is this, to the line', () => {
    const text = written({
      title: 'Demo, with Ana',
      description: 'One\nTwo; three',
      timezone: 'Europe/Berlin',
      location: 'Room 4',
      conference_url: 'https://meet.example/a;b,c',
      ical_uid: 'abc@example.com',
      participants: [
        somebody({ role: 'organizer', response: 'accepted' }),
        somebody({ email: 'bo@who.example', name: 'Olsen, Bo', response: 'tentative' }),
      ],
      version: 4,
    })
    const expected = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Dealbox//Dealbox//EN
CALSCALE:GREGORIAN
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:20261025T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:abc@example.com
DTSTAMP:20261121T083600Z
DTSTART;TZID=Europe/Berlin:20261201T100000
DTEND;TZID=Europe/Berlin:20261201T110000
SUMMARY:Demo\\, with Ana
DESCRIPTION:One\\nTwo\\; three
LOCATION:Room 4
URL:https://meet.example/a;b,c
STATUS:CONFIRMED
ORGANIZER;CN=Ana:mailto:ana@acme.example
ATTENDEE;CN=Ana;ROLE=CHAIR;PARTSTAT=ACCEPTED:mailto:ana@acme.example
ATTENDEE;CN="Olsen, Bo";ROLE=REQ-PARTICIPANT;PARTSTAT=TENTATIVE:mailto:bo@who.example
SEQUENCE:3
CREATED:20261120T083600Z
LAST-MODIFIED:20261121T083600Z
END:VEVENT
END:VCALENDAR
`
    assert.deepEqual(linesOf(text), expected.split('\n'))
    assertLines(text)
  })

  test('leaves out what the meeting does not have', () => {
    const names = eventLines({}).map((line) => line.split(/[:;]/)[0])
    const expected = 'UID DTSTAMP DTSTART DTEND SUMMARY STATUS SEQUENCE CREATED LAST-MODIFIED'
    assert.deepEqual(names, expected.split(' '))
    assert.equal(lineOf({}, 'UID'), `UID:${MEETING.id}@dealbox`)
  })

  for (const [status, expected] of [
    ['scheduled', 'CONFIRMED'],
    ['completed', 'CONFIRMED'],
    ['no_show', 'CONFIRMED'],
    ['canceled', 'CANCELLED'],
  ] as const)
    test(`is ${expected} of a meeting that is ${status}`, () => {
      assert.equal(lineOf({ status }, 'STATUS'), `STATUS:${expected}`)
    })

  for (const [response, expected] of [
    ['accepted', 'ACCEPTED'],
    ['declined', 'DECLINED'],
    ['tentative', 'TENTATIVE'],
    ['pending', 'NEEDS-ACTION'],
  ] as const)
    test(`says ${expected} of somebody who has ${response}`, () => {
      const line = lineOf({ participants: [somebody({ response })] }, 'ATTENDEE')
      assert.equal(line, `ATTENDEE;CN=Ana;ROLE=REQ-PARTICIPANT;PARTSTAT=${expected}:mailto:ana@acme.example`)
    })

  test('names those without an email by their id, and by nothing where they have none', () => {
    const id = '019aa07f-0000-74d1-8b2d-5b2ae3c0a1f4'
    const nobody = { email: null, name: null }
    const participants = [
      somebody({ contact_id: id, ...nobody }),
      somebody({ member_id: id, ...nobody }),
      somebody({ email: null }),
    ]
    assert.deepEqual(
      eventLines({ participants })
        .filter((line) => line.startsWith('ATTENDEE'))
        .map((line) => line.replace(/^.*NEEDS-ACTION:/, '')),
      [`urn:uuid:${id}`, `urn:uuid:${id}`, 'invalid:nomail'],
    )
  })

  test('escapes what an address has a meaning for', () => {
    const line = lineOf({ participants: [somebody({ email: 'a%b?c#d\u0001&e@x.example' })] }, 'ATTENDEE')
    assert.match(line as string, /:mailto:a%25b%3Fc%23d%01&e@x\.example$/)
  })
})

describe('times', () => {
  test('are cut to the second, and the end stays behind the start', () => {
    const times = { starts_at: '2026-12-01T09:00:00.001Z', ends_at: '2026-12-01T09:00:00.999Z' }
    assert.equal(lineOf(times, 'DTSTART'), 'DTSTART:20261201T090000Z')
    assert.equal(lineOf(times, 'DTEND'), 'DTEND:20261201T090001Z')
  })

  for (const [what, timezone, starts_at, ends_at, start] of [
    ['without a zone are in UTC', null, '2026-07-01T09:00:00Z', '2026-07-01T10:00:00Z', ':20260701T090000Z'],
    ['in UTC are that', 'UTC', '2026-07-01T09:00:00Z', '2026-07-01T10:00:00Z', ':20260701T090000Z'],
    [
      'are on the wall clock of the zone',
      'America/New_York',
      '2026-07-01T09:00:00Z',
      '2026-07-01T10:00:00Z',
      ';TZID=America/New_York:20260701T050000',
    ],
    [
      'name the zone as it is written',
      'europe/berlin',
      '2026-07-01T09:00:00Z',
      '2026-07-01T10:00:00Z',
      ';TZID=Europe/Berlin:20260701T110000',
    ],
    [
      'go over the beginning of summer time',
      'Europe/Berlin',
      '2026-03-29T00:30:00Z',
      '2026-03-29T01:30:00Z',
      ';TZID=Europe/Berlin:20260329T013000',
    ],
    [
      'go over its end',
      'Europe/Berlin',
      '2026-10-24T23:30:00Z',
      '2026-10-25T02:30:00Z',
      ';TZID=Europe/Berlin:20261025T013000',
    ],
    [
      'of an hour that comes twice are in UTC, the first time',
      'Europe/Berlin',
      '2026-10-25T00:30:00Z',
      '2026-10-25T09:00:00Z',
      ':20261025T003000Z',
    ],
    [
      'of an hour that comes twice are in UTC, the second time',
      'Europe/Berlin',
      '2026-10-24T09:00:00Z',
      '2026-10-25T01:30:00Z',
      ':20261024T090000Z',
    ],
    [
      'over half a year know both of its changes',
      'Australia/Lord_Howe',
      '2026-01-01T00:00:00Z',
      '2026-12-31T00:00:00Z',
      ';TZID=Australia/Lord_Howe:20260101T110000',
    ],
    [
      'in a zone without summer time have its offset',
      'Asia/Kathmandu',
      '2026-07-01T09:00:00Z',
      '2026-07-01T10:00:00Z',
      ';TZID=Asia/Kathmandu:20260701T144500',
    ],
    [
      'in a zone that never changed are in UTC',
      'Etc/GMT+5',
      '2026-07-01T09:00:00Z',
      '2026-07-01T10:00:00Z',
      ':20260701T090000Z',
    ],
    [
      'of old with odd offsets are in UTC',
      'Africa/Monrovia',
      '1960-01-01T09:00:00Z',
      '1960-01-01T10:00:00Z',
      ':19600101T090000Z',
    ],
    ['over centuries are in UTC', 'Europe/Berlin', '1990-01-01T09:00:00Z', '9990-01-01T10:00:00Z', ':19900101T090000Z'],
    [
      'that leave the four digits of a year are in UTC',
      'Asia/Tokyo',
      '9999-12-31T20:00:00Z',
      '9999-12-31T21:00:00Z',
      ':99991231T200000Z',
    ],
  ] as const) {
    test(what, () => {
      const text = written({ timezone, starts_at, ends_at })
      assert.equal(lineOf({ timezone, starts_at, ends_at }, 'DTSTART'), `DTSTART${start}`)
      assert.equal(text.includes('BEGIN:VTIMEZONE'), start.startsWith(';TZID'))
      assertTimes({ starts_at, ends_at }, text)
      assertLines(text)
    })
  }

  test('come back to the second in any zone, whenever it was', () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), 'US/Pacific', 'EST5EDT', 'Etc/GMT-14']
    const moment = fc.integer({ min: Date.UTC(1890, 0), max: Date.UTC(2090, 0) })
    const length = fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 400 * 86_400_000 }))
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, length, (timezone, starts, ms) => {
        const times = { starts_at: new Date(starts).toISOString(), ends_at: new Date(starts + ms).toISOString() }
        assertTimes(times, written({ ...times, timezone }))
      }),
      { numRuns: 120 },
    )
  })
})

describe('texts', () => {
  const PIECES = [
    '\r\n',
    '\n',
    '\r',
    ';',
    ',',
    ':',
    '"',
    '^',
    "^'",
    '^n',
    '\\',
    '\\n',
    '\\,',
    ' ',
    '\t',
    '\u0001',
    '\u007f',
    '\u0085',
    '\u2028',
    'é',
    '日本',
    '🚀',
    'END:VEVENT',
    'ATTENDEE:mailto:evil@x.example',
    'X',
    'x'.repeat(80),
  ]
  const nasty = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
    .map((pieces) => `a${pieces.join('')}z`)
  const url = fc
    .array(fc.constantFrom('a', ';', ',', '"', "'", '\\', '%0D%0A', 'é', '🚀', ':', '^', 'x'.repeat(80)), {
      maxLength: 9,
    })
    .map((pieces) => `https://meet.example/${pieces.join('')}`)
  const plain = (text: string): string =>
    text.replace(/\r\n?/g, '\n').replace(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')

  test('come back as they are, and never break out of their line', () => {
    const texts = { title: nasty, description: nasty, location: nasty, ical_uid: nasty, conference_url: url }
    // Parameters know no backslashes, but the library reads them as if they did.
    const names = nasty.map((text) => text.replaceAll('\\', '/'))
    fc.assert(
      fc.property(fc.record(texts), names, (given, name) => {
        const participants = [
          somebody({ name, role: 'organizer' }),
          somebody({ name: `2${name}`, email: 'b@x.example' }),
        ]
        const text = written({ ...given, participants })
        assertLines(text)
        const { component } = parsed(text)
        const firstOf = (property: string) => component.getFirstPropertyValue(property)
        assert.deepEqual(
          ['summary', 'description', 'location', 'uid', 'url'].map(firstOf),
          [given.title, given.description, given.location, given.ical_uid, given.conference_url].map(plain),
        )
        const named = plain(name).replaceAll('\t', ' ')
        assert.deepEqual(
          component.getAllProperties('attendee').map((each) => [each.getParameter('cn'), each.getFirstValue()]),
          [
            [named, 'mailto:ana@acme.example'],
            [`2${named}`, 'mailto:b@x.example'],
          ],
        )
        assert.equal(component.getFirstProperty('organizer')?.getParameter('cn'), named)

        const others = asOthersRead(text)
        assert.equal(others.attendee.length, 2)
        assert.deepEqual(
          Object.keys(others).filter((each) => /evil/i.test(each)),
          [],
        )
      }),
      { numRuns: 120 },
    )
  })

  test('come to others as they are, where those trim nothing', () => {
    const pieces = [',', ':', 'é', '日本', '🚀', '-', 'x'.repeat(80), ' b']
    const text = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((all) => `a${all.join('')}z`)
    fc.assert(
      fc.property(text, text, text, text, (title, description, location, name) => {
        const participants = [somebody({ name }), somebody({ email: 'b@x.example' })]
        const given = { title: `${title};`, description: `${description}\nmore`, location }
        const others = asOthersRead(written({ ...given, participants }))
        assert.deepEqual(
          [others.summary, others.description, others.location, others.attendee[0].params.CN],
          [given.title, given.description, location, name],
        )
      }),
      { numRuns: 120 },
    )
  })
})

describe('GET with Accept: text/calendar', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  const ask = (path: string, accept: string, token = server.a.token) =>
    fetch(`${server.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, accept } })

  test('answers the file of the meeting, and JSON where that is asked for', async () => {
    const given = { title: 'Demo', starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const { body } = await server.call('POST', '/meetings', {
      ...given,
      timezone: 'Europe/Berlin',
      participants: [{ member_id: server.a.owner, role: 'organizer' }],
    })
    const path = `/meetings/${body.id}`
    const answer = await ask(path, 'text/calendar')
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/calendar; charset=utf-8'])
    assert.equal(await answer.text(), meetingCalendar(body))
    for (const accept of ['application/json', '*/*', 'application/json, text/calendar;q=0.5']) {
      const json = await ask(path, accept)
      assert.match(json.headers.get('content-type') as string, /^application\/json/)
      assert.deepEqual(await json.json(), body)
    }
    assert.equal((await ask(path, 'text/html')).status, 406)
    assert.equal((await ask('/meetings', 'text/calendar')).status, 406)
    assert.equal((await ask(path, 'text/calendar', server.b.token)).status, 404)
  })
})

test('whole days of the zone of a meeting are dates, the last one excluded; other times stay times', () => {
  const days = { starts_at: '2027-03-27T23:00:00.000Z', ends_at: '2027-03-28T22:00:00.000Z', timezone: 'Europe/Berlin' }
  assert.equal(lineOf(days, 'DTSTART'), 'DTSTART;VALUE=DATE:20270328')
  assert.equal(lineOf(days, 'DTEND'), 'DTEND;VALUE=DATE:20270329')
  assert.match(lineOf({ ...days, timezone: 'UTC' }, 'DTSTART') ?? '', /^DTSTART;TZID=UTC:|^DTSTART:20270327T230000Z/)
  assert.equal(lineOf({ ...days, timezone: null }, 'DTSTART'), 'DTSTART:20270327T230000Z')
})
