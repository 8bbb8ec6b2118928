import { now } from '../../lib/clock.ts'
import { fold } from '../../lib/fold.ts'
import { format } from '../../lib/locale.ts'
import { dateIn, timeIn } from '../../lib/zoned.ts'
import { t } from '../../texts/texts.ts'
import { EditAddress } from './edit-address.tsx'
import {
  EditBoolean,
  EditMember,
  EditOptions,
  EditSelect,
  EditTags,
  editLinked,
  editSeveralLinked,
} from './edit-choice.tsx'
import { EditMoney, type MoneyDraft } from './edit-money.tsx'
import { editSeveral, type Line, linesOf } from './edit-several.tsx'
import { EditLongText, editLine, HALF } from './edit-text.tsx'
import type { Address, Email, Field, FieldType, Kind, Money, Option, Parsed, Phone } from './field.ts'
import * as read from './parse.ts'
import * as show from './show.tsx'
import type { Linked, Sources } from './sources.ts'

// One entry for each type: how it is shown, edited, copied and read. Everything else about fields goes by this table.

const reading = (): read.Reading => ({ format: format.peek(), texts: t().fields, now: now.peek() })
const textOf = (value: string | null): string => value ?? ''
const asIs = (value: unknown): unknown => value ?? null
const given = (draft: unknown): Parsed => ({ value: draft })

/** For types whose draft is the text that is typed. */
function typed(
  Show: Kind['Show'],
  Edit: Kind['Edit'],
  parse: (text: string, reading: read.Reading) => Parsed,
  toText: (value: never) => string = textOf,
): Kind {
  return {
    Show,
    Edit,
    layout: 'line',
    toDraft: toText,
    fromDraft: (draft: string) => parse(draft, reading()),
    toText,
    fromText: (text) => parse(text, reading()),
  }
}

/** For types whose draft is the value, chosen from options. */
function chosen(
  Show: Kind['Show'],
  Edit: Kind['Edit'],
  optionsOf: (field: Field, sources: Sources) => readonly Option[],
): Kind {
  return {
    Show,
    Edit,
    layout: 'line',
    toDraft: asIs,
    fromDraft: given,
    toText: (value: unknown, field, sources) => {
      const options = optionsOf(field, sources)
      const names = [value ?? []].flat().map((each) => options.find((one) => one.value === String(each))?.label ?? each)
      return names.join(', ')
    },
    fromText(text, field, sources) {
      const found = read.parseOptions(text, optionsOf(field, sources), reading())
      if ('error' in found) return found
      return { value: found.values[0] ?? null }
    },
  }
}

const several = (kind: Kind): Kind => ({
  ...kind,
  toDraft: (value: unknown) => value ?? [],
  async fromText(text, field, sources) {
    const values: unknown[] = []
    for (const part of text.split(/[,;\n]/).filter((each) => each.trim() !== '')) {
      const found = await kind.fromText(part, field, sources)
      if ('error' in found) return found
      if (!values.includes(found.value)) values.push(found.value)
    }
    return { value: values }
  },
})

/** Records are found by the server, by their whole name. */
function linked(kind: Linked, Show: Kind['Show'], Edit: Kind['Edit']): Kind {
  return {
    Show,
    Edit,
    layout: 'line',
    toDraft: asIs,
    fromDraft: given,
    toText: (value: unknown, _field, sources) => {
      const ids = [value ?? []].flat() as string[]
      return ids.map((id) => sources.nameOf(kind, id) ?? id).join(', ')
    },
    async fromText(text, _field, sources) {
      const name = text.trim()
      if (name === '') return { value: null }
      const found = await sources.search(kind)(name, new AbortController().signal)
      const same = found.filter(({ label }) => fold(label) === fold(name))
      return same[0] && same.length === 1 ? { value: same[0].value } : { error: t().fields.unknownChoice(name) }
    },
  }
}

const yesNo = (): Option[] => [
  { value: 'true', label: t().yes },
  { value: 'false', label: t().no },
]
const booleans = chosen(show.ShowBoolean, EditBoolean, yesNo)
const options = (field: Field): readonly Option[] => field.options ?? []
const members = (_field: Field, sources: Sources): Option[] =>
  sources
    .members()
    .flatMap(({ id, name, email }) => [{ value: id, label: name }, ...(email ? [{ value: id, label: email }] : [])])
const tags = (_field: Field, sources: Sources): Option[] =>
  sources.tags().map(({ id, name }) => ({ value: id, label: name }))

const line = (type: 'email' | 'tel', Show: Kind['Show']): Kind => {
  const parse = type === 'email' ? read.parseEmail : read.parsePhone
  const make = (text: unknown, label: string, is_primary: boolean) =>
    type === 'email' ? { email: text, label, is_primary } : { number: text, label, is_primary }
  const fromDraft = (draft: Line[]): Parsed => {
    const items: unknown[] = []
    for (const { text, label, is_primary } of draft) {
      const found = parse(text, reading())
      if ('error' in found) return found
      if (found.value !== null) items.push(make(found.value, label, is_primary))
    }
    return { value: items }
  }
  return {
    Show,
    Edit: editSeveral(type),
    layout: 'panel',
    toDraft: (value: (Email | Phone)[] | null) => linesOf(value),
    fromDraft,
    toText: (value: (Email | Phone)[] | null) =>
      linesOf(value)
        .map(({ text }) => text)
        .join(', '),
    fromText: (text) =>
      fromDraft(text.split(/[,;\n]/).map((each, index) => ({ text: each, label: 'work', is_primary: index === 0 }))),
  }
}

