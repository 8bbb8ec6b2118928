import { wholeDaysIn } from '../../meetings/calendar.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import type { Participant } from '../../meetings/participants.ts'
import type { Kind } from './letters.ts'

// The texts of the mails, for people whose program does not show the calendar in it.

type Written = { subject: string; body: string }

const SUBJECTS: Record<Kind, string> = {
  invitation: 'Invitation',
  update: 'Updated invitation',
  cancellation: 'Canceled',
  removal: 'Canceled',
}

const FIRST: Record<Kind, string> = {
  invitation: 'You are invited to this meeting.',
  update: 'This meeting was changed.',
  cancellation: 'This meeting was canceled.',
  removal: 'You were removed from this meeting.',
}

const ANSWERS = { accepted: 'Accepted', declined: 'Declined', tentative: 'Tentatively accepted' } as const
export type Answer = keyof typeof ANSWERS

/**
 * `zone` is that of the meeting, or else of the organisation. `before` is the meeting that an update changes: the time and place that it
 * had are named, as who has it in a calendar sees only the new ones.
 */
export function invitationText(
  kind: Kind,
  meeting: Meeting,
  organizer: string,
  zone: string,
  before?: Meeting,
): Written {
  const { title, location, conference_url, description } = meeting
  const isOn = kind === 'invitation' || kind === 'update'
  const lines = [
    title,
    `When: ${timeOf(meeting, zone)}`,
    ...(kind === 'update' ? formerly(timeOf(meeting, zone), before && timeOf(before, zone)) : []),
    ...(location ? [`Where: ${location}`] : []),
    ...(kind === 'update' ? formerly(location ?? '', before?.location ?? undefined) : []),
    ...(conference_url && isOn ? [`Link: ${conference_url}`] : []),
    `Organizer: ${organizer}`,
  ]
  const paragraphs = [FIRST[kind], lines.join('\n'), ...(description?.trim() && isOn ? [description.trim()] : [])]
  return { subject: `${SUBJECTS[kind]}: ${title}`, body: paragraphs.join('\n\n') }
}

const formerly = (now: string, before: string | undefined): string[] =>
  before === undefined || before === now ? [] : [`  before: ${before}`]

/** `title` is what the organizer calls the meeting: it may have another title here. */
export function answerText(answer: Answer, who: Participant, title: string, meeting: Meeting, zone: string): Written {
  const name = who.name ?? who.email
  const done = ANSWERS[answer].toLowerCase()
  return {
    subject: `${ANSWERS[answer]}: ${title}`,
    body: `${name} has ${done} this invitation.\n\n${title}\nWhen: ${timeOf(meeting, zone)}`,
  }
}

/** Outlook and Google show no URL of an event: its link is where people look for it. */
export function withLink(meeting: Meeting): Meeting {
  const { location, conference_url, description } = meeting
  if (conference_url === null || description?.includes(conference_url)) return meeting
  if (!location) return { ...meeting, location: conference_url }
  return { ...meeting, description: [...(description ? [description] : []), `Link: ${conference_url}`].join('\n\n') }
}

/** As in "Tuesday, 1 December 2026, 10:00 to 11:00 (Europe/Berlin)"; of whole days the days alone, which have no zone. */
function timeOf(meeting: Pick<Meeting, 'starts_at' | 'ends_at' | 'timezone'>, zone: string): string {
  const whole = wholeDaysIn(meeting)
  if (whole) {
    const [first, last] = whole.map((day) => wallClock(`${day}T00:00:00Z`, 'UTC').day) as [string, string]
    return first === last ? first : `${first} to ${last}`
  }
  const { starts_at, ends_at } = meeting
  const [starts, ends] = [starts_at, ends_at].map((at) => wallClock(at, zone)) as [Wall, Wall]
  const end = starts.day === ends.day ? ends.time : `${ends.day}, ${ends.time}`
  return `${starts.day}, ${starts.time} to ${end} (${zone})`
}

type Wall = { day: string; time: string }

function wallClock(at: string, timeZone: string): Wall {
  const date = new Date(at)
  const day = date.toLocaleDateString('en-GB', {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
  return { day, time: date.toLocaleTimeString('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }) }
}
