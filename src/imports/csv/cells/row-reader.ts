import type { Json } from '../../../lib/json.ts'
import { type FieldError, field, invalid, Problem } from '../../../lib/problem.ts'
import { seen } from '../../../lib/pure/invisible.ts'
import type { Context } from '../../../lib/written/reading.ts'
import type { ImportObject } from '../../writable.ts'
import type { Field, Fields, Kind } from '../columns/field.ts'
import { AMOUNTS } from '../columns/fields.ts'
import { isAddress, isUntitled, type Mapping } from '../columns/mapping.ts'
import type { Cells } from '../file/source.ts'
import type { Draft } from './draft.ts'
import { firstPage, putAddresses, putPerson } from './draft-parts.ts'
import { join, linkNote, put, valueKey } from './draft-values.ts'
import { amountIn, checkDigits, quoted } from './figures.ts'
import { nothingIn, saidNothing } from './no-value.ts'
import { unsurePhone } from './reach.ts'
import { currencyIn, isBlank, LINKS, labelOf, optionsIn, readReach, readValue, unguarded } from './values.ts'

type Reader = {
  column: string
  name: string
  field: Field
  format: Context
  label: string | undefined
  group: string
}

/** Kinds with several values, which columns may share; a cell may also be a JSON array in wire form. */
const JOINED: ReadonlySet<Kind> = new Set<Kind>(['emails', 'phones', 'domains'])
/** Kinds that are not members of a body: they determine the stage of a deal. */
const PLACES: ReadonlySet<Kind> = new Set<Kind>(['stage', 'pipeline', 'status', 'reason'])

/** What a deal without a title is called after. */
const TITLES = ['company_id', 'primary_contact_id', 'notes']

/** Called for a cell that cannot be read, and is left out. */
export type OnUnread = (column: string, reason: string) => void

export type RowReader = {
  /**
   * Reads a row. An empty cell means no value; `onNothing` gets those that say so in words. Throws Problem 422 with an error
   * for each cell that cannot be read, unless `onUnread` takes them.
   */
  read: (cells: Cells, onUnread?: OnUnread, onNothing?: OnUnread) => Draft
  /** Returns the column of a row that a field, or this item of it, was read from. */
  columnOf: (cells: Cells, name: string, item?: Json) => string
  /** What a row becomes depends on the rows before it: an interrupted import reads those again. */
  isInOrder?: boolean
}

