import { COUNTRIES } from '../words/names.ts'
import { FACT, KINDS, type Kind, type Offer, WORDS } from '../words/words.ts'
import { yearOf } from './calendar.ts'
import { type CompanyBook, niceSeats } from './companies.ts'
import type { Random } from './random.ts'

/** `seats` and `price` (euros, not rounded) match the title; `adds`: a win adds new seats. */
export type Offered = { kind: Kind; title: string; seats: number; adds: boolean; price: number; facts: number }

const FACT_OF: Record<Kind, number> = {
  first: FACT.first,
  again: FACT.again,
  grow: FACT.grow,
  help: FACT.help,
  renew: FACT.renew,
}
const BIG_EUR = 50_000

// For each kind, a weight per offer: 0 for offers of other kinds.
const WEIGHTS = new Map(
  KINDS.map((kind) => {
    const of = WORDS.offers.map((offer) => (offer.kind === kind ? offer.weight : 0))
    return [kind, { of, total: of.reduce((sum, weight) => sum + weight, 0) }]
  }),
)

/** Returns an offer that suits what the company already has. */
export function offerTo(random: Random, companies: CompanyBook, company: number, today: number): Offered {
  const year = yearOf(today + 60)
  const kind = kindFor(random, companies, company, year)
  const offer = chooseOffer(random, companies, company, kind)
  const seats = seatsIn(random, companies, company, offer.seats)
  const days = random.between(2, 15)
  const years = random.chance(0.7) ? 3 : 2
  const each = random.between(...offer.each)
  const price = each * (offer.text.includes('{days}') ? days : seats) * (offer.text.includes('{years}') ? years : 1)
  const subject = offer.text
    .replace('{n}', String(seats))
    .replace('{days}', String(days))
    .replace('{years}', String(years))
    .replace('{year}', String(year))
    .replace('{city}', companies.cityOf(company).name)
    .replace('{module}', offer.text.includes('{module}') ? random.pick(WORDS.modules) : '')
    .replace('{team}', offer.text.includes('{team}') ? random.pick(WORDS.teams) : '')
  let facts = FACT_OF[kind]
  if (kind === 'first' && random.chance(0.25)) facts |= FACT.inbound
  if (price >= BIG_EUR) facts |= FACT.big
  if (offer.text.includes('{years}')) facts |= FACT.manyYears
  return {
    kind,
    // Without the company, which stands beside it wherever a deal is shown.
    title: subject,
    seats,
    adds: offer.seats !== 'all',
    price,
    facts,
  }
}

/** Returns an inquiry from an unknown company; `name` is the person, if known. */
export function inquiry(random: Random, name: string | undefined): Offered {
  const who = name ? `by ${name}` : `from ${random.pick(random.pick(COUNTRIES).cities).name}`
  const seats = niceSeats(random.logNormal(12, 0.7))
  return {
    kind: 'first',
    title: random.pick(WORDS.inquiries).replace('{who}', who).replace('{n}', String(seats)),
    seats,
    adds: false,
    price: seats * random.between(510, 750),
    facts: FACT.first | FACT.inbound,
  }
}

function kindFor(random: Random, companies: CompanyBook, company: number, year: number): Kind {
  const isCustomer = (companies.seats[company] as number) > 0
  if (!isCustomer) return (companies.lostDeals[company] as number) > 0 && random.chance(0.6) ? 'again' : 'first'
  if ((companies.renewedFor[company] as number) < year && random.chance(0.4)) {
    companies.renewedFor[company] = year
    return 'renew'
  }
  return random.chance(0.65) ? 'grow' : 'help'
}

/** Chooses by weight, avoiding the company's last offer. */
function chooseOffer(random: Random, companies: CompanyBook, company: number, kind: Kind): Offer {
  const weights = WEIGHTS.get(kind) as { of: number[]; total: number }
  let number = random.weighted(weights.of, weights.total)
  for (let again = 0; again < 3 && number === companies.lastOffer[company]; again++) {
    number = random.weighted(weights.of, weights.total)
  }
  companies.lastOffer[company] = number
  return WORDS.offers[number] as Offer
}

function seatsIn(random: Random, companies: CompanyBook, company: number, which: Offer['seats']): number {
  const has = companies.seats[company] as number
  if (which === 'all') return has
  if (which === 'more') return niceSeats(has * (0.1 + 0.4 * random.next()))
  const wish = which === 'few' ? random.logNormal(14, 0.5) : random.logNormal(45, 1.05)
  return niceSeats(Math.min(wish, (companies.employees[company] as number) * 0.8))
}
