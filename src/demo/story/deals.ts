import { dayAt } from '../../lib/calendar/days.ts'
import { KINDS, type Kind } from '../words/words.ts'
import { dateText, endOfMonth, workingDay, yearOf } from './calendar.ts'
import type { CompanyBook } from './companies.ts'
import type { ContactBook } from './contacts.ts'
import { inquiry, offerTo } from './offers.ts'
import type { Random } from './random.ts'
import type { DealGiven, Step } from './steps.ts'

const LAST_STAGE = 3
const CLOSED = 255

// Median working days in each stage until something happens to a deal.
const REST_DAYS = [14, 16, 18, 13]
// The odds, at each event of a deal, that it ends: by stage and by kind.
const LOST_ODDS = [0.085, 0.08, 0.08, 0.12]
const WON_ODDS = [0, 0.005, 0.025, 0.16]
const LOST_FACTOR: Record<Kind, number> = { first: 1.15, again: 1.2, grow: 0.7, help: 0.6, renew: 0.3 }
const WON_FACTOR: Record<Kind, number> = { first: 0.75, again: 0.7, grow: 1.3, help: 1.5, renew: 2.2 }
/**
 * `rest`: how much of the median rest a deal has. `forgotten`: the odds that nobody closes it, and it ages in the pipeline.
 * The small team of the demo keeps its board tidy: of a few dozen open deals, few are old.
 */
const PACE = { demo: { rest: 0.7, forgotten: 0.002 }, large: { rest: 1, forgotten: 0.015 } }
// A deal that is still open this many days before its close date mostly gets a new date.
const SOON_DAYS = 8
const REASON_WEIGHTS = [5, 4, 3, 2, 1]
const REASON_TOTAL = 15
const WITHOUT_CENTS = new Set(['JPY', 'HUF', 'INR'])

