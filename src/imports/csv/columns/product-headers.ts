import type { ImportObject } from '../../writable.ts'

// Columns whose name means something else in the files of one product, and those that only it has, in the form that
// `headerKey` returns. The product is known by columns that only its files have. A name may stand for several fields, of
// which the first one that is free counts: names behind a bar only if the file has none of those before it. A column of
// the field "-" is not taken for what it would be elsewhere.

type Names = { readonly [field: string]: string }

export type ProductHeaders = {
  isIn: (keys: ReadonlySet<string>, headers: readonly string[]) => boolean
  names: { readonly [each in ImportObject]?: Names }
  /** Its deals have no title: they are called after their company. */
  isUntitled?: true
}

const hasAny = (keys: ReadonlySet<string>, names: string): boolean => names.split(', ').some((name) => keys.has(name))

const LOCATION = (prefix: string): Names => ({
  'address.line1': `${prefix} line 1, ${prefix} address line 1, ${prefix} street`,
  'address.line2': `${prefix} line 2, ${prefix} address line 2`,
  'address.city': `${prefix} city, ${prefix} locality`,
  'address.region': `${prefix} state, ${prefix} region`,
  'address.postal_code': `${prefix} postcode, ${prefix} postal code, ${prefix} zip code`,
  'address.country': `${prefix} country code, ${prefix} country`,
})

export const PRODUCT_HEADERS: readonly ProductHeaders[] = [
  {
    // LinkedIn
    isIn: (keys) => keys.has('connected on'),
    names: { contact: { linkedin_url: 'url' } },
  },
  {
    // Close: a lead is a firm with its contacts. Its amounts are in cents, but for the formatted ones.
    isIn: (keys) =>
      (keys.has('lead id') &&
        hasAny(
          keys,
          'lead name, lead display name, display name, contact id, contact name, primary email, status label, lead status label, status type, value period, date created',
        )) ||
      (keys.has('display name') && hasAny(keys, 'status label, status id, num opportunities, html url')),
    isUntitled: true,
    names: {
      contact: {
        external_id: 'contact id | id',
        company_external_id: 'lead id',
        name: 'contact name, name, primary contact name | contact display name | display name',
        company_id: 'lead name, lead display name, company, company name | lead | display name',
        job_title: 'title, contact title, primary contact title',
        emails:
          'primary email, email, emails, contact email, contact emails, contact primary email, primary contact primary email, other emails, email address',
        phones:
          'primary phone, phone, phones, contact phone, contact phones, contact primary phone, primary contact primary phone, other phones',
        website: 'primary url, url, urls, contact url',
        owner_id: 'contact owner, lead owner, owner',
        originally_created_at: 'contact date created, date created, created',
        '-': 'status label, lead status label, status',
      },
      company: {
        external_id: 'lead id | id',
        name: 'display name, lead name, lead display name, company, company name | name',
        website: 'url, lead url, website, primary url',
        description: 'description, lead description',
        originally_created_at: 'date created, lead date created, created',
        owner_id: 'lead owner, owner',
        ...LOCATION('primary address'),
        '-': 'contact id, contact name, title, status label',
      },
      deal: {
        external_id: 'opportunity id | id',
        company_external_id: 'lead id',
        contact_external_id: 'contact id',
        company_id: 'lead name, lead display name, company, company name | lead | display name',
        primary_contact_id: 'contact name, contact',
        amount: 'value formatted',
        currency: 'value currency, currency',
        stage: 'status label, opportunity status label, opportunity status, status display name | status',
        status: 'status type, opportunity status type',
        pipeline_id: 'pipeline name, pipeline',
        expected_close_date: 'close date, expected close date, estimated close date | date won',
        owner_id: 'user name, assigned to, assigned to name, user, owner',
        originally_created_at: 'date created, opportunity date created, created',
        notes: 'note, notes',
        '-': 'value, expected value, annualized value, annualized expected value, name',
      },
    },
  },
  {
    // Attio: what belongs to another record or to a part of a value stands behind a sign.
    isIn: (keys, headers) =>
      headers.some((header) => header.includes(' > ')) || (keys.has('record id') && keys.has('record')),
    names: {
      contact: {
        external_id: 'record id',
        first_name: 'name first name',
        last_name: 'name last name',
        name: 'name full name, name, full name | record | people record, person record',
        emails:
          'email addresses, email addresses email address, email addresses original email address, primary email address',
        phones:
          'phone numbers, phone numbers phone number, phone numbers original phone number, primary phone number, phone numbers primary phone number',
        company_id: 'company record, company name, company | company domains',
        company_external_id: 'company record id, company id',
        ...LOCATION('primary location'),
        owner_id: 'owner, owner name, owner email, relationship owner, relationship owner name',
        originally_created_at: 'created at, created at timestamp, record created at',
      },
      company: {
        external_id: 'record id',
        name: 'name, company name | record | company record',
        domains: 'domains, domains domain, domains full domain, domain',
        ...LOCATION('primary location'),
        owner_id: 'owner, owner name, owner email',
        originally_created_at: 'created at, created at timestamp, record created at',
        '-': 'team record, team record id, associated deals record, associated deals record id',
      },
      deal: {
        external_id: 'record id',
        title: 'deal name, name | record | deal record',
        stage: 'deal stage, deal stage title, stage, deal stage status, stage title',
        amount: 'deal value, deal value currency value, deal value amount, value, value currency value, value amount',
        currency: 'deal value currency code, deal value currency, value currency code, value currency, currency',
        company_id: 'associated company record, company record, associated company, company, company name',
        company_external_id: 'associated company record id, company record id',
        primary_contact_id:
          'associated people record, people record, person record, associated people, people, associated people name',
        contact_external_id: 'associated people record id, people record id, person record id',
        owner_id: 'deal owner, deal owner name, owner, owner name, owner email',
        originally_created_at: 'created at, created at timestamp, record created at',
      },
    },
  },
  {
    // monday.com: a board is a table of items of any kind.
    isIn: (keys) => hasAny(keys, 'item id auto generated, subitems') && keys.has('name'),
    names: {
      contact: {
        external_id: 'item id auto generated, item id',
        name: 'name',
        company_id: 'accounts, account, company, companies, account name, company name, organization',
        job_title: 'title, job title, position, role',
        owner_id: 'owner, contact owner, people, person, assignee',
        notes: 'comments, notes, comment',
        '-': 'subitems, contacts, deals, status',
      },
      company: {
        external_id: 'item id auto generated, item id',
        name: 'name',
        domains: 'domain, company domain, domains',
        'address.line1': 'headquarters location, hq location, headquarters, hq, location, address',
        employee_count: 'no of employees, employees, number of employees, headcount',
        owner_id: 'owner, account owner, people, person, assignee',
        notes: 'comments, notes, comment',
        '-': 'subitems, contacts, deals, accounts, company',
      },
      deal: {
        external_id: 'item id auto generated, item id',
        title: 'name',
        stage: 'stage, deal stage | status',
        amount: 'deal value, deals value, value, amount | actual deal value',
        company_id: 'accounts, account, company, companies, account name, company name',
        primary_contact_id: 'contacts, contact, contact name',
        expected_close_date: 'expected close date, close date, closing date',
        owner_id: 'owner, deal owner, people, person, assignee',
        originally_created_at: 'deal creation date, creation date, creation log',
        notes: 'comments, notes, comment',
        '-': 'subitems, deals, forecast value',
      },
    },
  },
]
