import {
  type City,
  COMPANY_WORDS,
  COUNTRIES,
  type CompanyWords,
  type Country,
  type Name,
  type Trade,
} from '../words/names.ts'
import { FACT, WORDS } from '../words/words.ts'
import { addressIn, fill } from './places.ts'
import type { Random } from './random.ts'
import type { CompanyGiven } from './steps.ts'

const SHARES = COUNTRIES.map(({ share }) => share)
const ALL_SHARES = SHARES.reduce((sum, share) => sum + share, 0)
// The largest amount that an amount field takes.
const MAX_AMOUNT = 9e12

const INDUSTRY_FACTS: Record<string, number> = {
  Logistics: FACT.logistics,
  Transport: FACT.logistics,
  'Health care': FACT.health,
  Hospitality: FACT.hospitality,
  Education: FACT.education,
}

export type CompanyBook = ReturnType<typeof companyBook>

/** The companies created up to now. Names and domains are not stored: the n-th name of a culture is computed from n. */
export function companyBook(random: Random, size: number) {
  const countries = new Uint8Array(size)
  const cities = new Uint8Array(size)
  const numbers = new Int32Array(size)
  const parents = new Int32Array(size).fill(-1)
  const isParent = new Uint8Array(size)
  const employees = new Int32Array(size)
  const owners = new Int16Array(size).fill(-1)
  /** Seats that the company pays for; 0 if it is not a customer. */
  const seats = new Int32Array(size)
  const openDeals = new Uint16Array(size)
  const lostDeals = new Uint16Array(size)
  /** The year of the last renewal that was discussed. */
  const renewedFor = new Uint16Array(size)
  /** Index of the last offer made to it. */
  const lastOffer = new Int8Array(size).fill(-1)
  /** The newest contact, -1 for none; the contact book links to earlier ones. */
  const lastContact = new Int32Array(size).fill(-1)
  const namesUsed = new Map<string, number>()
  const start = random.int(1e6)
  let count = 0

  function add(imported: boolean, owner: number): { ref: number; given: CompanyGiven; facts: number; parent: number } {
    const ref = count++
    const parent = chooseParent(ref)
    settle(ref, parent)
    const staff = roundish(Math.max(9, Math.min(25_000, random.logNormal(130, 1.4))))
    employees[ref] = staff
    owners[ref] = owner
    if (imported && random.chance(0.5)) seats[ref] = niceSeats(Math.min(random.logNormal(40, 1), staff * 0.7))
    const { industry } = nameOf(ref)
    return { ref, given: given(ref, imported, industry), facts: factsOf(staff, industry), parent }
  }

  /** An independent company gets the next name of its culture; a branch is in another city of the same country. */
  function settle(ref: number, parent: number): void {
    parents[ref] = parent
    countries[ref] = parent < 0 ? random.weighted(SHARES, ALL_SHARES) : (countries[parent] as number)
    const { cities: choice, culture } = countryOf(ref)
    if (parent < 0) {
      cities[ref] = random.int(choice.length)
      numbers[ref] = namesUsed.get(culture) ?? 0
      namesUsed.set(culture, (numbers[ref] as number) + 1)
      return
    }
    isParent[parent] = 1
    cities[ref] = ((cities[parent] as number) + random.between(1, choice.length - 1)) % choice.length
  }

  function given(ref: number, imported: boolean, industry: string): CompanyGiven {
    const country = countryOf(ref)
    const city = cityOf(ref)
    const staff = employees[ref] as number
    const domain = domainOf(ref)
    const plain = domain.slice(0, domain.lastIndexOf('.'))
    const isBranch = (parents[ref] as number) >= 0
    const revenue = roundish(staff * (90 + random.int(120)) * 1000 * country.rate)
    const knowsRevenue = revenue <= MAX_AMOUNT && random.chance(0.65)
    return {
      name: !isBranch && random.chance(0.5) ? `${stemOf(ref)} ${random.pick(country.legalForms)}` : stemOf(ref),
      domains: random.chance(0.07) ? [domain, `${plain}.test`] : [domain],
      website: random.chance(0.9) ? `https://www.${domain}` : null,
      phone: city.phone && random.chance(0.85) ? fill(random, city.phone) : null,
      industry: random.chance(0.94) ? industry : null,
      employee_count: random.chance(0.88) ? staff : null,
      annual_revenue: knowsRevenue ? revenue : null,
      currency: country.currency,
      linkedin_url: random.chance(0.5) ? `https://linkedin.example/company/${plain}` : null,
      address: random.chance(0.88) ? addressIn(random, country, city) : null,
      description: random.chance(0.55)
        ? random.pick(WORDS.descriptions[industry] ?? []).replace('{city}', city.name)
        : null,
      external_id: random.chance(imported ? 0.9 : 0.2) ? `ERP-${10_000 + ref}` : null,
    }
  }

  /** Sometimes makes a new company the branch of an older one in another city; each has at most one branch. */
  function chooseParent(ref: number): number {
    if (ref < 5 || !random.chance(0.08)) return -1
    const parent = random.int(ref)
    return isParent[parent] || (parents[parent] as number) >= 0 ? -1 : parent
  }

  function countryOf(ref: number): Country {
    return COUNTRIES[countries[ref] as number] as Country
  }

  function cityOf(ref: number): City {
    return countryOf(ref).cities[cities[ref] as number] as City
  }

  function nameOf(ref: number): { text: string; plain: string; industry: string } {
    const parent = parents[ref] as number
    const all = COMPANY_WORDS.get(countryOf(ref).culture) as CompanyWords
    if (parent < 0) return numbered(all, numbers[ref] as number, start)
    const { text, plain, industry } = nameOf(parent)
    const city = cityOf(ref)
    return { text: `${text} ${city.name}`, plain: `${plain}-${city.plain}`, industry }
  }

  /** The name in everyday use, without "Ltd" or "GmbH". */
  function stemOf(ref: number): string {
    return nameOf(ref).text
  }

  function domainOf(ref: number): string {
    return `${nameOf(ref).plain}.example`
  }

  return {
    add,
    countryOf,
    cityOf,
    stemOf,
    domainOf,
    count: () => count,
    employees,
    owners,
    seats,
    openDeals,
    lostDeals,
    renewedFor,
    lastOffer,
    lastContact,
  }
}

