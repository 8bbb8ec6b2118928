import { CULTURES, type Culture } from '../words/names.ts'
import type { Channel, DealContext } from '../words/words.ts'
import type { Partner } from './conversations.ts'
import type { Random } from './random.ts'
import type { Step } from './steps.ts'

const LARGE_STAFF = 1000
/** Recent deals and customers kept as candidates for new conversations. */
const NEWEST = 60

/** A deal with a contact, as a topic of conversation. */
export type Known = Partner & {
  who: { contact: number }
  deal: number
  company: number | undefined
  stage: number
  outcome?: 'won' | 'lost'
  /** A meeting should follow at the next occasion. */
  meets: boolean
}

/** The people of a story: names, and the deals that are followed. */
export function faces(random: Random, isThorough: boolean) {
  const colleagues: { ref: number; first: string; name: string; zone: string; isTeam: boolean }[] = []
  const sellers: number[] = []
  // By the number of the company, and of the contact.
  const firms: string[] = []
  const firsts: string[] = []
  const lasts: string[] = []
  const hasEmail: boolean[] = []
  const hasPhone: boolean[] = []
  const large = new Set<number>()
  /** The newest contact of a company and the one before; only for teams that record who attends. */
  const newest = new Map<number, [contact: number, before: number | undefined]>()
  const tags = new Map<string, number>()
  const followed = new Map<number, Known>()
  const recent: Known[] = []
  const customers: Known[] = []
  let strangers = 0

  function see(step: Step): void {
    if (step.do === 'member') {
      const { name, role, timezone } = step.given
      colleagues[step.ref] = { ref: step.ref, first: name.split(' ')[0] as string, name, zone: timezone, isTeam: true }
      if (role !== 'viewer') sellers.push(step.ref)
    }
    if (step.do === 'tag') tags.set(step.given.name, step.ref)
    if (step.do === 'company') firms[step.ref] = step.given.name
    if (step.do === 'company' && (step.given.employee_count ?? 0) >= LARGE_STAFF) large.add(step.ref)
    if (step.do === 'contact') meet(step)
    if (step.do === 'move') {
      const known = followed.get(step.deal)
      if (known) known.stage = step.position
    }
  }

  function meet({ ref, given, company }: Extract<Step, { do: 'contact' }>): void {
    firsts[ref] = given.first_name
    lasts[ref] = given.last_name
    hasEmail[ref] = given.emails.length > 0
    hasPhone[ref] = given.phones.length > 0
    if (company !== undefined && isThorough) newest.set(company, [ref, newest.get(company)?.[0]])
  }

  /** Ends a followed deal; undefined if it was not followed. */
  function end(deal: number, outcome: 'won' | 'lost'): Known | undefined {
    const known = followed.get(deal)
    if (!known) return undefined
    known.outcome = outcome
    followed.delete(deal)
    const place = recent.indexOf(known)
    if (place >= 0) recent.splice(place, 1)
    if (outcome === 'won') keep(customers, known)
    return known
  }

  /** Follows a deal with a contact until it is closed. */
  function follow({ ref, given, company, owner }: Extract<Step, { do: 'deal' }>, contact: number): Known {
    const name = nameOf(contact)
    const known: Known = {
      who: { contact },
      first: firsts[contact] as string,
      name,
      firm: (company !== undefined && firms[company]) || name,
      seats: /\d+ (?:seats|users)/.exec(given.title)?.[0] ?? 'one team',
      channels: channelsOf(contact),
      owner: owner ?? random.pick(sellers),
      isKey: company !== undefined && large.has(company),
      deal: ref,
      company,
      stage: 0,
      meets: false,
    }
    followed.set(ref, known)
    keep(recent, known)
    return known
  }

  function channelsOf(contact: number): Channel[] {
    return ['chat', ...(hasEmail[contact] ? ['email' as const] : []), ...(hasPhone[contact] ? PHONES : [])]
  }

  /** Returns another contact at the same company, mostly if there is one. */
  function beside({ company, who }: Known): { contact: number; name: string } | undefined {
    const both = company === undefined ? undefined : newest.get(company)
    const other = both?.find((contact) => contact !== undefined && contact !== who.contact)
    return other === undefined || !random.chance(0.7) ? undefined : { contact: other, name: nameOf(other) }
  }

  /** Returns an unknown person with a unique address. */
  function stranger(): Partner {
    const { first, last } = random.pick(CULTURES) as Culture
    const [one, other] = [random.pick(first), random.pick(last)]
    const name = `${one.text} ${other.text}`
    const from = { name, email: `${one.plain}.${other.plain}${++strangers}@letterbox.example` }
    const owner = random.pick(sellers)
    return { who: { from }, first: one.text, name, firm: name, seats: '', channels: STRANGE, owner, isKey: false }
  }

  const nameOf = (contact: number): string => `${firsts[contact]} ${lasts[contact]}`

  return {
    see,
    follow,
    end,
    beside,
    stranger,
    recent,
    customers,
    of: (deal: number) => followed.get(deal),
    member: (ref: number) => colleagues[ref] as (typeof colleagues)[number],
    anyone: () => colleagues[random.pick(sellers)] as (typeof colleagues)[number],
    tag: (name: string) => tags.get(name),
  }
}

const PHONES: Channel[] = ['sms', 'phone']
const STRANGE: Channel[] = ['email', 'chat']

function keep(all: Known[], known: Known): void {
  all.push(known)
  if (all.length > NEWEST) all.shift()
}

export function dealContext({ outcome, stage }: Known): DealContext {
  return outcome ?? (stage < 2 ? 'early' : 'late')
}
