import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Invitation } from '../../../../src/lib/mail/mail.ts'
import { readMail } from '../../../../src/lib/mail/parse/read.ts'
import { startCpuClock } from '../../../support/cpu-clock.ts'
import { calendarLines, eventLines, invitingMail, received } from '../../../support/invitation.ts'

// Invitations in the forms in which calendars send them.

const NOW = Date.parse('2026-11-20T08:36:00Z')
const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')
const crlf = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n`
const read = (lines: readonly string[], timezone = 'Europe/Berlin') => received(Buffer.from(crlf(lines)), NOW, timezone)

const seen = ({ method, uid, main, organizers, occurrences }: Invitation) => ({
  method,
  uid,
  main,
  organizers,
  times: occurrences.map(({ appointment: { starts, ends, timezone } }) =>
    [new Date(starts).toISOString().slice(0, 16), new Date(ends).toISOString().slice(0, 16), timezone].join(' '),
  ),
})

const firstOf = ([invitation]: Invitation[]) =>
  (invitation as Invitation).occurrences[0] as Invitation['occurrences'][number]

const GOOGLE = [
  'BEGIN:VCALENDAR',
  'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
  'VERSION:2.0',
  'CALSCALE:GREGORIAN',
  'METHOD:REQUEST',
  'BEGIN:VTIMEZONE',
  'TZID:Europe/Madrid',
  'X-LIC-LOCATION:Europe/Madrid',
  'BEGIN:DAYLIGHT',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'TZNAME:CEST',
  'DTSTART:19700329T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'TZNAME:CET',
  'DTSTART:19701025T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'END:STANDARD',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'DTSTART;TZID=Europe/Madrid:20261124T100000',
  'DTEND;TZID=Europe/Madrid:20261124T104500',
  'RRULE:FREQ=WEEKLY;UNTIL=20261208T225959Z;BYDAY=TU',
  'DTSTAMP:20261119T162302Z',
  'ORGANIZER;CN=Eva Ruiz:mailto:eva.ruiz@firm.example',
  'UID:4k2v8p1q6r7s0t@google.com',
  'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;RSVP=TRUE',
  ' ;CN=Eva Ruiz;X-NUM-GUESTS=0:mailto:eva.ruiz@firm.example',
  'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=',
  ' TRUE;CN=support@acme.example;X-NUM-GUESTS=0:mailto:support@acme.example',
  'ATTENDEE;CUTYPE=RESOURCE;PARTSTAT=ACCEPTED;CN=Sala 1:mailto:c_18@resource.calendar.google.com',
  'X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij',
  'X-MICROSOFT-CDO-OWNERAPPTID:-1408532127',
  'CREATED:20261119T162258Z',
  'DESCRIPTION:<p>Hola\\,</p><p>vemos el <b>presupuesto</b> &amp; los plazos.<br><a href="https:/',
  ' /firm.example/x">Enlace</a></p>',
  'LAST-MODIFIED:20261119T162300Z',
  'LOCATION:Sala 1',
  'SEQUENCE:0',
  'STATUS:CONFIRMED',
  'SUMMARY:Reunión de inicio',
  'TRANSP:OPAQUE',
  'END:VEVENT',
  'END:VCALENDAR',
]

const googleMail = (calendar: readonly string[]): string[] => [
  'Reply-To: Eva Ruiz <eva.ruiz@firm.example>',
  'Sender: Google Calendar <calendar-notification@google.com>',
  'Auto-Submitted: auto-generated',
  'Message-ID: <calendar-3f1c2d7a-0000-0000@google.com>',
  'Subject: =?UTF-8?Q?Invitaci=C3=B3n=3A_Reuni=C3=B3n_de_inicio?=',
  'From: Eva Ruiz <eva.ruiz@firm.example>',
  'To: support@acme.example',
  'Content-Type: multipart/mixed; boundary="0000000000003b2d7a"',
  '',
  '--0000000000003b2d7a',
  'Content-Type: multipart/alternative; boundary="0000000000003b2d78"',
  '',
  '--0000000000003b2d78',
  'Content-Type: text/plain; charset="UTF-8"; format=flowed; delsp=yes',
  'Content-Transfer-Encoding: base64',
  '',
  base64('Reunión de inicio'),
  '--0000000000003b2d78',
  'Content-Type: text/html; charset="UTF-8"',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Reuni=C3=B3n de inicio</p>',
  '--0000000000003b2d78',
  'Content-Type: text/calendar; charset="UTF-8"; method=REQUEST',
  'Content-Transfer-Encoding: 7bit',
  '',
  ...calendar,
  '--0000000000003b2d78--',
  '--0000000000003b2d7a',
  'Content-Type: application/ics; name="invite.ics"',
  'Content-Disposition: attachment; filename="invite.ics"',
  'Content-Transfer-Encoding: base64',
  '',
  base64(crlf(calendar)),
  '--0000000000003b2d7a--',
]

const OUTLOOK = [
  'BEGIN:VCALENDAR',
  'METHOD:REQUEST',
  'PRODID:Microsoft Exchange Server 2010',
  'VERSION:2.0',
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
  'BEGIN:VEVENT',
  'ORGANIZER;CN=Bo Olsen;SENT-BY="mailto:office@northwind.example":mailto:Bo.Olsen@northwind.example',
  'ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN=support@acm',
  ' e.example:mailto:support@acme.example',
  'ATTENDEE;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE;CN="Quist, Zoe":mailto:zoe@northwind.example',
  'DESCRIPTION;LANGUAGE=de-DE:Guten Tag\\,\\n\\nwir besprechen das Angebot.\\n____________\\n',
  'UID:040000008200E00074C5B7101A82E00800000000B0F3A7C1D25ADC0100000000000000',
  ' 0010000000D1A5C6E2F3B4A7489C0D1E2F3A4B5C6D',
  'SUMMARY;LANGUAGE=de-DE:Angebot für Northwind',
  'DTSTART;TZID=W. Europe Standard Time:20261201T140000',
  'DTEND;TZID=W. Europe Standard Time:20261201T150000',
  'CLASS:PUBLIC',
  'PRIORITY:5',
  'DTSTAMP:20261119T101500Z',
  'TRANSP:OPAQUE',
  'STATUS:CONFIRMED',
  'SEQUENCE:0',
  'LOCATION;LANGUAGE=de-DE:Microsoft Teams-Besprechung',
  'X-MICROSOFT-CDO-APPT-SEQUENCE:0',
  'X-MICROSOFT-CDO-OWNERAPPTID:2121843310',
  'X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE',
  'X-MICROSOFT-CDO-INTENDEDSTATUS:BUSY',
  'X-MICROSOFT-CDO-ALLDAYEVENT:FALSE',
  'X-MICROSOFT-CDO-IMPORTANCE:1',
  'X-MICROSOFT-CDO-INSTTYPE:0',
  'X-MICROSOFT-SKYPETEAMSMEETINGURL:https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7b%7d',
  'X-MICROSOFT-DONOTFORWARDMEETING:FALSE',
  'BEGIN:VALARM',
  'DESCRIPTION:REMINDER',
  'TRIGGER;RELATED=START:-PT15M',
  'ACTION:DISPLAY',
  'END:VALARM',
  'END:VEVENT',
  'END:VCALENDAR',
]

const outlookMail = (calendar: readonly string[]): string[] => [
  'From: Bo Olsen <Bo.Olsen@northwind.example>',
  'To: "support@acme.example" <support@acme.example>',
  'Subject: =?iso-8859-1?Q?Angebot_f=FCr_Northwind?=',
  'Thread-Topic: =?iso-8859-1?Q?Angebot_f=FCr_Northwind?=',
  'Message-ID: <DB9PR01MB0001@DB9PR01.eurprd01.prod.outlook.com>',
  'X-MS-Has-Attach:',
  'Content-Type: multipart/alternative; boundary="_000_DB9PR01_"',
  'MIME-Version: 1.0',
  '',
  '--_000_DB9PR01_',
  'Content-Type: text/plain; charset="iso-8859-1"',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Guten Tag,=0A=0Awir besprechen das Angebot f=FCr Northwind.',
  '--_000_DB9PR01_',
  'Content-Type: text/calendar; charset="utf-8"; method=REQUEST',
  'Content-Transfer-Encoding: base64',
  '',
  base64(crlf(calendar)),
  '--_000_DB9PR01_--',
]

describe('an invitation', () => {
  test('of Google is read once although the mail has it twice, with its text instead of HTML', async () => {
    const { invitations, notes, files, text } = await read(googleMail(GOOGLE))
    assert.deepEqual(notes, [])
    assert.deepEqual(invitations.map(seen), [
      {
        method: 'REQUEST',
        uid: '4k2v8p1q6r7s0t@google.com',
        main: { sequence: 0, stamp: Date.parse('2026-11-19T16:23:02Z') },
        organizers: ['eva.ruiz@firm.example'],
        times: [
          '2026-11-24T09:00 2026-11-24T09:45 Europe/Madrid',
          '2026-12-01T09:00 2026-12-01T09:45 Europe/Madrid',
          '2026-12-08T09:00 2026-12-08T09:45 Europe/Madrid',
        ],
      },
    ])
    const { appointment } = firstOf(invitations)
    assert.deepEqual(
      [appointment.title, appointment.location, appointment.conferenceUrl],
      ['Reunión de inicio', 'Sala 1', 'https://meet.google.com/abc-defg-hij'],
    )
    assert.match(appointment.description as string, /^Hola,\s+vemos el presupuesto & los plazos\.\s+Enlace/)
    assert.deepEqual(
      appointment.people.map(({ email, name, role, response }) => [email, name, role, response]),
      [
        ['eva.ruiz@firm.example', 'Eva Ruiz', 'organizer', 'accepted'],
        ['support@acme.example', undefined, 'attendee', 'pending'],
      ],
    )
    assert.deepEqual([files.length, text], [1, 'Reunión de inicio'])
  })

  test('counts once towards the limits although the mail has it twice', async () => {
    const events = Array.from({ length: 150 }, (_, index) => eventLines({ uid: `e${index}` }))
    const { invitations, notes } = await read(googleMail(calendarLines('REQUEST', events)))
    assert.deepEqual([invitations.length, notes], [150, []])
  })

  test('of Outlook has the Windows name of its zone, and who sends for the organizer', async () => {
    const { invitations, notes } = await read(outlookMail(OUTLOOK))
    assert.deepEqual(notes, [])
    assert.deepEqual(invitations.map(seen)[0], {
      method: 'REQUEST',
      uid: '040000008200E00074C5B7101A82E00800000000B0F3A7C1D25ADC01000000000000000010000000D1A5C6E2F3B4A7489C0D1E2F3A4B5C6D',
      main: { sequence: 0, stamp: Date.parse('2026-11-19T10:15:00Z') },
      organizers: ['bo.olsen@northwind.example', 'office@northwind.example'],
      times: ['2026-12-01T13:00 2026-12-01T14:00 Europe/Berlin'],
    })
    const { appointment } = firstOf(invitations)
    assert.equal(appointment.title, 'Angebot für Northwind')
    assert.equal(appointment.description, 'Guten Tag,\n\nwir besprechen das Angebot.\n____________')
    assert.match(appointment.conferenceUrl as string, /^https:\/\/teams\.microsoft\.com\//)
    assert.deepEqual(
      appointment.people.map(({ name }) => name),
      ['Bo Olsen', undefined, 'Quist, Zoe'],
    )
  })

  test('of Outlook cancels with a calendar in quoted-printable and an old charset', async () => {
    const canceled = OUTLOOK.map((line) =>
      line
        .replace('METHOD:REQUEST', 'METHOD:CANCEL')
        .replace('STATUS:CONFIRMED', 'STATUS:CANCELLED')
        .replace('SEQUENCE:0', 'SEQUENCE:1'),
    )
    const quoted = Buffer.from(crlf(canceled), 'latin1')
      .toString('latin1')
      .replace(/[=\u0080-\u00ff]/g, (letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    const mail = outlookMail(canceled).map((line) =>
      line
        .replace(base64(crlf(canceled)), quoted)
        .replace('charset="utf-8"; method=REQUEST', 'charset="iso-8859-1"; method=CANCEL'),
    )
    const at = mail.findIndex((line) => line.startsWith('Content-Type: text/calendar'))
    mail[at + 1] = 'Content-Transfer-Encoding: quoted-printable'
    const { invitations, notes } = await read(mail)
    assert.deepEqual(notes, [])
    assert.equal(invitations[0]?.method, 'CANCEL')
    const { isCanceled, appointment } = firstOf(invitations)
    assert.deepEqual([isCanceled, appointment.title], [true, 'Angebot für Northwind'])
  })

  test('for whole days is in the zone of the organisation', async () => {
    const whole = eventLines({ starts: ';VALUE=DATE:20261201', ends: ';VALUE=DATE:20261203' })
    const source = invitingMail(calendarLines('REQUEST', [whole]))
    for (const [timezone, times] of [
      ['Europe/Berlin', '2026-11-30T23:00 2026-12-02T23:00 Europe/Berlin'],
      ['America/New_York', '2026-12-01T05:00 2026-12-03T05:00 America/New_York'],
    ] as const) {
      const { invitations } = await received(source, NOW, timezone)
      assert.deepEqual(
        invitations.flatMap((each) => seen(each).times),
        [times],
      )
    }
  })

  test('is found in a file whatever its type, but not in another mail inside the mail', async () => {
    const calendar = calendarLines('REQUEST', [eventLines()])
    for (const [type, count] of [
      ['Content-Type: application/octet-stream; name="Termin.ICS"', 1],
      ['Content-Type: application/ics', 1],
      ['Content-Type: text/plain; name=invite.ics', 1],
      ['Content-Type: application/octet-stream; name=invite.bin', 0],
      ['Content-Type: message/rfc822', 0],
    ] as const)
      assert.equal((await received(invitingMail(calendar, { type }), NOW)).invitations.length, count, type)
  })

  test('is not read without a view of calendars', async () => {
    assert.deepEqual((await readMail(invitingMail(calendarLines('REQUEST', [eventLines()])))).invitations, [])
  })
})

test('what takes long to evaluate is left out, and the rest is read in a second', async () => {
  const spent = startCpuClock()
  const observance = (month: number) => [
    'BEGIN:STANDARD',
    'DTSTART:16010101T000000',
    `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=1SU`,
    'TZOFFSETFROM:+0100',
    'TZOFFSETTO:+0200',
    'END:STANDARD',
  ]
  const zone = (id: string, count: number, first = '1601') => [
    'BEGIN:VTIMEZONE',
    `TZID:${id}`,
    ...Array.from({ length: count }, (_, index) => observance((index % 12) + 1))
      .flat()
      .map((line) => line.replace('1601', first)),
    'END:VTIMEZONE',
  ]
  const zones = [
    zone('Long', 50),
    zone('Early', 2, '0001'),
    ...Array.from({ length: 8 }, (_, index) => zone(`Z${index}`, 4)),
  ]
  const daily = { more: ['RRULE:FREQ=DAILY'] }
  const events = [
    ...['Long', 'Early', 'Z2', 'Z3'].map((id) =>
      eventLines({ uid: id, starts: `;TZID=${id}:20261201T090000`, ends: `;TZID=${id}:20261201T100000`, ...daily }),
    ),
    ...Array.from({ length: 30 }, (_, index) => eventLines({ uid: `d${index}`, ...daily })),
  ]
  const { invitations, notes } = await received(invitingMail(calendarLines('REQUEST', events, zones.flat())), NOW)
  assert.deepEqual(
    invitations.slice(0, 2).map(({ uid }) => uid),
    ['Z2', 'd0'],
  )
  assert.equal(invitations.filter(({ isCut }) => isCut).length > 0, true)
  assert.deepEqual(
    notes.map((note) =>
      note.replace(/^A meeting in this mail was not imported: it is in the time zone ("\w+").*$/, '$1'),
    ),
    [
      '"Long"',
      '"Early"',
      '"Z3"',
      'Only the first 20 recurring meetings of this mail were imported.',
      'The meetings in this mail take place more than 1000 times; the rest was left out.',
    ],
  )
  const took = spent()
  assert.ok(took < 3000, `it took ${took} ms`)
})
