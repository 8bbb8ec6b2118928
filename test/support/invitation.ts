import type { MailIn } from '../../src/lib/mail/mail.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'

// Mails with calendars, in the forms that calendars send.

/** Lines of an event: a few hours of the clock that servers of tests stand at, 2026-11-20T08:36:00Z. */
export type EventGiven = {
  uid?: string
  sequence?: number
  /** DTSTAMP. */
  stamp?: string
  starts?: string
  ends?: string
  title?: string
  organizer?: string
  attendees?: string[]
  more?: string[]
}

export const EVA = 'eva@firm.example'

/** Returns the lines of a VEVENT. */
export function eventLines({
  uid = 'kickoff@google.com',
  sequence = 0,
  stamp = '20261120T080000Z',
  starts = ':20261201T090000Z',
  ends = ':20261201T100000Z',
  title = 'Kick-off',
  organizer = `;CN=Eva Ruiz:mailto:${EVA}`,
  attendees = [
    `;CN=Eva Ruiz;PARTSTAT=ACCEPTED:mailto:${EVA}`,
    ';PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:support@acme.example',
  ],
  more = [],
}: EventGiven = {}): string[] {
  return [
    'BEGIN:VEVENT',
    `DTSTART${starts}`,
    `DTEND${ends}`,
    `DTSTAMP:${stamp}`,
    `ORGANIZER${organizer}`,
    `UID:${uid}`,
    ...attendees.map((each) => `ATTENDEE${each}`),
    `SEQUENCE:${sequence}`,
    `SUMMARY:${title}`,
    ...more,
    'END:VEVENT',
  ]
}

export const calendarLines = (method: string | null, events: readonly (readonly string[])[], zones: string[] = []) => [
  'BEGIN:VCALENDAR',
  'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
  'VERSION:2.0',
  'CALSCALE:GREGORIAN',
  ...(method === null ? [] : [`METHOD:${method}`]),
  ...zones,
  ...events.flat(),
  'END:VCALENDAR',
]

let count = 0

/** Returns the source of a mail with a calendar as one of its alternative forms. */
export function invitingMail(
  calendar: readonly string[],
  { from = EVA, head = [] as string[], type = '' } = {},
): Buffer {
  const method = /^METHOD:(.*)$/m.exec(calendar.join('\n'))?.[1]
  return Buffer.from(
    [
      ...head,
      `From: ${from}`,
      'To: support@acme.example',
      `Message-ID: <invitation${++count}@mail.example>`,
      'Date: Fri, 20 Nov 2026 08:30:00 +0000',
      `Subject: Invitation ${count}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'You are invited.',
      '--b',
      type || `Content-Type: text/calendar; charset=utf-8${method ? `; method=${method}` : ''}`,
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from(`${calendar.join('\r\n')}\r\n`)
        .toString('base64')
        .replace(/.{76}/g, '$&\r\n'),
      '--b--',
      '',
    ].join('\r\n'),
  )
}

/** Parses a mail as the server does when it receives it. */
export const received = (source: Buffer, now: number, timezone = 'Europe/Berlin', arrivedAt = now): Promise<MailIn> =>
  readMail(source, { timezone, now, arrivedAt })
