import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fields } from '../../../../src/imports/csv/columns/field.ts'
import { FIELDS } from '../../../../src/imports/csv/columns/fields.ts'
import {
  checkMapping,
  type Mapping,
  mappingTable,
  override,
  recognise,
} from '../../../../src/imports/csv/columns/mapping.ts'
import type { ImportObject } from '../../../../src/imports/writable.ts'

/** The fields of columns that stand in a text as `Column > field`; without one it is not imported. */
function pairs(text: string): [string, string | null][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [column = '', field] = line.trim().split(' > ')
      return [column, field ?? null]
    })
}

const fieldsOf = (mapping: Mapping) => mapping.map(({ column, field }) => [column, field])

const files: [string, ImportObject, string][] = [
  [
    'our own contacts',
    'contact',
    `id
     first_name > first_name
     last_name > last_name
     name
     emails > emails
     phones > phones
     job_title > job_title
     company_id > company_id
     owner_id > owner_id
     tag_ids > tag_ids
     linkedin_url > linkedin_url
     website > website
     address.line1 > address.line1
     address.city > address.city
     address.postal_code > address.postal_code
     address.country > address.country
     timezone > timezone
     language > language
     do_not_contact > do_not_contact
     unsubscribed_at
     source > source
     external_id > external_id
     created_at > originally_created_at
     updated_at
     version`,
  ],
  [
    'our own deals',
    'deal',
    `id
     title > title
     amount > amount
     currency > currency
     stage > stage
     status > status
     company_id > company_id
     primary_contact_id > primary_contact_id
     owner_id > owner_id
     tag_ids > tag_ids
     expected_close_date > expected_close_date
     close_reason_id > close_reason_id
     closed_at
     stage_changed_at
     external_id > external_id
     originally_created_at > originally_created_at
     created_at`,
  ],
  [
    'contacts of HubSpot',
    'contact',
    `Record ID > external_id
     First Name > first_name
     Last Name > last_name
     Email > emails
     Phone Number > phones
     Mobile Phone Number > phones.other
     Contact owner > owner_id
     Associated Company > company_id
     Associated Company IDs > company_external_id
     Lead Status
     Create Date > originally_created_at
     Job Title > job_title
     Street Address > address.line1
     City > address.city
     State/Region > address.region
     Postal Code > address.postal_code
     Country/Region > address.country
     Preferred language > language
     Website URL > website`,
  ],
  [
    'companies of HubSpot',
    'company',
    `Record ID > external_id
     Company name > name
     Company owner > owner_id
     Company Domain Name > domains
     Phone Number > phone
     City > address.city
     Country/Region > address.country
     Industry > industry
     Number of Employees > employee_count
     Annual Revenue > annual_revenue
     LinkedIn Company Page > linkedin_url
     About Us > description
     Parent Company > parent_company_id
     Lifecycle Stage`,
  ],
  [
    'deals of HubSpot',
    'deal',
    `Record ID > external_id
     Deal Name > title
     Deal Stage > stage
     Pipeline > pipeline_id
     Close Date > expected_close_date
     Deal owner > owner_id
     Amount > amount
     Currency > currency
     Closed Lost Reason > close_reason_id
     Associated Company > company_id
     Associated Contact > primary_contact_id`,
  ],
  [
    'people of Pipedrive',
    'contact',
    `Person - Name
     Person - First name > first_name
     Person - Last name > last_name
     Person - Organization > company_id
     Person - Email - Work > emails.work
     Person - Email - Home > emails.home
     Person - Email - Other > emails.other
     Person - Phone - Work > phones.work
     Person - Phone - Mobile > phones.other
     Person - Owner > owner_id
     Person - Labels > tag_ids
     Person - Job title > job_title
     Person - ID > external_id
     Person - Open deals`,
  ],
  [
    'organizations of Pipedrive',
    'company',
    `Organization - Name > name
     Organization - Label > tag_ids
     Organization - Address > address
     Organization - City/town/village/locality of Address > address.city
     Organization - ZIP/Postal code of Address > address.postal_code
     Organization - Country of Address > address.country
     Organization - Owner > owner_id
     Organization - ID > external_id`,
  ],
  [
    'deals of Pipedrive',
    'deal',
    `Deal - Title > title
     Deal - Value > amount
     Deal - Currency of Value > currency
     Deal - Stage > stage
     Deal - Pipeline > pipeline_id
     Deal - Status > status
     Deal - Lost reason > close_reason_id
     Deal - Organization > company_id
     Deal - Contact person > primary_contact_id
     Deal - Owner > owner_id
     Deal - Label > tag_ids
     Deal - Expected close date > expected_close_date
     Deal - Probability
     Deal - ID > external_id`,
  ],
  [
    'contacts of Google',
    'contact',
    `First Name > first_name
     Middle Name > middle_name
     Last Name > last_name
     Organization Name > company_id
     Organization Title > job_title
     E-mail 1 - Label
     E-mail 1 - Value > emails
     E-mail 2 - Label
     E-mail 2 - Value > emails
     Phone 1 - Label
     Phone 1 - Value > phones
     Address 1 - Street > address.line1
     Address 1 - City > address.city
     Address 1 - Postal Code > address.postal_code
     Address 1 - Country > address.country
     Address 2 - Street > address.line1
     Labels > tag_ids
     Website 1 - Value > website`,
  ],
  [
    'contacts of Google in its older form',
    'contact',
    `Name
     Given Name > first_name
     Family Name > last_name
     Group Membership > tag_ids
     E-mail 1 - Type
     E-mail 1 - Value > emails
     Organization 1 - Name > company_id
     Organization 1 - Title > job_title`,
  ],
  [
    'contacts of Outlook',
    'contact',
    `First Name > first_name
     Last Name > last_name
     Company > company_id
     Department
     Job Title > job_title
     Business Street > address.line1
     Business Street 2 > address.line2
     Business City > address.city
     Business State > address.region
     Business Postal Code > address.postal_code
     Business Country/Region > address.country
     Business Phone > phones.work
     Business Phone 2 > phones.work
     Home Phone > phones.home
     Mobile Phone > phones.other
     Categories > tag_ids
     E-mail Address > emails
     E-mail 2 Address > emails
     E-mail 2 Display Name
     Web Page > website`,
  ],
  [
    'contacts of Outlook, whose title is Mr or Dr',
    'contact',
    `Title
     First Name > first_name
     Company > company_id
     Job Title > job_title
     Home Street > address.line1
     Business Street > address.line1
     Account`,
  ],
  [
    'contacts with one address only',
    'contact',
    `Title > job_title
     Name > name
     Home Street > address.line1
     Home City > address.city`,
  ],
  [
    'contacts of Salesforce',
    'contact',
    `Salutation
     First Name > first_name
     Last Name > last_name
     Title > job_title
     Account Name > company_id
     Mailing Street > address.line1
     Mailing City > address.city
     Mailing State/Province > address.region
     Mailing Zip/Postal Code > address.postal_code
     Mailing Country > address.country
     Other City > address.city
     Phone > phones
     Mobile > phones.other
     Fax
     Email > emails
     Account Owner
     Contact Owner > owner_id
     Email Opt Out > do_not_contact`,
  ],
  [
    'contacts of Salesforce by the names of its API',
    'contact',
    `Id > external_id
     FirstName > first_name
     LastName > last_name
     MailingPostalCode > address.postal_code
     MobilePhone > phones.other
     LeadSource > source`,
  ],
  [
    'accounts of Salesforce',
    'company',
    `Account Owner > owner_id
     Account Name > name
     Billing Street > address.line1
     Billing State/Province > address.region
     Billing Zip/Postal Code > address.postal_code
     Shipping City > address.city
     Billing City > address.city
     Employees > employee_count
     Annual Revenue Currency > currency
     Annual Revenue > annual_revenue
     Account ID > external_id`,
  ],
  [
    'opportunities of Salesforce',
    'deal',
    `Account Owner
     Opportunity Owner > owner_id
     Account Name > company_id
     Opportunity Name > title
     Stage > stage
     Fiscal Period
     Amount Currency > currency
     Amount > amount
     Probability (%)
     Close Date > expected_close_date`,
  ],
  [
    'connections of LinkedIn',
    'contact',
    `First Name > first_name
     Last Name > last_name
     URL > linkedin_url
     Email Address > emails
     Company > company_id
     Position > job_title
     Connected On > originally_created_at`,
  ],
  [
    'deals of HubSpot, whose primary company counts',
    'deal',
    `Deal Name > title
     Associated Company
     Associated Company (Primary) > company_id
     Associated Contact > primary_contact_id`,
  ],
  [
    'deals of Pipedrive in its newer form',
    'deal',
    `Deal - Title > title
     Deal - Stage (pipeline) > stage
     Deal - Currency of value > currency
     Organization > company_id
     Contact person > primary_contact_id`,
  ],
  [
    'contacts in German',
    'contact',
    `Vorname > first_name
     Nachname > last_name
     Firma > company_id
     E-Mail-Adresse > emails
     Telefon (geschäftlich) > phones.work
     Handy > phones.other
     Straße > address.line1
     PLZ > address.postal_code
     Ort > address.city
     Land > address.country
     Zuständig > owner_id
     Geburtstag`,
  ],
  [
    'companies in French',
    'company',
    `Société > name
     Adresse > address
     Code postal > address.postal_code
     Ville > address.city
     Pays > address.country
     Téléphone > phone
     Chiffre d'affaires > annual_revenue
     Effectif > employee_count
     Secteur d’activité > industry`,
  ],
  [
    'deals in Spanish',
    'deal',
    `TÍTULO > title
     Importe > amount
     Moneda > currency
     Etapa > stage
     Empresa > company_id
     Fecha de cierre > expected_close_date
     Propietario > owner_id`,
  ],
  [
    'a full name, in whatever case and punctuation',
    'contact',
    `FULL_NAME > name
     e-mail > emails
     PHONE 2 > phones`,
  ],
]

