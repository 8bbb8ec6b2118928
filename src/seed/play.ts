import { hash } from 'node:crypto'
import type { Caller } from '../lib/caller.ts'
import { type Randomness, startClock } from '../lib/id.ts'
import { conflict } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import { companyStore } from '../resources/companies.ts'
import { contactStore } from '../resources/contacts.ts'
import { type Deal, dealStore } from '../resources/deals.ts'
import { type Deps, resourceDeps } from '../resources/deps.ts'
import { tagStore } from '../resources/tags.ts'
import type { Store } from '../store/open.ts'
import { life } from './life.ts'
import { random } from './random.ts'
import type { Profile, Step } from './steps.ts'

export type SeedOptions = {
  org: number
  seed: number
  profile: Profile
  asOf: number
  onProgress?: (steps: number) => void
}

/** How many records of each kind a seed made. */
export type Seeded = Record<'members' | 'tags' | 'companies' | 'contacts' | 'deals', number>

/** Steps in a transaction: a server that runs on the folder waits while one is written, up to a second. */
const BATCH = 5000

/**
 * Plays the life of a sales team into an organisation, through the functions that the interface calls, so that every
 * rule holds and every event is there. The clock follows the story. Throws Problem 409 for
 * an organisation that has records.
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
  const { playStep, finish } = player(store, clock, org, profile === 'demo')
  const made: Seeded = { members: 0, tags: 0, companies: 0, contacts: 0, deals: 0 }
  const steps = life({ seed, profile, asOf })
  let played = 0
  let step = steps.next()
  while (!step.done) {
    store.transaction(() => {
      for (let n = 0; n < BATCH && !step.done; n++) {
        at = step.value.at
        playStep(step.value)
        const kind = MADE[step.value.do]
        if (kind) made[kind]++
        played++
        step = steps.next()
      }
    })
    onProgress?.(played)
  }
  at = asOf
  store.transaction(finish)
  return made
}

const MADE: Partial<Record<Step['do'], keyof Seeded>> = {
  member: 'members',
  tag: 'tags',
  company: 'companies',
  contact: 'contacts',
  deal: 'deals',
}

function setPragmas({ db }: Store, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) db.pragma(`${name} = ${value}`)
}

/** `stepByStep`: every change of a deal is written with its event, else each deal once, as it is in the end. */
function player({ db }: Store, clock: Store['clock'], org: number, stepByStep: boolean) {
  const deps = resourceDeps({ db, clock })
  const [companies, contacts, tags] = [companyStore(deps), contactStore(deps), tagStore(deps)]
  const deals = stepByStep ? { ...dealStore(deps), add: () => undefined } : writtenOnce(deps)
  const addMember = db.prepare(
    `INSERT INTO members (org_id, id, name, email, role, status, timezone, created_at, updated_at, version)
     VALUES (?, ?, ?, ?, ?, 'active', ?, ?, ?, 1)`,
  )
  const list = (sql: string) => db.prepare(sql).pluck().all(org) as string[]
  const stages = list(
    `SELECT stages.id FROM stages JOIN pipelines ON pipelines.org_id = stages.org_id AND pipelines.id = stages.pipeline_id
     WHERE stages.org_id = ? AND is_default = 1 AND is_open = 1 ORDER BY stages.position`,
  )
  const reasons = {
    won: list("SELECT id FROM close_reasons WHERE org_id = ? AND outcome = 'won' AND is_active = 1 ORDER BY position"),
    lost: list(
      "SELECT id FROM close_reasons WHERE org_id = ? AND outcome = 'lost' AND is_active = 1 ORDER BY position",
    ),
  }
  if (stages.length === 0 || reasons.won.length === 0 || reasons.lost.length === 0) {
    throw conflict(
      'no_pipeline',
      'The seed needs a default pipeline and close reasons of both outcomes; apply settings that have them.',
    )
  }
  const ids: Record<'member' | 'tag' | 'company' | 'contact', string[]> = {
    member: [],
    tag: [],
    company: [],
    contact: [],
  }
  // Deals that are still moving; a closed one is not needed again.
  const open = new Map<number, Deal>()
  let who: Caller = { org, member: null }

  const idOf = (kind: keyof typeof ids, ref: number | undefined): string | null =>
    ref === undefined ? null : (ids[kind][ref] as string)
  const tagIds = (refs: readonly number[]): string[] => refs.map((ref) => ids.tag[ref] as string)

  /** What is done with a deal is done by its owner. */
  const byOwner = ({ owner_id }: Deal): Caller => ({ org, member: owner_id })

  function playStep(step: Step): void {
    switch (step.do) {
      case 'member': {
        const { name, email, role, timezone } = step.given
        const id = clock.id()
        addMember.run(org, id, name, email, role, timezone, clock.now(), clock.now())
        ids.member[step.ref] = id
        who = { org, member: ids.member[0] as string }
        return
      }
      case 'tag':
        ids.tag[step.ref] = tags.create(who, step.given).id
        return
      case 'company': {
        const links = {
          owner_id: idOf('member', step.owner),
          parent_company_id: idOf('company', step.parent),
          tag_ids: tagIds(step.tags),
        }
        ids.company[step.ref] = companies.create(who, { ...step.given, ...links }).id
        return
      }
      case 'contact': {
        const links = {
          owner_id: idOf('member', step.owner),
          company_id: idOf('company', step.company),
          tag_ids: tagIds(step.tags),
        }
        ids.contact[step.ref] = contacts.create(who, { ...step.given, ...links }, {}).id
        return
      }
      case 'deal': {
        const owner_id = idOf('member', step.owner)
        const links = {
          owner_id,
          company_id: idOf('company', step.company),
          primary_contact_id: idOf('contact', step.contact),
          tag_ids: tagIds(step.tags),
        }
        open.set(step.ref, deals.create({ org, member: owner_id ?? who.member }, { ...step.given, ...links }))
        return
      }
    }
    const deal = open.get(step.deal) as Deal
    if (step.do === 'close') {
      const choice = reasons[step.outcome]
      deals.close(byOwner(deal), deal, { reason_id: choice[step.reason % choice.length] as string })
      open.delete(step.deal)
    } else {
      const given =
        step.do === 'move' ? { stage: stages[Math.min(step.position, stages.length - 1)] as string } : step.given
      open.set(step.deal, deals.patch(byOwner(deal), deal, given))
    }
  }

  function finish(): void {
    for (const deal of open.values()) deals.add(byOwner(deal), deal)
  }

  return { playStep, finish }
}

/**
 * The life of a deal in memory, for the large profiles: five times fewer writes. A deal is added when it is closed or
 * when the story ends, with the one event of that.
 */
function writtenOnce(deps: Deps) {
  const { draft, closed, add } = dealStore(deps)
  const now = () => rfc3339(deps.clock.now())

  return {
    create: draft,
    patch: (_who: Caller, deal: Deal, given: Partial<Deal>): Deal =>
      Object.assign(deal, given, { updated_at: now() }, given.stage === undefined ? {} : { stage_changed_at: now() }),
    close: (who: Caller, deal: Deal, given: { reason_id: string }): Deal =>
      add(who, { ...closed(who, deal, given), stage_changed_at: now(), updated_at: now() }),
    add,
  }
}

function refuseUnlessEmpty({ db }: Store, org: number): void {
  for (const table of ['deals', 'companies', 'contacts', 'tags']) {
    if (db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? LIMIT 1`).get(org)) {
      throw conflict('not_empty', `The organisation has ${table} already; a seed goes into one without records.`)
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
