import { hash } from 'node:crypto'
import { type Randomness, startClock } from '../lib/id.ts'
import { conflict } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'
import { exchange } from './exchange.ts'
import { life } from './life.ts'
import { outreach } from './outreach.ts'
import { player } from './player.ts'
import { random } from './random.ts'
import type { Profile } from './steps.ts'
import { work } from './work.ts'

export type SeedOptions = {
  org: number
  seed: number
  profile: Profile
  asOf: number
  onProgress?: (steps: number) => void
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

/** How many records of each kind a seed made. */
export type Seeded = Record<(typeof KINDS)[number], number>

/** Steps in a transaction: a server that runs on the folder waits while one is written, up to a second. */
const BATCH = 5000

/**
 * Plays the life of a sales team into an organisation, through the functions that the interface calls, so that every
 * rule holds and every event is there. The clock follows the story. Throws Problem 409 for an organisation that has
 * records.
 */
export function playSeed(store: Store, options: SeedOptions): Seeded {
  refuseUnlessEmpty(store, options.org)
  // Rows land all over the indexes: with little memory, and a checkpoint every 4 MB, pages are written many times.
  const usual = ['cache_size', 'wal_autocheckpoint'].map((name) => [name, store.db.pragma(name, { simple: true })])
  setPragmas(store, { cache_size: -262_144, wal_autocheckpoint: 32_768 })
  try {
    return play(store, options)
  } finally {
    setPragmas(store, Object.fromEntries(usual))
    store.accessChanged()
  }
}

function play(store: Store, { org, seed, profile, asOf, onProgress }: SeedOptions): Seeded {
  let at = 0
  // The ids differ from org to org, though the same seed makes the same records in each.
  const clock = startClock(() => at, undefined, seededBytes(`${seed} ${publicId(store, org)}`))
  const { playStep, finish, takeBack, due } = player(store, clock, org, profile === 'demo')
  const setClock = (to: number) => void (at = to)
  const before = countsOf(store, org)
  const options = { seed, profile, asOf }
  const steps = outreach(exchange(work(life(options), options), options), options)
  let played = 0
  let step = steps.next()
  while (!step.done) {
    store.transaction(() => {
      due.bringBack()
      for (let n = 0; n < BATCH && !step.done; n++) {
        due.until(step.value.at, setClock)
        setClock(step.value.at)
        playStep(step.value)
        played++
        step = steps.next()
      }
      if (!step.done) return due.setAside()
      due.until(asOf, setClock)
      setClock(asOf)
      takeBack()
    })
    onProgress?.(played)
  }
  while (store.transaction(() => finish(BATCH)));
  const made = countsOf(store, org)
  for (const kind of KINDS) made[kind] -= before[kind]
  return made
}

/** Of each kind: a step of the story may make several records, and some are made by themselves. */
const countsOf = ({ db }: Store, org: number): Seeded =>
  Object.fromEntries(
    KINDS.map((kind) => [kind, db.prepare(`SELECT count(*) FROM ${kind} WHERE org_id = ?`).pluck().get(org)]),
  ) as Seeded

function setPragmas({ db }: Store, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) db.pragma(`${name} = ${value}`)
}

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

function refuseUnlessEmpty({ db }: Store, org: number): void {
  for (const table of TABLES) {
    if (db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? LIMIT 1`).get(org)) {
      throw conflict(
        'not_empty',
        `The organisation has ${table.replace('_', ' ')} already; a seed goes into one without records.`,
      )
    }
  }
}

const publicId = ({ db }: Store, org: number): string =>
  db.prepare('SELECT public_id FROM orgs WHERE id = ?').pluck().get(org) as string

/** Bytes that follow from a text: the random part of the ids. */
function seededBytes(text: string): Randomness {
  const { next } = random(hash('sha256', text, 'buffer').readUIntLE(0, 6))
  return (bytes) => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(next() * 256)
  }
}
