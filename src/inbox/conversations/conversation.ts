import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import type { Filter } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/query.ts'
import { searchFilter } from '../../store/list/search.ts'
import * as c from '../../store/rows/columns.ts'
import { PRIORITIES } from '../sla/policies.ts'
import { SLA_STATUSES, Sla } from '../sla/sla.ts'

// The wire form of a conversation, and its row.

export const CHANNELS = ['email', 'chat', 'sms', 'phone', 'other'] as const
export const STATUSES = ['open', 'pending', 'snoozed', 'closed'] as const

const time = f.recordFields.created_at

export const subject = f.doc(
  f.nullable(f.line()),
  'Topic of the conversation, for example "Question about invoice 1042".',
)

const fields = {
  subject,
  status: f.doc(
    f.oneOf(STATUSES),
    '`pending` waits for the customer, `snoozed` until a given time. An inbound message changes any status to `open`.',
  ),
  priority: f.doc(f.oneOf(PRIORITIES), '`normal` by default.'),
  owner_id: f.doc(
    f.nullable(f.id),
    'The member who is responsible for the conversation. One whose owner was deactivated has none after it was reopened by a message.',
  ),
  contact_id: f.doc(f.nullable(f.id), 'The contact of the conversation; null if the contact was deleted.'),
  company_id: f.doc(f.nullable(f.id), 'Initially the company of the contact.'),
  deal_id: f.doc(f.nullable(f.id), 'The deal that the conversation is about.'),
  tag_ids: f.ids,
  snoozed_until: f.doc(
    f.nullable(f.time),
    'A time in the future; required for `snoozed`, and null for any other status. At that time the conversation becomes `open` again.',
  ),
  read_at: f.doc(
    f.nullable(f.time),
    'The conversation is read up to this time; null marks all messages as unread. Must not be in the future; up to five minutes ahead count as now.',
  ),
}

export const Conversation = f.doc(
  f.object({
    id: f.id,
    number: f.doc(f.count(), 'Number of the conversation in the organisation, for people to refer to it.'),
    subject: fields.subject,
    channel: f.doc(f.oneOf(CHANNELS), 'Channel of the first message; it does not change.'),
    status: fields.status,
    priority: fields.priority,
    owner_id: fields.owner_id,
    contact_id: fields.contact_id,
    company_id: fields.company_id,
    deal_id: fields.deal_id,
    tag_ids: fields.tag_ids,
    snoozed_until: fields.snoozed_until,
    unread_count: f.doc(f.count(), 'Number of inbound messages since `read_at`.'),
    read_at: fields.read_at,
    waiting_since: f.doc(
      f.nullable(time),
      'Time of the first inbound message without an answer; null if there is none, or the conversation is closed.',
    ),
    first_response_at: f.doc(f.nullable(time), 'Time of the first outbound message of a member.'),
    last_message_at: f.doc(time, 'Time of the newest message; notes do not count.'),
    preview: f.doc(f.line(), 'Beginning of that message.'),
    sla: Sla,
    closed_at: f.doc(f.nullable(time), 'When the conversation was closed; null if it is not closed.'),
    ...f.recordFields,
  }),
  'A conversation is a thread of messages with one contact. Its first message opens it; see `POST /messages`.',
)
export type Conversation = v.InferOutput<typeof Conversation>

export const ConversationPatch = f.patchOf(fields)
export type ConversationPatch = v.InferOutput<typeof ConversationPatch>

export const filters: Record<string, Filter> = {
  contact_id: { type: 'id', nullable: true },
  deal_id: { type: 'id', nullable: true },
  company_id: { type: 'id', nullable: true },
  owner_id: { type: 'id', nullable: true, isMember: true },
  tag_id: {
    type: 'id',
    link: { table: 'conversation_tags', key: 'conversation_id', column: 'tag_id' },
    description: 'A tag of the conversation.',
  },
  'sla.status': {
    type: 'choice',
    choices: SLA_STATUSES,
    column: 'sla_status',
    description: 'SLA status of the conversation.',
  },
  status: { type: 'choice', choices: STATUSES },
  priority: { type: 'choice', choices: PRIORITIES },
  channel: { type: 'choice', choices: CHANNELS },
  waiting_since: { type: 'time', nullable: true },
  last_message_at: { type: 'time' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: searchFilter(
    'conversation',
    'subject and messages, including notes: the first 64 KiB of each text, who wrote it, to whom (`to`, `cc`), the names of its files, and up to 10,000 different words',
  ),
}

export const sorts: Record<string, Sort> = {
  last_message_at: { column: 'last_message_at' },
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
  waiting_since: { column: 'waiting_since', nullable: true },
}

export const columns = c.columns<Conversation>({
  id: c.plain('id'),
  number: c.integer('number'),
  subject: c.text('subject'),
  channel: c.plain('channel'),
  status: c.plain('status'),
  priority: c.plain('priority'),
  owner_id: c.plain('owner_id'),
  contact_id: c.plain('contact_id'),
  company_id: c.plain('company_id'),
  deal_id: c.plain('deal_id'),
  tag_ids: c.json('tag_ids'),
  snoozed_until: c.time('snoozed_until'),
  unread_count: c.integer('unread_count'),
  read_at: c.time('read_at'),
  waiting_since: c.time('waiting_since'),
  first_response_at: c.time('first_response_at'),
  last_message_at: c.time('last_message_at'),
  preview: c.text('preview'),
  sla: c.json('sla'),
  closed_at: c.time('closed_at'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})
