import { nounOf } from '../../lib/pure/nouns.ts'
import type { Choice } from '../components/choices.tsx'
import type { PageKind } from '../components/kinds.ts'
import { boot } from '../data/boot.ts'
import { mailboxes } from '../data/mailboxes.ts'
import { customFields, linked, memberChoices, tagChoices } from './filters/common-fields.tsx'
import type { FieldKind } from './filters/conditions.ts'
import type { FilterField } from './filters/filter-field.ts'
import { texts } from './texts.ts'

// The fields by which tables are filtered: those of smart lists.

/** The inbox is a list, too. */
export type FilteredKind = PageKind | 'conversations'

type Words = keyof ReturnType<typeof texts>['fields']

function own(name: string, label: Words, kind: FieldKind, more: Partial<FilterField> = {}): FilterField {
  return { name, label: texts().fields[label], kind, ...more }
}

const shared = (): FilterField[] => [
  own('owner_id', 'owner', 'id', { icon: 'person', choices: memberChoices }),
  own('tag_ids', 'tags', 'ids', { icon: 'tag', choices: tagChoices }),
]
const times = (): FilterField[] => [
  own('updated_at', 'changed', 'time', { icon: 'clock' }),
  own('created_at', 'created', 'time', { icon: 'clock' }),
]

const OWN: Record<FilteredKind, () => FilterField[]> = {
  contacts: () => [
    ...shared(),
    own('company_id', 'company', 'id', { icon: 'firm', ...linked('company') }),
    own('emails', 'email', 'texts', { icon: 'mail' }),
    own('phones', 'phone', 'texts', { icon: 'phone' }),
    own('name', 'name', 'text', { icon: 'pen' }),
    own('job_title', 'jobTitle', 'text', { icon: 'pen' }),
    ...times(),
    own('do_not_contact', 'doNotContact', 'flag', { icon: 'flag' }),
    own('unsubscribed_at', 'unsubscribed', 'time', { icon: 'clock' }),
    own('source', 'source', 'text', { icon: 'pen' }),
    own('website', 'website', 'text', { icon: 'link' }),
    own('address.city', 'city', 'text', { icon: 'globe' }),
    own('address.country', 'country', 'text', { icon: 'globe' }),
  ],
  companies: () => [
    ...shared(),
    own('name', 'name', 'text', { icon: 'pen' }),
    own('domains', 'domains', 'texts', { icon: 'globe' }),
    own('industry', 'industry', 'text', { icon: 'firm' }),
    own('employee_count', 'employees', 'number', { icon: 'person' }),
    own('annual_revenue', 'revenue', 'amount', { icon: 'chart' }),
    own('currency', 'currency', 'text', { icon: 'globe' }),
    own('parent_company_id', 'parent', 'id', { icon: 'firm', ...linked('company') }),
    ...times(),
    own('phone', 'phone', 'text', { icon: 'phone' }),
    own('website', 'website', 'text', { icon: 'link' }),
    own('address.city', 'city', 'text', { icon: 'globe' }),
    own('address.country', 'country', 'text', { icon: 'globe' }),
    own('description', 'description', 'text', { icon: 'note' }),
  ],
  deals: () => [
    ...shared(),
    own('expected_close_date', 'closeDate', 'date', { icon: 'cal' }),
    own('amount', 'amount', 'amount', { icon: 'chart' }),
    own('stage', 'stage', 'id', {
      icon: 'deal',
      choices: () =>
        boot.value.stages.map(({ id, name, pipeline_name }) => ({ value: id, label: name, note: pipeline_name })),
    }),
    own('company_id', 'company', 'id', { icon: 'firm', ...linked('company') }),
    own('primary_contact_id', 'contact', 'id', { icon: 'person', ...linked('contact') }),
    own('title', 'title', 'text', { icon: 'pen' }),
    own('status', 'status', 'choice', {
      icon: 'flag',
      choices: () => (['open', 'won', 'lost'] as const).map((value) => ({ value, label: texts().status[value] })),
    }),
    own('currency', 'currency', 'text', { icon: 'globe' }),
    own('stage_changed_at', 'stageSince', 'time', { icon: 'clock' }),
    ...times(),
  ],
  conversations: () => [
    ...shared(),
    own('mailbox_ids', 'mailbox', 'ids', {
      icon: 'inbox',
      choices: () => mailboxes.value.map(({ id, name, address }) => ({ value: id, label: name, note: address })),
    }),
    own('priority', 'priority', 'choice', { icon: 'flag', choices: () => choicesIn(texts().priorities) }),
    own('sla.status', 'sla', 'choice', { icon: 'clock', choices: () => choicesIn(texts().slaStatuses) }),
    own('waiting_since', 'waitingSince', 'time', { icon: 'clock' }),
    own('company_id', 'company', 'id', { icon: 'firm', ...linked('company') }),
    own('contact_id', 'contact', 'id', { icon: 'person', ...linked('contact') }),
    own('subject', 'subject', 'text', { icon: 'pen' }),
    own('channel', 'channel', 'choice', { icon: 'mail', choices: () => choicesIn(texts().channels) }),
    own('unread_count', 'unread', 'number', { icon: 'mail' }),
    own('last_message_at', 'lastMessage', 'time', { icon: 'clock' }),
    own('created_at', 'created', 'time', { icon: 'clock' }),
  ],
}

const choicesIn = (words: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(words).map(([value, label]) => ({ value, label }))

/** Reads signals. */
export const filterFieldsOf = (kind: FilteredKind): FilterField[] => [
  ...OWN[kind](),
  ...(kind === 'conversations' ? [] : customFields(nounOf(kind), texts().customFields)),
]
