import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { RecordedEvent } from '../events/outbox.ts'
import type { Changes } from '../events/react.ts'
import { membership } from '../filters/membership.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import { emailKey } from '../lib/email.ts'
import * as f from '../lib/fields.ts'
import { timeOfId } from '../lib/id.ts'
import { change } from '../lib/merge.ts'
import { conflict, field, invalid } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import { rfc3339 } from '../lib/time.ts'
import { wordsOf } from '../lib/words.ts'
import { moreDigitsOf } from '../lib/written/people/phone-countries.ts'
import { AddressPatch, mergeAddress } from '../records/address.ts'
import { Contact, contactRecord } from '../records/contact.ts'
import { EmailsGiven, nameOf, PhonesGiven } from '../records/contact-methods.ts'
import { CustomFieldsGiven, customValues } from '../records/custom-fields/values.ts'
import { externalIds, type IdFlags } from '../records/external-ids.ts'
import { recordRows } from '../records/record-rows.ts'
import { unlinking } from '../records/unlink.ts'
import { listing } from '../store/list/page.ts'
import { phoneFilter } from '../store/list/phones.ts'
import { searchFilter } from '../store/list/search.ts'
import { countryOf } from '../store/orgs/orgs.ts'
import * as c from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { nextRow } from '../store/rows/versions.ts'
import { binWriter } from './binned.ts'
import { listChanges } from './list-changes.ts'

// 1. The wire form. Its fields are declared in records/contact.ts.

const ContactPatch = f.patchOf({
  ...contactRecord.given,
  emails: EmailsGiven,
  phones: PhonesGiven,
  address: f.nullable(AddressPatch),
  custom_fields: CustomFieldsGiven,
})
type ContactPatch = v.InferOutput<typeof ContactPatch>

const flags = { allow_duplicate: 'With `true`, accepts an email that another contact has.' }
/** `incomplete`: for an unknown sender, whose contact may lack the required custom fields. */
type Flags = IdFlags & { allow_duplicate?: boolean; incomplete?: boolean }

const { sorts } = contactRecord
const filters = {
  ...contactRecord.filters,
  q: searchFilter('contact', 'name, emails, phones (by any run of four digits or more) and the name of the company'),
}

// 2. The row.

export const columns = c.columns<Contact>(contactRecord.columns, { name_key: (contact) => fold(contact.name) })

// 3. The statements and the rules.

type Company = Changes['company.updated']

