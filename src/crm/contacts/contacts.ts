import type * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { Changes } from '../../events/react.ts'
import { membership } from '../../filters/membership.ts'
import type { Route } from '../../http/route.ts'
import { standardRoutes } from '../../http/standard.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { fold } from '../../lib/fold.ts'
import { timeOfId } from '../../lib/id.ts'
import { change } from '../../lib/merge.ts'
import { conflict, field, invalid } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { wordsOf } from '../../lib/words.ts'
import * as c from '../../store/columns.ts'
import { finder } from '../../store/find.ts'
import type { Filter } from '../../store/list/conditions.ts'
import { listing, type Sort } from '../../store/list/page.ts'
import { searchFilter } from '../../store/list/search.ts'
import { CustomFields, CustomFieldsGiven, customValues } from '../custom-fields/values.ts'
import { Address, AddressPatch, mergeAddress } from '../records/address.ts'
import { Email, EmailsGiven, emailKey, nameOf, Phone, PhonesGiven } from '../records/contact-methods.ts'
import { recordRows } from '../records/record-rows.ts'
import { unlinking } from '../records/unlink.ts'

// 1. The wire form. A contact is a person outside; a member is one inside.

const fields = {
  first_name: f.doc(f.nullable(f.line()), 'Such as "Ana".'),
  last_name: f.doc(f.nullable(f.line()), 'Such as "Lindqvist".'),
  job_title: f.doc(f.nullable(f.line()), 'Such as "Head of purchasing".'),
  company_id: f.doc(f.nullable(f.id), 'Where the contact works.'),
  owner_id: f.nullable(f.id),
  tag_ids: f.ids,
  linkedin_url: f.doc(f.nullable(f.url), 'The profile on LinkedIn.'),
  website: f.doc(f.nullable(f.url), "The contact's own web site."),
  timezone: f.nullable(f.timezone),
  language: f.nullable(f.language),
  do_not_contact: f.doc(f.flag, 'Whether the contact has asked to be left alone.'),
  source: f.doc(f.nullable(f.line()), 'How the contact was won, such as "trade fair".'),
  external_id: f.doc(f.nullable(f.title), 'Its id in another system; unique among the contacts of the organisation.'),
}

export const Contact = f.doc(
  f.object({
    id: f.id,
    first_name: fields.first_name,
    last_name: fields.last_name,
    name: f.doc(f.line(511), 'First and last name; without them the primary email, else the primary phone.'),
    emails: f.arrayOf(Email),
    phones: f.arrayOf(Phone),
    job_title: fields.job_title,
    company_id: fields.company_id,
    owner_id: fields.owner_id,
    tag_ids: fields.tag_ids,
    linkedin_url: fields.linkedin_url,
    website: fields.website,
    address: f.nullable(Address),
    timezone: fields.timezone,
    language: fields.language,
    do_not_contact: fields.do_not_contact,
    unsubscribed_at: f.doc(f.nullable(f.recordFields.created_at), 'Since when the contact wants no more mailings.'),
    source: fields.source,
    external_id: fields.external_id,
    custom_fields: CustomFields,
    ...f.recordFields,
  }),
  'A contact is a person outside of the organisation, with a name, an email or a phone at least.',
)
export type Contact = v.InferOutput<typeof Contact>

const ContactPatch = f.patchOf({
  ...fields,
  emails: EmailsGiven,
  phones: PhonesGiven,
  address: f.nullable(AddressPatch),
  custom_fields: CustomFieldsGiven,
})
type ContactPatch = v.InferOutput<typeof ContactPatch>

const flags = { allow_duplicate: 'With `true`, an email that another contact has is let in.' }
/** `incomplete` is for somebody who wrote: nobody could fill in what the org requires of contacts. */
type Flags = { allow_duplicate?: boolean; incomplete?: boolean }

