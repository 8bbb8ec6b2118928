import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { type DealContext, type MeetingKind, type Topic, WORDS } from '../words/words.ts'
import { WORKING_DAY_MS, workingTime } from './calendar.ts'
import { conversationBook, type Ending, KEY_TAG, type Later, type Partner } from './conversations.ts'
import { appointments } from './meetings.ts'
import { pending } from './pending.ts'
import { dealContext, faces, type Known } from './people.ts'
import { random as randomOf } from './random.ts'
import { LIFE_MS } from './sales.ts'
import { holidays, KEY_DAYS } from './sla.ts'
import type { Profile, Step } from './steps.ts'

/** How far ahead meetings are arranged and conversations snoozed. */
const AHEAD_MS = 40 * DAY_MS

/**
 * Rates per deal; `cares` per won deal; one transcript for `every` meetings. The demo has a full inbox; with hundreds
 * of thousands of deals it would take as long as everything else.
 */
const LARGE = { talks: 0.012, cares: 0.05, strangers: 0.0008, meetings: 0.014, reviews: 0, every: 20, most: 20 }
const PACE: Record<Profile, typeof LARGE> = {
  demo: { talks: 0.42, cares: 0.8, strangers: 0.05, meetings: 0.36, reviews: 0.2, every: 3, most: 8 },
  '10k': { talks: 0.08, cares: 0.3, strangers: 0.004, meetings: 0.1, reviews: 0, every: 20, most: 20 },
  '100k': LARGE,
  '1m': LARGE,
}

/** Conversations unfinished on the last day, by working hours before the end. */
const UNFINISHED: { hours: number; on: DealContext; ending: Ending; priority?: 'high' }[] = [
  { hours: 30, on: 'won', ending: 'snoozed' },
  { hours: 26, on: 'won', ending: 'taken', priority: 'high' }, // unanswered for three days
  { hours: 24, on: 'early', ending: 'pending' },
  { hours: 16, on: 'late', ending: 'snoozed' },
  { hours: 14, on: 'late', ending: 'pending' },
  { hours: 2.8, on: 'won', ending: 'taken' },
  { hours: 1.9, on: 'late', ending: 'unread' },
  { hours: 1.2, on: 'early', ending: 'unread' },
  { hours: 0.6, on: 'new', ending: 'unread' },
]
const COMING_MEETINGS_HOURS = [20, 13, 9, 5, 2]

/**
 * Adds the conversations of the inbox and the meetings to a story. It has its own random generator, so that it does not
 * change the story, except that strangers become contacts by writing.
 */
