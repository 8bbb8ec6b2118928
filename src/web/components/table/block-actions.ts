import { type Kind, patch, record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { format } from '../../lib/locale.ts'
import { textOfValue, valueOfText } from '../fields/field-types.ts'
import type { Sources } from '../fields/sources.ts'
import { showToast } from '../toast.tsx'
import { patchFor, readValue, type TableColumn } from './column.ts'
import { type PasteColumn, type Plan, planPaste } from './paste.ts'
import type { Rows } from './rows.ts'
import { isSelected } from './selection.ts'
import { cellName, type TableState, touch } from './table-state.ts'
import { texts } from './texts.ts'
import { formatTsv, parseTsv } from './tsv.ts'

type Place = {
  kind: Kind
  rows: Rows
  columns: readonly TableColumn[]
  state: TableState
  sources: Sources
}

/** What a spreadsheet gets: the chosen rows as they are shown, else the cell with the focus. */
export function copiedText({
  kind,
  rows,
  columns,
  state,
  sources,
}: Place): { text: string; cells: number } | undefined {
  const read = (id: string | undefined, column: TableColumn): string => {
    const found = id === undefined ? undefined : (record(kind, id).peek() as Rec | null | undefined)
    return found ? textOfValue(readValue(column, found), column.field, sources) : ''
  }
  const selection = state.selection.peek()
  const chosen = rows.loadedIds().filter((id) => isSelected(selection, id))
  if (chosen.length > 0) {
    const head = columns.map(({ field }) => field.label)
    const block = chosen.map((id) => columns.map((column) => read(id, column)))
    return { text: formatTsv([head, ...block]), cells: block.length * columns.length }
  }
  const { row, column } = state.focus.peek()
  const own = columns[column]
  if (!own || row < 0) return undefined
  return { text: formatTsv([[read(rows.idAt(row), own)]]), cells: 1 }
}

/** Each cell is a request of its record at most: more than this would take minutes, and an import does it better. */
const MOST_CELLS = 2000

/** Writes a pasted block from the focused cell on. Resolves when every record was answered. */
export async function pasteText(place: Place, text: string): Promise<void> {
  const { rows, columns, state, sources } = place
  const block = parseTsv(text)
  const cells = block.reduce((sum, row) => sum + row.length, 0)
  if (cells > MOST_CELLS) {
    showToast({ kind: 'error', text: texts().pasteTooLarge(format.peek().number(MOST_CELLS)) })
    return
  }
  const readers = columns.map(
    ({ field }): PasteColumn => ({
      key: field.key,
      read: field.off === undefined ? (given) => readOne(given, field, sources) : undefined,
    }),
  )
  const { row, column } = state.focus.peek()
  const plan = await planPaste(block, {
    at: { row, column },
    columns: readers,
    idAt: rows.idAt,
    rows: rows.total.peek() ?? 0,
    readOnly: texts().readOnly,
  })
  if (cells > 1) showToast({ kind: 'working', text: texts().pasteWorking(cells) })
  markUnread(place, plan)
  const done = await Promise.all(plan.changes.map((change) => write(place, change)))
  summarise(place, plan, done)
}

async function readOne(text: string, field: TableColumn['field'], sources: Sources) {
  try {
    const parsed = await valueOfText(text, field, sources)
    return 'error' in parsed ? { refused: parsed.error } : { value: parsed.value }
  } catch (error) {
    return { refused: (error as Error).message }
  }
}

function markUnread({ rows, columns, state }: Place, plan: Plan): void {
  const refused = new Map(state.refused.peek())
  for (const { row, column, text, reason } of plan.refusals) {
    const [id, own] = [rows.idAt(row), columns[column]]
    if (id === undefined || !own || own.field.off !== undefined) continue
    touch(state, id)
    refused.set(cellName(id, own.field.key), { text, reason })
  }
  for (const { id, fields } of plan.changes) for (const key of Object.keys(fields)) refused.delete(cellName(id, key))
  state.refused.value = refused
}

type Done = { id: string; undo: Record<string, unknown>; changed: number; refused: number }

/** One PATCH for all cells of a record; where the server refuses some of them, the others are written all the same. */
async function write({ kind, columns, state }: Place, change: Plan['changes'][number]): Promise<Done> {
  const found = record(kind, change.id).peek() as Rec
  const done: Done = { id: change.id, undo: {}, changed: 0, refused: 0 }
  touch(state, change.id)
  await Promise.all(
    Object.entries(change.fields).map(async ([key, read]) => {
      const column = columns.find(({ field }) => field.key === key) as TableColumn
      if (!('value' in read)) return
      const before = readValue(column, found)
      try {
        await patch(kind, change.id, patchFor(column, read.value, found))
        done.changed++
        merge(done.undo, patchFor(column, before ?? null, found))
      } catch {
        done.refused++ // the cell says why
      }
    }),
  )
  return done
}

function merge(into: Record<string, unknown>, patch: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(patch)) {
    const isMembers = (name === 'custom_fields' || name === 'address') && typeof value === 'object' && value !== null
    into[name] = isMembers ? { ...(into[name] as object), ...value } : value
  }
}

function summarise({ kind }: Place, plan: Plan, done: readonly Done[]): void {
  const changed = done.reduce((sum, each) => sum + each.changed, 0)
  const refused = plan.refusals.length + done.reduce((sum, each) => sum + each.refused, 0)
  const words = texts()
  const main =
    changed === 0 ? words.pastedNone(refused) : refused > 0 ? words.pastedSome(changed, refused) : words.pasted(changed)
  const text = plan.outside > 0 ? `${main}. ${words.pasteOutside(plan.outside)}` : main
  const undo = () => {
    for (const { id, undo } of done) if (Object.keys(undo).length > 0) patch(kind, id, undo).catch(() => undefined)
  }
  showToast({ text, icon: refused > 0 ? 'alert' : 'check', ...(changed > 0 ? { undo } : {}) })
}
