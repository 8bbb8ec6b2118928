import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import * as c from '../../store/columns.ts'
import { amount, currency, date, field, readOnly, reference, tags, timestamp, title } from './kinds.ts'
import { record } from './record.ts'

// A deal is the domain's Opportunity; both have the same id.

const STATUSES = ['open', 'won', 'lost'] as const

export const dealRecord = record(
  {
    title: title('What is to be sold, such as "Licences for 40 desks".', 'sort', 'import', 'template'),
    amount: amount('What it is worth, in major units, such as 25000.', 'filter', 'sort', 'import', 'template'),
    currency: currency('Of the amount.', 'filter', 'import', 'template'),
    stage: field(f.doc(f.id, 'Where it stands in its pipeline; see `GET /stages`.'), () => c.plain('stage_id'), {
      filter: { type: 'id' },
      list: { kind: 'id', target: 'stages' },
      import: { kind: 'stage' },
    }),
    status: field(f.doc(f.oneOf(STATUSES), 'Open until it is closed, then `won` or `lost`.'), c.plain, {
      filter: { type: 'choice', choices: STATUSES },
      list: { kind: 'choice', choices: STATUSES },
      import: { kind: 'status' },
    }),
    company_id: reference('companies', 'The company that would buy.', 'filter', 'import'),
    primary_contact_id: reference('contacts', 'The contact who is talked to first.', 'filter', 'import'),
    owner_id: reference('members', null, 'filter', 'import'),
    tag_ids: tags('deal'),
    expected_close_date: date('When it should be decided.', 'filter', 'sort', 'import', 'template'),
    close_reason_id: readOnly(reference('close_reasons', 'Why it was closed; null while it is open.', 'import')),
    closed_at: timestamp('When it was closed; null while it is open.'),
    stage_changed_at: field(f.doc(f.recordFields.created_at, 'Since when it has been in its stage.'), c.time, {
      list: { kind: 'time' },
    }),
  },
  ['company_id', 'primary_contact_id', 'tag_ids', 'stage', 'owner_id', 'status', 'currency', 'amount'],
)

export const Deal = f.doc(
  f.object(dealRecord.entries),
  'A deal is a sale that may come: it moves through the stages of a pipeline until it is closed as won or lost.',
)
export type Deal = v.InferOutput<typeof Deal>
