import { hash } from 'node:crypto'
import { type Randomness, startClock } from '../lib/id.ts'
import { conflict } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'
import { exchange } from './exchange.ts'
import { life } from './life.ts'
import { player } from './player.ts'
import { random } from './random.ts'
import type { Profile, Step } from './steps.ts'
import { work } from './work.ts'

export type SeedOptions = {
  org: number
  seed: number
  profile: Profile
  asOf: number
  onProgress?: (steps: number) => void
}

/** How many records of each kind a seed made. */
export type Seeded = Record<
  | 'members'
  | 'tags'
  | 'companies'
  | 'contacts'
  | 'deals'
  | 'notes'
  | 'tasks'
  | 'lists'
  | 'custom_fields'
  | 'meetings'
  | 'conversations'
  | 'messages',
  number
>

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
  const { playStep, finish, due } = player(store, clock, org, profile === 'demo')
  const setClock = (to: number) => void (at = to)
  const made = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Seeded
  const options = { seed, profile, asOf }
  const steps = exchange(work(life(options), options), options)
  let played = 0
  let step = steps.next()
  while (!step.done) {
    store.transaction(() => {
      due.bringBack()
      for (let n = 0; n < BATCH && !step.done; n++) {
        due.until(step.value.at, setClock)
        setClock(step.value.at)
        if (playStep(step.value)) for (const kind of madeBy(step.value)) made[kind]++
        played++
        step = steps.next()
      }
      if (step.done) due.until(asOf, setClock)
      else due.setAside()
    })
    onProgress?.(played)
  }
  setClock(asOf)
  while (store.transaction(() => finish(BATCH)));
  return made
}

const MADE: Partial<Record<Step['do'], keyof Seeded>> = {
  member: 'members',
  tag: 'tags',
  company: 'companies',
  contact: 'contacts',
  deal: 'deals',
  note: 'notes',
  task: 'tasks',
  list: 'lists',
  field: 'custom_fields',
  meeting: 'meetings',
  talk: 'conversations',
  say: 'messages',
}
const KINDS: (keyof Seeded)[] = [...new Set(Object.values(MADE))]

/** The first message of a conversation makes that, too, and maybe the contact who wrote it. */
function madeBy(step: Step): (keyof Seeded)[] {
  const kind = MADE[step.do]
  if (!kind) return []
  if (step.do !== 'talk') return [kind]
  return 'from' in step ? [kind, 'messages', 'contacts'] : [kind, 'messages']
}

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
