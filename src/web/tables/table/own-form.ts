import type { Field, FieldType } from '../../components/fields/field.ts'
import { textOfValue } from '../../components/fields/field-types.ts'
import { isValueOf } from '../../components/fields/is-value-of.ts'
import type { Linked, Sources } from '../../components/fields/sources.ts'
import { boot } from '../../data/boot.ts'
import { formatTsv } from './tsv.ts'

// What travels beside the text of copied cells, from one table of ours to another: the values as they are stored, with what
// a text does not show, such as labels, hidden addresses, seconds, and which of two records of the same name it is. Other
// programs do not see it, and what they copy has none.

/** Within a browser, a type of one's own stays with the text that was copied with it. */
export const OWN_TYPE = 'application/x-dealbox-cells'

export type OwnCell = { type: FieldType; value: unknown; text: string }
/** `head`: the labels of the columns in front of whole rows, which one cell does not have. */
type OwnForm = { org: string; head: string[] | null; cells: OwnCell[][] }

/** More is pasted by its text. */
const MOST = 4_000_000

const orgId = (): string => boot.peek().org.id

/** The text of copied cells, and their form; '' if that would be too large. */
export function copiedAs(cells: OwnCell[][], head: string[] | null): { text: string; form: string } {
  const form = JSON.stringify({ org: orgId(), head, cells } satisfies OwnForm)
  return { text: textFor({ head, cells }), form: form.length > MOST ? '' : form }
}

/** One cell is its text, for a mail or a chat; rows are a block for a spreadsheet. */
function textFor({ head, cells }: Pick<OwnForm, 'head' | 'cells'>): string {
  if (!head) return cells[0]?.[0]?.text ?? ''
  return formatTsv([head, ...cells.map((row) => row.map(({ text }) => text))])
}

/**
 * Returns the cells of a form that we wrote beside this very text; undefined for anything else, of which the text alone
 * counts: other pages can write such a form as well. The ids of another organisation mean nothing here.
 */
export function cellsOf(form: string, text: string): OwnCell[][] | undefined {
  if (form === '' || form.length > MOST) return undefined
  let given: unknown
  try {
    given = JSON.parse(form)
  } catch {
    return undefined
  }
  if (!isForm(given) || given.org !== orgId()) return undefined
  return asLines(textFor(given)) === asLines(text) ? given.cells : undefined
}

/** Some systems give line ends back in another way, and one more at the end. */
const asLines = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/\n+$/, '')

function isForm(given: unknown): given is OwnForm {
  if (!isObject(given, ['org', 'head', 'cells'])) return false
  const { head, cells } = given
  if (head !== null && !(Array.isArray(head) && head.every((label) => typeof label === 'string'))) return false
  if (!Array.isArray(cells) || cells.length === 0 || !cells.every((row) => Array.isArray(row) && row.every(isCell)))
    return false
  return head === null ? cells.length === 1 && cells[0]?.length === 1 : cells.every((row) => row.length === head.length)
}

function isCell(given: unknown): given is OwnCell {
  if (!isObject(given, ['type', 'value', 'text']) || typeof given.text !== 'string') return false
  return given.value === null || isValueOf(given.type, given.value)
}

/** An object that has these members and no other. */
function isObject<Key extends string>(given: unknown, keys: readonly Key[]): given is Record<Key, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false
  return Object.keys(given).length === keys.length && keys.every((key) => Object.hasOwn(given, key))
}

/** Returns the value for a field; undefined if only its text can be read there. */
export function valueFor(cell: OwnCell, field: Field, sources: Sources): { value: unknown } | undefined {
  const { type, value } = cell
  if (type !== field.type || !isShownAs(cell, field, sources)) return undefined
  const all = [value ?? []].flat() as string[]
  const known = knownTo(field, sources)
  return !known || all.every((each) => known.has(each)) ? { value } : undefined
}

/** Nobody pastes another value than the one that they saw. The name of a record may have been read since. */
function isShownAs({ type, value, text }: OwnCell, field: Field, sources: Sources): boolean {
  const kind = LINKED[type]
  const isUnknown = kind && [value ?? []].flat().some((id) => sources.nameOf(kind, String(id)) === undefined)
  return isUnknown || text === textOfValue(value, field, sources)
}

const LINKED: Partial<Record<FieldType, Linked>> = {
  company: 'company',
  contact: 'contact',
  contacts: 'contact',
  companies: 'company',
  deals: 'deal',
}

/** The values that a field can have; undefined for any. */
function knownTo({ type, options }: Field, sources: Sources): ReadonlySet<string> | undefined {
  if (type === 'select' || type === 'multi_select') return new Set(options?.map(({ value }) => value))
  if (type === 'tags') return new Set(sources.tags().map(({ id }) => id))
  return type === 'member' ? new Set(sources.members().map(({ id }) => id)) : undefined
}
