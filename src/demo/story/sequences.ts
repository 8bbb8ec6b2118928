import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import { WORDS } from '../words/words.ts'
import { WORKING_DAY_MS, workingTime } from './calendar.ts'
import { told } from './conversations.ts'
import { mail } from './mail.ts'
import { pending } from './pending.ts'
import { random as randomOf } from './random.ts'
import { LIFE_MS } from './sales.ts'
import type { Profile, Step } from './steps.ts'

// Keys of the sequences.
const NEW_LEADS = 'new_leads'
const AFTER_DEMO = 'after_demo'
const WIN_BACK = 'win_back'
const TRADE_FAIR = 'trade_fair'

const AHEAD_MS = 40 * DAY_MS

const ENROLLED: Record<Profile, number> = { demo: 44, '10k': 500, '100k': 3000, '1m': 10_000 }

/** In working days before the end of the story; 65 are thirteen weeks. */
const SET_UP = 65
const PAUSED = 9
const GIVEN_UP = 38
/**
 * When contacts are enrolled, as shares of all enrollments. Enrollments that stay active start early enough that all
 * their mails are sent by the end of the story, and only a call or a task remains: an organisation without a mailbox
 * could not send more.
 */
const PLANS = [
  { key: NEW_LEADS, share: 0.44, from: 62, to: 5.5 },
  { key: AFTER_DEMO, share: 0.26, from: 61, to: 6.5 },
  { key: WIN_BACK, share: 0.18, from: 60, to: PAUSED + 0.5 },
  { key: TRADE_FAIR, share: 0.12, from: 64, to: 55 },
]
/** Working days after which the call or the task of a sequence is due. */
const LAST_STEP: Record<string, number> = { [NEW_LEADS]: 9, [AFTER_DEMO]: 12, [TRADE_FAIR]: 5 }
const LEFT = 0.12
/** The last enrollments get no answers, so that a few are active when the story ends. */
const STILL_DAYS = 4
/** Deals that began earlier are not followed. */
const FOLLOWED_MS = 130 * DAY_MS

type Fate = 'answers' | 'returns' | 'unsubscribes' | 'books' | 'is halted' | 'is silent'
/** Used in turn, reshuffled each time. */
const FATES: Fate[] = [
  ...Array<Fate>(6).fill('answers'),
  ...Array<Fate>(2).fill('books'),
  'returns',
  'unsubscribes',
  'is halted',
  ...Array<Fate>(11).fill('is silent'),
]
/** Candidates kept per sequence. */
const NEWEST = 60

type Lead = { contact: number; deal?: number; owner?: number | undefined }
/** An enrollment: sequence, contact, deal and the member responsible. */
type About = { key: string; contact: number; deal: number | undefined; owner: number }

/**
 * Adds the team's sequences, enrollments and the reactions of contacts to a story. It has its own random generator, so
 * that it does not change the story.
 */
