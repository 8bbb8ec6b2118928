import { type Deps, once } from '../deps.ts'
import type { Appointment } from '../lib/icalendar/appointment.ts'
import { timeInUid } from '../lib/icalendar/series.ts'
import type { Invitation, Version } from '../lib/mail/mail.ts'
import { type Texts, textsOf } from '../meetings/invitation-versions.ts'
import type { Meeting } from '../meetings/meeting.ts'
import { isAfter, type KnownEvent, knownEvents, sendersAfter } from './known-events.ts'
import { type Link, meetingWriter } from './meeting-writer.ts'

type Occurrence = Invitation['occurrences'][number]

const ONWARD = 'This mail changes one meeting of a series and all later ones. Only the first of them was changed here.'

/** Takes over what organizers send: meetings, changes and cancellations. */
export const organizerStore = once((deps: Deps) => {
  const { clock } = deps
  const events = knownEvents(deps)
  const write = meetingWriter(deps)

  /** METHOD:REQUEST. Returns why some meetings were not written. */
  function request(org: number, from: string, invitation: Invitation, known: KnownEvent, link: Link): string[] {
    const { main, occurrences, uid } = invitation
    const writing = write(org, link)
    const senders = sendersAfter(known, from, invitation)
    const isNew = main !== null && isAfter(main, known.main)
    const rises = main !== null && main.sequence > (known.main?.sequence ?? -1)
    const isAhead = ({ starts }: Appointment) => starts > (known.main?.until ?? Number.POSITIVE_INFINITY)
    const made: Occurrence[] = []

    for (const occurrence of occurrences) {
      const { own, appointment } = occurrence
      const part = known.parts.get(appointment.uid)
      if (own ? !isOwnNews(own, part, known.main) : !isNew || (part && part.sequence >= main.sequence)) continue
      if (!own && part) events.versions.forget(org, uid, appointment.uid)
      const before = own ? (part ?? known.main) : known.main
      const isRise = (isNew && rises) || (own !== null && own.sequence > (before?.sequence ?? -1))
      const id = known.meetings.get(appointment.uid)
      if (id) writing.change(id, { occurrence, texts: before?.texts ?? {}, rises: isRise })
      else if ((isRise || isAhead(appointment)) && !occurrence.isCanceled) made.push(occurrence)
      if (own) keep(org, uid, appointment.uid, own, senders, textsOf(appointment), null)
      if (own && occurrence.isOnward && !main) writing.notes.push(ONWARD)
    }

    // An event that was moved as a whole has occurrences with other uids: the meetings move along, in their order.
    const gone = isNew && !invitation.isCut ? left(org, invitation, known, link) : []
    made.sort((one, other) => one.appointment.starts - other.appointment.starts)
    for (const occurrence of made) {
      const moved = rises ? gone.shift() : undefined
      if (moved)
        writing.change(
          moved.id,
          { occurrence, texts: known.main?.texts ?? {}, rises: true },
          occurrence.appointment.uid,
        )
      else writing.create(occurrence)
    }
    for (const { id } of gone) writing.cancel(id)
    if (isNew) {
      const first = occurrences.find(({ own }) => own === null)
      const until = invitation.isSeries ? invitation.until : null
      keep(org, uid, '', main, senders, first ? textsOf(first.appointment) : (known.main?.texts ?? {}), until)
    }
    return writing.notes
  }

  /** Scheduled meetings of the event that it no longer contains, in the order of their start. */
  function left(org: number, { occurrences }: Invitation, known: KnownEvent, { arrivedAt }: Link): Meeting[] {
    const there = new Set(occurrences.map(({ appointment }) => appointment.uid))
    const from = Math.min(arrivedAt, clock.now())
    return [...known.meetings]
      .flatMap(([uid, id]) => (there.has(uid) ? [] : [events.meeting(org, id)]))
      .filter(({ status, starts_at }) => status === 'scheduled' && Date.parse(starts_at) >= from)
      .sort((one, other) => (one.starts_at < other.starts_at ? -1 : 1))
  }

  /** METHOD:CANCEL. Meetings stay, with the status canceled. Returns why some could not be canceled. */
  function cancel(org: number, from: string, invitation: Invitation, known: KnownEvent, link: Link): string[] {
    const { main, occurrences, uid, organizers } = invitation
    // Else a stranger could cancel a meeting before its invitation arrives.
    if (known.meetings.size === 0 && !organizers.includes(from)) return []
    const writing = write(org, link)
    const senders = sendersAfter(known, from, invitation)
    if (main) {
      for (const id of known.meetings.values()) {
        const isOver = known.meetings.size > 1 && Date.parse(events.meeting(org, id).ends_at) <= link.arrivedAt
        if (!isOver) writing.cancel(id)
      }
      keep(org, uid, '', main, senders, known.main?.texts ?? {}, null)
      return writing.notes
    }
    for (const { own, appointment, isOnward } of occurrences) {
      const part = known.parts.get(appointment.uid)
      if (!own || (part && isAfter(part, own)) || own.sequence < (known.main?.sequence ?? 0)) continue
      const at = timeInUid(appointment.uid) ?? 0
      for (const [each, id] of known.meetings)
        if (each === appointment.uid || (isOnward && (timeInUid(each) ?? 0) >= at)) writing.cancel(id)
      keep(org, uid, appointment.uid, own, senders, part?.texts ?? {}, null)
    }
    return writing.notes
  }

  function keep(
    org: number,
    uid: string,
    recurrence: string,
    version: Version,
    senders: string[],
    texts: Texts,
    until: number | null,
  ): void {
    events.versions.keep(org, { uid, recurrence, attendee: '', ...version, senders, texts, until })
  }

  return { request, cancel }
})

/** Whether the version of an occurrence is newer than what is known of it, or of its series. */
const isOwnNews = (own: Version, part: Version | undefined, main: Version | undefined): boolean =>
  part ? isAfter(own, part) : own.sequence >= (main?.sequence ?? 0)