describe('the columns are recognised', () => {
  for (const [what, object, text] of files) {
    test(`of ${what}`, () => {
      const expected = pairs(text)
      const columns = expected.map(([column]) => column)
      assert.deepEqual(fieldsOf(recognise(object, columns, FIELDS[object])), expected)
    })
  }

  test('the first of two for one field, but our own name before all others', () => {
    const mapping = recognise('company', ['Firma', 'name', 'Telefon', 'Phone', 'name (2)'], FIELDS.company)
    assert.deepEqual(
      mapping.map(({ field }) => field),
      [null, 'name', 'phone', null, null],
    )
  })

  test('of no column whose name is that of a member of every object', () => {
    const mapping = recognise('contact', ['constructor', '__proto__', 'toString', 'Connected On'], FIELDS.contact)
    assert.deepEqual(
      mapping.map(({ field }) => field),
      [null, null, null, 'originally_created_at'],
    )
  })

  test('of custom fields by key and by title', () => {
    const fields: Fields = {
      ...FIELDS.contact,
      'custom_fields.shoe_size': { kind: 'number', title: 'Shoe size' },
      'custom_fields.source': { kind: 'text', title: 'Quelle' },
    }
    const mapping = recognise('contact', ['SHOE-SIZE', 'custom_fields.source', 'Quelle', 'custom_fields.no'], fields)
    assert.deepEqual(
      mapping.map(({ field }) => field),
      ['custom_fields.shoe_size', 'custom_fields.source', 'source', null],
    )
  })

  test('of a custom field never takes away what a record is called or reached by', () => {
    const fields: Fields = {
      ...FIELDS.contact,
      'custom_fields.private': { kind: 'text', title: 'Email' },
      'custom_fields.number': { kind: 'text', title: 'Customer number' },
    }
    const mapping = recognise('contact', ['Email', 'Customer number'], fields)
    assert.deepEqual(
      mapping.map(({ field }) => field),
      ['emails', 'custom_fields.number'],
    )
  })

  test('with the label of an email of Google in the column beside it', () => {
    const mapping = recognise('contact', ['E-mail 1 - Type', 'E-mail 1 - Value', 'Phone 1 - Value'], FIELDS.contact)
    assert.deepEqual(mapping, [
      { column: 'E-mail 1 - Type', field: null },
      { column: 'E-mail 1 - Value', field: 'emails', label: 'E-mail 1 - Type' },
      { column: 'Phone 1 - Value', field: 'phones' },
    ])
  })
})