const filters: Record<string, Filter> = {
  external_id: { type: 'text' },
  email: {
    type: 'text',
    link: { table: 'contact_emails', key: 'contact_id', column: 'email_key' },
    normal: emailKey,
    description: 'Any of its emails, compared without case.',
  },
  company_id: { type: 'id', nullable: true },
  tag_id: {
    type: 'id',
    link: { table: 'contact_tags', key: 'contact_id', column: 'tag_id' },
    description: 'A tag that it carries.',
  },
  owner_id: { type: 'id', nullable: true },
  do_not_contact: { type: 'flag' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: searchFilter('contact', 'name, emails, phones (by any run of four digits or more) and the name of the company'),
}

const sorts: Record<string, Sort> = {
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
  name: { column: 'name_key' },
}

// 2. The row.

export const columns = c.columns<Contact>(
  {
    id: c.plain('id'),
    first_name: c.text('first_name'),
    last_name: c.text('last_name'),
    name: c.text('name'),
    emails: c.json('emails'),
    phones: c.json('phones'),
    job_title: c.text('job_title'),
    company_id: c.plain('company_id'),
    owner_id: c.plain('owner_id'),
    tag_ids: c.json('tag_ids'),
    linkedin_url: c.text('linkedin_url'),
    website: c.text('website'),
    address: c.json('address'),
    timezone: c.text('timezone'),
    language: c.text('language'),
    do_not_contact: c.bool('do_not_contact'),
    unsubscribed_at: c.time('unsubscribed_at'),
    source: c.text('source'),
    external_id: c.text('external_id'),
    custom_fields: c.json('custom_fields'),
    created_at: c.time('created_at'),
    updated_at: c.time('updated_at'),
    version: c.integer('version'),
  },
  { name_key: (contact) => fold(contact.name) },
)

// 3. The statements and the rules.

type Company = Changes['company.updated']

export const contactStore = once((deps: Deps) => {
  const { db, clock, outbox, references, react, letGo } = deps
  const lists = membership(deps, 'contact')
  const offered = { ...filters, list_id: lists.filter }
  const { list, count } = listing(db, { table: 'contacts', columns, filters: offered, sorts })
  const custom = customValues(db, 'contact')
  const { restore, write, index, erase } = recordRows<Contact>(db, {
    object: 'contact',
    columns,
    custom,
    linked: { contact_emails: ['email_key', keysOf], contact_tags: ['tag_id', ({ tag_ids }) => tag_ids] },
    wordsIn,
    searched: ['name', 'emails', 'phones', 'company_id'],
  })
  const companyName = db.prepare('SELECT name FROM companies WHERE org_id = ? AND id = ?').pluck()
  const ofCompany = db.prepare(`SELECT ${columns.select} FROM contacts WHERE org_id = ? AND company_id = ?`).raw()
  const find = finder(db, 'contacts', columns)
  const otherWithEmail = db
    .prepare(
      `SELECT contact_id FROM contact_emails WHERE org_id = ? AND email_key = ? AND contact_id <> ?
       ORDER BY contact_id LIMIT 1`,
    )
    .pluck()
  const otherWithExternalId = db
    .prepare('SELECT id FROM contacts WHERE org_id = ? AND external_id = ? AND id <> ?')
    .pluck()
  const clearCompany = unlinking(db, 'contacts', columns, 'company_id', (who, contact) =>
    patch(who, contact, { company_id: null }),
  )

  function create(who: Caller, given: ContactPatch, flags: Flags = {}): Contact {
    references.check(who.org, given)
    const id = clock.id()
    const now = rfc3339(timeOfId(id))
    const contact: Contact = {
      id,
      first_name: given.first_name ?? null,
      last_name: given.last_name ?? null,
      name: '',
      emails: given.emails ?? [],
      phones: given.phones ?? [],
      job_title: given.job_title ?? null,
      company_id: given.company_id ?? null,
      owner_id: given.owner_id ?? null,
      tag_ids: given.tag_ids ?? [],
      linkedin_url: given.linkedin_url ?? null,
      website: given.website ?? null,
      address: mergeAddress(null, given.address ?? null),
      timezone: given.timezone ?? null,
      language: given.language ?? null,
      do_not_contact: given.do_not_contact ?? false,
      unsubscribed_at: null,
      source: given.source ?? null,
      external_id: given.external_id ?? null,
      custom_fields: flags.incomplete ? {} : custom.start(who.org, given.custom_fields),
      created_at: now,
      updated_at: now,
      version: 1,
    }
    admit(who, contact, [], flags)
    restore(who.org, contact)
    outbox.record(who, 'contact.created', contact)
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
    after.updated_at = rfc3339(clock.now())
    after.version = before.version + 1
    write(who.org, before, after)
    outbox.record(who, 'contact.updated', after, before)
    react(who, 'contact.updated', after, before)
    return after
  }

  function remove(who: Caller, contact: Contact): void {
    letGo(who, 'contact', contact.id)
    lists.leaveAll(who, contact.id)
    erase(who.org, contact.id)
    outbox.record(who, 'contact.deleted', contact)
  }

  /** Contacts are found by the name of their company, too. */
  function companyUpdated(who: Caller, company: Company, before?: Company): void {
    if (company.name === before?.name) return
    for (const row of ofCompany.all(who.org, company.id) as c.RawRow[]) index(who.org, columns.present(row))
  }

  function wordsIn(org: number, { name, emails, phones, company_id }: Contact): string[] {
    const company = company_id === null ? null : (companyName.get(org, company_id) as string)
    const numbers = phones.map(({ number }) => number)
    return wordsOf([name, company, ...emails.map(({ email }) => email)], numbers)
  }

  /** Names the contact; refuses one without any name (422), and one that another contact is already (409). */
  function admit(who: Caller, contact: Contact, known: string[], { allow_duplicate }: Flags): void {
    contact.name = nameOf(contact)
    if (contact.name === '') throw invalid(field('', 'empty', 'must have a name, an email or a phone'))
    for (const { email } of allow_duplicate ? [] : contact.emails) {
      if (known.includes(emailKey(email))) continue
      const other = otherWithEmail.get(who.org, emailKey(email), contact.id) as string | undefined
      if (other) throw duplicate(`email "${email}"; with allow_duplicate=true both may have it`, other)
    }
    if (contact.external_id === null) return
    const other = otherWithExternalId.get(who.org, contact.external_id, contact.id) as string | undefined
    if (other) throw duplicate(`external_id "${contact.external_id}"`, other)
  }

  const reading = { columns, filters: offered, custom: custom.offers, list, count, find }
  return { ...reading, create, restore, patch, write, save, remove, clearCompany, companyUpdated }
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
    Create: ContactPatch,
    Patch: ContactPatch,
    ...contactStore(deps),
  })