/** `isGuarded`: an apostrophe in front of a formula is no part of its text, as in files for spreadsheets. */
export function rowReader(
  object: ImportObject,
  mapping: Mapping,
  fields: Fields,
  formatOf: (column: string) => Context,
  isGuarded = true,
): RowReader {
  const bare = (cell: string): string => (isGuarded ? unguarded(cell) : cell.trim())
  const textOf = (cell: Json | undefined): string | undefined =>
    typeof cell === 'string' ? seen(bare(cell)).trim() : undefined
  const isCalledAfter = isUntitled(object, mapping)
  const currencyColumn = mapping.find(({ field }) => field === 'currency')?.column
  const inOrder = mapping.flatMap(({ column, field: name, label, group = '' }): Reader[] =>
    name === null ? [] : [{ column, name, field: fields[name] as Field, format: formatOf(column), label, group }],
  )
  // A middle name is added to the first name; what a whole name has besides is taken where no other cell has it.
  const isLate = ({ field }: Reader): boolean => field.kind === 'middleName' || field.kind === 'fullName'
  const readers = [...inOrder.filter((each) => !isLate(each)), ...inOrder.filter(isLate)]

  function readText(draft: Draft, reader: Reader, cell: string, cells: Cells, onNothing?: OnUnread): void {
    const { column, name, field, format, label } = reader
    const { kind, member = name } = field
    const isValue = (item: string): boolean => {
      const nothing = nothingIn(name, field, item)
      if (nothing === 'said') onNothing?.(column, saidNothing(item))
      return nothing === undefined
    }
    checkDigits(name, kind, cell)
    const isOurs = column === name
    const text = kind === 'url' && !isOurs ? firstPage(draft, column, cell) : cell
    if (isAddress(name)) {
      const said = label === undefined ? undefined : textOf(cells[label])
      draft.places = [...(draft.places ?? []), { group: reader.group, label: said || undefined, column, name, text }]
    } else if (kind === 'fullName') putPerson(draft, column, text, format)
    else if (kind === 'middleName')
      put(draft.given, 'first_name', [draft.given.first_name ?? [], text].flat().join(' '))
    else if (kind === 'amount') putAmount(draft, name, text, cells, format)
    else if (kind === 'tags') linkTags(draft, name, [text])
    else if (kind === 'note') linkNote(draft, name, text)
    else if (BY_ID[kind]) linkIds(draft, member, BY_ID[kind], text)
    else if (LINKS.has(kind)) draft.links.set(name, { ...draft.links.get(name), kind, texts: [text] })
    else if (kind === 'choice') putChoices(draft, name, field, [readValue(field, text, format)])
    else if (kind === 'choices') {
      const values = optionsIn(field, text).filter(isValue)
      if (values.length > 0) putChoices(draft, name, field, values)
    } else if (JOINED.has(kind)) {
      const said = label === undefined ? field.label : labelOf(String(cells[label] ?? ''))
      const [values, errors] = readReach(field, text, format, isValue, said)
      const reason = kind === 'phones' ? unsurePhone(text, format) : undefined
      if (reason !== undefined)
        draft.unsure = [...(draft.unsure ?? []), { column, reason: `${quoted(text)} ${reason}` }]
      if (values.length > 0) join(draft, member, values, format.country)
      if (errors.length > 0) throw invalid(...errors)
    } else put(draft.given, name, readValue(field, text, format, isOurs), kind)
  }

  /** The currency beside an amount is that of the row, which may have it in another cell, too. */
  function putAmount({ given }: Draft, name: string, text: string, cells: Cells, format: Context): void {
    const cell = currencyColumn === undefined ? undefined : cells[currencyColumn]
    const said = typeof cell === 'string' && !isBlank(unguarded(cell)) ? unguarded(cell) : undefined
    const { amount, currency } = amountIn(text, { ...format, rowCurrency: said && currencyIn(said, format) })
    put(given, name, amount)
    if (currency !== undefined && said === undefined && name === AMOUNTS[object]) given.currency = currency
  }

  function readCell(draft: Draft, reader: Reader, cells: Cells, onNothing?: OnUnread): void {
    const { column, name, field } = reader
    const text = textOf(cells[column])
    const nothing = text === undefined ? undefined : nothingIn(name, field, text)
    if (nothing === 'said') onNothing?.(column, saidNothing(text as string))
    if (nothing) return
    const cell = wireForm(field.kind, cells[column], bare)
    if (typeof cell === 'string') readText(draft, reader, cell, cells, onNothing)
    else if (cell !== undefined) take(draft, reader, cell)
  }

  function read(cells: Cells, onUnread?: OnUnread, onNothing?: OnUnread): Draft {
    const draft = emptyDraft()
    const errors: FieldError[] = []
    for (const reader of readers) {
      try {
        readCell(draft, reader, cells, onNothing)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const unread = error.errors ?? []
        const pointer = `/${reader.name.replace('.', '/')}`
        if (onUnread) for (const { message } of unread) onUnread(reader.column, message)
        else errors.push(...unread.map((each) => ({ ...each, pointer })))
      }
    }
    const [place] = draft.places ?? []
    if (place) putAddresses(draft, formatOf(place.column))
    if (errors.length > 0) throw invalid(...errors)
    const title = isCalledAfter ? TITLES.flatMap((name) => draft.links.get(name)?.texts[0] ?? [])[0] : undefined
    if (title !== undefined) draft.given.title = title
    return draft
  }

  function columnOf(cells: Cells, name: string, item?: Json): string {
    const group = readers.find((each) => isAddress(each.name) && !isBlank(textOf(cells[each.column]) ?? ''))?.group
    const isOther = (each: Reader): boolean => isAddress(each.name) && each.group !== group
    const own = readers.filter((each) => (each.name === name || each.field.member === name) && !isOther(each))
    const derived = readers.filter((reader) => {
      const isPart = reader.field.kind === 'fullName' && (name === 'first_name' || name === 'last_name')
      return isPart || (name === 'currency' && reader.name === AMOUNTS[object])
    })
    const possible = own.length > 0 ? own : derived
    const found =
      item !== undefined && possible.length > 1 ? possible.find((each) => gives(each, cells, item)) : undefined
    return (found ?? possible[0])?.column ?? name
  }

  /** Whether a cell has an item of its field. */
  function gives(reader: Reader, cells: Cells, item: Json): boolean {
    const { given, links } = emptyDraft()
    try {
      readCell({ given, links, added: new Set() }, reader, cells)
    } catch {
      return false
    }
    const items = links.get(reader.name)?.texts ?? given[reader.field.member ?? reader.name]
    const isIn = (each: Json) =>
      reader.field.kind === 'tags' ? String(each).includes(String(item)) : valueKey(each) === valueKey(item)
    return Array.isArray(items) && items.some(isIn)
  }

  return { read, columnOf }
}

