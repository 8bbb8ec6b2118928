import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import { type Occasion, WORDS } from '../words/words.ts'
import { pending } from './pending.ts'
import { random as randomOf } from './random.ts'
import type { Profile, Step } from './steps.ts'

type Odds = Record<Occasion, number>
type Habits = {
  /** Odds of a note and of a task, by occasion. */
  note: Odds
  task: Odds
  /** A task is due within so many days. */
  days: number
  /** Share of tasks that are never done; of old ones, which somebody may have tidied away. */
  left: number
  leftOld: number
}
const FEW: Odds = { start: 0.08, move: 0.03, change: 0.02, won: 0.15, lost: 0.1 }
/** The demo team records everything, and mostly knows the next step of a deal. */
const HABITS: Record<'demo' | 'large', Habits> = {
  demo: {
    note: { start: 0.6, move: 0.4, change: 0.25, won: 0.8, lost: 0.6 },
    task: { start: 0.9, move: 0.85, change: 0.75, won: 0.7, lost: 0.3 },
    days: 22,
    left: 0.3,
    leftOld: 0,
  },
  large: { note: FEW, task: FEW, days: 12, left: 0.12, leftOld: 0.12 },
}
const OLD_DAYS = 9
/** Share of tasks that turn out to be useless. */
const CANCELED = 0.06
const PINNED = 0.05
const FAIR_MEMBERS = 25

type About = { deal: number; company: number; contact: number; owner: number; seats: number }

/**
 * Adds the daily work to a story: custom fields, lists, and notes and tasks about deals. It has its own random
 * generator, so that it does not change the story.
 */
