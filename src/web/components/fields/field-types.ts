import { fold } from '../../lib/fold.ts'
import { overLine, overText } from '../../lib/letters.ts'
import { t } from '../../lib/texts/texts.ts'
import { tooLong } from '../typed/too-long.tsx'
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
import { editSeveral, linesOf } from './edit-several.tsx'
import { EditLongText, editLine } from './edit-text.tsx'
import type { Address, Email, Field, FieldType, Kind, Known, Line, Option, Parsed, Phone } from './field.ts'
import { date, datetime, figured, figureOf, flagOfText, money, number, reading } from './figure-kinds.ts'
import { loadFigures } from './figures.ts'
import * as read from './parse.ts'
import * as show from './show.tsx'
import type { Linked, Sources } from './sources.ts'
import { fieldTexts } from './texts.ts'

// One entry for each type: how it is shown, edited, copied and read. Everything else about fields goes by this table.

const textOf = (value: string | null): string => value ?? ''
/** Several names in one text; quotes protect one with what separates them. */
const listText = (names: readonly unknown[]): string =>
  names
    .map(String)
    .map((name) =>
      /^["#[]/.test(name) || (names.length > 1 && SEPARATES.test(name)) ? `"${name.replaceAll('"', '""')}"` : name,
    )
    .join(', ')
const SEPARATES = /:::|[\r\n;；؛|｜,，、،]/
const asIs = (value: unknown): unknown => value ?? null
const given = (draft: unknown): Parsed => ({ value: draft })

/** For types whose draft is the text that is typed. */
function typed(Show: Kind['Show'], Edit: Kind['Edit'], parse: (text: string) => Parsed): Kind {
  return {
    Show,
    Edit,
    layout: 'line',
    toDraft: textOf,
    fromDraft: parse,
    toText: textOf,
    fromText: parse,
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
      return listText(names)
    },
    fromText: (text, field, sources) => read.parseOption(text, optionsOf(field, sources), reading()),
  }
}

/** Several that are chosen from options. */
const chosenSeveral = (Show: Kind['Show'], Edit: Kind['Edit'], optionsOf: Parameters<typeof chosen>[2]): Kind => ({
  ...chosen(Show, Edit, optionsOf),
  toDraft: (value: unknown) => value ?? [],
  fromText: async (text, field, sources) =>
    (await loadFigures()).parseOptions(text, optionsOf(field, sources), reading()),
})

const several = (kind: Kind): Kind => ({
  ...kind,
  toDraft: (value: unknown) => value ?? [],
  async fromText(text, field, sources) {
    const values: unknown[] = []
    // A name may contain what separates names.
    const whole = await kind.fromText(text, field, sources)
    if ('value' in whole) return { value: whole.value === null ? [] : [whole.value] }
    for (const name of (await loadFigures()).namesIn(text)) {
      const found = await kind.fromText(name, field, sources)
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
      return listText(ids.map((id) => sources.nameOf(kind, id) ?? id))
    },
    async fromText(text, _field, sources) {
      const name = text.trim()
      if (name === '') return { value: null }
      const found = await sources.search(kind)(name, new AbortController().signal)
      const same = found.filter(({ label }) => fold(label) === fold(name))
      return same[0] && same.length === 1 ? { value: same[0].value } : { error: fieldTexts().unknownChoice(name) }
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

const line = (type: 'email' | 'tel', Show: Kind['Show']): Kind => ({
  Show,
  Edit: editSeveral(type),
  layout: 'panel',
  toDraft: (value: (Email | Phone)[] | null) => linesOf(value),
  fromDraft(draft: Line[]) {
    const typed = draft.map(({ text }) => text).join('')
    return typed.trim() === '' ? { value: [] } : figureOf(typed, (found) => found.parseLines(type, draft, reading()))
  },
  toText: (value: (Email | Phone)[] | null) =>
    linesOf(value)
      .map(({ text }) => text)
      .join(', '),
  fromText: async (text) =>
    (await loadFigures()).parseLines(type, [{ text, label: 'work', is_primary: true }], reading()),
})

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
  fromText: async (text, _field, sources) => (await loadFigures()).parseAddress(text, sources.country(), reading()),
}

const KINDS: Record<FieldType, Kind> = {
  text: typed(show.ShowText, editLine('text'), read.parseText),
  long_text: { ...typed(show.ShowLongText, EditLongText, read.parseText), layout: 'block' },
  number,
  money,
  boolean: {
    ...booleans,
    fromText: flagOfText,
  },
  date,
  datetime,
  select: chosen(show.ShowOption, EditSelect, options),
  multi_select: chosenSeveral(show.ShowOptions, EditOptions, options),
  url: figured(show.ShowUrl, editLine('url'), (found, text) => found.parseUrl(text, reading())),
  email: figured(show.ShowEmail, editLine('email'), (found, text) => found.parseEmail(text, reading())),
  phone: figured(show.ShowPhone, editLine('tel'), (found, text) => found.parsePhone(text, reading())),
  emails: line('email', show.ShowEmails),
  phones: line('tel', show.ShowPhones),
  member: chosen(show.ShowMember, EditMember, members),
  company: linked('company', show.ShowCompany, editLinked('company')),
  contact: linked('contact', show.ShowContact, editLinked('contact')),
  contacts: several(linked('contact', show.showSeveral('contact'), editSeveralLinked('contact'))),
  companies: several(linked('company', show.showSeveral('company'), editSeveralLinked('company'))),
  deals: several(linked('deal', show.showSeveral('deal'), editSeveralLinked('deal'))),
  tags: chosenSeveral(show.ShowTags, EditTags, tags),
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
  if ('error' in parsed) return parsed
  if (field.is_required && isEmpty(parsed.value)) return { error: fieldTexts().required(field.label) }
  return fitting(parsed, field)
}

/** Our own texts are lines, those of custom fields as long as a note; the domains of a company are several in one. */
function fitting(parsed: Parsed, { key, type, isLong = type === 'long_text' }: Field): Parsed {
  if (!('value' in parsed) || typeof parsed.value !== 'string' || key === 'domains') return parsed
  const error = type === 'text' || isLong ? tooLong(parsed.value, isLong ? overText : overLine) : undefined
  return error === undefined ? parsed : { error }
}

/** Why what was typed or pasted is too long: said at once, and not when it is left. */
export function overlong(draft: unknown, field: Field): string | undefined {
  const fit = typeof draft === 'string' ? fitting({ value: draft }, field) : { value: draft }
  return 'error' in fit ? fit.error : undefined
}

/** For pasting: the value of a text from a spreadsheet; `column` is what the other cells of the column have shown. */
export async function valueOfText(text: string, field: Field, sources: Sources, column?: Known): Promise<Parsed> {
  return fitting(await kindOf(field.type).fromText(text, field, sources, column), field)
}

/** What was typed, as it is understood, where it could be read otherwise: shown before it is saved. */
export function readAs(draft: unknown, field: Field): string | undefined {
  const { readAs: shown } = kindOf(field.type)
  const parsed = shown && valueOfDraft(draft, field)
  return !parsed || 'error' in parsed ? undefined : shown?.(draft as never, parsed)
}

/** For copying: as the text is shown, and as `valueOfText` reads it. */
export function textOfValue(value: unknown, field: Field, sources: Sources): string {
  return isEmpty(value) ? '' : kindOf(field.type).toText(value as never, field, sources)
}

export function sameValue(one: unknown, other: unknown): boolean {
  return (isEmpty(one) && isEmpty(other)) || JSON.stringify(one) === JSON.stringify(other)
}