/**
 * Returns the n-th name of a culture: first all with one root, then all with two surnames, then the same with a number.
 */
function numbered({ roots, surnames, trades, singles, doubles }: CompanyWords, number: number, start: number) {
  if (number < singles.size) {
    const index = (start + number * singles.step) % singles.size
    const { text, plain } = roots[index % roots.length] as Name
    return named(text, plain, trades[Math.floor(index / roots.length)] as Trade)
  }
  const beyond = number - singles.size
  const index = (start + (beyond % doubles.size) * doubles.step) % doubles.size
  const first = index % surnames
  const second = (first + 1 + (Math.floor(index / surnames) % (surnames - 1))) % surnames
  const trade = trades[Math.floor(index / (surnames * (surnames - 1)))] as Trade
  const [a, b] = [roots[first] as Name, roots[second] as Name]
  const name = named(`${a.text} & ${b.text}`, `${a.plain}-${b.plain}`, trade)
  const round = Math.floor(beyond / doubles.size) + 1
  return round === 1 ? name : { ...name, text: `${name.text} ${round}`, plain: `${name.plain}-${round}` }
}

function named(text: string, plain: string, trade: Trade) {
  return { text: trade.text.replace('%', text), plain: trade.plain.replace('%', plain), industry: trade.industry }
}

function factsOf(staff: number, industry: string): number {
  const size = staff >= 1000 ? FACT.large : staff >= 100 ? FACT.medium : FACT.small
  return FACT.company | size | (INDUSTRY_FACTS[industry] ?? 0)
}

/** Rounds to two significant digits, as people quote such numbers. */
function roundish(value: number): number {
  let unit = 1
  while (value >= unit * 100) unit *= 10
  return Math.round(value / unit) * unit
}

/** Returns at least five seats: exact up to 20, then in steps of five, ten and fifty, as people order. */
export function niceSeats(seats: number): number {
  const step = seats <= 20 ? 1 : seats <= 100 ? 5 : seats <= 500 ? 10 : 50
  return Math.max(5, Math.round(seats / step) * step)
}
