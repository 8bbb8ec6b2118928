import { emailKey } from '../../lib/email.ts'
import type { Json } from '../../lib/json.ts'
import { type FieldError, invalid, Problem } from '../../lib/problem.ts'
import type { ImportObject } from '../writes.ts'
import { AMOUNTS, type Field, type Fields, type Kind } from './fields.ts'
import { type Mapping, takesCurrency } from './mapping.ts'
import type { Cells } from './read.ts'
import {
  currencyBeside,
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

/**
 * Returns a function that reads rows into drafts. An empty cell means no value. Throws Problem 422 with an error for
 * each cell that cannot be read.
 */
export function draftReader(
  object: ImportObject,
  mapping: Mapping,
  fields: Fields,
  formatOf: (column: string) => NumberFormat,
): (cells: Cells) => Draft {
  const bringsCurrency = takesCurrency(object, mapping)
  const readers = mapping.flatMap(({ column, field: name, label }): Reader[] =>
    name === null ? [] : [{ column, name, field: fields[name] as Field, format: formatOf(column), label }],
  )

  function readText(draft: Draft, { name, field, format, label }: Reader, text: string, cells: Cells): void {
    const { kind, member = name } = field
    if (kind === 'fullName') Object.assign(draft.given, splitName(text))
    else if (kind === 'tags') linkTags(draft, name, readValues(field, text) as string[])
    else if (LINKS.has(kind)) draft.links.set(name, { kind, texts: [text] })
    else if (kind === 'choices') put(draft.given, name, readValues(field, text))
    else if (JOINED.has(kind)) {
      const said = label === undefined ? field.label : labelOf(String(cells[label] ?? ''))
      join(draft, member, readValues(field, text, said))
    } else put(draft.given, name, readValue(field, text, format))
    if (bringsCurrency && name === AMOUNTS[object]) {
      const currency = currencyBeside(text, format)
      if (currency) draft.given.currency = currency
    }
  }

  return (cells) => {
    const draft: Draft = { given: {}, links: new Map(), added: new Set() }
    const errors: FieldError[] = []
    for (const reader of readers) {
      const cell = wireForm(reader.field.kind, cells[reader.column])
      if (cell === undefined) continue
      try {
        if (typeof cell === 'string') readText(draft, reader, cell, cells)
        else take(draft, reader, cell)
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        const pointer = `/${reader.name.replace('.', '/')}`
        errors.push(...(error.errors ?? []).map((each) => ({ ...each, pointer })))
      }
    }
    if (errors.length > 0) throw invalid(...errors)
    return draft
  }
}

/** Returns the content of a cell: nothing, a text, or a JSON value from NDJSON or from an array in the text. */
function wireForm(kind: Kind, cell: Json | undefined): Json | undefined {
  if (typeof cell !== 'string') return cell
  const text = unguarded(cell)
  if (text === '') return undefined
  if (!text.startsWith('[') || !LISTS.has(kind)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function take({ given, links }: Draft, { name, field }: Reader, value: Json): void {
  const { kind, member = name } = field
  if (kind === 'fullName') return // the name is derived from its parts
  if (value === null && PLACES.has(kind)) return
  if (LINKS.has(kind) && Array.isArray(value)) links.set(name, { kind, texts: value.map(String) })
  else put(given, member, value)
}

function linkTags({ links, added }: Draft, name: string, texts: string[]): void {
  links.set(name, { kind: 'tags', texts: [...(links.get(name)?.texts ?? []), ...texts] })
  added.add(name)
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

/** Sets a member; a dot in the name sets a member of a nested object. */
export function put(given: Draft['given'], name: string, value: Json): void {
  const at = name.indexOf('.')
  if (at < 0) given[name] = value
  else {
    const outer = name.slice(0, at)
    given[outer] = { ...(given[outer] as object), [name.slice(at + 1)]: value }
  }
}
