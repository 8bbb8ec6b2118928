import assert from 'node:assert/strict'
import ICAL from 'ical.js'
import PostalMime from 'postal-mime'
import { incomingStore } from '../../../src/mail/incoming.ts'
import { received } from '../../support/invitation.ts'
import type { Row } from '../../support/records.ts'
import type { TestServer } from '../../support/server.ts'

// What the calendars of other people make of the mails that are sent.

/** The calendar of a mail, as another program reads it. */
export type Read = {
  method: string
  uid: string
  sequence: number
  stamp: number
  status: string
  title: string
  starts: number
  ends: number
  isDay: boolean
  description: string | null
  location: string | null
  recurrence: string | null
  organizer: { email: string; name: string | undefined; sentBy: string | undefined }
  attendees: Record<string, { partstat: string; role: string; rsvp: string | undefined; sentBy: string | undefined }>
}

const plainOf = (address: unknown): string => String(address).replace(/^mailto:/i, '')
const mailbox = (property: ICAL.Property, name: string): string | undefined => {
  const value = property.getFirstParameter(name)
  return value ? plainOf(value) : undefined
}

/** Reads a mail with postal-mime and its calendar with ical.js; the alternative and the file have to be the same. */
export async function readInvitation(
  source: Buffer,
): Promise<Read & { subject: string; text: string; to: string[]; from: string }> {
  const mail = await PostalMime.parse(source)
  const textOf = (content: unknown) =>
    typeof content === 'string' ? content : Buffer.from(content as ArrayBuffer).toString()
  const [part, file] = ['text/calendar', 'application/ics'].map((type) => {
    const found = mail.attachments.filter(({ mimeType }) => mimeType === type)
    assert.equal(found.length, 1, `${type} in ${mail.attachments.map(({ mimeType }) => mimeType)}`)
    return found[0]
  })
  assert.equal(textOf(part?.content), textOf(file?.content))
  assert.equal(file?.filename, 'invite.ics')
  assert.equal(part?.filename, null)
  assert.equal(part?.disposition, null)
  const calendar = new ICAL.Component(ICAL.parse(textOf(part?.content)))
  ICAL.TimezoneService.reset()
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone)
  const method = String(calendar.getFirstPropertyValue('method'))
  assert.equal(part?.method, method)
  const events = calendar.getAllSubcomponents('vevent')
  assert.equal(events.length, 1)
  const [component] = events as [ICAL.Component]
  const event = new ICAL.Event(component)
  const value = (name: string) => component.getFirstPropertyValue(name)
  const organizer = component.getFirstProperty('organizer') as ICAL.Property
  return {
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    to: (mail.to ?? []).map(({ address }) => address ?? ''),
    from: mail.from?.address ?? '',
    method,
    uid: event.uid,
    sequence: Number(value('sequence')),
    stamp: (value('dtstamp') as ICAL.Time).toJSDate().getTime(),
    status: String(value('status')),
    title: event.summary,
    starts: event.startDate.toJSDate().getTime(),
    ends: event.endDate.toJSDate().getTime(),
    isDay: event.startDate.isDate,
    description: (value('description') as string | null) ?? null,
    location: (value('location') as string | null) ?? null,
    recurrence: value('recurrence-id') === null ? null : String(value('recurrence-id')),
    organizer: {
      email: plainOf(organizer.getFirstValue()),
      name: organizer.getFirstParameter('cn'),
      sentBy: mailbox(organizer, 'sent-by'),
    },
    attendees: Object.fromEntries(
      component.getAllProperties('attendee').map((each) => [
        plainOf(each.getFirstValue()),
        {
          partstat: each.getFirstParameter('partstat'),
          role: each.getFirstParameter('role'),
          rsvp: each.getFirstParameter('rsvp') || undefined,
          sentBy: mailbox(each, 'sent-by'),
        },
      ]),
    ),
  }
}

/** Takes in a mail as the mailbox does; `messageId` replaces its own, as some providers do. */
export async function takeIn(server: TestServer, box: unknown, source: Buffer, messageId?: string) {
  const now = server.now()
  const mail = await received(source, now)
  const given = messageId === undefined ? mail : { ...mail, messageId }
  return server.store.write(() => incomingStore(server.deps).take(server.a.org, box as never, given, now))
}

/** What somebody's calendar answers to an invitation. */
export function replyTo(
  source: Read,
  from: string,
  partstat: string,
  more: { sequence?: number; stamp?: string } = {},
): string[] {
  return [
    'BEGIN:VCALENDAR',
    'PRODID:-//Google Inc//Google Calendar 70.9054//EN',
    'VERSION:2.0',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    'DTSTART:20261201T090000Z',
    'DTEND:20261201T100000Z',
    `DTSTAMP:${more.stamp ?? '20261120T090000Z'}`,
    `ORGANIZER:mailto:${source.organizer.email}`,
    `UID:${source.uid}`,
    `ATTENDEE;PARTSTAT=${partstat}:mailto:${from}`,
    `SEQUENCE:${more.sequence ?? source.sequence}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
}

export const responsesOf = ({ participants }: Row): Record<string, string> =>
  Object.fromEntries(participants.map(({ email, response }: Row) => [email, response]))
