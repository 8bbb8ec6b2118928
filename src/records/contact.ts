import type * as v from 'valibot'
import { EMAIL_FORM, emailKey } from '../lib/email.ts'
import * as f from '../lib/fields.ts'
import { fold } from '../lib/pure/fold.ts'
import * as c from '../store/rows/columns.ts'
import { Email, Phone } from './contact-methods.ts'
import {
  address,
  externalId,
  field,
  flag,
  language,
  originallyCreated,
  reference,
  tags,
  text,
  timestamp,
  timezone,
  url,
} from './kinds.ts'
import { record } from './record.ts'

// A contact is a person outside the org; a member is one inside.

const emailLink = { table: 'contact_emails', key: 'contact_id', column: 'email_key' }

export const contactRecord = record(
  {
    first_name: text('For example "Ana".', 'import', 'template'),
    last_name: text('For example "Lindqvist".', 'import', 'template'),
    name: field(
      f.doc(f.line(511), 'First and last name; without them, the primary email, or else the primary phone.'),
      c.text,
      {
        isKeyed: true,
        sort: {},
        list: { kind: 'text', normal: fold },
        import: { kind: 'fullName' },
        template: true,
      },
    ),
    emails: field(f.arrayOf(Email), c.json, {
      blank: [],
      filter: {
        name: 'email',
        type: 'text',
        form: EMAIL_FORM,
        link: emailLink,
        normal: emailKey,
        description: 'Any of its emails, in any spelling: case does not count, nor does the script of its domain.',
      },
      list: { kind: 'texts', column: 'email_key', link: emailLink, normal: emailKey },
      import: { kind: 'emails', many: true },
    }),
    phones: field(f.arrayOf(Phone), c.json, {
      blank: [],
      list: { kind: 'texts', json: { path: '$.number', each: true }, normal: fold, folded: true },
      import: { kind: 'phones', many: true },
    }),
    job_title: text('For example "Head of purchasing".', 'import', 'template'),
    company_id: reference('companies', 'The company that the contact works for.', 'filter', 'sort', 'import'),
    owner_id: reference('members', null, 'filter', 'sort', 'import'),
    tag_ids: tags('contact'),
    linkedin_url: url('LinkedIn profile.', 'import'),
    website: url('Personal website of the contact.', 'import', 'template'),
    address,
    timezone: timezone(null, 'import', 'template'),
    language: language(null, 'import', 'template'),
    do_not_contact: {
      ...flag('Whether the contact must not be contacted.', 'filter'),
      import: { kind: 'consent', many: true }, // an import sets it, and never clears it
    },
    unsubscribed_at: timestamp('When the contact unsubscribed from mailings; null if subscribed.'),
    source: text('Where the contact came from, for example "trade fair".', 'import'),
    external_id: externalId('contacts'),
    originally_created_at: originallyCreated(),
  },
  ['external_id', 'emails', 'company_id', 'tag_ids'],
)

export const Contact = f.doc(
  f.object(contactRecord.entries),
  'A contact is a person outside the organisation. It has at least a name, an email or a phone.',
)
export type Contact = v.InferOutput<typeof Contact>
