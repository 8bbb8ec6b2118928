import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'
import { FACT, WORDS } from '../words/words.ts'
import { WORKING_DAY_MS, workingTime } from './calendar.ts'
import { companyBook } from './companies.ts'
import { contactBook } from './contacts.ts'
import { dealBook } from './deals.ts'
import { pending } from './pending.ts'
import { random as randomOf } from './random.ts'
import { type Profile, SIZES, type Step } from './steps.ts'
import { memberGiven, tagGiven } from './team.ts'

/** The facts of each tag as bits. */
const TAGS = WORDS.tags.map(({ on, odds }) => ({ odds, on: on.reduce((bits, fact) => bits | FACT[fact], 0) }))

export const LIFE_MS = 548 * DAY_MS
// The team imports its spreadsheets first: part of the companies and contacts, on the first two days.
const IMPORTED = 0.15
const IMPORT_BEGINS_MS = 60 * MINUTE_MS
const IMPORT_ENDS_MS = 2 * WORKING_DAY_MS
const FIRST_DEAL_MS = 2.2 * WORKING_DAY_MS
// Business grows: at the end, deals arrive (1 + 2 × GROWTH) times as often as at the beginning.
const GROWTH = 0.9

/**
 * Generates the story of a small sales team over the eighteen months that end at `asOf` (epoch milliseconds), step by
 * step in order of time. The same options give the same steps on every machine. Memory grows by a few bytes per record,
 * not with the number of steps.
 */
