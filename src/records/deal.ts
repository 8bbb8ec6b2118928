import type * as v from 'valibot'
import * as f from '../lib/fields.ts'
import * as c from '../store/rows/columns.ts'
import {
  amount,
  BY_STAGE,
  currency,
  date,
  externalId,
  field,
  originallyCreated,
  readOnly,
  reference,
  tags,
  timestamp,
  title,
} from './kinds.ts'
import { record } from './record.ts'

// A deal is the domain's Opportunity; both have the same id.

const STATUSES = ['open', 'won', 'lost'] as const

export const dealRecord = record(
  {
    title: title('What is to be sold, for example "Licences for 40 desks".', 'sort', 'import', 'template'),
    amount: amount('Value of the deal in major units, for example 25000.', 'filter', 'sort', 'import', 'template'),
    currency: currency('Currency of the amount.', 'filter', 'import', 'template'),
    stage: field(f.doc(f.id, 'Current stage in the pipeline; see `GET /stages`.'), () => c.plain('stage_id'), {
      filter: { type: 'id' },
      sort: { by: BY_STAGE },
      list: { kind: 'id', target: 'stages' },
      import: { kind: 'stage' },
    }),
    status: field(f.doc(f.oneOf(STATUSES), '`open` until the deal is closed, then `won` or `lost`.'), c.plain, {
      filter: { type: 'choice', choices: STATUSES },
      list: { kind: 'choice', choices: STATUSES },
      import: { kind: 'status' },
    }),
    company_id: reference('companies', 'The company that would buy.', 'filter', 'sort', 'import'),
    primary_contact_id: reference('contacts', 'The main contact for the deal.', 'filter', 'import'),
    owner_id: reference('members', null, 'filter', 'sort', 'import'),
    tag_ids: tags('deal'),
    expected_close_date: date('When the deal is expected to close.', 'filter', 'sort', 'import', 'template'),
    close_reason_id: readOnly(reference('close_reasons', 'Why the deal was closed; null while it is open.', 'import')),
    closed_at: timestamp('When the deal was closed; null while it is open.'),
    stage_changed_at: field(f.doc(f.recordFields.created_at, 'When the deal entered its current stage.'), c.time, {
      list: { kind: 'time' },
    }),
    external_id: externalId('deals'),
    originally_created_at: originallyCreated(),
  },
  ['external_id', 'company_id', 'primary_contact_id', 'tag_ids', 'stage', 'owner_id', 'status', 'currency', 'amount'],
)

export const Deal = f.doc(
  f.object(dealRecord.entries),
  'A deal is a potential sale. It moves through the stages of a pipeline until it is closed as won or lost.',
)
export type Deal = v.InferOutput<typeof Deal>
