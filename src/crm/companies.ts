import type * as v from 'valibot'
import { type Deps, once } from '../deps.ts'
import type { RecordedEvent } from '../events/outbox.ts'
import { membership } from '../filters/membership.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { timeOfId } from '../lib/id.ts'
import { change } from '../lib/merge.ts'
import { conflict, field, invalid } from '../lib/problem.ts'
import { fold } from '../lib/pure/fold.ts'
import { rfc3339 } from '../lib/time.ts'
import { wordsOf } from '../lib/words.ts'
import { moreDigitsOf } from '../lib/written/people/phone-countries.ts'
import { AddressPatch, mergeAddress } from '../records/address.ts'
import { Company, companyRecord } from '../records/company.ts'
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

// 1. The wire form. Its fields are declared in records/company.ts.

const CompanyPatch = f.patchOf({
  ...companyRecord.given,
  address: f.nullable(AddressPatch),
  custom_fields: CustomFieldsGiven,
})
type CompanyPatch = v.InferOutput<typeof CompanyPatch>

const CompanyCreate = f.object({ ...CompanyPatch.entries, name: companyRecord.given.name })
type CompanyCreate = v.InferOutput<typeof CompanyCreate>

const { sorts } = companyRecord
const filters = {
  ...companyRecord.filters,
  q: searchFilter('company', 'name, domains and phone (by any run of four digits or more)'),
}

// 2. The row.

export const columns = c.columns<Company>(companyRecord.columns, {
  name_key: (company) => fold(company.name),
  website_host: ({ website }) => website && hostOf(website),
})

/** The host of a web address, without a leading "www.". */
const hostOf = (website: string): string => new URL(website).hostname.replace(/^www\./, '')

// 3. The statements and the rules.

export const companyStore = once((deps: Deps) => {
  const { db, clock, references, announce, clearReferences } = deps
  const bin = binWriter(deps)
  const lists = listChanges(deps).of('company')
  const offered = { ...filters, phone: phoneFilter(db, 'company'), list_id: membership(deps, 'company').filter }
  const { list, render, count } = listing(db, { table: 'companies', columns, filters: offered, sorts })
  const country = countryOf(db)
  const custom = customValues(db, 'company')
  const { restore, write, wordsAfter, indexAfter, erase } = recordRows<Company>(db, {
    object: 'company',
    columns,
    custom,
    linked: {
      company_domains: ['domain', ({ domains }) => domains],
      company_tags: ['tag_id', ({ tag_ids }) => tag_ids],
    },
    wordsIn: (org, { name, domains, phone }) =>
      phone === null
        ? wordsOf([name, ...domains])
        : wordsOf([name, ...domains], [phone], moreDigitsOf(phone, country(org))),
    searched: ['name', 'domains', 'phone'],
  })
  const find = finder(db, 'companies', columns)
  const otherWithDomain = db
    .prepare('SELECT company_id FROM company_domains WHERE org_id = ? AND domain = ? AND company_id <> ?')
    .pluck()
  const ids = externalIds(db)
  const isAtOrAbove = db
    .prepare(
      `WITH RECURSIVE line (id) AS (
         SELECT @start
         UNION
         SELECT parent_company_id FROM line JOIN companies ON companies.org_id = @org AND companies.id = line.id
         WHERE parent_company_id IS NOT NULL
       )
       SELECT 1 FROM line WHERE id = @id`,
    )
    .pluck()
  const clearParent = unlinking(db, 'companies', columns, 'parent_company_id', (who, company) =>
    patch(who, company, { parent_company_id: null }),
  )

  function create(who: Caller, given: CompanyCreate, flags: IdFlags = {}): Company {
    references.check(who.org, given)
    const id = clock.id()
    const now = rfc3339(timeOfId(id))
    const company: Company = {
      ...companyRecord.blank,
      ...given,
      id,
      address: mergeAddress(null, given.address ?? null),
      custom_fields: custom.start(who.org, given.custom_fields),
      created_at: now,
      updated_at: now,
      version: 1,
    }
    checkDuplicates(who, company, flags)
    restore(who.org, company)
    announce(who, 'company.created', company)
    return company
  }

  function patch(who: Caller, before: Company, given: CompanyPatch, flags: IdFlags = {}): Company {
    const { address = before.address, ...rest } = given
    const { after, changed } = change(before, {
      ...rest,
      address: mergeAddress(before.address, address),
      custom_fields: custom.change(who.org, before.custom_fields, given.custom_fields),
    })
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    if (changed.includes('parent_company_id')) checkCycle(who, after)
    checkDuplicates(who, after, flags)
    return save(who, before, after)
  }

  function save(who: Caller, before: Company, after: Company): Company {
    const saved = nextRow(clock, after)
    write(who.org, before, saved)
    announce(who, 'company.updated', saved, before)
    return saved
  }

  /** Clears the references of its contacts, deals and subsidiaries, which stay. */
  function remove(who: Caller, company: Company): void {
    const keep = bin.keeping(who, 'company', company)
    keep(discard(who, company))
  }

  /** Deletes a company that does not go to the bin: merges keep what they need themselves. */
  function discard(who: Caller, company: Company): RecordedEvent {
    clearReferences(who, 'company', company.id)
    lists.leaveAll(who, company.id)
    erase(who.org, company.id)
    return announce(who, 'company.deleted', company)
  }

  function checkCycle(who: Caller, { id, parent_company_id }: Company): void {
    if (!isAtOrAbove.get({ org: who.org, start: parent_company_id, id })) return
    throw invalid(field('/parent_company_id', 'cycle', 'must not be the company itself or one below it'))
  }

  function checkDuplicates(who: Caller, { id, domains, external_id }: Company, { other_product }: IdFlags): void {
    for (const domain of domains) {
      const other = otherWithDomain.get(who.org, domain, id) as string | undefined
      if (other) throw duplicate(`domain "${domain}"`, other)
    }
    if (external_id === null || other_product) return
    const other = ids.otherWith(who.org, 'company', external_id, id)
    if (other) throw duplicate(`external_id "${external_id}"`, other)
  }

  const schemas = { Create: CompanyCreate, Patch: CompanyPatch }
  const reading = { columns, filters: offered, custom: custom.offers, list, render, count, find }
  const changing = { create, restore, patch, write, save, remove, discard, clearParent }
  return { ...schemas, ...reading, ...changing, wordsAfter, indexAfter }
})

const duplicate = (what: string, other: string) =>
  conflict('duplicate', `Another company, ${other}, has the ${what}.`, { duplicate_id: other })

// 4. The routes.

export const companies = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/companies',
    scope: 'rest.crm.companies',
    name: 'company',
    plural: 'companies',
    Shape: Company,
    sorts,
    ...companyStore(deps),
  })