export function* life({ seed, profile, asOf }: { seed: number; profile: Profile; asOf: number }): Generator<Step> {
  const size = SIZES[profile]
  const random = randomOf(seed)
  const time = workingTime(asOf - LIFE_MS, asOf)
  const companies = companyBook(random, size.companies)
  const contacts = contactBook(random, size.contacts, companies)
  const deals = dealBook(random, { size: size.deals, isDemo: profile === 'demo' }, companies, contacts)
  // Waiting entries: an open deal by its ref, or a member or tag by -1 - (its index in `newcomers`).
  const waiting = pending()
  const newcomers: { do: 'member' | 'tag'; ref: number }[] = []
  const sellers: number[] = []
  let tagsSoFar = 0
  // The working time of the next step.
  let now = 0

  for (let ref = 0; ref < size.members; ref++) {
    const isFounder = ref < 4 || ref < size.members / 2
    const share = (ref + 1) / (size.members + 2)
    announce('member', ref, isFounder ? ref * MINUTE_MS : share * time.total)
  }
  for (let ref = 0; ref < size.tags; ref++) {
    const isEarly = ref < size.tags / 2
    announce('tag', ref, isEarly ? (20 + ref) * MINUTE_MS : (ref / size.tags - 0.45) * time.total)
  }

  yield* until(IMPORT_BEGINS_MS)
  for (const step of story()) {
    yield* until(now)
    yield step
  }
  yield* until(time.total)

  function announce(what: 'member' | 'tag', ref: number, work: number): void {
    waiting.add(work, -newcomers.length - 1)
    newcomers.push({ do: what, ref })
  }

  /** Yields everything that is due up to this time. */
  function* until(work: number): Generator<Step> {
    while (waiting.time() <= work) {
      const due = waiting.time()
      const what = waiting.take()
      const step = what < 0 ? arrive(-what - 1, time.at(due)) : deals.advance(what, time.at(due))
      if (what >= 0) plan(what, due)
      if (step) yield step
    }
  }

  function arrive(index: number, at: number): Step {
    const { do: what, ref } = newcomers[index] as (typeof newcomers)[number]
    if (what === 'tag') {
      tagsSoFar = ref + 1
      return { do: 'tag', at, ref, given: tagGiven(ref) }
    }
    const given = memberGiven(ref)
    if (given.role !== 'viewer') sellers.push(ref)
    return { do: 'member', at, ref, given }
  }

  function plan(deal: number, work: number): void {
    const days = deals.rest(deal)
    const next = work + days * WORKING_DAY_MS
    if (days > 0 && next <= time.total) waiting.add(next, deal)
  }

  /**
   * Yields companies, contacts and deals as they arrive: first the import, then deal by deal with what each one brings.
   */
  function* story(): Generator<Step> {
    const importedCompanies = Math.round(size.companies * IMPORTED)
    const importedContacts = Math.round(size.contacts * IMPORTED)
    const gap = (IMPORT_ENDS_MS - IMPORT_BEGINS_MS) / (importedCompanies + importedContacts)
    now = IMPORT_BEGINS_MS
    while (companies.count() < importedCompanies) {
      yield company(true)
      now += gap
      const due = (importedContacts * companies.count()) / importedCompanies
      while (contacts.count() < Math.floor(due)) {
        yield contact(random.chance(0.1) ? -1 : companies.count() - 1, true)
        now += gap
      }
    }
    let before = FIRST_DEAL_MS
    for (let count = 1; count <= size.deals; count++) {
      const arrival = FIRST_DEAL_MS + (time.total - FIRST_DEAL_MS) * grown((count - random.next()) / size.deals)
      const from = Math.max(before, arrival - random.between(5, 40) * MINUTE_MS)
      const share = count / size.deals
      const companiesDue = importedCompanies + Math.floor((size.companies - importedCompanies) * share)
      const contactsDue = importedContacts + Math.floor((size.contacts - importedContacts) * share)
      const isNew = companies.count() < companiesDue
      now = from + (arrival - from) * 0.2
      if (isNew) yield company(false)
      const buyer = isNew ? companies.count() - 1 : chooseBuyer()
      now = from + (arrival - from) * 0.5
      if (isNew && contacts.count() < size.contacts && random.chance(0.92)) yield contact(buyer, false)
      now = from + (arrival - from) * 0.8
      while (contacts.count() < contactsDue) yield contact(employer(buyer), false)
      now = arrival
      yield deal(buyer)
      before = arrival
    }
  }

  function company(imported: boolean): Step {
    const owner = random.chance(0.92) ? random.pick(sellers) : -1
    const { ref, given, facts, parent } = companies.add(imported, owner)
    return {
      do: 'company',
      at: time.at(now),
      ref,
      given,
      owner: some(owner),
      tags: tagsFor(facts),
      parent: some(parent),
    }
  }

  function contact(company: number, imported: boolean): Step {
    const { ref, given, facts } = contacts.add(company, imported)
    const owner = ownerFor(company, 0.9)
    return { do: 'contact', at: time.at(now), ref, given, company: some(company), owner, tags: tagsFor(facts) }
  }

  function deal(company: number): Step {
    const contact = partner(company)
    const at = time.at(now)
    const { ref, given, facts } = deals.add(company, contact, at)
    plan(ref, now)
    const owner = ownerFor(company, 0.94)
    return { do: 'deal', at, ref, given, company: some(company), contact: some(contact), owner, tags: tagsFor(facts) }
  }

  /**
   * Chooses a customer or a newer company, seldom one that declined or has an open deal; -1 if the company was not
   * recorded.
   */
  function chooseBuyer(): number {
    if (random.chance(0.06)) return -1
    let idle = -1
    let company = 0
    for (let attempt = 0; attempt < 12; attempt++) {
      const known = companies.count()
      const recent = Math.min(known, 10 + Math.floor(known / 5))
      company = random.chance(0.5) ? random.int(known) : known - 1 - random.int(recent)
      const open = companies.openDeals[company] as number
      const isCustomer = (companies.seats[company] as number) > 0
      const isFresh = companies.lostDeals[company] === 0 || random.chance(0.25)
      if (isCustomer ? open < 2 : isFresh && open === 0) return company
      if (open === 0) idle = company
    }
    return idle < 0 ? company : idle
  }

  /** Returns the company of a further contact: the buyer, which may have no contact yet, another one, or none. */
  function employer(buyer: number): number {
    if (buyer >= 0 && companies.lastContact[buyer] === -1) return buyer
    if (random.chance(0.5)) return buyer
    return random.chance(0.2) ? -1 : random.int(companies.count())
  }

  /** Returns the contact of a deal: one of the company, except for a few consultants and unrecorded contacts. */
  function partner(company: number): number {
    if (company < 0) return random.chance(0.7) ? contacts.lastLone() : -1
    if (random.chance(0.05)) return -1
    return random.chance(0.03) ? random.int(contacts.count()) : contacts.oneAt(company)
  }

  function ownerFor(company: number, odds: number): number | undefined {
    if (!random.chance(odds)) return undefined
    const usual = company < 0 ? -1 : (companies.owners[company] as number)
    return usual >= 0 && random.chance(0.85) ? usual : random.pick(sellers)
  }

  function tagsFor(facts: number): number[] {
    const tags: number[] = []
    for (let ref = 0; ref < tagsSoFar; ref++) {
      const { on, odds } = TAGS[ref] as (typeof TAGS)[number]
      if ((on & facts) !== 0 && random.chance(odds)) tags.push(ref)
    }
    return tags
  }
}

function some(ref: number): number | undefined {
  return ref < 0 ? undefined : ref
}

/**
 * Returns when the given share of a growing business has arrived, as a share of the time: the inverse of (x + gx²) ÷ (1
 * + g).
 */
function grown(share: number): number {
  return (Math.sqrt(1 + 4 * GROWTH * (1 + GROWTH) * share) - 1) / (2 * GROWTH)
}
