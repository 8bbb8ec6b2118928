import { createHash } from 'node:crypto'
import { proseOf } from '../../../lib/html/plain.ts'
import type { Json } from '../../../lib/json.ts'
import { type FieldError, invalid, Problem } from '../../../lib/problem.ts'
import { seen } from '../../../lib/pure/invisible.ts'
import { timeOfDay } from '../../../lib/written/days/times-of-day.ts'
import type { Context } from '../../../lib/written/reading.ts'
import { readYesNo } from '../../../lib/written/yes-no.ts'
import type { ActivityObject } from '../../writable.ts'
import type { Draft, Link } from '../cells/draft.ts'
import { dayIn, flagIn, momentIn, quoted, refused } from '../cells/figures.ts'
import { nothingIn, saidNothing } from '../cells/no-value.ts'
import type { OnUnread, RowReader } from '../cells/row-reader.ts'
import { isBlank, unguarded } from '../cells/values.ts'
import type { Field, Fields, Kind } from '../columns/field.ts'
import type { Mapping } from '../columns/mapping.ts'
import type { Cells } from '../file/source.ts'
import { emptyParts, noteOf, type Parts, taskOf } from './compose.ts'
import { LINKED, type LinkedField } from './fields.ts'
import { NO_ID, recordOfId } from './salesforce-ids.ts'
import { typeOfFile } from './signs.ts'
import { priorityOf, statusOf, typeOf } from './words.ts'

type Reader = { column: string; name: string; field: Field; format: Context }

const NAMES: { readonly [kind in Kind]?: LinkedField } = {
  contacts: 'contact_ids',
  companies: 'company_ids',
  deals: 'deal_ids',
}

/** Reads the rows of files of notes, tasks, calls, meetings and emails. */
export function activityReader(
  object: ActivityObject,
  mapping: Mapping,
  fields: Fields,
  formatOf: (column: string) => Context,
): RowReader {
  const readers = mapping.flatMap(({ column, field: name }): Reader[] =>
    name === null ? [] : [{ column, name, field: fields[name] as Field, format: formatOf(column) }],
  )
  const withKey = keys()
  const typeOfAll = typeOfFile(mapping.map(({ column }) => column))

  function readCell(parts: Parts, { column, name, field, format }: Reader, cell: string): void {
    const { kind, member = name } = field
    const text = seen(cell)
    if (kind === 'prose') parts.bodies.push(proseOf(cell))
    else if (kind === 'detail') parts.details.push([column, proseOf(cell)])
    else if (kind === 'activityType') {
      const type = typeOf(text)
      if (type === undefined || parts.type !== undefined) parts.details.push([column, text])
      parts.typeText ??= text
      parts.type ??= type
    } else if (kind === 'activityStatus') {
      const known = statusOf(text)
      if (known?.isPlain !== true || (parts.status !== undefined && parts.status !== known.status))
        parts.details.push([column, text])
      parts.status ??= known?.status
    } else if (kind === 'done') parts.isDone = isDone(text)
    else if (kind === 'priority') {
      const priority = priorityOf(text)
      if (priority === undefined) parts.details.push([column, text])
      else parts.given.priority = priority
    } else if (NAMES[kind]) link(parts, NAMES[kind], { texts: namesIn(cell) })
    else if (kind === 'contactId' || kind === 'companyId' || kind === 'dealId')
      link(parts, member as LinkedField, { ids: idsIn(text) })
    else if (kind === 'records') parts.draft.links.set(name, { kind, texts: namesIn(cell) })
    else if (kind === 'anyId') for (const id of idsIn(text)) linkAny(parts, id)
    else if (kind === 'member') parts.draft.links.set(name, { kind, texts: [text] })
    else if (kind === 'flag') parts.given[name] = flagIn(text, format)
    else if (name === 'written_at') parts.written = writtenIn(text, format)
    else if (kind === 'time') parts.times[name] = momentIn(text, format)
    else if (name === 'external_id') parts.id = text
    else parts.given[name] = proseOf(cell).replace(/\s+/g, ' ')
  }

  function read(cells: Cells, onUnread?: OnUnread, onNothing?: OnUnread): Draft {
    const parts = emptyParts(typeOfAll)
    const errors: FieldError[] = []
    const refuse = (column: string, name: string, error: unknown): void => {
      if (!(error instanceof Problem)) throw error
      const unread = error.errors ?? []
      if (onUnread) for (const { message } of unread) onUnread(column, message)
      else errors.push(...unread.map((each) => ({ ...each, pointer: `/${name}` })))
    }
    for (const reader of readers) {
      const cell = textOf(cells[reader.column])
      const nothing = nothingIn(reader.name, reader.field, seen(cell))
      if (nothing === 'said') onNothing?.(reader.column, saidNothing(cell))
      if (nothing || reader.field.kind === 'clock') continue
      parts.content.push([reader.name, cell])
      if (OF_TASKS.has(reader.name)) parts.ofTasks.push([reader.column, seen(cell)])
      try {
        if (reader.name === 'due_at') parts.times.due_at = dueOf(cell, clockOf(cells), reader.format)
        else readCell(parts, reader, cell)
      } catch (error) {
        refuse(reader.column, reader.name, error)
      }
    }
    if (errors.length > 0) throw invalid(...errors)
    const isNote = object === 'note' || parts.type === 'note'
    const now = readers[0]?.format.now ?? Date.now()
    const zone = readers[0]?.format.zone
    return withKey(isNote ? noteOf(parts, zone) : taskOf(parts, now), parts)
  }

  function clockOf(cells: Cells): string {
    const column = readers.find(({ field }) => field.kind === 'clock')?.column
    return column === undefined ? '' : textOf(cells[column])
  }

  function columnOf(cells: Cells, name: string, item?: Json): string {
    const own = readers.filter((each) => each.name === name || (each.field.member ?? NAMES[each.field.kind]) === name)
    const any = name in LINKED ? readers.filter(({ field }) => field.kind === 'anyId') : []
    const possible = [...own, ...any]
    const found = possible.find(({ column }) => item !== undefined && textOf(cells[column]).includes(String(item)))
    return (found ?? possible[0])?.column ?? name
  }

  return { read, columnOf, isInOrder: true }
}