const money: Kind = {
  Show: show.ShowMoney,
  Edit: EditMoney,
  layout: 'line',
  right: true,
  toDraft: (value: Money | null): MoneyDraft => ({
    text: value?.amount == null ? '' : format.peek().amount(value.amount, value.currency ?? undefined),
    currency: value?.currency ?? null,
  }),
  fromDraft: ({ text, currency }: MoneyDraft) => read.parseMoney(text, currency, reading()),
  toText: (value: Money | null) =>
    value?.amount == null ? '' : `${value.currency ?? ''} ${format.peek().amount(value.amount)}`.trim(),
  fromText: (text, _field, sources) => read.parseMoney(text, sources.currency(), reading()),
}

const dateTimeDraft = (value: string | null): string => {
  if (value === null) return ''
  const { timezone } = format.peek()
  return `${dateIn(Date.parse(value), timezone)}T${timeIn(Date.parse(value), timezone)}`
}
/** What is not wholly typed is no date. */
const whole = (parse: typeof read.parseDate) => (text: string, how: read.Reading) =>
  text === HALF ? { error: how.texts.badDate } : parse(text, how)

const ADDRESS_PARTS = ['line1', 'line2', 'city', 'region', 'postal_code', 'country'] as const

const address: Kind = {
  Show: show.ShowAddress,
  Edit: EditAddress,
  layout: 'panel',
  toDraft: (value: Address | null) => value ?? {},
  fromDraft(draft: Address) {
    const parts = ADDRESS_PARTS.map((part) => [part, draft[part]?.trim() || null] as const)
    return { value: parts.some(([, text]) => text !== null) ? Object.fromEntries(parts) : null }
  },
  toText: (value: Address | null) => (value ? show.addressText(value) : ''),
  // A whole address in one cell has no certain parts.
  fromText: (text) => ({ value: text.trim() === '' ? null : { line1: text.trim() } }),
}

const KINDS: Record<FieldType, Kind> = {
  text: typed(show.ShowText, editLine('text'), read.parseText),
  long_text: { ...typed(show.ShowLongText, EditLongText, read.parseText), layout: 'block' },
  number: {
    ...typed(show.ShowNumber, editLine('text', 'decimal'), read.parseNumber, (value: number | null) =>
      value === null || value === undefined ? '' : format.peek().number(value),
    ),
    right: true,
  },
  money,
  boolean: {
    ...booleans,
    async fromText(text, field, sources) {
      const found = await booleans.fromText(text, field, sources)
      return 'error' in found || found.value === null ? found : { value: found.value === 'true' }
    },
  },
  date: typed(show.ShowDate, editLine('date'), whole(read.parseDate)),
  datetime: typed(show.ShowDateTime, editLine('datetime-local'), whole(read.parseDateTime), dateTimeDraft),
  select: chosen(show.ShowOption, EditSelect, options),
  multi_select: several(chosen(show.ShowOptions, EditOptions, options)),
  url: typed(show.ShowUrl, editLine('url'), read.parseUrl),
  email: typed(show.ShowEmail, editLine('email'), read.parseEmail),
  phone: typed(show.ShowPhone, editLine('tel'), read.parsePhone),
  emails: line('email', show.ShowEmails),
  phones: line('tel', show.ShowPhones),
  member: chosen(show.ShowMember, EditMember, members),
  company: linked('company', show.ShowCompany, editLinked('company')),
  contact: linked('contact', show.ShowContact, editLinked('contact')),
  contacts: several(linked('contact', show.showSeveral('contact'), editSeveralLinked('contact'))),
  companies: several(linked('company', show.showSeveral('company'), editSeveralLinked('company'))),
  deals: several(linked('deal', show.showSeveral('deal'), editSeveralLinked('deal'))),
  tags: several(chosen(show.ShowTags, EditTags, tags)),
  address,
}

export const kindOf = (type: FieldType): Kind => KINDS[type]

/** True for what is shown as nothing: null, an empty text or list, an amount without a number. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && 'amount' in value && value.amount === null
}

/** The value in the editor of a field, from what somebody typed; an empty one that is required is an error. */
export function valueOfDraft(draft: unknown, field: Field): Parsed {
  const parsed = kindOf(field.type).fromDraft(draft as never, field)
  if ('error' in parsed || !field.is_required || !isEmpty(parsed.value)) return parsed
  return { error: t().fields.required(field.label) }
}

/** For pasting: the value of a text from a spreadsheet. */
export async function valueOfText(text: string, field: Field, sources: Sources): Promise<Parsed> {
  return kindOf(field.type).fromText(text, field, sources)
}

/** For copying: as the text is shown, and as `valueOfText` reads it. */
export function textOfValue(value: unknown, field: Field, sources: Sources): string {
  return isEmpty(value) ? '' : kindOf(field.type).toText(value as never, field, sources)
}

export function sameValue(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other)
}
