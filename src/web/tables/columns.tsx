import { nounOf } from '../../lib/pure/nouns.ts'
import { Avatar } from '../components/avatar.tsx'
import type { Field, FieldType } from '../components/fields/field.ts'
import type { PageKind } from '../components/kinds.ts'
import { Pips } from '../components/pips.tsx'
import { boot } from '../data/boot.ts'
import { nameOf } from '../data/names.ts'
import type { Rec } from '../data/types.ts'
import type { TableColumn } from './table/column.ts'
import { texts as tableTexts } from './table/texts.ts'
import { texts } from './texts.ts'

// The columns that a table of each kind can have: the fields of its records, and its custom fields.

type Words = keyof ReturnType<typeof texts>['fields']
type More = Partial<Omit<TableColumn, 'field' | 'sort'>> & { by?: string; off?: string; options?: Field['options'] }

/** `by` is the sort of the API; without it the column says that there is none. */
function column(key: string, label: Words, type: FieldType, width: number, more: More = {}): TableColumn {
  const { by, off, options, ...rest } = more
  return {
    field: { key, label: texts().fields[label], type, ...(off ? { off } : {}), ...(options ? { options } : {}) },
    width,
    sort: by === undefined ? { off: tableTexts().noSort } : { by },
    ...rest,
  }
}

/** The name of a record is its link. The cell around it is the tab stop, whose Enter opens the record too. */
const nameOfRow = (kind: PageKind, key: string) => (record: Rec) => {
  const name = String(record[key] ?? '')
  return (
    <span class="row">
      {kind !== 'deals' && <Avatar kind={nounOf(kind) as 'contact' | 'company'} name={name} />}
      <a class="cut" dir="auto" href={`/${kind}/${record.id}`} tabIndex={-1} title={name}>
        {name}
      </a>
    </span>
  )
}

function CompanyName({ id }: { id: string | null }) {
  if (id === null) return <span class="mute">{texts().noCompany}</span>
  const name = nameOf('companies', id)
  return (
    <span class="cut" dir="auto" title={name}>
      {name ?? '…'}
    </span>
  )
}

const ownColumns = (): TableColumn[] => [
  column('owner_id', 'owner', 'member', 60, { by: 'owner_id', filter: 'owner_id' }),
  column('tag_ids', 'tags', 'tags', 116, { filter: 'tag_ids', grows: 1 }),
  column('updated_at', 'changed', 'datetime', 112, {
    filter: 'updated_at',
    by: 'updated_at',
    dim: true,
    off: texts().readOnly,
  }),
  column('created_at', 'created', 'datetime', 112, {
    filter: 'created_at',
    by: 'created_at',
    dim: true,
    off: texts().readOnly,
  }),
  column('external_id', 'externalId', 'text', 140, { dim: true }),
]

const contactColumns = (): TableColumn[] => [
  column('name', 'name', 'text', 224, {
    fixed: true,
    by: 'name',
    filter: 'name',
    off: texts().nameInParts,
    show: nameOfRow('contacts', 'name'),
  }),
  column('company_id', 'company', 'company', 182, {
    by: 'company_id',
    filter: 'company_id',
    show: (record) => <CompanyName id={record.company_id as string | null} />,
  }),
  column('emails', 'email', 'emails', 236, { filter: 'emails', dim: true, grows: 2 }),
  ...ownColumns(),
  column('phones', 'phone', 'phones', 140, { filter: 'phones', dim: true }),
  column('first_name', 'firstName', 'text', 130),
  column('last_name', 'lastName', 'text', 130),
  column('job_title', 'jobTitle', 'text', 160, { filter: 'job_title' }),
  column('source', 'source', 'text', 120, { filter: 'source', dim: true }),
  column('website', 'website', 'url', 150, { filter: 'website', dim: true }),
  column('linkedin_url', 'linkedin', 'url', 150, { dim: true }),
  column('address.city', 'city', 'text', 120, { filter: 'address.city' }),
  column('address.country', 'country', 'text', 90, { filter: 'address.country' }),
  column('language', 'language', 'text', 90),
  column('timezone', 'timezone', 'text', 130, { dim: true }),
  column('do_not_contact', 'doNotContact', 'boolean', 120, { filter: 'do_not_contact' }),
  column('unsubscribed_at', 'unsubscribed', 'datetime', 112, { filter: 'unsubscribed_at', off: texts().readOnly }),
]

const companyColumns = (): TableColumn[] => [
  column('name', 'name', 'text', 236, {
    fixed: true,
    by: 'name',
    filter: 'name',
    show: nameOfRow('companies', 'name'),
  }),
  column('domains', 'domains', 'text', 180, {
    filter: 'domains',
    dim: true,
    valueIn: ({ domains }) => (domains as string[]).join(', ') || null,
    patchWith: (value) => ({
      domains: String(value ?? '')
        .split(/[,;\s]+/)
        .filter(Boolean),
    }),
  }),
  column('industry', 'industry', 'text', 140, { filter: 'industry' }),
  ...ownColumns(),
  column('phone', 'phone', 'phone', 140, { filter: 'phone', dim: true }),
  column('website', 'website', 'url', 160, { filter: 'website', dim: true }),
  column('employee_count', 'employees', 'number', 100, { filter: 'employee_count', isSummed: true }),
  column('annual_revenue', 'revenue', 'money', 150, {
    filter: 'annual_revenue',
    valueIn: ({ annual_revenue, currency }) => ({ amount: annual_revenue ?? null, currency: currency ?? null }),
    patchWith: moneyPatch('annual_revenue'),
  }),
  column('parent_company_id', 'parent', 'company', 170, { filter: 'parent_company_id' }),
  column('address.city', 'city', 'text', 120, { filter: 'address.city' }),
  column('address.country', 'country', 'text', 90, { filter: 'address.country' }),
  column('linkedin_url', 'linkedin', 'url', 150, { dim: true }),
  column('description', 'description', 'long_text', 220, { filter: 'description', dim: true }),
]