const textOf = (cell: Json | undefined): string => {
  if (cell === null || cell === undefined) return ''
  return unguarded(typeof cell === 'string' ? cell : Array.isArray(cell) ? cell.map(String).join(';') : String(cell))
}

/** Names are divided by semicolons only, as HubSpot does: commas are in names. */
const namesIn = (cell: string): string[] =>
  listIn(cell) ?? cell.split(/[;\n]|:::/).flatMap((name) => seen(name).trim() || [])

const idsIn = (text: string): string[] =>
  (listIn(text) ?? text.split(/[;,|\s]/))
    .flatMap((id) => id.trim().normalize('NFC') || [])
    .filter((id) => !NO_ID.test(id))

/** Our own exports have lists as JSON. */
function listIn(text: string): string[] | undefined {
  if (!text.startsWith('[')) return undefined
  try {
    return (JSON.parse(text) as Json[]).map(String)
  } catch {
    return undefined
  }
}

function link({ draft: { links } }: Parts, member: LinkedField, { texts = [], ids = [] }: Partial<Link>): void {
  const { texts: names, ids: before = [] } = links.get(member) ?? { texts: [] }
  const all = { texts: [...new Set([...names, ...texts])], ids: [...new Set([...before, ...ids])] }
  links.set(member, { kind: LINKED[member], ...all })
}

function linkAny(parts: Parts, id: string): void {
  const object = recordOfId(id)
  if (object === undefined)
    throw refused('reference_not_found', `is the id of something that is not imported: ${quoted(id)}`)
  link(parts, `${object}_ids`, { ids: [id] })
}

function isDone(text: string): boolean {
  const status = statusOf(text)?.status
  if (status !== undefined) return status === 'done'
  const read = readYesNo(text)
  if ('value' in read) return read.value
  throw refused('invalid_flag', `must say whether it is done, not ${quoted(text)}`)
}

/** The day and time of a note are told in its text, also what is none for certain. */
function writtenIn(text: string, format: Context): number | string {
  try {
    return Date.parse(momentIn(text, format))
  } catch {
    return text
  }
}

/**
 * Rows without an id are known again by what they say, but for their state: of two that differ in it alone, such as the same
 * task of two people, the second one has a number.
 */
function keys(): (draft: Draft, parts: Parts) => Draft {
  const first = new Map<string, string>()
  const others = new Map<string, Map<string, number>>()

  function numberOf(hash: string, state: string): number {
    const known = first.get(hash) ?? state
    first.set(hash, known)
    if (known === state) return 1
    const all = others.get(hash) ?? new Map<string, number>()
    others.set(hash, all)
    const number = all.get(state) ?? all.size + 2
    all.set(state, number)
    return number
  }

  return (draft, { id, content }) => {
    if (id !== undefined) return { ...draft, key: { id } }
    const [said = [], state = []] = [false, true].map((isState) =>
      content.filter(([name]) => STATES.has(name) === isState).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    )
    const hash = createHash('sha256').update(JSON.stringify(said)).digest('hex')
    const number = numberOf(hash, JSON.stringify(state))
    return { ...draft, key: { hash: number === 1 ? `row:${hash}` : `row:${hash}:${number}` } }
  }
}

/** What a task has, and a note has not. */
const OF_TASKS: ReadonlySet<string> = new Set(['status', 'is_done', 'completed_at', 'priority'])

const STATES: ReadonlySet<string> = new Set(['status', 'is_done', 'completed_at', 'owner_id', 'priority', 'is_pinned'])

/** When something is due: a day, which may have its time in a column of its own. */
function dueOf(text: string, clock: string, format: Context): string {
  if (isBlank(clock) || !isDay(text, format)) return momentIn(text, format)
  if (timeOfDay(clock) === undefined)
    throw refused('invalid_time', `must have a time of day beside it, not ${quoted(clock)}`)
  return momentIn(`${text} ${clock}`, format)
}

function isDay(text: string, format: Context): boolean {
  try {
    return dayIn(text, format) !== ''
  } catch {
    return false
  }
}
