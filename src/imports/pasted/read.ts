import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { localeOf } from '../../lib/country.ts'
import { emailKey } from '../../lib/email.ts'
import type { Json } from '../../lib/json.ts'
import { field, invalid } from '../../lib/problem.ts'
import { fold } from '../../lib/pure/fold.ts'
import { nameOfHost } from '../../lib/pure/mail-providers.ts'
import { type Named, recordLookups } from '../../records/record-lookups.ts'
import { countryOf, orgOf } from '../../store/orgs/orgs.ts'
import { countryNamed } from '../csv/cells/addresses.ts'
import { type Card, type CardContext, hostsOf, readCard } from './card.ts'
import { peopleIn } from './people.ts'
import { cellsIn, isHeading, type RowCard, readRows } from './table.ts'
import type { PastedCards } from './vcards.ts'

/** More people come in with `dealbox import`, which can go on after a failure and lists what it refuses. */
export const MOST_PEOPLE = 500

/** The company of somebody: one that is there, and why it is meant, or one to make. */
export type CompanyFound = { id: string | null; name: string; domain: string | null; because: 'name' | 'domain' | null }

/** A person of a pasted text, and what is there of them already. `twin`: the place of one before with the same email. */
export type PersonFound = Required<Pick<Card, 'emails' | 'phones' | 'unread'>> & {
  first_name: string | null
  last_name: string | null
  job_title: string | null
  website: string | null
  linkedin_url: string | null
  address: Card['address'] | null
  custom_fields: Json
  company: CompanyFound | null
  known: (Named & { because: 'email' | 'name' }) | null
  twin: number | null
}

/** Reads the people of a text: addresses, signatures, or rows of a spreadsheet. Nothing is written. */
export const pastedPeople = once(({ db, clock }: Deps) => {
  const find = recordLookups(db)
  const country = countryOf(db)

  /** Throws 422 for more people than are shown at once. `vcards` are those that the text has. */
  function read({ org }: Caller, text: string, vcards?: PastedCards): PersonFound[] {
    const cards = vcards ? cardsOf(org, vcards) : cardsIn(org, text.replace(/\r\n?/g, '\n'))
    const seen = new Map<string, number>()
    return cards.filter(isSomebody).map((card, at) => {
      const keys = card.emails.map(({ email }) => emailKey(email))
      const twin = keys.map((key) => seen.get(key)).find((each) => each !== undefined) ?? null
      for (const key of keys) if (!seen.has(key)) seen.set(key, at)
      return found(org, card, twin)
    })
  }

  function cardsIn(org: number, text: string): RowCard[] {
    const own = ownOf(org)
    const context: CardContext = {
      ...own,
      countryNamed,
      isCompany: (name) => find.companiesNamed(org, fold(name)).length > 0,
    }
    const cells = cellsIn(text)
    const isHeaded = cells !== undefined && isHeading(cells[0] ?? [])
    const people = cells === undefined ? peopleIn(text) : isHeaded ? cells.slice(1) : cells
    refuseMany(people.length)
    return isHeaded
      ? readRows(db, org, cells, own)
      : people.map((lines) => readCard(lines, context, cells !== undefined))
  }

  /** The people of cards, and of the text around them; words that are about nobody else stay with the first. */
  function cardsOf(org: number, { rows, rest, isTooLong }: PastedCards): RowCard[] {
    if (isTooLong) throw invalid(field('/text', 'too_long', 'has a card that is too long'))
    refuseMany(rows.length)
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const table = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    const [first, ...more] = readRows(db, org, table, ownOf(org))
    const around = rest === '' ? [] : cardsIn(org, rest)
    const others = around.filter(({ emails, phones }) => emails.length + phones.length > 0)
    if (!first) return around
    const words = others.length > 0 ? [] : rest.split('\n').flatMap((line) => line.trim() || [])
    return [{ ...first, unread: [...first.unread, ...words] }, ...more, ...others]
  }

  function refuseMany(people: number): void {
    if (people <= MOST_PEOPLE) return
    throw invalid(field('/text', 'too_many_people', `must have at most ${MOST_PEOPLE} people`))
  }

  function ownOf(org: number) {
    const { currency, timezone: zone } = orgOf(db, org)
    const here = country(org)
    return { currency, zone, country: here, locale: here && localeOf(here), now: clock.now() }
  }

  function found(org: number, card: RowCard, twin: number | null): PersonFound {
    const { first_name = null, last_name = null, job_title = null, website = null, linkedin_url = null } = card
    return {
      first_name,
      last_name,
      job_title,
      emails: card.emails,
      phones: card.phones,
      website,
      linkedin_url,
      address: card.address ?? null,
      custom_fields: card.custom_fields ?? {},
      company: companyOf(org, card),
      known: knownAs(org, card),
      twin,
      unread: card.unread,
    }
  }

  /** Who has one of the emails already, else who is called the same. */
  function knownAs(org: number, { emails, first_name, last_name }: Card): PersonFound['known'] {
    const [id] = emails.flatMap(({ email }) => find.contactsOfEmail(org, emailKey(email), 1))
    if (id !== undefined) return { id, name: find.nameOf('contact', org, id), because: 'email' }
    const name = [first_name, last_name].filter(Boolean).join(' ')
    const [same] = first_name && last_name ? find.contactsNamed(org, fold(name)) : []
    return same ? { id: same.id, name: same.name, because: 'name' } : null
  }

  /** By its name, else by the host of an address; a new one is called after that host if nothing names it. */
  function companyOf(org: number, card: Card): CompanyFound | null {
    const [host = null] = hostsOf(card)
    const [named] = card.company === undefined ? [] : find.companiesNamed(org, fold(card.company))
    if (named) return { id: named.id, name: named.name, domain: null, because: 'name' }
    const id = host === null ? undefined : find.companyOfDomain(org, host)
    if (id !== undefined) return { id, name: find.nameOf('company', org, id), domain: host, because: 'domain' }
    const name = card.company ?? (host === null ? undefined : calledAfter(host))
    return name === undefined ? null : { id: null, name, domain: host, because: null }
  }

  return { read }
})

const isSomebody = ({ first_name, last_name, emails, phones, unread, company }: Card): boolean =>
  Boolean(first_name || last_name || company) || emails.length + phones.length + unread.length > 0

/** "Officine Parisi" of officine-parisi.example. */
const calledAfter = (host: string): string =>
  nameOfHost(host)
    .split(/[-_]/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