/** The deals created up to now, and how each continues. */
export function dealBook(
  random: Random,
  { size, isDemo }: { size: number; isDemo: boolean },
  companies: CompanyBook,
  contacts: ContactBook,
) {
  const pace = isDemo ? PACE.demo : PACE.large
  const stages = new Uint8Array(size)
  const kinds = new Uint8Array(size)
  const companyOf = new Int32Array(size)
  /** The seats that a win adds. */
  const seats = new Int32Array(size)
  /** In euros. */
  const prices = new Float64Array(size)
  /** In the currency of the company's country, -1 for none. */
  const amounts = new Float64Array(size)
  /** Days since 1970, 0 for none. */
  const expected = new Int32Array(size)
  let count = 0

  /** -1 stands for no company, or no contact. */
  function add(company: number, contact: number, at: number): { ref: number; given: DealGiven; facts: number } {
    const ref = count++
    const today = dayAt(at)
    const offered =
      company < 0
        ? inquiry(random, contact < 0 ? undefined : contacts.nameOf(contact))
        : offerTo(random, companies, company, today)
    kinds[ref] = KINDS.indexOf(offered.kind)
    companyOf[ref] = company
    seats[ref] = offered.adds ? offered.seats : 0
    prices[ref] = offered.price
    const knowsAmount = random.chance(company < 0 ? 0.4 : 0.9)
    amounts[ref] = knowsAmount ? rounded(offered.price * rateOf(ref), currencyOf(ref)) : -1
    expected[ref] = offered.kind === 'renew' || random.chance(0.88) ? promisedDay(today + random.between(45, 160)) : 0
    if (company >= 0) companies.openDeals[company] = (companies.openDeals[company] as number) + 1
    const given: DealGiven = {
      title: offered.title,
      amount: knowsAmount ? (amounts[ref] as number) : null,
      currency: knowsAmount ? currencyOf(ref) : null,
      expected_close_date: expected[ref] === 0 ? null : dateText(expected[ref] as number),
      external_id: ref % 4 === 0 ? `OFFER-${10_000 + ref}` : null,
    }
    return { ref, given, facts: offered.facts }
  }

  /** Returns the next step of an open deal; undefined if nothing is recorded. */
  function advance(deal: number, at: number): Step | undefined {
    const stage = stages[deal] as number
    const kind = KINDS[kinds[deal] as number] as Kind
    const today = dayAt(at)
    const lost = (LOST_ODDS[stage] as number) * LOST_FACTOR[kind]
    const end = random.next()
    if (end < lost) return close(deal, at, 'lost')
    const isWon = end < lost + (WON_ODDS[stage] as number) * WON_FACTOR[kind]
    const isPriced = (amounts[deal] as number) >= 0
    if (isWon && isPriced) return close(deal, at, 'won')
    if (isWon || (!isPriced && stage > 0 && random.chance(0.5))) return reprice(deal, at, 1)
    const promised = expected[deal] as number
    if (promised !== 0 && promised < today + SOON_DAYS && random.chance(0.85)) return postpone(deal, at, today)
    const way = random.next()
    if (way < 0.6) return stage < LAST_STAGE ? move(deal, at, nextStage(stage)) : undefined
    if (way < 0.65) return stage > 0 ? move(deal, at, stage - 1) : undefined
    if (way < 0.82) return isPriced ? reprice(deal, at, 0.75 + 0.5 * random.next()) : undefined
    return way < 0.9 && promised !== 0 ? postpone(deal, at, Math.max(today, promised)) : undefined
  }

  /** Returns working days until the next event; 0 for a deal that is closed or forgotten. */
  function rest(deal: number): number {
    const stage = stages[deal] as number
    if (stage === CLOSED || random.chance(pace.forgotten)) return 0
    return random.logNormal((REST_DAYS[stage] as number) * pace.rest, 0.6)
  }

  /** Returns mostly the next stage; a customer who has seen the demo before skips one. */
  function nextStage(stage: number): number {
    return Math.min(LAST_STAGE, stage + (random.chance(0.08) ? 2 : 1))
  }

  function move(deal: number, at: number, position: number): Step {
    stages[deal] = position
    return { do: 'move', at, deal, position }
  }

  /** Returns a new amount; undefined if it rounds to the old one. */
  function reprice(deal: number, at: number, factor: number): Step | undefined {
    const currency = currencyOf(deal)
    const amount = rounded((prices[deal] as number) * factor * rateOf(deal), currency)
    if (amount === amounts[deal]) return undefined
    amounts[deal] = amount
    return { do: 'change', at, deal, given: { amount, currency } }
  }

  function postpone(deal: number, at: number, from: number): Step {
    const day = promisedDay(from + random.between(30, 90))
    expected[deal] = day
    return { do: 'change', at, deal, given: { expected_close_date: dateText(day) } }
  }

  function close(deal: number, at: number, outcome: 'won' | 'lost'): Step {
    stages[deal] = CLOSED
    const company = companyOf[deal] as number
    if (company >= 0) settle(company, deal, at, outcome)
    return { do: 'close', at, deal, outcome, reason: random.weighted(REASON_WEIGHTS, REASON_TOTAL) }
  }

  /** Applies the end of a deal to the company, which shapes its next deal. */
  function settle(company: number, deal: number, at: number, outcome: 'won' | 'lost'): void {
    const kind = KINDS[kinds[deal] as number] as Kind
    companies.openDeals[company] = (companies.openDeals[company] as number) - 1
    if (outcome === 'lost') {
      companies.lostDeals[company] = (companies.lostDeals[company] as number) + 1
      if (kind === 'renew') companies.seats[company] = 0
      return
    }
    if (companies.seats[company] === 0) companies.renewedFor[company] = yearOf(dayAt(at))
    companies.seats[company] = (companies.seats[company] as number) + (seats[deal] as number)
  }

  /** Moves almost half of the close dates to the end of a month. */
  function promisedDay(day: number): number {
    return random.chance(0.45) ? endOfMonth(day) : workingDay(day)
  }

  /** Most amounts are round figures; some are the exact sum of a quote. */
  function rounded(amount: number, currency: string): number {
    const how = random.next()
    if (how < 0.62) return significant(amount, 2)
    if (how < 0.86) return significant(amount, 3)
    if (how < 0.96 || WITHOUT_CENTS.has(currency)) return Math.round(amount)
    return Math.round(amount * 100) / 100
  }

  function currencyOf(deal: number): string {
    const company = companyOf[deal] as number
    return company < 0 ? 'EUR' : companies.countryOf(company).currency
  }

  function rateOf(deal: number): number {
    const company = companyOf[deal] as number
    return company < 0 ? 1 : companies.countryOf(company).rate
  }

  return { add, advance, rest }
}

function significant(value: number, digits: number): number {
  let unit = 1
  while (value >= unit * 10 ** digits) unit *= 10
  return Math.round(value / unit) * unit
}
