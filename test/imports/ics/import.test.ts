import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import nodeIcal from 'node-ical'
import type { Imported } from '../../../src/imports/csv/import.ts'
import { type CalendarOptions, importMeetings } from '../../../src/imports/ics/import.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import { meetingCalendar } from '../../../src/meetings/calendar.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { examples } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The clock of the server stands at 2026-11-20T08:36:00Z, and its organisation is in Europe/Berlin.

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const folder = temporaryFolder()
let count = 0

type Options = Partial<CalendarOptions>

/** A file of its own, with this content. */
function fileOf(content: string | Uint8Array): string {
  const file = join(folder, `calendar${count++}.ics`)
  writeFileSync(file, content)
  return file
}
const importFile = (file: string, options: Options = {}): Promise<Imported> =>
  importMeetings(server.store, { org: server.a.org, file, pace: stillPace, ...options })
const imported = (content: string, options: Options = {}): Promise<Imported> => importFile(fileOf(content), options)
const sample = (name: string): string => join(import.meta.dirname, name)

/** A calendar of events, each as its lines. */
const calendar = (events: readonly string[], head = ''): string =>
  `BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Test//EN\n${head}${events.map((event) => `BEGIN:VEVENT\n${event.trim()}\nEND:VEVENT\n`).join('')}END:VCALENDAR\n`.replaceAll(
    '\n',
    '\r\n',
  )
const event = (uid: string, ...lines: string[]): string =>
  [
    `UID:${uid}`,
    ...(lines.some((line) => /^SUMMARY/.test(line)) ? [] : ['SUMMARY:Demo']),
    ...(lines.some((line) => /^DTSTART/.test(line)) ? [] : ['DTSTART:20261201T090000Z', 'DTEND:20261201T100000Z']),
    ...lines,
  ].join('\n')

const countsOf = ({ created, updated, unchanged, rejected }: Imported) => [created, updated, unchanged, rejected]
const reasonsOf = ({ rejectedFile }: Imported): string[] =>
  [
    ...readFileSync(rejectedFile as string, 'utf8')
      .replaceAll('\r\n ', '')
      .matchAll(/^X-DEALBOX-ERROR;VALUE=TEXT:(.*)\r$/gm),
  ].map(([, reason]) => (reason as string).replaceAll(/\\([,;])/g, '$1'))

type Known = { id: string; starts_at: number; status: string }

/** What is stored of the meetings of a UID, also of a series, in the order of their times. */
const knownOf = (uid: string): Known[] =>
  server.store.db
    .prepare(
      `SELECT id, starts_at, status FROM meetings
       WHERE org_id = ? AND (ical_uid = ? OR ical_uid LIKE ? || '/%') ORDER BY starts_at`,
    )
    .all(server.a.org, uid, uid) as Known[]
const timesOf = (uid: string): string[] => knownOf(uid).map(({ starts_at }) => new Date(starts_at).toISOString())
const meetingsOf = (uid: string): Promise<Row[]> =>
  Promise.all(knownOf(uid).map(async ({ id }) => (await server.call('GET', `/meetings/${id}`)).body))