export function* outreach(
  story: Iterable<Step>,
  { seed, profile, asOf }: { seed: number; profile: Profile; asOf: number },
): Generator<Step> {
  const random = randomOf(seed + 2 ** 42)
  const desk = workingTime(asOf - LIFE_MS, asOf + AHEAD_MS)
  const end = desk.of(asOf)
  const due = pending()
  const acts: ((at: number) => Iterable<Step>)[] = []
  const team: { first: string; name: string }[] = []
  const sellers: number[] = []
  // By the number of the contact.
  const firsts: string[] = []
  const lasts: string[] = []
  const isReachable: boolean[] = []
  const companies: (number | undefined)[] = []
  const taken = new Set<number>()
  const partners = new Map<number, Lead>()
  const leads = new Map<string, Lead[]>(PLANS.map(({ key }) => [key, []]))
  let fates: Fate[] = []
  let enrolled = 0

  before(SET_UP, (at) => [{ do: 'sequences', at }])
  for (const { key, share, from, to } of PLANS) {
    const all = Math.round(ENROLLED[profile] * share)
    for (let one = 0; one < all; one++) {
      const progress = Math.sqrt((one + random.next()) / all) // business grows
      const days = from + (to - from) * progress
      before(days, (at) => enroll(at, key, days - to < STILL_DAYS))
    }
  }
  before(PAUSED, (at) => [{ do: 'retire', at, key: WIN_BACK, status: 'paused' }])
  before(GIVEN_UP, (at) => [{ do: 'retire', at, key: TRADE_FAIR, status: 'archived' }])

  for (const step of story) {
    yield* until(step.at)
    yield step
    see(step)
  }
  yield* until(asOf)

  /** Plans an act this many working days before the end of the story. */
  function before(days: number, act: (at: number) => Iterable<Step>): void {
    later(desk.at(end - days * WORKING_DAY_MS), act)
  }

  /** Drops acts after the end of the story. */
  function later(at: number, act: (at: number) => Iterable<Step>): void {
    if (at > asOf) return
    due.add(at, acts.push(act) - 1)
  }

  /** Adds working hours to a time. */
  function after(at: number, hours: number): number {
    return desk.at(desk.of(at) + hours * HOUR_MS)
  }

  function* until(at: number): Generator<Step> {
    while (due.time() <= at) {
      const now = due.time()
      yield* (acts[due.take()] as (typeof acts)[number])(now)
    }
  }

  function see(step: Step): void {
    if (step.do === 'member') {
      const { name, role } = step.given
      team[step.ref] = { first: name.split(' ')[0] as string, name }
      if (role !== 'viewer') sellers.push(step.ref)
    }
    if (step.do === 'contact') meet(step)
    if (step.do === 'deal' && step.contact !== undefined && asOf - step.at < FOLLOWED_MS) {
      const lead = { contact: step.contact, deal: step.ref, owner: step.owner }
      partners.set(step.ref, lead)
      remember(NEW_LEADS, lead)
    }
    if (step.do === 'move' && step.position > 0) remember(AFTER_DEMO, partners.get(step.deal))
    if (step.do === 'close') {
      if (step.outcome === 'lost') remember(WIN_BACK, partners.get(step.deal))
      partners.delete(step.deal)
    }
  }

  function meet({ ref, given, company }: Extract<Step, { do: 'contact' }>): void {
    firsts[ref] = given.first_name
    lasts[ref] = given.last_name
    companies[ref] = company
    isReachable[ref] = given.emails.length > 0 && !given.do_not_contact
    remember(TRADE_FAIR, { contact: ref })
  }

  function remember(key: string, lead: Lead | undefined): void {
    const known = leads.get(key) as Lead[]
    if (lead) known.push(lead)
    if (known.length > NEWEST) known.shift()
  }

  function colleague(ref: number) {
    return team[ref] as (typeof team)[number]
  }

  function isFree({ contact }: Lead): boolean {
    return isReachable[contact] === true && !taken.has(contact)
  }

  /** Returns a contact that fits the sequence, else any known contact. */
  function leadFor(key: string): Lead | undefined {
    const fitting = (leads.get(key) as Lead[]).filter(isFree)
    if (fitting.length > 0) return random.pick(fitting)
    const anybody = Array.from({ length: 20 }, () => ({ contact: random.int(firsts.length) }))
    return anybody.find(isFree)
  }

  function* enroll(at: number, key: string, isStill: boolean): Generator<Step> {
    const lead = leadFor(key)
    if (!lead) return
    const { contact, deal, owner = random.pick(sellers) } = lead
    taken.add(contact)
    const ref = enrolled++
    yield { do: 'enroll', at, ref, key, contact, deal, by: owner }
    happen(at, ref, { key, contact, deal, owner }, isStill ? 'is silent' : nextFate())
  }

  function nextFate(): Fate {
    if (fates.length === 0) fates = random.shuffled(FATES)
    return fates.pop() as Fate
  }

  /** Plans the outcome of an enrollment; the story may prevent it by closing the deal or by another meeting. */
  function happen(at: number, enrollment: number, about: About, fate: Fate): void {
    const { key, owner } = about
    // Some answer the first mail, others the second.
    const hours = (key === WIN_BACK ? 26 : 2) + Math.min(random.logNormal(14, 0.8), 60)
    if (fate === 'answers') later(after(at, hours), (now) => answer(now, enrollment, about))
    if (fate === 'books') later(after(at, hours), (now) => book(now, enrollment, about))
    if (fate === 'unsubscribes') later(after(at, hours), (now) => [{ do: 'unsubscribe', at: now, enrollment }])
    if (fate === 'returns')
      later(after(at, key === WIN_BACK ? 28 : 4), (now) => [{ do: 'bounce', at: now, enrollment, why: WORDS.gone }])
    if (fate === 'is halted') {
      const status = key === WIN_BACK && random.chance(0.5) ? 'paused' : 'stopped'
      later(after(at, hours), (now) => [{ do: 'halt', at: now, enrollment, by: owner, status }])
    }
    const days = LAST_STEP[key]
    if (days !== undefined && !random.chance(LEFT))
      later(after(at, days * 8 + random.between(9, 30)), (now) => [{ do: 'clear', at: now, enrollment }])
  }

  function* answer(at: number, enrollment: number, { contact, owner: by }: About): Generator<Step> {
    const first = firsts[contact] as string
    const them = { first, name: `${first} ${lasts[contact]}`, isTeam: false }
    const us = { ...colleague(by), isTeam: true }
    const said = random.pick(WORDS.answers)
    const ids = (name: string, domain: string) => ({ external_id: `<${name}-${enrollment}@${domain}.example>` })
    const theirs = mail(random, said.them, { from: them, to: us.first, before: undefined })
    yield { do: 'answer', at, enrollment, given: { direction: 'inbound', ...theirs, ...ids('answer', 'mail') } }
    const isClosed = random.chance(0.9)
    const ours = mail(random, said.us, { from: us, to: them.first, before: said.them })
    later(after(at, random.logNormal(2, 0.7)), (now) => {
      const given = { direction: 'outbound' as const, ...ours, ...ids('thanks', 'northwind-demo') }
      return [{ do: 'answer', at: now, enrollment, by, given, isClosed }]
    })
  }

  function* book(at: number, enrollment: number, { contact, deal, owner: by }: About): Generator<Step> {
    const words = { us: colleague(by).first, them: firsts[contact] as string }
    const day = Math.floor(desk.of(at) / WORKING_DAY_MS) + random.between(1, 6)
    const start = desk.at(day * WORKING_DAY_MS + random.between(1, 12) * 30 * MINUTE_MS)
    const given = {
      title: told(WORDS.booked.title, words),
      description: null,
      starts_at: new Date(start).toISOString(),
      ends_at: new Date(start + 30 * MINUTE_MS).toISOString(),
      timezone: 'Europe/Berlin',
      location: null,
      conference_url: `https://meet.example/call-${enrollment}`,
      ical_uid: `call-${enrollment}@northwind-demo.example`,
    }
    yield {
      do: 'book',
      at,
      enrollment,
      by,
      given,
      guests: [
        { member: by, role: 'organizer', response: 'accepted' },
        { contact, role: 'attendee', response: 'accepted' },
      ],
      company: companies[contact],
      deal,
    }
    const summary = random.chance(0.7) ? WORDS.booked.summary : null
    later(start + 35 * MINUTE_MS, (now) => [
      { do: 'met', at: now, enrollment, by, given: { status: 'completed', summary, recording_url: null } },
    ])
  }
}
