import { hash } from 'node:crypto'
import { type Randomness, startClock } from '../../lib/id.ts'
import { conflict } from '../../lib/problem.ts'
import { batches, type Pace } from '../../store/batches.ts'
import { hideJobs } from '../../store/jobs/hidden-jobs.ts'
import type { CommandStore } from '../../store/open.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { countRows, hasRows } from '../../store/schema/tables.ts'
import { enlargeCache } from '../../store/sqlite/cache.ts'
import { exchange } from '../story/inbox.ts'
import { random } from '../story/random.ts'
import { life } from '../story/sales.ts'
import { outreach } from '../story/sequences.ts'
import type { Profile } from '../story/steps.ts'
import { work } from '../story/work.ts'
import { inOneCurrency } from './one-currency.ts'
import { recordReplayer } from './records.ts'

export type SeedOptions = {
  org: number
  seed: number
  profile: Profile
  asOf: number
  /** Events before this time are not written; all are by default. */
  eventsFrom?: number
  /** Of all amounts; those of the countries of the story by default. */
  currency?: string
  /** Called after each transaction. */
  onProgress?: (steps: number) => void
  pace?: Pace
}

const KINDS = [
  'members',
  'tags',
  'companies',
  'contacts',
  'deals',
  'notes',
  'tasks',
  'lists',
  'custom_fields',
  'meetings',
  'conversations',
  'messages',
  'sequences',
  'enrollments',
] as const

/** Records of each kind created by a seed. */
export type Seeded = Record<(typeof KINDS)[number], number>

/**
 * Replays the story of a sales team in an organisation, through the functions that the API calls, so that every rule
 * applies and every event is written. The clock follows the story. Throws Problem 409 if the organisation has records.
 */
export function replaySeed(store: CommandStore, options: SeedOptions): Seeded {
  const steps = seedBatches(store, options)
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      options.onProgress?.(value)
    }
  } finally {
    steps.return(undefined as never) // removes its own table, also if onProgress throws
  }
}

/** The same in batches: a server answers others between them. Yields the steps so far after each transaction. */
export function* seedBatches(store: CommandStore, options: SeedOptions): Generator<number, Seeded, void> {
  refuseUnlessEmpty(store, options.org)
  const { db, accessChanged } = store
  const resetCache = enlargeCache(db, 256)
  try {
    return yield* play(store, options)
  } finally {
    resetCache()
    accessChanged()
  }
}

function* play(
  store: CommandStore,
  { org, seed, profile, asOf, currency, eventsFrom, pace }: SeedOptions,
): Generator<number, Seeded, void> {
  const batch = batches(store, pace)
  let at = 0
  // The ids differ between organisations, though the same seed creates the same records in each.
  const clock = startClock(() => at, undefined, seededBytes(`${seed} ${orgOf(store.db, org).public_id}`))
  const { playStep, finish, takeBack, due } = recordReplayer(store, clock, org, {
    stepByStep: profile === 'demo',
    eventsFrom,
  })
  // A change can make something due that would have been due before it: a raised priority has an earlier deadline.
  const setClock = (to: number) => void (at = Math.max(at, to))
  const before = countsOf(store, org)
  const options = { seed, profile, asOf }
  const story = outreach(exchange(work(life(options), options), options), options)
  const steps = currency === undefined ? story : inOneCurrency(story, currency)
  let played = 0
  let step = steps.next()

  /** Continues the story until the batch is full; returns whether it has ended. */
  function goOn(isFull: () => boolean): boolean {
    for (;;) {
      const to = step.done ? asOf : step.value.at
      if (!due.until(to, setClock, isFull)) return false
      setClock(to)
      if (step.done) return true
      playStep(step.value)
      played++
      step = steps.next()
      if (isFull()) return false
    }
  }

  // A server on the same folder has another clock and must not run the jobs of the story.
  const jobs = hideJobs(store, batch, org)
  try {
    for (const part of [goOn, takeBack, finish]) while (!batch(part)) yield played
    jobs.release()
    yield played
  } finally {
    jobs.drop()
  }
  const made = countsOf(store, org)
  for (const kind of KINDS) made[kind] -= before[kind]
  return made
}

/** Counts records by kind: a step of the story may create several, and some are created automatically. */
const countsOf = ({ db }: CommandStore, org: number): Seeded =>
  Object.fromEntries(KINDS.map((kind) => [kind, countRows(db, kind, org)])) as Seeded

const TABLES = [
  'deals',
  'companies',
  'contacts',
  'tags',
  'notes',
  'tasks',
  'lists',
  'custom_fields',
  'meetings',
  'conversations',
]

function refuseUnlessEmpty({ db }: CommandStore, org: number): void {
  for (const table of TABLES) {
    if (hasRows(db, table, org)) {
      throw conflict(
        'not_empty',
        `The organisation has ${table.replace('_', ' ')} already; a seed goes into one without records.`,
      )
    }
  }
}

/** Returns pseudorandom bytes seeded by a text, for the random part of ids. */
function seededBytes(text: string): Randomness {
  const { next } = random(hash('sha256', text, 'buffer').readUIntLE(0, 6))
  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(next() * 256)
  }
}
