import { emailKey } from '../../lib/email.ts'
import type { Json } from '../../lib/json.ts'
import { type FieldError, field, invalid, Problem } from '../../lib/problem.ts'
import type { ImportObject } from '../writes.ts'
import { AMOUNTS, type Field, type Fields, type Kind } from './fields.ts'
import { type Mapping, takesCurrency } from './mapping.ts'
import type { Cells } from './read.ts'
import {
  currencyBeside,
  isBlank,
  LINKS,
  labelOf,
  type NumberFormat,
  readValue,
  readValues,
  splitName,
  unguarded,
} from './values.ts'

/** Texts that refer to records, such as a company name, to be looked up. */
export type Link = { kind: Kind; texts: string[] }

/**
 * A row before its references are resolved. `added`: members whose values are appended to those of an existing record.
 */
export type Draft = { given: Record<string, Json>; links: Map<string, Link>; added: Set<string> }

type Reader = { column: string; name: string; field: Field; format: NumberFormat; label: string | undefined }

/** Kinds with several values, which columns may share. */
const JOINED: ReadonlySet<Kind> = new Set<Kind>(['emails', 'phones', 'domains'])
/** Kinds that are not members of a body: they determine the stage of a deal. */
const PLACES: ReadonlySet<Kind> = new Set<Kind>(['stage', 'pipeline', 'status', 'reason'])
/** Kinds whose cells may also contain a JSON array in wire form. */
const LISTS: ReadonlySet<Kind> = new Set<Kind>([...JOINED, 'tags', 'choices'])

/** Called for a cell that cannot be read, and is left out. */
export type OnUnread = (column: string, reason: string) => void

export type RowReader = {
  /**
   * Reads a row. An empty cell means no value. Throws Problem 422 with an error for each cell that cannot be read, unless
   * `onUnread` takes them.
   */
  read: (cells: Cells, onUnread?: OnUnread) => Draft
  /** Returns the column of a row that a field, or this item of it, was read from. */
  columnOf: (cells: Cells, name: string, item?: Json) => string
}

export function rowReader(
  object: ImportObject,
  mapping: Mapping,
  fields: Fields,
  formatOf: (column: string) => NumberFormat,
): RowReader {
  const bringsCurrency = takesCurrency(object, mapping)
  const inOrder = mapping.flatMap(({ column, field: name, label }): Reader[] =>
    name === null ? [] : [{ column, name, field: fields[name] as Field, format: formatOf(column), label }],
  )
  const isLate = ({ field }: Reader): boolean => field.kind === 'middleName' // it is added to the first name
  const readers = [...inOrder.filter((each) => !isLate(each)), ...inOrder.filter(isLate)]

  function readText(draft: Draft, { column, name, field, format, label }: Reader, cell: string, cells: Cells): void {
    const { kind, member = name } = field
    const text = kind === 'url' ? firstPage(draft, column, cell) : cell
    if (kind === 'fullName') Object.assign(draft.given, splitName(text))
    else if (kind === 'middleName')
      put(draft.given, 'first_name', [draft.given.first_name ?? [], text].flat().join(' '))
    else if (kind === 'tags') linkTags(draft, name, readValues(field, text) as string[])
    else if (kind === 'note') linkNote(draft, name, text)
    else if (LINKS.has(kind)) draft.links.set(name, { kind, texts: [text] })
    else if (kind === 'choice') putChoices(draft, name, field, [readValue(field, text, format)])
    else if (kind === 'choices') putChoices(draft, name, field, readValues(field, text))
    else if (JOINED.has(kind)) {
      const said = label === undefined ? field.label : labelOf(String(cells[label] ?? ''))
      join(draft, member, readValues(field, text, said))
    } else put(draft.given, name, readValue(field, text, format), kind)
    if (bringsCurrency && name === AMOUNTS[object]) {
      const currency = currencyBeside(text, format)
      if (currency) draft.given.currency = currency
    }
  }

  function readCell(draft: Draft, reader: Reader, cells: Cells): void {
    const cell = wireForm(reader.field.kind, cells[reader.column])
    if (typeof cell === 'string') readText(draft, reader, cell, cells)
    else if (cell !== undefined) take(draft, reader, cell)
  }

  function read(cells: Cells, onUnread?: OnUnread): Draft {
    const draft = emptyDraft()
    const errors: FieldError[] = []
    for (const reader of readers) {
      try {
        readCell(draft, reader, cells)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const unread = error.errors ?? []
        const pointer = `/${reader.name.replace('.', '/')}`
        if (onUnread) onUnread(reader.column, unread.map(({ message }) => message).join('; '))
        else errors.push(...unread.map((each) => ({ ...each, pointer })))
      }
    }
    if (errors.length > 0) throw invalid(...errors)
    return draft
  }

  function columnOf(cells: Cells, name: string, item?: Json): string {
    const own = readers.filter(({ name: own, field }) => own === name || field.member === name)
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
    return Array.isArray(items) && items.some((each) => valueKey(each) === valueKey(item))
  }

  return { read, columnOf }
}

const emptyDraft = (): Draft => ({ given: {}, links: new Map(), added: new Set() })

/** Returns the content of a cell: nothing, a text, or a JSON value from NDJSON or from an array in the text. */
function wireForm(kind: Kind, cell: Json | undefined): Json | undefined {
  if (typeof cell !== 'string') return cell
  const text = unguarded(cell)
  if (isBlank(text)) return undefined
  if (!text.startsWith('[') || !LISTS.has(kind)) return text
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
  if (LINKS.has(kind) && Array.isArray(value)) links.set(name, { kind, texts: value.map(String) })
  else put(given, member, value, kind)
}

/** Google writes all web pages into a cell. The first one is taken, and a note keeps all of them. */
function firstPage(draft: Draft, column: string, text: string): string {
  const [first = text, ...others] = text.split(/\s*:::\s*/)
  if (others.length > 0) linkNote(draft, 'notes', `${column}: ${text}`)
  return first
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

function linkNote({ links }: Draft, name: string, text: string): void {
  links.set(name, { kind: 'note', texts: [...(links.get(name)?.texts ?? []), text] })
}

/** Merges the values of several columns without duplicates. */
function join({ given, added }: Draft, member: string, values: readonly Json[]): void {
  given[member] = joined((given[member] ?? []) as Json[], values)
  added.add(member)
}

/** Merges two lists; emails and phones are equal regardless of their label. */
export function joined(list: readonly Json[], more: readonly Json[]): Json[] {
  const all = new Map(list.map((value) => [valueKey(value), value]))
  for (const value of more) if (!all.has(valueKey(value))) all.set(valueKey(value), value)
  return [...all.values()]
}

function valueKey(value: Json): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  if (typeof value.email === 'string') return emailKey(value.email)
  return typeof value.number === 'string' ? value.number.replace(/[^\d+]/g, '') : JSON.stringify(value)
}

/** Sets a member; a dot in the name sets a member of a nested object. What a person has ruled out stays ruled out. */
export function put(given: Draft['given'], name: string, value: Json, kind?: Kind): void {
  if (kind === 'consent' && value === false) return
  const at = name.indexOf('.')
  if (at < 0) given[name] = value
  else {
    const outer = name.slice(0, at)
    given[outer] = { ...(given[outer] as object), [name.slice(at + 1)]: value }
  }
}
