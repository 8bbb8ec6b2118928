import * as v from 'valibot'
import { toDomain } from '../lib/domain.ts'
import * as f from '../lib/fields.ts'
import * as c from '../store/rows/columns.ts'
import {
  address,
  amount,
  count,
  currency,
  externalId,
  field,
  longText,
  originallyCreated,
  phone,
  reference,
  tags,
  text,
  title,
  url,
} from './kinds.ts'
import { record } from './record.ts'

// A company is a firm that is a customer; an org is one that uses this CRM.

const domains = v.pipe(
  f.arrayOf(f.domain),
  v.transform((all) => [...new Set(all)]),
  v.description(
    'Returned in lower case, in punycode and without duplicates; a PATCH replaces all of them, and [] clears.',
  ),
)
const domainLink = { table: 'company_domains', key: 'company_id', column: 'domain' }

export const companyRecord = record(
  {
    name: title('For example "Northwind Ltd".', 'sort', 'import', 'template'),
    domains: field(domains, c.json, {
      given: true,
      blank: [],
      filter: {
        name: 'domain',
        type: 'text',
        form: { is: (text) => toDomain(text) !== undefined, name: 'a host name, such as example.com' },
        link: domainLink,
        normal: (given) => toDomain(given) ?? given,
        description: 'Any of its domains.',
      },
      list: {
        kind: 'texts',
        column: 'domain',
        link: domainLink,
        normal: (given) => toDomain(given) ?? given.toLowerCase(),
      },
      import: { kind: 'domains', many: true },
    }),
    website: url(null, 'import', 'template'),
    phone: phone(null, 'import', 'template'),
    industry: text('For example "Logistics".', 'import', 'template'),
    employee_count: count('Number of employees.', 'import'),
    annual_revenue: amount('In major units, for example 25000.', 'import'),
    currency: currency('Currency of the annual revenue.', 'import'),
    linkedin_url: url('LinkedIn page.', 'import'),
    address,
    parent_company_id: reference(
      'companies',
      'Parent company; must not be the company itself or one below it.',
      'filter',
      'import',
    ),
    owner_id: reference('members', null, 'filter', 'sort', 'import'),
    tag_ids: tags('company'),
    description: longText('Notes about the company.', 'import'),
    external_id: externalId('companies'),
    originally_created_at: originallyCreated(),
  },
  ['external_id', 'domains', 'parent_company_id', 'tag_ids'],
)

export const Company = f.doc(
  f.object(companyRecord.entries),
  'A company is the firm of a customer, or of a potential customer.',
)
export type Company = v.InferOutput<typeof Company>