const emptyDraft = (): Draft => ({ given: {}, links: new Map(), added: new Set() })

/** Returns the content of a cell: nothing, a text, or a JSON value from NDJSON or from an array in the text. */
function wireForm(kind: Kind, cell: Json | undefined, bare: (cell: string) => string): Json | undefined {
  if (typeof cell !== 'string') return cell
  const text = kind === 'note' ? bare(cell) : seen(bare(cell)).trim()
  if (!text.startsWith('[') || !JOINED.has(kind)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function take(draft: Draft, { name, field }: Reader, value: Json): void {
  const { given, links } = draft
  const { kind, member = name } = field
  if (kind === 'fullName') return // the name is derived from its parts
  if (kind === 'note') return void [value].flat().map((text) => linkNote(draft, name, String(text)))
  if (value === null && PLACES.has(kind)) return
  if (LINKS.has(kind) && Array.isArray(value)) links.set(name, { kind, texts: value.map(String), isDivided: true })
  else put(given, member, value, kind)
}

/** Sets the values that are options. Throws 422 for the others. */
function putChoices({ given }: Draft, name: string, { kind, options }: Field, values: readonly Json[]): void {
  const all = [...(options?.values() ?? [])]
  const unknown = options ? values.filter((value) => !all.includes(value as string)) : []
  const known = values.filter((value) => !unknown.includes(value))
  if (kind === 'choices' && (known.length > 0 || unknown.length === 0)) put(given, name, known)
  if (kind === 'choice' && known.length > 0) put(given, name, known[0] as Json)
  if (unknown.length === 0) return
  const named = all.slice(0, MAX_OPTIONS).map((each) => `"${each}"`)
  const rule = `must be one of ${named.join(', ')}${all.length > named.length ? ', or another option of the field' : ''}`
  const what = (value: Json): string => (kind === 'choices' ? `${JSON.stringify(value)} ` : '')
  throw invalid(...unknown.map((value) => field('', 'unknown_option', what(value) + rule)))
}
const MAX_OPTIONS = 20

function linkTags({ links, added }: Draft, name: string, texts: string[]): void {
  links.set(name, { kind: 'tags', texts: [...(links.get(name)?.texts ?? []), ...texts] })
  added.add(name)
}

/** Kinds of ids of another product, by the kind of what they refer to. */
const BY_ID: { readonly [kind in Kind]?: Kind } = { companyId: 'company', contactId: 'contact', dealId: 'deal' }

function linkIds({ links }: Draft, member: string, kind: Kind, text: string): void {
  const ids = text.split(/[;,|]/).flatMap((id) => id.trim().normalize('NFC') || [])
  const before = links.get(member)
  links.set(member, { kind, texts: before?.texts ?? [], ids: [...(before?.ids ?? []), ...ids] })
}
