import { COUNTRIES, type Country, CULTURE_INDEX, CULTURES, type Culture, type Name } from '../words/names.ts'
import { FACT, WORDS } from '../words/words.ts'
import type { CompanyBook } from './companies.ts'
import { addressIn, fill } from './places.ts'
import type { Random } from './random.ts'
import type { ContactGiven, Email, Phone } from './steps.ts'

const SOURCES = ['website', 'referral', 'trade fair', 'webinar', 'outbound', 'partner', 'newsletter']
const MAILBOXES = ['mail.example', 'post.example', 'inbox.example']

export type ContactBook = ReturnType<typeof contactBook>

/** The contacts created up to now, each linked to the previous one at the same company. */
export function contactBook(random: Random, size: number, companies: CompanyBook) {
  const cultures = new Uint8Array(size)
  const firsts = new Uint8Array(size)
  const lasts = new Uint8Array(size)
  const previous = new Int32Array(size).fill(-1)
  let lastLone = -1
  let count = 0

  /** `company` is -1 for a contact without a company. */
  function add(company: number, imported: boolean): { ref: number; given: ContactGiven; facts: number } {
    const ref = count++
    const isLone = company < 0
    const country = isLone ? random.pick(COUNTRIES) : companies.countryOf(company)
    const city = isLone ? random.pick(country.cities) : companies.cityOf(company)
    const hasOwnMailbox = chooseName(ref, company, country)
    const decides = !isLone && random.chance(0.3)
    const mailbox = mailboxOf(ref, company)
    const ownEmail = `${first(ref).plain}.${last(ref).plain}${70 + ref}@${random.pick(MAILBOXES)}`
    const emails: Email[] = []
    if (isLone) emails.push({ email: ownEmail, label: 'work', is_primary: true })
    else if (random.chance(0.95)) {
      const email = `${mailbox}${hasOwnMailbox ? '' : ref}@${companies.domainOf(company)}`
      emails.push({ email, label: 'work', is_primary: true })
      if (random.chance(0.08)) emails.push({ email: ownEmail, label: 'home', is_primary: false })
    }
    const phones: Phone[] = []
    if (city.phone && random.chance(0.75)) addPhone(phones, 'work', city.phone)
    if (country.mobile && random.chance(0.6)) addPhone(phones, 'other', country.mobile)
    const slug = `${first(ref).plain}-${last(ref).plain}-${70 + ref}`
    const given: ContactGiven = {
      first_name: first(ref).text,
      last_name: last(ref).text,
      emails,
      phones,
      job_title: title(isLone, decides, country),
      linkedin_url: random.chance(0.45) ? `https://linkedin.example/in/${slug}` : null,
      website: isLone && random.chance(0.5) ? `https://${slug}.example` : null,
      address: random.chance(isLone ? 0.6 : 0.12) ? addressIn(random, country, city) : null,
      timezone: random.chance(0.8) ? city.timezone : null,
      language: random.chance(0.85) ? country.language : null,
      do_not_contact: random.chance(0.03),
      source: imported ? 'import' : random.chance(0.85) ? random.pick(SOURCES) : null,
      external_id: imported || random.chance(0.1) ? `CARD-${100_000 + ref}` : null,
    }
    if (isLone) lastLone = ref
    else {
      previous[ref] = companies.lastContact[company] as number
      companies.lastContact[company] = ref
    }
    return { ref, given, facts: FACT.contact | (isLone ? FACT.lone : 0) | (decides ? FACT.decider : 0) }
  }

  /** Returns the contact for a deal: one of the newest three at the company; -1 if there is none. */
  function oneAt(company: number): number {
    let contact = companies.lastContact[company] as number
    for (let back = random.int(3); back > 0 && contact >= 0; back--) {
      const before = previous[contact] as number
      if (before >= 0) contact = before
    }
    return contact
  }

  /** Returns false if no name with an unused mailbox was found; the mailbox then needs a number. */
  function chooseName(ref: number, company: number, country: Country): boolean {
    for (let attempt = 0; attempt < 12; attempt++) {
      const local = CULTURE_INDEX.get(country.culture) as number
      cultures[ref] = random.chance(0.16) ? random.int(CULTURES.length) : local
      firsts[ref] = random.int(culture(ref).first.length)
      lasts[ref] = random.int(culture(ref).last.length)
      if (company < 0 || isFree(mailboxOf(ref, company), company)) return true
    }
    return false
  }

  function isFree(mailbox: string, company: number): boolean {
    let contact = companies.lastContact[company] as number
    while (contact >= 0 && mailboxOf(contact, company) !== mailbox) contact = previous[contact] as number
    return contact < 0
  }

  /** Returns the part before the @; a company uses one pattern for all its addresses. */
  function mailboxOf(ref: number, company: number): string {
    const way = company % 10
    const firstName = first(ref).plain
    return `${way === 3 || way === 6 ? firstName.charAt(0) : firstName}.${last(ref).plain}`
  }

  function title(isLone: boolean, decides: boolean, country: Country): string | null {
    if (isLone) return random.pick(WORDS.titles.lone)
    if (decides) return random.pick(WORDS.titles.deciders)
    const local = (CULTURES[CULTURE_INDEX.get(country.culture) as number] as Culture).titles
    if (random.chance(0.3)) return random.pick(local)
    return random.chance(0.9) ? random.pick(WORDS.titles.others) : null
  }

  function addPhone(phones: Phone[], label: Phone['label'], pattern: string): void {
    phones.push({ number: fill(random, pattern), label, is_primary: phones.length === 0 })
  }

  function culture(ref: number): Culture {
    return CULTURES[cultures[ref] as number] as Culture
  }

  function first(ref: number): Name {
    return culture(ref).first[firsts[ref] as number] as Name
  }

  function last(ref: number): Name {
    return culture(ref).last[lasts[ref] as number] as Name
  }

  function nameOf(ref: number): string {
    return `${first(ref).text} ${last(ref).text}`
  }

  return { add, oneAt, nameOf, count: () => count, lastLone: () => lastLone }
}