describe('--map', () => {
  const fields = FIELDS.contact
  const mapping = recognise('contact', ['Name', 'Name, second', 'a=b', 'E-mail', 'Telefon'], fields)
  const changed = (text: string) => override(mapping, text, fields).map(({ field }) => field)

  test('sets a column, takes one out, and leaves the others', () => {
    assert.deepEqual(changed('Telefon=-, a=b = source'), ['name', null, 'source', 'emails', null])
  })

  test('names columns with commas and equals signs, and without regard to case and punctuation', () => {
    assert.deepEqual(changed('Name, second=last_name,NAME=first_name'), [
      'first_name',
      'last_name',
      null,
      'emails',
      'phones',
    ])
  })

  test('takes a field from the column that had it, where one column only can be it', () => {
    assert.deepEqual(changed('a=b=name'), [null, null, 'name', 'emails', 'phones'])
    assert.deepEqual(changed('a=b=emails'), ['name', null, 'emails', 'emails', 'phones'])
  })

  const refused: [string, string, RegExp][] = [
    [
      'an unknown column',
      'Fax=phones',
      /no column "Fax"\. Its columns are "Name", "Name, second", "a=b", "E-mail", "Telefon"/,
    ],
    ['an unknown field', 'Name=nickname', /no field "nickname"\. Fields are first_name, last_name, .* and - for none/],
    ['a field that an object inherits', 'Name=constructor', /no field "constructor"/],
    ['a column twice', 'Name=first_name,name=last_name', /"Name" more than once/],
    ['one field for two columns', 'Name=source,a=b=source', /only one column can be source/],
    ['no pair', 'Name', /must have the form "Column=field/],
    ['nothing', '', /must have the form "Column=field/],
  ]
  for (const [what, text, message] of refused) {
    test(`refuses ${what}`, () => {
      assert.throws(() => changed(text), { code: 'usage', message })
    })
  }
})

describe('a mapping', () => {
  test('that makes no record is refused, and the columns are named', () => {
    const check = (object: ImportObject, columns: string[], match?: 'email' | 'domain' | 'external_id') =>
      checkMapping(object, recognise(object, columns, FIELDS[object]), match)
    assert.throws(() => check('contact', ['Fax', 'City']), { code: 'usage', message: /"Fax", "City"/ })
    assert.throws(() => check('company', ['Domain']), { code: 'usage', message: /as name\./ })
    assert.throws(() => check('deal', ['Amount']), { code: 'usage', message: /as title\./ })
    assert.throws(() => check('contact', ['Name'], 'email'), { code: 'usage', message: /as emails\./ })
    check('contact', ['Handy'])
    check('company', ['Domain', 'Phone'], 'domain')
    check('contact', ['Private E-Mail', 'Ort'], 'email')
  })

  test('is shown as a table with the first value of each column', () => {
    const mapping = recognise('contact', ['Name', 'Phone 1 - Type', 'Phone 1 - Value', 'Fax'], FIELDS.contact)
    const examples = { Name: 'Ana\n Ruiz', 'Phone 1 - Type': 'Work', 'Phone 1 - Value': '1'.repeat(60), Fax: 5 }
    assert.deepEqual(mappingTable(mapping, examples), [
      ['COLUMN', 'FIELD', 'FIRST VALUE'],
      ['Name', 'name', 'Ana Ruiz'],
      ['Phone 1 - Type', 'label of Phone 1 - Value', 'Work'],
      ['Phone 1 - Value', 'phones', `${'1'.repeat(39)}…`],
      ['Fax', 'not imported', '5'],
    ])
  })
})
