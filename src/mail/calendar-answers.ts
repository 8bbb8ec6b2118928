import { emailKey } from '../lib/email.ts'
import { textOfHtml } from '../lib/html/sanitize.ts'
import { domainOf } from '../lib/mail/hosts.ts'
import type { Authentication, MailIn } from '../lib/mail/mail.ts'
import { isForged } from '../lib/mail/verdicts.ts'

/**
 * Whether a mail only states what somebody answered to an invitation. Its text is by the calendar, so nobody waits for a
 * reply to it; unless the person wrote something to their answer, such as another time.
 */
export function isCalendarAnswer({
  invitations,
  text,
  html,
  files,
}: Pick<MailIn, 'invitations' | 'text' | 'html' | 'files'>): boolean {
  if (invitations.length === 0 || invitations.some(({ method, comment }) => method !== 'REPLY' || comment !== null))
    return false
  if (files.some(({ name, content_type }) => !/calendar|\/ics/i.test(content_type) && !/\.ics$/i.test(name)))
    return false
  // Outlook sends what the person wrote, other programs a text of their own.
  return !invitations.some(({ isByOutlook }) => isByOutlook) || `${text}${textOfHtml(html ?? '')}`.trim() === ''
}

/** Calendars that send answers by an address of their own; they let nobody answer for somebody else. */
const SERVICES = ['google.com', 'calendar.google.com', 'email.apple.com', 'icloud.com', 'apple.com', 'zohocalendar.com']
const MACHINE = /^(?:calendar-|no-?reply|do-?not-?reply)/i

/** Returns the key of the email of who writes about an event: with an answer by a service, whom that names; '' if unknown. */
export function speakerOf({ from, invitations }: MailIn, results: Authentication | null): string {
  if (from === null) return ''
  const isService = MACHINE.test(from.email) && SERVICES.includes(domainOf(from.email)) && !isForged(results)
  const isAnswer = invitations.length > 0 && invitations.every(({ method }) => method === 'REPLY')
  if (!isService || !isAnswer) return emailKey(from.email)
  const people = invitations.flatMap(({ occurrences, organizers }) =>
    occurrences
      .flatMap(({ appointment }) => appointment.people.map(({ email }) => emailKey(email)))
      .filter((email) => !organizers.includes(email)),
  )
  const [attendee, ...others] = new Set(people)
  return attendee !== undefined && others.length === 0 ? attendee : emailKey(from.email)
}
