import { type Deps, once } from '../deps.ts'
import { emailKey } from '../lib/email.ts'
import type { Invitation, Version } from '../lib/mail/mail.ts'
import { Problem } from '../lib/problem.ts'
import { appointments } from '../meetings/appointments.ts'
import { meetingStore } from '../meetings/meetings.ts'
import { isAfter, type KnownEvent, knownEvents } from './known-events.ts'

/** Takes over what participants answer to an invitation (METHOD:REPLY). */
export const answerStore = once((deps: Deps) => {
  const { db, clock } = deps
  const events = knownEvents(deps)
  const { patch } = meetingStore(deps)
  const { isPerson, isSame } = appointments(db)

  /** A person answers only for themselves, and only a participant does. Returns why an answer was not taken over. */
  function note(org: number, from: string, invitation: Invitation, known: KnownEvent): string[] {
    const notes: string[] = []
    for (const { appointment, own } of invitation.occurrences) {
      const version = own ?? invitation.main
      const { people } = appointment
      const answer =
        people.find(({ email }) => emailKey(email) === from) ?? people.find(({ email }) => isSame(org, email, from))
      const recurrence = own ? appointment.uid : ''
      if (!version || !answer || isOutdated(version, known, recurrence, from)) continue
      const { uid } = invitation
      const none = { senders: [], texts: {}, until: null }
      events.versions.keep(org, { uid, recurrence, attendee: from, ...version, ...none })
      for (const id of own ? [known.meetings.get(appointment.uid)] : known.meetings.values()) {
        const error = id && respond(org, id, from, answer.response, own === null && known.meetings.size > 1)
        if (error) notes.push(error)
      }
    }
    return notes
  }

  /** An answer to an earlier version of the event says nothing about the current one. */
  function isOutdated(
    version: Version,
    { main, parts, answers }: KnownEvent,
    recurrence: string,
    from: string,
  ): boolean {
    const earlier = answers.find((each) => each.recurrence === recurrence && each.attendee === from)
    return !isAfter(version, earlier) || version.sequence < ((parts.get(recurrence) ?? main)?.sequence ?? 0)
  }

  function respond(
    org: number,
    id: string,
    from: string,
    response: Invitation['occurrences'][number]['appointment']['people'][number]['response'],
    isOfSeries: boolean,
  ): string | undefined {
    const before = events.meeting(org, id)
    if (isOfSeries && Date.parse(before.ends_at) <= clock.now()) return undefined
    const participants = before.participants.map((each) => (isPerson(org, each, from) ? { ...each, response } : each))
    try {
      patch({ org, member: null }, before, { participants })
      return undefined
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return `The answer to "${before.title}" could not be stored: ${error.message}`
    }
  }

  return { note }
})