export function* exchange(
  story: Iterable<Step>,
  { seed, profile, asOf }: { seed: number; profile: Profile; asOf: number },
): Generator<Step> {
  const random = randomOf(seed + 2 ** 41)
  const pace = PACE[profile]
  const isThorough = profile === 'demo'
  const desk = workingTime(asOf - LIFE_MS, asOf + AHEAD_MS)
  const end = desk.of(asOf)
  const due = pending()
  const acts = new Map<number, (at: number) => Iterable<Step>>()
  let planned = 0
  const known = faces(random, isThorough)
  const { open } = conversationBook({ random, desk, later, isThorough, member: known.member, tag: known.tag })
  const transcripts = { every: pace.every, most: pace.most }
  const { arrange } = appointments({ random, desk, later, member: known.member, anyone: known.anyone, transcripts })
  const decks = new Map<DealContext, Topic[]>()
  const owed = { talks: 0, cares: 0, strangers: 0, meetings: 0, reviews: 0 }

  for (const { hours, on, ending, priority } of UNFINISHED) {
    later(desk.at(end - hours * HOUR_MS), (at) => leaveOpen(at, on, ending, priority ? { priority } : {}))
  }
  for (const hours of COMING_MEETINGS_HOURS) later(desk.at(end - hours * HOUR_MS), comingMeeting)
  const risk = momentOfRisk()
  if (risk) later(risk.at, (at) => atRisk(at, risk.priority))

  for (const step of story) {
    yield* until(step.at)
    yield step
    known.see(step)
    if (step.do === 'tag' && step.given.name === KEY_TAG)
      yield { do: 'service', at: step.at, holidays: holidays(asOf - LIFE_MS, asOf), keyTag: step.ref }
    if (step.do === 'deal') yield* begun(step)
    if (step.do === 'move') yield* moved(step)
    if (step.do === 'close') yield* closed(step)
  }
  yield* until(asOf)

  /** Drops acts after the end of the story. */
  function later(...[at, act]: Parameters<Later>): void {
    if (at > asOf) return
    acts.set(planned, act)
    due.add(at, planned++)
  }

  function* until(at: number): Generator<Step> {
    while (due.time() <= at) {
      const now = due.time()
      const number = due.take()
      const act = acts.get(number) as (at: number) => Iterable<Step>
      acts.delete(number)
      yield* act(now)
    }
  }

  /** Accumulates the rate; returns true and subtracts one whenever a whole one has accumulated. */
  function owes(what: keyof typeof owed): boolean {
    owed[what] += pace[what]
    if (owed[what] < 1) return false
    owed[what] -= 1
    return true
  }

  function* begun(step: Extract<Step, { do: 'deal' }>): Generator<Step> {
    if (owes('strangers')) soon(step.at, 40, (at) => talk(at, known.stranger(), 'new'))
    if (step.contact === undefined) return
    const [talks, meets] = [owes('talks'), owes('meetings')]
    if (!talks && !meets && !isThorough && asOf - step.at > 60 * DAY_MS) return
    const deal = known.follow(step, step.contact)
    if (talks) soon(step.at, 200, (at) => talk(at, deal, dealContext(deal)))
    if (!meets) return
    if (random.chance(0.4)) yield* meeting(step.at, deal, 'call')
    else deal.meets = true
  }

  function* moved({ at, deal, position }: Extract<Step, { do: 'move' }>): Generator<Step> {
    const about = known.of(deal)
    if (!about?.meets || position === 0) return
    about.meets = false
    yield* meeting(at, about, position === 1 ? 'demo' : 'offer')
  }

  function* closed({ at, deal, outcome }: Extract<Step, { do: 'close' }>): Generator<Step> {
    const about = known.end(deal, outcome)
    if (about?.meets && outcome === 'lost') owed.meetings++ // another customer meets instead
    if (!about || outcome === 'lost') return
    if (about.meets) yield* meeting(at, about, 'kickoff')
    if (owes('cares')) soon(at, 400, (now) => talk(now, about, 'won'))
    if (owes('reviews')) later(desk.at(desk.of(at) + 90 * WORKING_DAY_MS), (now) => meeting(now, about, 'review'))
  }

  /** Plans an act after a random delay with a median of `hours` / 5 working hours. */
  function soon(at: number, hours: number, act: (at: number) => Iterable<Step>): void {
    later(desk.at(desk.of(at) + random.logNormal(hours / 5, 1) * HOUR_MS), act)
  }

  function* talk(
    at: number,
    partner: Partner,
    on: DealContext,
    ending?: Ending,
    more: Partial<Topic> = {},
  ): Generator<Step> {
    const topic = topicFor(partner, on, ending !== undefined)
    if (topic) yield* open(at, partner, { ...topic, ...more }, ending)
  }

  /** Draws the next fitting topic from a deck that is reshuffled once all were used. */
  function topicFor({ channels }: Partner, on: DealContext, theyBegin: boolean): Topic | undefined {
    for (let round = 0; round < 2; round++) {
      const deck = decks.get(on) ?? []
      const place = deck.findIndex(
        ({ channels: all, lines }) =>
          all.some((channel) => channels.includes(channel)) && !(theyBegin && lines[0]?.by !== 'them'),
      )
      if (place >= 0) return deck.splice(place, 1)[0]
      const fresh = [...WORDS.sales, ...WORDS.service].filter((topic) => topic.on === on)
      decks.set(on, [...deck, ...random.shuffled(fresh)])
    }
    return undefined
  }

  function* leaveOpen(at: number, on: DealContext, ending: Ending, more: Partial<Topic>): Generator<Step> {
    if (on === 'new') {
      yield* talk(at, known.stranger(), on, ending, more)
      return
    }
    const all = on === 'won' ? known.customers : known.recent.filter((deal) => dealContext(deal) === on)
    const partner = all.length > 0 ? random.pick(all) : someone()
    if (partner) yield* talk(at, partner, dealContext(partner), ending, more)
  }

  function* comingMeeting(at: number): Generator<Step> {
    const deal = someone()
    const kind = deal && (deal.outcome ? 'review' : deal.stage === 0 ? 'call' : deal.stage === 1 ? 'demo' : 'offer')
    if (deal && kind) yield* meeting(at, deal, kind, random.between(4, 9))
  }

  function someone(): Known | undefined {
    const all = known.recent.length > 0 ? known.recent : known.customers
    return all.length > 0 ? random.pick(all) : undefined
  }

  function meeting(at: number, deal: Known, kind: MeetingKind, days?: number): Iterable<Step> {
    return arrange(at, kind, deal, known.beside(deal), days)
  }

  /** Opens a conversation of a key account whose SLA target is nine tenths used up when the story ends. */
  function* atRisk(at: number, priority: keyof typeof KEY_DAYS): Generator<Step> {
    const partner = someone()
    const urgency = priority === 'normal' ? {} : { priority }
    if (partner) yield* open(at, { ...partner, isKey: true }, { ...WORDS.openPoints, ...urgency }, 'taken')
  }

  /** Returns when to open it, in working time; the priority determines how long the target is. */
  function momentOfRisk(): { at: number; priority: keyof typeof KEY_DAYS } | undefined {
    for (const priority of ['high', 'normal', 'low'] as const) {
      const whole = KEY_DAYS[priority] * DAY_MS
      for (const used of [0.9, 0.98]) {
        const at = desk.at(desk.of(asOf - used * whole))
        if (at < asOf - 0.81 * whole) return { at, priority }
      }
    }
    return undefined
  }
}
