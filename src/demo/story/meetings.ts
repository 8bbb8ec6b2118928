import { MINUTE_MS } from '../../lib/time.ts'
import { type MeetingKind, WORDS } from '../words/words.ts'
import { WORKING_DAY_MS, type WorkingTime } from './calendar.ts'
import { type Later, type Partner, told } from './conversations.ts'
import type { Random } from './random.ts'
import { transcriptOf } from './speech.ts'
import type { Guest, HeldGiven, Step, Voice } from './steps.ts'

const HALF_HOUR_MS = 30 * MINUTE_MS

const CANCELED = 0.07
const NO_SHOW = 0.06
const ONLINE = 0.8
const SUMMED_UP = 0.65
const WITH_COLLEAGUE = 0.35
const WITH_GUEST = 0.12
const RESPONSES = ['accepted', 'accepted', 'accepted', 'tentative', 'pending'] as const
const ROOMS = ['At their office', 'Room 2', 'Room 4', 'Trade fair, hall 4']

/** A colleague at a meeting. */
type Colleague = { ref: number; first: string; name: string; zone: string }

type Meeters = {
  random: Random
  desk: WorkingTime
  later: Later
  member: (ref: number) => Colleague
  /** Returns any member. */
  anyone: () => Colleague
  /** One transcript for `every` meetings that took place, at most `most` in all. */
  transcripts: { every: number; most: number }
}

/** Generates meetings, from the day they are arranged. */
export function appointments({ random, desk, later, member, anyone, transcripts }: Meeters) {
  let count = 0
  let held = 0
  let written = 0

  /** `beside` is another contact of the same customer, who also attends. */
  function* arrange(
    at: number,
    kind: MeetingKind,
    partner: Partner & { who: { contact: number }; company?: number | undefined },
    beside: { contact: number; name: string } | undefined,
    days = random.between(1, 8),
  ): Generator<Step> {
    const ref = count++
    const host = member(partner.owner)
    const { title, minutes, description, summaries } = WORDS.meetings[kind]
    const words = {
      us: host.first,
      them: partner.first,
      firm: partner.firm,
      seats: partner.seats,
      module: random.pick(WORDS.modules),
      team: random.pick(WORDS.teams),
      day: random.pick(WORDS.days),
    }
    const day = Math.floor(desk.of(at) / WORKING_DAY_MS) + days
    const start = desk.at(day * WORKING_DAY_MS + random.between(1, 12) * HALF_HOUR_MS)
    const end = start + minutes * MINUTE_MS
    const room = random.chance(ONLINE) ? null : random.pick(ROOMS)
    const link = `https://meet.example/${letters(3)}-${letters(4)}-${letters(3)}`
    yield {
      do: 'meeting',
      at,
      ref,
      by: partner.owner,
      given: {
        title: told(title, words),
        description: description && told(description, words),
        starts_at: new Date(start).toISOString(),
        ends_at: new Date(end).toISOString(),
        timezone: host.zone,
        location: room,
        conference_url: room === null ? link : null,
        ical_uid: random.chance(0.7) ? `meeting-${ref}@northwind-demo.example` : null,
      },
      guests: guests(host, partner, beside),
      company: partner.company,
      deal: partner.deal,
    }
    const fate = random.next()
    if (fate < CANCELED) {
      later(between(at, start), (now) => hold(now, ref, host, 'canceled', null, null))
      return
    }
    const isMissed = fate < CANCELED + NO_SHOW
    const summary = random.chance(SUMMED_UP) ? told(random.pick(summaries), words) : null
    later(end + random.between(1, 25) * MINUTE_MS, (now) => {
      if (isMissed) return hold(now, ref, host, 'no_show', null, null)
      const isRecorded = room === null && written < transcripts.most && ++held % transcripts.every === 0
      if (isRecorded) record(now)
      return hold(now, ref, host, 'completed', summary, isRecorded ? `${link}/recording` : null)
    })

    function record(now: number): void {
      written++
      const voices: Voice[] = [
        { key: 'speaker_1', name: host.name, member: host.ref },
        { key: 'speaker_2', name: partner.name, contact: partner.who.contact },
        ...(beside ? [{ key: 'speaker_3', ...beside }] : []),
      ]
      later(now + random.between(5, 40) * MINUTE_MS, function* (then) {
        const given = transcriptOf(random, voices, words)
        yield { do: 'transcript', at: then, meeting: ref, by: host.ref, voices, given }
      })
    }
  }

  function* hold(
    at: number,
    meeting: number,
    host: Colleague,
    status: HeldGiven['status'],
    summary: string | null,
    recording_url: string | null,
  ): Generator<Step> {
    yield { do: 'held', at, meeting, by: host.ref, given: { status, summary, recording_url } }
  }

  function guests(
    host: Colleague,
    partner: { who: { contact: number } },
    beside: { contact: number } | undefined,
  ): Guest[] {
    const all: Guest[] = [{ member: host.ref, role: 'organizer', response: 'accepted' }]
    const attend = (guest: { contact: number } | { member: number } | { name: string; email: string }) =>
      all.push({ ...guest, role: 'attendee', response: random.pick(RESPONSES) })
    attend({ contact: partner.who.contact })
    if (beside) attend({ contact: beside.contact })
    const colleague = anyone()
    if (colleague.ref !== host.ref && random.chance(WITH_COLLEAGUE)) attend({ member: colleague.ref })
    if (random.chance(WITH_GUEST)) attend({ name: 'Robin Ashdown', email: 'robin@advisers.example' })
    return all
  }

  /** Returns a random working time between two instants. */
  function between(from: number, to: number): number {
    const first = desk.of(from)
    return desk.at(first + 1 + random.next() * (desk.of(to) - first - 1))
  }

  const letters = (many: number): string =>
    Array.from({ length: many }, () => String.fromCharCode(97 + random.int(26))).join('')

  return { arrange }
}