export const contactStore = once((deps: Deps) => {
  const { db, clock, references, announce, clearReferences } = deps
  const bin = binWriter(deps)
  const lists = listChanges(deps).of('contact')
  const offered = { ...filters, phone: phoneFilter(db, 'contact'), list_id: membership(deps, 'contact').filter }
  const { list, render, count } = listing(db, { table: 'contacts', columns, filters: offered, sorts })
  const custom = customValues(db, 'contact')
  const { restore, write, index, wordsAfter, indexAfter, erase } = recordRows<Contact>(db, {
    object: 'contact',
    columns,
    custom,
    linked: { contact_emails: ['email_key', keysOf], contact_tags: ['tag_id', ({ tag_ids }) => tag_ids] },
    wordsIn,
    searched: ['name', 'emails', 'phones', 'company_id'],
  })
  const country = countryOf(db)
  const companyName = db.prepare('SELECT name FROM companies WHERE org_id = ? AND id = ?').pluck()
  const ofCompany = db.prepare(`SELECT ${columns.select} FROM contacts WHERE org_id = ? AND company_id = ?`).raw()
  const find = finder(db, 'contacts', columns)
  const otherWithEmail = db
    .prepare(
      `SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? AND contact_id <> ?
       ORDER BY contact_id LIMIT 1`,
    )
    .pluck()
  const ids = externalIds(db)
  const clearCompany = unlinking(db, 'contacts', columns, 'company_id', (who, contact) =>
    patch(who, contact, { company_id: null }),
  )

  function create(who: Caller, given: ContactPatch, flags: Flags = {}): Contact {
    references.check(who.org, given)
    const id = clock.id()
    const now = rfc3339(timeOfId(id))
    const contact: Contact = {
      ...contactRecord.blank,
      ...given,
      id,
      name: '',
      address: mergeAddress(null, given.address ?? null),
      custom_fields: flags.incomplete ? {} : custom.start(who.org, given.custom_fields),
      created_at: now,
      updated_at: now,
      version: 1,
    }
    admit(who, contact, [], flags)
    restore(who.org, contact)
    announce(who, 'contact.created', contact)
    return contact
  }

  function patch(who: Caller, before: Contact, given: ContactPatch, flags: Flags = {}): Contact {
    const { address = before.address, ...rest } = given
    const { after, changed } = change(before, {
      ...rest,
      address: mergeAddress(before.address, address),
      custom_fields: custom.change(who.org, before.custom_fields, given.custom_fields),
    })
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    admit(who, after, keysOf(before), flags)
    return save(who, before, after)
  }

  function save(who: Caller, before: Contact, after: Contact): Contact {
    const saved = nextRow(clock, after)
    write(who.org, before, saved)
    announce(who, 'contact.updated', saved, before)
    return saved
  }

  function remove(who: Caller, contact: Contact): void {
    const keep = bin.keeping(who, 'contact', contact)
    keep(discard(who, contact))
  }

  /** Deletes a contact that does not go to the bin: merges keep what they need themselves. */
  function discard(who: Caller, contact: Contact): RecordedEvent {
    clearReferences(who, 'contact', contact.id)
    lists.leaveAll(who, contact.id)
    erase(who.org, contact.id)
    return announce(who, 'contact.deleted', contact)
  }

  /** Updates the search index: contacts are also found by the name of their company. */
  function companyUpdated(who: Caller, company: Company, before?: Company): void {
    if (company.name === before?.name) return
    for (const row of ofCompany.all(who.org, company.id) as c.RawRow[]) index(who.org, columns.present(row))
  }

  function wordsIn(org: number, { name, emails, phones, company_id }: Contact): string[] {
    const company = company_id === null ? null : (companyName.get(org, company_id) as string)
    const numbers = phones.map(({ number }) => number)
    const dialled = numbers.flatMap((number) => moreDigitsOf(number, country(org)))
    return wordsOf([name, company, ...emails.map(({ email }) => email)], numbers, dialled)
  }

  /** Sets the name. Throws 422 if there is none, 409 if another contact has a new email or the external id. */
  function admit(who: Caller, contact: Contact, previousKeys: string[], flags: Flags): void {
    const { allow_duplicate, other_product } = flags
    contact.name = nameOf(contact)
    if (contact.name === '') throw invalid(field('', 'empty', 'must have a name, an email or a phone'))
    for (const { email } of allow_duplicate ? [] : contact.emails) {
      if (previousKeys.includes(emailKey(email))) continue
      const other = otherWithEmail.get(who.org, emailKey(email), contact.id) as string | undefined
      if (other) throw duplicate(`email "${email}"; to allow this, use allow_duplicate=true`, other)
    }
    if (contact.external_id === null || other_product) return
    const other = ids.otherWith(who.org, 'contact', contact.external_id, contact.id)
    if (other) throw duplicate(`external_id "${contact.external_id}"`, other)
  }

  const schemas = { Create: ContactPatch, Patch: ContactPatch }
  const reading = { columns, filters: offered, custom: custom.offers, list, render, count, find }
  const changing = { create, restore, patch, write, save, remove, discard, clearCompany, companyUpdated }
  return { ...schemas, ...reading, ...changing, wordsAfter, indexAfter }
})

const keysOf = ({ emails }: Contact): string[] => emails.map(({ email }) => emailKey(email))

const duplicate = (what: string, other: string) =>
  conflict('duplicate', `Another contact, ${other}, has the ${what}.`, { duplicate_id: other })

// 4. The routes.

export const contacts = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/contacts',
    scope: 'rest.crm.contacts',
    name: 'contact',
    Shape: Contact,
    sorts,
    flags,
    ...contactStore(deps),
  })