async function meetingOf(uid: string): Promise<Row> {
  const [meeting, ...more] = await meetingsOf(uid)
  assert.ok(meeting && more.length === 0, uid)
  return meeting
}
const patch = async (id: string, given: object): Promise<Row> => {
  const { status, body } = await server.call('PATCH', `/meetings/${id}`, given)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

describe('a file of Google', () => {
  let result: Imported
  let bo: Row
  before(async () => {
    bo = await newRecord('/contacts', {
      first_name: 'Bo',
      last_name: 'Olsen',
      emails: [{ email: 'Bo.Olsen@northwind.example' }],
    })
    result = await importFile(sample('google.ics'))
  })

  test('comes in whole', () => {
    assert.deepEqual(countsOf(result), [9, 0, 0, 0])
    assert.equal(result.rejectedFile, null)
  })

  test('makes a meeting with its people, found by their emails', async () => {
    const { id, created_at, updated_at, ...meeting } = await meetingOf('4k2v8p1q6r7s@google.com')
    assert.deepEqual(meeting, {
      title: 'Northwind: Rollout',
      description:
        'Agenda:\n1. Rollout, phase 2\n2. Prices; discounts 🚀\n\n-::~:~::~:~\nJoin with Google Meet: https://meet.google.com/abc-defg-hij',
      starts_at: '2026-12-01T09:00:00.000Z',
      ends_at: '2026-12-01T09:45:00.000Z',
      timezone: 'Europe/Berlin',
      status: 'scheduled',
      location: 'Berlin-4-Ada (8)',
      conference_url: 'https://meet.google.com/abc-defg-hij',
      participants: [
        {
          contact_id: null,
          member_id: server.a.owner,
          email: 'ana@acme.example',
          name: 'Ana',
          role: 'organizer',
          response: 'accepted',
        },
        {
          contact_id: bo.id,
          member_id: null,
          email: 'bo.olsen@northwind.example',
          name: 'Bo Olsen',
          role: 'attendee',
          response: 'tentative',
        },
        {
          contact_id: null,
          member_id: null,
          email: 'zoe@northwind.example',
          name: null,
          role: 'attendee',
          response: 'pending',
        },
      ],
      company_id: null,
      deal_id: null,
      owner_id: null,
      ical_uid: '4k2v8p1q6r7s@google.com',
      send_invitations: false,
      conversation_id: null,
      recording_url: null,
      summary: null,
      has_transcript: false,
      version: 1,
    })
  })

  test('makes a meeting of each time of what recurs, moved where it was, and without what was left out', async () => {
    const weekly = await meetingsOf('weekly7h3k@google.com')
    assert.deepEqual(
      weekly.map(({ ical_uid, title, starts_at, ends_at, timezone, status }) => [
        ical_uid.split('/')[1],
        title,
        starts_at,
        ends_at,
        timezone,
        status,
      ]),
      [
        [
          '20261012T073000Z',
          'Weekly',
          '2026-10-12T07:30:00.000Z',
          '2026-10-12T08:00:00.000Z',
          'Europe/Berlin',
          'completed',
        ],
        [
          '20261019T073000Z',
          'Weekly',
          '2026-10-19T07:30:00.000Z',
          '2026-10-19T08:00:00.000Z',
          'Europe/Berlin',
          'completed',
        ],
        [
          '20261026T083000Z',
          'Weekly',
          '2026-10-26T08:30:00.000Z',
          '2026-10-26T09:00:00.000Z',
          'Europe/Berlin',
          'completed',
        ],
        [
          '20261109T083000Z',
          'Weekly',
          '2026-11-09T08:30:00.000Z',
          '2026-11-09T09:00:00.000Z',
          'Europe/Berlin',
          'completed',
        ],
        [
          '20261116T083000Z',
          'Weekly, moved',
          '2026-11-17T13:00:00.000Z',
          '2026-11-17T13:30:00.000Z',
          'Europe/Berlin',
          'completed',
        ],
        [
          '20261123T083000Z',
          'Weekly',
          '2026-11-23T08:30:00.000Z',
          '2026-11-23T09:00:00.000Z',
          'Europe/Berlin',
          'scheduled',
        ],
      ],
    )
  })

  test('takes whole days in the zone of the organisation, and what was called off as canceled', async () => {
    const closed = await meetingOf('holiday9@google.com')
    assert.deepEqual(
      [closed.starts_at, closed.ends_at, closed.timezone, closed.participants],
      ['2026-12-23T23:00:00.000Z', '2026-12-26T23:00:00.000Z', 'Europe/Berlin', []],
    )
    assert.equal((await meetingOf('off2@google.com')).status, 'canceled')
  })

  test('changes nothing when it is imported again', async () => {
    const seq = server.lastSeq()
    const again = await importFile(sample('google.ics'))
    assert.deepEqual([again.id, countsOf(again)], [result.id, [9, 0, 0, 0]])
    assert.ok(again.importedBefore)
    const once = await importFile(sample('google.ics'), { again: true })
    assert.deepEqual([countsOf(once), once.importedBefore], [[0, 0, 9, 0], null])
    assert.notEqual(once.id, result.id)
    assert.equal(server.lastSeq(), seq)
  })

  test('is taken back by its id', async () => {
    const undone = await undoImport(server.store, { org: server.a.org, id: result.id })
    assert.deepEqual([undone.deleted, undone.kept], [9, []])
    assert.deepEqual(await meetingsOf('weekly7h3k@google.com'), [])
  })
})

describe('a file of Outlook', () => {
  before(async () => {
    assert.deepEqual(countsOf(await importFile(sample('outlook.ics'))), [4, 0, 0, 0])
  })

  test('has zones by the names of Windows, folds by a tab and addresses in capitals', async () => {
    const [{ starts_at, ends_at, timezone, title, description, conference_url, participants, status, ical_uid }] = (
      await server.call('GET', '/meetings?q=Angebot')
    ).body.data
    assert.deepEqual(
      [starts_at, ends_at, timezone],
      ['2026-07-15T08:00:00.000Z', '2026-07-15T09:30:00.000Z', 'Europe/Berlin'],
    )
    assert.deepEqual([title, status], ['Angebot für Northwind', 'completed'])
    assert.equal(description, 'Guten Tag,\n\nwir besprechen das Angebot.')
    assert.equal(
      conference_url,
      'https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7b%7d',
    )
    assert.match(ical_uid, /^040000008200E[0-9A-F]+$/)
    assert.deepEqual(
      participants.map(({ email, name, role, response }: Row) => [email, name, role, response]),
      [
        ['Ana@acme.example', 'Ana', 'organizer', 'accepted'],
        ['bo.olsen@northwind.example', 'Olsen, Bo', 'attendee', 'pending'],
      ],
    )
  })

  test('is read by the zone that it describes itself, where nobody else knows that', async () => {
    const all = await meetingsOf('ExchangeSeries-1')
    assert.deepEqual(
      all.map(({ starts_at, ends_at, timezone }) => [starts_at, ends_at, timezone]),
      [
        ['2026-12-09T03:00:00.000Z', '2026-12-09T04:30:00.000Z', null],
        ['2027-01-13T03:00:00.000Z', '2027-01-13T04:30:00.000Z', null],
        ['2027-02-10T03:00:00.000Z', '2027-02-10T04:30:00.000Z', null],
      ],
    )
  })
})

describe('a file of Apple', () => {
  before(async () => {
    assert.deepEqual(countsOf(await importFile(sample('apple.ics'))), [7, 0, 0, 0])
  })

  test('has emails beside addresses, and a last time in UTC', async () => {
    const all = await meetingsOf('7F1A2B3C-4D5E-6F70-8192-A3B4C5D6E7F8')
    assert.deepEqual(
      all.map(({ starts_at }) => starts_at),
      ['2026-11-27', '2026-12-25', '2027-01-29', '2027-02-26'].map((day) => `${day}T15:00:00.000Z`),
    )
    const [{ participants, location, timezone, conference_url }] = all
    assert.deepEqual(
      [location, timezone, conference_url],
      ['Café Einstein\nKurfürstenstraße 58, Berlin', 'America/New_York', null],
    )
    assert.deepEqual(
      participants.map(({ email, member_id, role, response }: Row) => [email, member_id, role, response]),
      [
        ['ana@acme.example', server.a.owner, 'organizer', 'accepted'],
        ['bo.olsen@northwind.example', null, 'attendee', 'declined'],
      ],
    )
  })

  test('takes times without a zone in that of the organisation, and days without an end', async () => {
    const floating = await meetingOf('FLOATING-1')
    assert.deepEqual(
      [floating.starts_at, floating.timezone, floating.conference_url],
      ['2026-11-30T16:00:00.000Z', 'Europe/Berlin', 'https://zoom.example/j/123'],
    )
    const fair = await meetingsOf('ALLDAY-1')
    assert.deepEqual(
      fair.map(({ ical_uid, starts_at, ends_at }) => [ical_uid, starts_at, ends_at]),
      [
        ['ALLDAY-1/20261205', '2026-12-04T23:00:00.000Z', '2026-12-05T23:00:00.000Z'],
        ['ALLDAY-1/20261206', '2026-12-05T23:00:00.000Z', '2026-12-06T23:00:00.000Z'],
      ],
    )
  })
})

describe('times', () => {
  const ZONE = `BEGIN:VTIMEZONE
TZID:Somewhere
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:-0230
TZOFFSETTO:-0330
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:-0330
TZOFFSETTO:-0230
END:DAYLIGHT
END:VTIMEZONE
`
  for (const [what, lines, starts_at, ends_at, timezone, head] of [
    ['in UTC', ['DTSTART:20260701T090000Z', 'DTEND:20260701T100000Z'], '2026-07-01T09:00', '2026-07-01T10:00', null],
    [
      'in UTC, shown in a zone',
      ['DTSTART:20260701T090000Z', 'DTEND:20260701T100000Z'],
      '2026-07-01T09:00',
      '2026-07-01T10:00',
      'Asia/Tokyo',
      'X-WR-TIMEZONE:Asia/Tokyo\n',
    ],
    [
      'in UTC, shown in a zone that is none',
      ['DTSTART:20260701T090000Z', 'DTEND:20260701T100000Z'],
      '2026-07-01T09:00',
      '2026-07-01T10:00',
      null,
      'X-WR-TIMEZONE:Mars\n',
    ],
    [
      'in a zone without its description',
      ['DTSTART;TZID=Asia/Kolkata:20260701T090000', 'DTEND;TZID=Asia/Kolkata:20260701T100000'],
      '2026-07-01T03:30',
      '2026-07-01T04:30',
      'Asia/Kolkata',
    ],
    [
      'in a zone behind a prefix',
      ['DTSTART;TZID=/citadel.org/20210210_1/America/Argentina/Buenos_Aires:20260701T090000', 'DURATION:PT1H'],
      '2026-07-01T12:00',
      '2026-07-01T13:00',
      'America/Argentina/Buenos_Aires',
    ],
    [
      'in a zone of Windows without its description',
      ['DTSTART;TZID=Tokyo Standard Time:20260701T090000', 'DURATION:PT1H'],
      '2026-07-01T00:00',
      '2026-07-01T01:00',
      'Asia/Tokyo',
    ],
    [
      'in a described zone, in summer',
      ['DTSTART;TZID=Somewhere:20260701T090000', 'DURATION:PT1H'],
      '2026-07-01T11:30',
      '2026-07-01T12:30',
      null,
      ZONE,
    ],
    [
      'in a described zone, in winter',
      ['DTSTART;TZID=Somewhere:20261201T090000', 'DURATION:PT1H'],
      '2026-12-01T12:30',
      '2026-12-01T13:30',
      null,
      ZONE,
    ],
    [
      'from one zone to another',
      ['DTSTART;TZID=Europe/Berlin:20260701T090000', 'DTEND;TZID=America/New_York:20260701T090000'],
      '2026-07-01T07:00',
      '2026-07-01T13:00',
      'Europe/Berlin',
    ],
    [
      'that are skipped',
      ['DTSTART;TZID=Europe/Berlin:20260329T023000', 'DURATION:PT1H'],
      '2026-03-29T01:30',
      '2026-03-29T02:30',
      'Europe/Berlin',
    ],
    [
      'that come twice',
      ['DTSTART;TZID=Europe/Berlin:20261025T023000', 'DURATION:PT1H'],
      '2026-10-25T00:30',
      '2026-10-25T01:30',
      'Europe/Berlin',
    ],
    [
      'of a day and hours over a change of the clock',
      ['DTSTART;TZID=Europe/Berlin:20261024T120000', 'DURATION:P1DT1H'],
      '2026-10-24T10:00',
      '2026-10-25T12:00',
      'Europe/Berlin',
    ],
    [
      'of 24 hours over a change of the clock',
      ['DTSTART;TZID=Europe/Berlin:20261024T120000', 'DURATION:PT24H'],
      '2026-10-24T10:00',
      '2026-10-25T10:00',
      'Europe/Berlin',
    ],
    [
      'of a whole day that is longer',
      ['DTSTART;VALUE=DATE:20261025'],
      '2026-10-24T22:00',
      '2026-10-25T23:00',
      'Europe/Berlin',
    ],
    [
      'of a day that is not marked as one',
      ['DTSTART:20261201', 'DTEND:20261202'],
      '2026-11-30T23:00',
      '2026-12-01T23:00',
      'Europe/Berlin',
    ],
    [
      'of two weeks',
      ['DTSTART;VALUE=DATE:20261201', 'DURATION:P2W'],
      '2026-11-30T23:00',
      '2026-12-14T23:00',
      'Europe/Berlin',
    ],
    [
      'of a day that ends when it begins',
      ['DTSTART;VALUE=DATE:20261201', 'DTEND;VALUE=DATE:20261201'],
      '2026-11-30T23:00',
      '2026-12-01T23:00',
      'Europe/Berlin',
    ],
  ] as [string, string[], string, string, string | null, string?][])
    test(what, async () => {
      const uid = `time-${what}`
      assert.deepEqual(countsOf(await imported(calendar([event(uid, ...lines)], head))), [1, 0, 0, 0])
      const meeting = await meetingOf(uid)
      assert.deepEqual(
        [meeting.starts_at, meeting.ends_at, meeting.timezone],
        [`${starts_at}:00.000Z`, `${ends_at}:00.000Z`, timezone],
      )
    })
})

describe('what recurs', () => {
  const from = 'DTSTART;TZID=Europe/Berlin:20261201T090000'
  for (const [what, lines, expected] of [
    ['ends with a count', [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'], ['12-01T08', '12-02T08', '12-03T08']],
    [
      'ends with its last time',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261203T080000Z'],
      ['12-01T08', '12-02T08', '12-03T08'],
    ],
    [
      'ends before its last time',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261203T075959Z'],
      ['12-01T08', '12-02T08'],
    ],
    [
      'ends with a day',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261203'],
      ['12-01T08', '12-02T08', '12-03T08'],
    ],
    [
      'ends by the clock of its own',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20261203T085959'],
      ['12-01T08', '12-02T08'],
    ],
    [
      'stays at its time over a change of the clock',
      ['DTSTART;TZID=Europe/Berlin:20261024T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3'],
      ['10-24T07', '10-25T08', '10-26T08'],
    ],
    [
      'says its time once more',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9;BYMINUTE=0;BYSECOND=0'],
      ['12-01T08', '12-02T08'],
    ],
    [
      'has more times',
      [from, 'DURATION:PT1H', 'RDATE;TZID=Europe/Berlin:20261205T120000,20261206T120000'],
      ['12-01T08', '12-05T11', '12-06T11'],
    ],
    [
      'has more times as periods',
      [from, 'DURATION:PT1H', 'RDATE;VALUE=PERIOD:20261205T110000Z/PT2H,20261206T110000Z/20261206T130000Z'],
      ['12-01T08', '12-05T11', '12-06T11'],
    ],
    [
      'has two rules, each time once',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2', 'RRULE:FREQ=WEEKLY;COUNT=2'],
      ['12-01T08', '12-02T08', '12-08T08'],
    ],
    [
      'leaves out times',
      [
        from,
        'DURATION:PT1H',
        'RRULE:FREQ=DAILY;COUNT=4',
        'EXDATE:20261202T080000Z',
        'EXDATE;TZID=Europe/Berlin:20261204T090000,20261299T090000'.replace(',20261299T090000', ''),
      ],
      ['12-01T08', '12-03T08'],
    ],
    [
      'leaves out days',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;VALUE=DATE:20261202'],
      ['12-01T08', '12-03T08'],
    ],
    [
      'leaves out its first time',
      [from, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20261201T090000'],
      ['12-02T08', '12-03T08'],
    ],
  ] as [string, string[], string[]][])
    test(what, async () => {
      const uid = `series-${what}`
      assert.deepEqual(countsOf(await imported(calendar([event(uid, ...lines)]))), [expected.length, 0, 0, 0])
      assert.deepEqual(
        timesOf(uid),
        expected.map((time) => `2026-${time}:00:00.000Z`),
      )
    })

  test('comes in from a year back to a year ahead, with both ends', async () => {
    await imported(calendar([event('years', 'DTSTART:20200120T083600Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY')]))
    const times = timesOf('years')
    assert.deepEqual(
      [times[0], times.at(-1), times.length],
      ['2025-11-20T08:36:00.000Z', '2027-11-20T08:36:00.000Z', 731],
    )
    const statuses = knownOf('years').map(({ status }) => status)
    assert.equal(statuses.indexOf('scheduled'), 365)
    assert.equal(new Set(statuses.slice(0, 365)).size, 1)
  })

  test('more than a thousand times is cut, and says so', async () => {
    const days = Array.from({ length: 1001 }, (_, n) => new Date(Date.UTC(2026, 10, 21, 0, 5 * n)).toISOString())
    const dates = days.map((day) => `${day.slice(0, 19).replace(/[-:]/g, '')}Z`)
    const result = await imported(
      calendar([event('often', `DTSTART:${dates[0]}`, 'DURATION:PT1M', `RDATE:${dates.slice(1).join(',')}`)]),
    )
    assert.deepEqual(countsOf(result), [1000, 0, 0, 1])
    assert.deepEqual(reasonsOf(result), [
      'line 4: recurs more than 1000 times within a year from now; the later ones are left out',
    ])
    assert.equal(timesOf('often').at(-1), days[999])
  })

  test('together with others more than 100,000 times is refused, and nothing is left of it', async () => {
    const { lastSeq, store } = server
    const [seq, imports] = [lastSeq(), store.db.prepare('SELECT count(*) FROM imports').pluck().get()]
    const daily = (n: number) => event(`daily${n}`, 'DTSTART:20200101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY')
    const unreadable = () => 'SUMMARY:Without a UID'
    for (const [of, many, dryRun] of [
      [daily, 20_000, false],
      [daily, 200, true],
      [unreadable, 100_001, false],
    ] as const)
      await assert.rejects(imported(calendar(Array.from({ length: many }, (_, n) => of(n))), { dryRun }), {
        code: 'too_many_meetings',
        message: /has more than 100000 meetings.* Split it/,
      })
    assert.deepEqual([lastSeq(), store.db.prepare('SELECT count(*) FROM imports').pluck().get()], [seq, imports])
  })

  test('is in one of as many days as a century has, which are over', async () => {
    const over = ['DTSTART:00010101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;UNTIL=20240101T090000Z']
    const on = ['DTSTART:00010101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYMONTHDAY=21']
    const events = Array.from({ length: 300 }, (_, n) => event(`over${n}`, ...over))
    assert.deepEqual(countsOf(await imported(calendar([...events, event('on', ...on)]))), [2, 0, 0, 0])
  })

  test('has its own time, name and people where one of it was changed', async () => {
    const series = ['RRULE:FREQ=DAILY;COUNT=3', 'ATTENDEE:mailto:all@series.example']
    const result = await imported(
      calendar([
        event(
          'changed',
          'RECURRENCE-ID:20261202T090000Z',
          'DTSTART:20261210T120000Z',
          'DTEND:20261210T123000Z',
          'SUMMARY:Old',
          'SEQUENCE:1',
        ),
        event('changed', ...series),
        event(
          'changed',
          'RECURRENCE-ID;TZID=Europe/Berlin:20261202T100000',
          'DTSTART:20261210T120000Z',
          'DTEND:20261210T123000Z',
          'SUMMARY:New',
          'SEQUENCE:2',
          'ATTENDEE:mailto:one@series.example',
        ),
        event('changed', 'RECURRENCE-ID:20261203T090000Z', 'STATUS:CANCELLED'),
      ]),
    )
    assert.deepEqual(countsOf(result), [3, 0, 0, 0])
    assert.deepEqual(
      (await meetingsOf('changed')).map(({ ical_uid, title, starts_at, status, participants }) => [
        ical_uid.slice(8),
        title,
        starts_at.slice(5, 16),
        status,
        participants[0]?.email,
      ]),
      [
        ['20261201T090000Z', 'Demo', '12-01T09:00', 'scheduled', 'all@series.example'],
        ['20261203T090000Z', 'Demo', '12-01T09:00', 'canceled', undefined],
        ['20261202T090000Z', 'New', '12-10T12:00', 'scheduled', 'one@series.example'],
      ].sort((one, other) => (String(one[2]) < String(other[2]) ? -1 : 1)),
    )
  })

  test('goes on in another way from a time that was changed with all that follow', async () => {
    await imported(
      calendar([
        event('onward', 'DTSTART;TZID=Europe/Berlin:20261022T090000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=5'),
        event(
          'onward',
          'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261024T090000',
          'DTSTART;TZID=Europe/Berlin:20261024T140000',
          'DURATION:PT30M',
          'SUMMARY:Later',
        ),
      ]),
    )
    assert.deepEqual(
      (await meetingsOf('onward')).map(({ title, starts_at, ends_at }) => [
        title,
        starts_at.slice(5, 16),
        ends_at.slice(11, 16),
      ]),
      [
        ['Demo', '10-22T07:00', '08:00'],
        ['Demo', '10-23T07:00', '08:00'],
        ['Later', '10-24T12:00', '12:30'],
        ['Later', '10-25T13:00', '13:30'],
        ['Later', '10-26T13:00', '13:30'],
      ],
    )
  })

  test('comes in alone where the others are not in the file, whenever it is', async () => {
    await imported(
      calendar([event('alone', 'RECURRENCE-ID:20200101T090000Z', 'DTSTART:20200102T090000Z', 'DURATION:PT1H')]),
    )
    assert.deepEqual((await meetingOf('alone')).ical_uid, 'alone/20200101T090000Z')
  })

  test('is canceled where its series has it no longer, unless it was held', async () => {
    const series = (rule: string) =>
      calendar([event('less', 'DTSTART:20261118T090000Z', 'DURATION:PT1H', `RRULE:FREQ=DAILY;${rule}`)])
    await imported(series('COUNT=6'))
    const other = await newRecord('/meetings', {
      title: 'x',
      starts_at: '2026-11-22T09:00:00Z',
      ends_at: '2026-11-22T10:00:00Z',
      ical_uid: 'less/room/20261122T090000Z',
    })
    await patch((await meetingsOf('less'))[4].id, { status: 'no_show' })
    const result = await imported(series('COUNT=6;INTERVAL=3'))
    assert.deepEqual(countsOf(result), [4, 2, 4, 0])
    assert.deepEqual(
      (await meetingsOf('less')).slice(0, 7).map(({ ical_uid, status }) => [ical_uid.slice(5, 13), status]),
      [
        ['20261118', 'completed'],
        ['20261119', 'completed'],
        ['20261120', 'canceled'],
        ['20261121', 'scheduled'],
        ['20261122', 'no_show'],
        ['room/202', 'scheduled'],
        ['20261123', 'canceled'],
      ],
    )
    assert.equal((await server.call('GET', `/meetings/${other.id}`)).body.version, 1)
  })

  test('is canceled where one time became many, and many became one', async () => {
    const statuses = () => knownOf('became').map(({ starts_at, status }) => [new Date(starts_at).getUTCDate(), status])
    const once = event('became')
    await imported(calendar([once]))
    assert.deepEqual(countsOf(await imported(calendar([`${once}\nRRULE:FREQ=DAILY;COUNT=2`]))), [2, 1, 0, 0])
    assert.deepEqual(statuses(), [
      [1, 'canceled'],
      [1, 'scheduled'],
      [2, 'scheduled'],
    ])
    assert.deepEqual(countsOf(await imported(calendar([`${once}\nX-RUN:2`]))), [0, 3, 0, 0])
    assert.deepEqual(statuses(), [
      [1, 'scheduled'],
      [1, 'canceled'],
      [2, 'canceled'],
    ])
  })

  test('has the times that another program finds', async () => {
    const rules = fc.constantFrom(
      'FREQ=DAILY;INTERVAL=4',
      'FREQ=WEEKLY;BYDAY=TU,TH;INTERVAL=2',
      'FREQ=WEEKLY;BYDAY=MO,WE,FR;WKST=SU',
      'FREQ=MONTHLY;BYDAY=1TU',
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      'FREQ=MONTHLY;BYMONTHDAY=15,-1',
      'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    )
    const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe')
    // Clocks skip 02:30: the other program leaves such an occurrence out, see the next test.
    const hours = fc.integer({ min: 0, max: 23 }).filter((hour) => hour !== 2)
    let run = 0
    await fc.assert(
      fc.asyncProperty(rules, zones, hours, async (rule, zone, hour) => {
        const uid = `oracle-${run++}`
        const time = `T${String(hour).padStart(2, '0')}3000`
        const text = calendar([event(uid, `DTSTART;TZID=${zone}:20260106${time}`, 'DURATION:PT1H', `RRULE:${rule}`)])
        await imported(text)
        const [theirs] = Object.values(nodeIcal.sync.parseICS(text)).filter((each) => each?.type === 'VEVENT') as Row[]
        const until = new Date('2027-11-20T08:36:00Z')
        const times: string[] = theirs.rrule.between(theirs.start, until, false).map((at: Date) => at.toISOString())
        assert.deepEqual(timesOf(uid).slice(1), times, `${rule} ${zone} ${time}`)
      }),
      { numRuns: examples(25) },
    )
  })

  test('takes place after the gap on the day on which clocks skip its time, rather than not at all', async () => {
    const start = 'DTSTART;TZID=Europe/Berlin:20260328T023000'
    await imported(calendar([event('gap', start, 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=3')]))
    assert.deepEqual(timesOf('gap'), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ])
  })
})

describe('a meeting that is there already', () => {
  const original = (...lines: string[]) => event('known', 'LOCATION:Room 4', 'DESCRIPTION:Agenda', ...lines)

  test('is changed in what differs alone, with one event, and put back by an undo', async () => {
    await imported(calendar([original('ATTENDEE:mailto:a@known.example')]))
    const before = await meetingOf('known')
    const seq = server.lastSeq()
    const result = await imported(
      calendar([
        event(
          'known',
          'SUMMARY:Renamed',
          'ATTENDEE;PARTSTAT=ACCEPTED:mailto:A@known.example',
          'ATTENDEE:mailto:b@known.example',
        ),
      ]),
    )
    assert.deepEqual(countsOf(result), [0, 1, 0, 0])
    const [event1, ...more] = server.events(seq)
    assert.deepEqual(
      [event1?.type, event1?.changed_fields, event1?.actor, more],
      ['meeting.updated', ['title', 'participants'], null, []],
    )
    const after = await meetingOf('known')
    assert.deepEqual([after.location, after.description], ['Room 4', 'Agenda'])
    assert.deepEqual(
      after.participants.map(({ email, response }: Row) => [email, response]),
      [
        ['a@known.example', 'accepted'],
        ['b@known.example', 'pending'],
      ],
    )
    const undone = await undoImport(server.store, { org: server.a.org, id: result.id })
    assert.deepEqual([undone.restored, undone.deleted, undone.kept], [1, 0, []])
    const { updated_at, version, ...now } = await meetingOf('known')
    assert.deepEqual({ ...now, updated_at: before.updated_at, version: 1 }, before)
  })

  test('keeps who its people are, those without an email, and what only we know', async () => {
    const contact = await newRecord('/contacts', { last_name: 'Olsen' })
    const both = ['ATTENDEE:mailto:x@people.example', 'ATTENDEE:mailto:y@people.example']
    await imported(calendar([event('people', ...both)]))
    const { id, participants } = await meetingOf('people')
    const [x, y] = participants
    const given = {
      summary: 'Came of it',
      participants: [
        { ...x, contact_id: contact.id, name: 'Ms X' },
        y,
        { member_id: server.a.deactivated, email: null },
      ],
    }
    const known = await patch(id, given)
    const third = known.participants[2]
    assert.equal((await imported(calendar([event('people', ...both, 'X-COMMENT:again')]))).unchanged, 0)
    const now = await meetingOf('people')
    assert.deepEqual([now.summary, now.participants], ['Came of it', [known.participants[0], y]])
    const noEmail = await newRecord('/contacts', { last_name: 'Unreachable' })
    await patch(id, { participants: [known.participants[0], y, { contact_id: noEmail.id }] })
    const result = await imported(calendar([event('people', ...both, 'X-COMMENT:and again')]))
    assert.deepEqual(countsOf(result), [0, 0, 1, 0])
    assert.equal(third.email, 'gone@acme.example')
  })

  test('is completed once it is over, and stays a no-show', async () => {
    const past = ['DTSTART:20261119T090000Z', 'DTEND:20261119T100000Z']
    const ahead = ['DTSTART:20261129T090000Z', 'DTEND:20261129T100000Z']
    const statusAfter = async (...lines: string[]): Promise<string> => {
      await imported(calendar([event('status', ...lines, `X-RUN:${count}`)]))
      return (await meetingOf('status')).status
    }
    assert.equal(await statusAfter(...ahead), 'scheduled')
    assert.equal(await statusAfter(...past), 'completed')
    await patch((await meetingOf('status')).id, { status: 'no_show' })
    assert.equal(await statusAfter(...past), 'no_show')
    assert.equal(await statusAfter(...past, 'STATUS:CANCELLED'), 'canceled')
    assert.equal(await statusAfter(...ahead), 'scheduled')
    assert.equal(await statusAfter('DTSTART:20261120T073600Z', 'DTEND:20261120T083600Z'), 'completed')
    assert.equal(await statusAfter('DTSTART:20261120T073600Z', 'DTEND:20261120T083601Z'), 'scheduled')
  })

  test('is called off by a cancellation', async () => {
    await imported(calendar([event('off')]))
    assert.deepEqual(countsOf(await imported(calendar([event('off')], 'METHOD:CANCEL\n'))), [0, 1, 0, 0])
    assert.equal((await meetingOf('off')).status, 'canceled')
  })

  test('is found by what our own calendar file calls it', async () => {
    const given = { title: 'Ours', starts_at: '2026-12-01T09:00:00.000Z', ends_at: '2026-12-01T10:00:00.000Z' }
    const meeting = await newRecord('/meetings', {
      ...given,
      timezone: 'Europe/Berlin',
      location: 'A; b, c',
      participants: [
        { member_id: server.a.owner, role: 'organizer' },
        { email: 'x@ours.example', name: '"X"' },
      ],
    })
    assert.deepEqual(countsOf(await imported(meetingCalendar(meeting))), [0, 0, 1, 0])
    const text = meetingCalendar(meeting).replace('SUMMARY:Ours', 'SUMMARY:Yours')
    assert.deepEqual(countsOf(await imported(text)), [0, 1, 0, 0])
    const { title, ical_uid, version } = (await server.call('GET', `/meetings/${meeting.id}`)).body
    assert.deepEqual([title, ical_uid, version], ['Yours', null, 2])
  })
})

describe('people', () => {
  test('come in once each, and two emails of one contact are one', async () => {
    const contact = await newRecord('/contacts', {
      last_name: 'Twice',
      emails: [{ email: 'one@twice.example' }, { email: 'two@twice.example' }],
    })
    await imported(
      calendar([
        event(
          'twice',
          'ORGANIZER:mailto:chief@twice.example',
          'ATTENDEE:MAILTO:one@twice.example',
          'ATTENDEE;CN=Two:mailto:Two@twice.example',
          'ATTENDEE:mailto:free@twice.example',
          'ATTENDEE:mailto:FREE@twice.example',
          'ATTENDEE:mailto:CHIEF@twice.example',
        ),
      ]),
    )
    const { participants } = await meetingOf('twice')
    assert.deepEqual(
      participants.map(({ contact_id, email, role, response }: Row) => [contact_id, email, role, response]),
      [
        [contact.id, 'one@twice.example', 'attendee', 'pending'],
        [null, 'free@twice.example', 'attendee', 'pending'],
        [null, 'CHIEF@twice.example', 'organizer', 'pending'],
      ],
    )
  })

  test('who have no email are left out', async () => {
    await imported(
      calendar([
        event(
          'nobody',
          'ORGANIZER;CN=X:invalid:nomail',
          'ATTENDEE;CN=Y:urn:uuid:1',
          'ATTENDEE:mailto:',
          'ATTENDEE:mailto:a%40b@nobody.example',
        ),
      ]),
    )
    assert.deepEqual((await meetingOf('nobody')).participants, [])
  })
})

describe('an event is rejected, and the others come in,', () => {
  for (const [what, bad, reason] of [
    ['without a UID', 'SUMMARY:X\nDTSTART:20261201T090000Z\nDTEND:20261201T100000Z', /^line 10: has no UID$/],
    ['without a DTSTART', 'UID:bad\nSUMMARY:X', /^line 10: has no DTSTART$/],
    [
      'without a name',
      'UID:bad\nDTSTART:20261201T090000Z\nDTEND:20261201T100000Z',
      /^line 10: title must not be empty$/,
    ],
    ['with a name that is too long', event('bad', `SUMMARY:${'x'.repeat(256)}`), /^line 10: title must be at most 255/],
    ['with a UID that is too long', event('x'.repeat(256)), /^line 10: ical_uid must be at most 255/],
    [
      'that ends before it starts',
      event('bad', 'DTSTART:20261201T090000Z', 'DTEND:20261201T085959Z'),
      /^line 10: ends before it starts$/,
    ],
    [
      'that takes less than no time',
      event('bad', 'DTSTART:20261201T090000Z', 'DURATION:-PT1H'),
      /^line 10: ends before it starts$/,
    ],
    [
      'in a zone that nobody knows',
      event('bad', 'DTSTART;TZID=Moon:20261201T090000', 'DURATION:PT1H'),
      /^line 10: is in the time zone "Moon", which is unknown and not defined/,
    ],
    [
      'at a time that is none',
      event('bad', 'DTSTART:20261341T090000Z', 'DURATION:PT1H'),
      /^line 10: has an invalid DTSTART$/,
    ],
    [
      'outside of the years that there are',
      event('bad', 'DTSTART:99991231T230000Z', 'DURATION:PT2H'),
      /^line 10: ends_at must be/,
    ],
    ['with a line that is none', event('bad', 'NONSENSE'), /^line 10: has a line that cannot be read: "NONSENSE"/],
    [
      'that lasts for centuries',
      event('bad', 'DTSTART:20261201T090000Z', 'DURATION:P99999999W'),
      /^line 10: lasts longer than a hundred years$/,
    ],
    [
      'that lasts for nothing',
      event('bad', 'DTSTART:20261201T090000Z', 'DURATION:PEND'),
      /^line 10: has an invalid DURATION$/,
    ],
    ['with a rule that is none', event('bad', 'RRULE:FREQ=NEVER'), /^line 10: .*NEVER/],
    ['with a rule that is a text', event('bad', 'RRULE;VALUE=TEXT:x'), /^line 10: has an invalid RRULE$/],
    [
      'with a rule until a time that is none',
      event('bad', 'RRULE:FREQ=DAILY;UNTIL=2026ABCD'),
      /^line 10: (has an RRULE that cannot be parsed|has a line that cannot be read: )/,
    ],
    ['that recurs within a day', event('bad', 'RRULE:FREQ=HOURLY'), /^line 10: recurs within a day/],
    ['that recurs twice a day', event('bad', 'RRULE:FREQ=DAILY;BYHOUR=9,15'), /^line 10: recurs within a day/],
    [
      'with too many people',
      event('bad', ...Array.from({ length: 501 }, (_, n) => `ATTENDEE:mailto:p${n}@many.example`)),
      /^line 10: participants must have at most 500/,
    ],
  ] as [string, string, RegExp][])
    test(what, async () => {
      const [one, two] = [`first ${what}`, `last ${what}`]
      const seq = server.lastSeq()
      const result = await imported(calendar([event(one), bad, event(two)]))
      assert.deepEqual(countsOf(result), [2, 0, 0, 1])
      const [found, ...more] = reasonsOf(result)
      assert.match(found as string, reason)
      assert.deepEqual(more, [])
      for (const uid of [one, two]) assert.equal((await meetingOf(uid)).title, 'Demo')
      assert.deepEqual(
        server.events(seq).map(({ type }) => type),
        ['meeting.created', 'meeting.created'],
      )
    })

  test('that does not end', async () => {
    const text = calendar([event('first of three'), event('open'), event('third of three')])
    const result = await imported(text.replace(/(UID:open[\s\S]*?)END:VEVENT\r\n/, '$1'))
    assert.deepEqual(countsOf(result), [3, 0, 0, 0])
    const cut = await imported(
      calendar([event('whole'), event('cut off')]).replace(/DTEND[^\n]*\n[\s\S]{12}END:VCALENDAR[\s\S]*$/, ''),
    )
    assert.equal((await meetingOf('whole')).title, 'Demo')
    assert.ok(cut.created >= 1)
  })

  test('of an answer to an invitation', async () => {
    const result = await imported(
      calendar([event('answer', 'ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@x.example')], 'METHOD:REPLY\n'),
    )
    assert.deepEqual(
      [countsOf(result), reasonsOf(result)],
      [[0, 0, 0, 1], ['line 5: is a reply to an invitation (METHOD:REPLY), not an event']],
    )
  })

  test('with its lines as they were, the zones that it needs, and once for all of its reasons', async () => {
    const zone =
      'BEGIN:VTIMEZONE\nTZID:Odd\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0100\nEND:STANDARD\nEND:VTIMEZONE\n'
    const long = 'x'.repeat(300)
    const file = fileOf(
      calendar(
        [
          event('fine'),
          event(
            'mended',
            'DTSTART;TZID=Odd:20261201T090000',
            'DURATION:PT1H',
            'RRULE:FREQ=DAILY;COUNT=2',
            `LOCATION:${long}`,
            'X-OWN;A="b;c":\\;d 🚀',
          ),
        ],
        zone,
      ),
    )
    const result = await importFile(file)
    assert.deepEqual(countsOf(result), [1, 0, 0, 2])
    const path = result.rejectedFile as string
    assert.equal(path, file.replace('.ics', '.rejected.ics'))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const text = readFileSync(path, 'utf8')
    const unfolded = text.replaceAll('\r\n ', '')
    for (const line of [...zone.trim().split('\n'), 'UID:mended', `LOCATION:${long}`, 'X-OWN;A="b;c":\\;d 🚀'])
      assert.ok(unfolded.includes(`\r\n${line}\r\n`), line)
    assert.ok(!text.includes('UID:fine'))
    assert.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
    assert.deepEqual(reasonsOf(result), ['line 18: location must be at most 255 characters long'])
    writeFileSync(path, unfolded.replace(long, 'Room 4'))
    assert.deepEqual(countsOf(await importFile(path)), [2, 0, 0, 0])
    assert.equal((await meetingsOf('mended'))[1].location, 'Room 4')
  })
})

describe('a file', () => {
  const refused: [string, string | Uint8Array, number, RegExp][] = [
    ['that is empty', '', 422, /is not an iCalendar file: it does not begin with BEGIN:VCALENDAR/],
    ['that is a table', 'Subject,Start Date\nDemo,2026-12-01\n', 422, /is not an iCalendar file/],
    ['that is vCalendar 1.0', 'BEGIN:VCALENDAR\r\nVERSION:1.0\r\nEND:VCALENDAR\r\n', 422, /is vCalendar 1\.0/],
    [
      'that is not UTF-8',
      Buffer.from(calendar([event('latin', 'SUMMARY:Caf\u00e9')]), 'latin1'),
      422,
      /is not UTF-8: line 8 /,
    ],
    ['that is UTF-16', Buffer.from(`\ufeff${calendar([event('wide')])}`, 'utf16le'), 422, /is not UTF-8: line 1 /],
  ]
  for (const [what, content, status, message] of refused)
    test(`${what} is refused, and nothing is written`, async () => {
      const { db } = server.store
      const imports = () => db.prepare('SELECT count(*) FROM imports').pluck().get()
      const [seq, before] = [server.lastSeq(), imports()]
      await assert.rejects(importFile(fileOf(content)), (error: Row) => {
        assert.equal(error.status, status)
        assert.match(error.message, message)
        return true
      })
      assert.deepEqual([server.lastSeq(), imports()], [seq, before])
    })

  test('that is not there is refused', async () => {
    await assert.rejects(importFile(join(folder, 'nowhere.ics')), /nowhere\.ics cannot be read/)
  })

  test('may have a byte order mark, other line ends, lines folded within a character, and two calendars', async () => {
    const text = `\ufeff\n${calendar([event('marked', 'SUMMARY:Caf\u00e9')])}${calendar([event('second')])}`.replaceAll(
      '\r\n',
      '\n',
    )
    const bytes = Buffer.from(text)
    const at = bytes.indexOf(0xc3) + 1
    const folded = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)])
    assert.deepEqual(countsOf(await importFile(fileOf(folded))), [2, 0, 0, 0])
    assert.equal((await meetingOf('marked')).title, 'Café')
  })

  test('without any event does nothing', async () => {
    assert.deepEqual(countsOf(await imported(calendar([]))), [0, 0, 0, 0])
  })

  test('is only looked at in a dry run', async () => {
    const [seq, file] = [server.lastSeq(), fileOf(calendar([event('dry'), 'UID:wet']))]
    const result = await importFile(file, { dryRun: true })
    assert.deepEqual([countsOf(result), result.rejectedFile, server.lastSeq()], [[1, 0, 0, 1], null, seq])
    assert.deepEqual(await meetingsOf('dry'), [])
    assert.ok(!existsSync(file.replace('.ics', '.rejected.ics')))
    assert.deepEqual(countsOf(await importFile(file)), [1, 0, 0, 1])
  })

  test('goes on where it was cut off, counted from the day on which it began', async () => {
    const file = fileOf(
      calendar([event('long', 'DTSTART:20260101T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY'), 'UID:bad']),
    )
    const stop = new AbortController()
    stop.abort()
    await assert.rejects(
      importFile(file, { signal: stop.signal }),
      /Stopped after 500 of 689 meetings\. To continue, run the same command again/,
    )
    server.advance(7 * 86_400_000)
    try {
      const result = await importFile(file)
      assert.deepEqual(countsOf(result), [688, 0, 0, 1])
      assert.equal(knownOf('long').length, 688)
      const undone = await undoImport(server.store, { org: server.a.org, id: result.id })
      assert.deepEqual([undone.deleted, undone.kept], [688, []])
      const again = await importFile(file)
      assert.deepEqual(countsOf(again), [695, 0, 0, 1])
    } finally {
      server.advance(-7 * 86_400_000)
    }
  })

  test('is stopped while it is read, before there is anything of it', async () => {
    const file = fileOf(calendar(Array.from({ length: 150 }, (_, n) => event(`stopped${n}`))))
    const imports = () => server.store.db.prepare('SELECT count(*) FROM imports').pluck().get()
    const [seq, before] = [server.lastSeq(), imports()]
    await assert.rejects(importFile(file, { signal: AbortSignal.abort() }), { code: 'stopped' })
    assert.deepEqual([server.lastSeq(), imports()], [seq, before])
    assert.deepEqual(countsOf(await importFile(file)), [150, 0, 0, 0])
  })

  test('of another organisation has meetings of its own', async () => {
    const file = fileOf(calendar([event('both')]))
    await importFile(file)
    assert.deepEqual(countsOf(await importFile(file, { org: server.b.org })), [1, 0, 0, 0])
    await meetingOf('both')
  })

  test('is taken back but for what is in use or was changed since', async () => {
    const { id } = await imported(calendar([event('used'), event('touched'), event('free')]))
    const [used, touched] = [await meetingOf('used'), await meetingOf('touched')]
    await newRecord('/notes', { body: 'x', meeting_id: used.id })
    await patch(touched.id, { title: 'Mine' })
    const { deleted, kept } = await undoImport(server.store, { org: server.a.org, id })
    assert.equal(deleted, 1)
    assert.deepEqual(
      new Map(kept.map((each) => [each.id, each.reason])),
      new Map([
        [used.id, 'is used by notes'],
        [touched.id, 'was changed since then'],
      ]),
    )
  })

  test('of any nonsense is read or refused, and never breaks', async (t) => {
    // Each dry run copies the database, and the one of the other tests is large.
    const { a, stop, store } = await startServer()
    t.after(stop)
    const texts = [
      calendar([
        event('nonsense', 'RRULE:FREQ=WEEKLY;COUNT=3', 'ATTENDEE;CN="a":mailto:a@x.example', 'EXDATE:20261208T090000Z'),
      ]),
      ...['google', 'outlook', 'apple'].map((name) => readFileSync(sample(`${name}.ics`), 'utf8')),
    ]
    const pieces = [
      'BEGIN:VEVENT',
      'END:VEVENT',
      'BEGIN:VCALENDAR',
      'END:VCALENDAR',
      '\r\n',
      ' ',
      ';',
      ':',
      '"',
      '=',
      ',',
      '\\',
      '0',
      '99999999',
      'Z',
      'T',
      '-',
      'é',
      '\u2028',
      '\t',
      'DTSTART',
      'RRULE:',
      'RDATE:',
      'P',
      'TZID=',
    ]
    const edit = fc.record({ at: fc.nat(4000), length: fc.nat(12), piece: fc.constantFrom(...pieces) })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        async (text, edits) => {
          const broken = edits.reduce(
            (all, { at, length, piece }) =>
              all.slice(0, at % all.length) + piece + all.slice((at % all.length) + length),
            text,
          )
          try {
            await importMeetings(store, { org: a.org, file: fileOf(broken), pace: stillPace, dryRun: true })
          } catch (error) {
            assert.equal((error as Row).status, 422, String((error as Error).stack))
          }
        },
      ),
      { numRuns: examples(70) },
    )
  })
})