function moneyPatch(name: string) {
  return (value: unknown): Record<string, unknown> => {
    const { amount, currency } = (value ?? { amount: null, currency: null }) as { amount: unknown; currency: unknown }
    return { [name]: amount, currency: amount === null ? null : (currency ?? boot.peek().org.currency) }
  }
}

function StageName({ id }: { id: string }) {
  const { stages } = boot.value
  const stage = stages.find((each) => each.id === id)
  if (!stage) return <span class="mute">…</span>
  const own = stages.filter((each) => each.pipeline_id === stage.pipeline_id && each.is_open)
  return (
    <span class="row">
      <Pips of={own.length} at={stage.is_open ? own.indexOf(stage) + 1 : own.length} outcome={stage.outcome} />
      <span class="cut" dir="auto">
        {stage.name}
      </span>
    </span>
  )
}

const dealColumns = (): TableColumn[] => [
  column('title', 'title', 'text', 250, {
    fixed: true,
    grows: 3,
    by: 'title',
    filter: 'title',
    show: nameOfRow('deals', 'title'),
  }),
  column('company_id', 'company', 'company', 182, {
    by: 'company_id',
    filter: 'company_id',
    show: (record) => <CompanyName id={record.company_id as string | null} />,
  }),
  column('stage', 'stage', 'select', 160, {
    by: 'stage',
    filter: 'stage',
    show: (record) => <StageName id={String(record.stage)} />,
    options: boot.value.stages.filter(({ is_open }) => is_open).map(({ id, name }) => ({ value: id, label: name })),
  }),
  column('amount', 'amount', 'money', 140, {
    by: 'amount',
    filter: 'amount',
    isSummed: true,
    valueIn: ({ amount, currency }) => ({ amount: amount ?? null, currency: currency ?? null }),
    patchWith: moneyPatch('amount'),
  }),
  column('expected_close_date', 'closeDate', 'date', 112, {
    by: 'expected_close_date',
    filter: 'expected_close_date',
  }),
  ...ownColumns(),
  column('primary_contact_id', 'contact', 'contact', 170, { filter: 'primary_contact_id' }),
  column('status', 'status', 'select', 90, {
    filter: 'status',
    off: texts().readOnly,
    options: (['open', 'won', 'lost'] as const).map((value) => ({ value, label: texts().status[value] })),
  }),
  column('stage_changed_at', 'stageSince', 'datetime', 112, {
    filter: 'stage_changed_at',
    dim: true,
    off: texts().readOnly,
  }),
]

const OWN = { contacts: contactColumns, companies: companyColumns, deals: dealColumns }

/** All columns that a table of the kind can have. Reads signals. */
export function columnsOf(kind: PageKind): TableColumn[] {
  const custom = boot.value.custom_fields
    .filter(({ object, is_archived }) => object === nounOf(kind) && !is_archived)
    .sort((one, other) => one.position - other.position)
  const all = [
    ...OWN[kind](),
    ...custom.map(({ key, label, type, options, is_required, help_text }): TableColumn => {
      const name = `custom_fields.${key}`
      return {
        field: { key: name, label, type, options: options ?? [], is_required, help_text, isLong: true },
        width: WIDTHS[type] ?? 118,
        sort: type === 'multi_select' ? { off: tableTexts().noSort } : { by: name },
        filter: name,
        caption: tableTexts().customField(texts().types[type]),
        isSummed: type === 'number',
        dim: type === 'select',
      }
    }),
  ]
  return all.map((column) => ({ ...column, width: Math.max(column.width, headWidth(column.field.label)) }))
}

/** What a name needs in the head of its column, with the sign of a sort: the longest are cut there, too. */
const headWidth = (label: string): number => Math.min(20 + 7 * label.length, 180)

/** Of custom fields. */
const WIDTHS: Partial<Record<FieldType, number>> = { number: 104, boolean: 84, select: 84, member: 62 }

const SHOWN: Record<PageKind, string[]> = {
  contacts: ['name', 'company_id', 'emails', 'owner_id', 'updated_at', 'tag_ids'],
  companies: ['name', 'domains', 'industry', 'owner_id', 'updated_at', 'tag_ids'],
  deals: ['title', 'company_id', 'stage', 'amount', 'expected_close_date', 'owner_id', 'tag_ids'],
}

/** The columns of a table that nobody has arranged yet. Custom fields, of which most rows have none, are behind "Columns". */
export const usualLayout = (kind: PageKind) => SHOWN[kind].map((key) => ({ key }))