export function* work(
  story: Iterable<Step>,
  { seed, profile, asOf }: { seed: number; profile: Profile; asOf: number },
): Generator<Step> {
  const random = randomOf(seed + 2 ** 40)
  const habits = HABITS[profile === 'demo' ? 'demo' : 'large']
  const open = new Map<number, About>()
  const due = pending()
  let tasks = 0
  let contacts = 0
  let hasFields = false
  let hasLists = false

  for (const step of story) {
    yield* finished(step.at)
    if (step.do === 'deal' && !hasLists) {
      hasLists = true
      yield* lists(step.at)
    }
    yield enriched(step)
    if (step.do === 'member' && !hasFields) {
      hasFields = true
      for (const [position, { options = [], ...given }] of WORDS.fields.entries())
        yield { do: 'field', at: step.at, given: { ...given, options: options.map(option), position } }
    }
    if (step.do === 'contact') contacts = step.ref + 1
    yield* around(step)
  }

  /** Yields tasks that are done or canceled by this time. */
  function* finished(at: number): Generator<Step> {
    while (due.time() <= at) {
      const how = random.chance(CANCELED) ? 'canceled' : 'done'
      yield { do: 'finish', at, task: due.take(), how }
    }
  }

  function* lists(at: number): Generator<Step> {
    const members = new Set<number>()
    while (members.size < Math.min(FAIR_MEMBERS, contacts)) members.add(random.int(contacts))
    const fair = {
      name: 'Met at the spring fair',
      object: 'contact',
      kind: 'static',
      description: 'Whoever left a card.',
    } as const
    yield { do: 'list', at, given: fair, contacts: [...members] }
    for (const given of WORDS.lists) yield { do: 'list', at, given: { ...given, kind: 'smart' }, contacts: [] }
  }

  /** Returns the record with values for the custom fields. */
  function enriched(step: Step): Step {
    if (step.do === 'company') {
      const staff = step.given.employee_count ?? 50
      const segment = staff >= 1000 ? 'enterprise' : staff >= 100 ? 'mid_market' : 'small'
      const number = random.chance(0.4) ? { customer_number: `K-${20_000 + step.ref}` } : {}
      const until = random.chance(0.3) ? { support_until: dateOf(asOf + random.between(-200, 500) * DAY_MS) } : {}
      return { ...step, given: { ...step.given, custom_fields: { segment, ...number, ...until } } }
    }
    if (step.do === 'contact') {
      const channel = random.chance(0.5) ? { preferred_channel: random.pick(['email', 'phone', 'letter']) } : {}
      const interests = ['planning', 'reports', 'mobile', 'support'].filter(() => random.chance(0.2))
      const liked = interests.length > 0 ? { interests } : {}
      return {
        ...step,
        given: { ...step.given, custom_fields: { ...channel, ...liked, newsletter: random.chance(0.35) } },
      }
    }
    if (step.do !== 'deal') return step
    const seats = seatsIn(step.given.title)
    const known = seats > 0 ? { seats } : {}
    const rival = random.chance(0.5)
      ? { competitor: random.pick(['none', 'spreadsheets', 'old_system', 'other_vendor']) }
      : {}
    const next = random.chance(0.3) ? { next_step: random.pick(WORDS.nextSteps) } : {}
    return { ...step, given: { ...step.given, custom_fields: { ...known, ...rival, ...next } } }
  }

  function* around(step: Step): Generator<Step> {
    if (step.do === 'deal') {
      const { ref, company = -1, contact = -1, owner = -1 } = step
      const about = { deal: ref, company, contact, owner, seats: seatsIn(step.given.title) }
      open.set(ref, about)
      yield* written('start', step.at, about)
      return
    }
    if (step.do !== 'move' && step.do !== 'change' && step.do !== 'close') return
    const about = open.get(step.deal) as About
    if (step.do === 'close') open.delete(step.deal)
    yield* written(step.do === 'close' ? step.outcome : step.do, step.at, about)
  }

  function* written(occasion: Occasion, at: number, { deal, company, contact, owner, seats }: About): Generator<Step> {
    const links = { deal: some(deal), company: some(company), contact: some(contact), by: some(owner) }
    if (random.chance(habits.note[occasion])) {
      const { title, body } = random.pick(WORDS.notes[occasion])
      const text = body
        .replace('{seats}', seats > 0 ? `${seats} seats` : 'one team')
        .replace('{part}', random.pick(WORDS.teams))
        .replace('{day}', random.pick(WORDS.days))
      yield { do: 'note', at, given: { title, body: text, is_pinned: random.chance(PINNED) }, ...links }
    }
    if (!random.chance(habits.task[occasion])) return
    const ref = tasks++
    const { title, type, body = null } = random.pick(WORDS.tasks[occasion])
    const dueAt = workday(at + random.between(1, habits.days) * DAY_MS)
    const priority = random.chance(0.15) ? 'high' : random.chance(0.15) ? 'low' : 'normal'
    yield {
      do: 'task',
      at,
      ref,
      given: { title, body, type, priority, due_at: new Date(dueAt).toISOString() },
      ...links,
    }
    const isOld = dueAt < asOf - OLD_DAYS * DAY_MS
    if (!random.chance(isOld ? habits.leftOld : habits.left)) due.add(dueAt + random.between(-20, 30) * HOUR_MS, ref)
  }
}

const COLORS = ['#1f6feb', '#2da44e', '#bf8700', '#cf222e', '#8250df']

const option = (label: string, index: number) => ({
  value: label.toLowerCase().replace(/[^a-z0-9]+/g, '_'),
  label,
  color: COLORS[index % COLORS.length] as string,
})

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Returns a full hour between 8 and 15 UTC, Monday to Friday. */
function workday(at: number): number {
  const hour = 8 + (Math.floor(at / HOUR_MS) % 8)
  const day = Math.floor(at / DAY_MS)
  const weekday = (day + 4) % 7 // 1970 began on a Thursday
  const free = weekday === 6 ? 2 : weekday === 0 ? 1 : 0
  return (day + free) * DAY_MS + hour * HOUR_MS
}

/** Returns the seats in a title; 0 if there are none. */
function seatsIn(title: string): number {
  return Number(/(\d+) (?:seats|users)/.exec(title)?.[1] ?? 0)
}

function some(ref: number): number | undefined {
  return ref < 0 ? undefined : ref
}
