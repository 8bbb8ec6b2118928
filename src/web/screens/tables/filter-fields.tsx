import { Avatar } from '../../components/avatar.tsx'
import type { Choice } from '../../components/choices.tsx'
import type { FieldKind } from '../../components/filters/conditions.ts'
import type { FilterField } from '../../components/filters/filter-field.ts'
import { boot } from '../../data/boot.ts'
import { sources } from '../../data/sources.ts'
import { OBJECTS, type TableKind } from './objects.ts'
import { texts } from './texts.ts'

// The fields by which tables are filtered: those of smart lists.

type Member = (typeof boot.value.members)[number]

const choicesOf = (members: readonly Member[]): Choice[] =>
  members.map(({ id, name, email }) => ({
    value: id,
    label: name,
    words: email,
    mark: <Avatar kind="member" id={id} name={name} size={16} />,
  }))

const memberChoices = (): Choice[] => choicesOf(boot.value.members)
/** Whom records can be given to. */
export const ownerChoices = (): Choice[] => choicesOf(boot.value.members.filter(({ status }) => status === 'active'))

export const tagChoices = (): Choice[] =>
  sources.tags().map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: <span class="tag" style={color ? { '--c': color } : undefined} />,
  }))

const linked = (kind: 'company' | 'contact') => ({
  search: sources.search(kind),
  choiceOf: (id: string): Choice | undefined => {
    const label = sources.nameOf(kind, id)
    return label === undefined ? undefined : { value: id, label }
  },
})

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

const OWN: Record<TableKind, () => FilterField[]> = {
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
    own('amount', 'amount', 'amount', { icon: 'deal' }),
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
}

/** How the values of custom fields compare, by type: as on the server. */
const KINDS: Record<string, FieldKind> = {
  text: 'text',
  url: 'text',
  email: 'text',
  phone: 'text',
  number: 'number',
  boolean: 'flag',
  date: 'date',
  datetime: 'time',
  select: 'choice',
  multi_select: 'choices',
  member: 'id',
}

/** Reads signals. */
export function filterFieldsOf(kind: TableKind): FilterField[] {
  const custom = boot.value.custom_fields.filter(({ object, is_archived }) => object === OBJECTS[kind] && !is_archived)
  return [
    ...OWN[kind](),
    ...custom.map(
      ({ key, label, type, options }): FilterField => ({
        name: `custom_fields.${key}`,
        label,
        kind: KINDS[type] ?? 'text',
        icon: 'list',
        group: texts().customFields,
        ...(type === 'member'
          ? { choices: memberChoices }
          : options
            ? { choices: () => options.map((option) => ({ value: option.value, label: option.label })) }
            : {}),
      }),
    ),
  ]
}
