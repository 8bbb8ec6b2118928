import { timeInUid } from '../lib/icalendar/series.ts'
import type { Invitation } from '../lib/mail/mail.ts'
import type { KnownEvent } from './known-events.ts'

type Occurrence = Invitation['occurrences'][number]

/**
 * A mail about one occurrence may name it in another form than its series did: as a day, without a zone, at midnight.
 * Returns the invitation with the uids that are known here. `zones` are those in which the series may have been written,
 * the likeliest first; the last one is that of the organisation.
 */
export function asKnown(invitation: Invitation, known: KnownEvent, zones: () => string[]): Invitation {
  if (!invitation.occurrences.some(({ named }) => named)) return invitation
  const uids = [...new Set([...known.meetings.keys(), ...known.parts.keys()])].filter(
    (uid) => timeInUid(uid) !== undefined,
  )
  const places = uids.length === 0 ? [] : zones()
  // A series may have a thousand, and a mail names hundreds.
  const timesIn = new Map(
    places.map((zone) => [zone, uids.map((each) => ({ uid: each, isDay: isDay(each), local: localOf(each, zone) }))]),
  )

  function uidOf({ named, appointment: { uid } }: Occurrence): string {
    if (!named || (uids.includes(uid) && !named.isFloating)) return uid
    const local = Temporal.PlainDateTime.from(named.local)
    const isWholeDay = named.isDay || local.toPlainTime().equals(MIDNIGHT)
    const ownDay = isWholeDay || named.isFloating ? local : localOf(uid, places.at(-1) ?? 'UTC')
    for (const times of timesIn.values()) {
      const found =
        times.find((each) => !each.isDay && !named.isDay && each.local.equals(local)) ??
        only(
          times.filter((each) => (isWholeDay || each.isDay) && each.local.toPlainDate().equals(ownDay.toPlainDate())),
        )
      if (found) return found.uid
    }
    return uid
  }

  const occurrences = invitation.occurrences.map((each) => ({
    ...each,
    appointment: { ...each.appointment, uid: uidOf(each) },
  }))
  return { ...invitation, occurrences }
}

const MIDNIGHT = Temporal.PlainTime.from('00:00')

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

const isDay = (uid: string): boolean => !uid.endsWith('Z')

/** The wall clock at the original time of an occurrence; a day is the same everywhere. */
const localOf = (uid: string, zone: string): Temporal.PlainDateTime =>
  Temporal.Instant.fromEpochMilliseconds(timeInUid(uid) as number)
    .toZonedDateTimeISO(isDay(uid) ? 'UTC' : zone)
    .toPlainDateTime()
