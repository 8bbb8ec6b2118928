import { textOfValue } from '../../components/fields/field-types.ts'
import { loadFigures } from '../../components/fields/figures.ts'
import type { Sources } from '../../components/fields/sources.ts'
import { showToast } from '../../components/toast.tsx'
import { fieldState, type Kind, patch, record } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { joined, pathsOf } from '../../data/values.ts'
import { asStep } from '../../data/writes.ts'
import { isAboutPeople } from '../../lib/about-people.ts'
import { format } from '../../lib/locale.ts'
import { askForPeople } from '../../shell/pasted-people.ts'
import { patchFor, readValue, type TableColumn } from './column.ts'
import { cellsOf, copiedAs, OWN_TYPE, type OwnCell } from './own-form.ts'
import { type Plan, planPaste } from './paste.ts'
import { type Cell, readCell } from './read-cell.ts'
import { loadRange, MOST_LOADED, type Rows } from './rows.ts'
import { countOf, extended, isSelected } from './selection.ts'
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

/**
 * Copies the chosen rows as they are shown, for a spreadsheet, else the text of the cell with the focus, for a mail or a chat;
 * and the values themselves, for our own tables. Where rows are chosen that are not loaded, it says so. Returns whether there
 * was something to copy.
 */
export function copyCells(place: Place, clipboard: DataTransfer | null): boolean {
  const copied = copiedCells(place)
  if (!copied) return false
  clipboard?.setData('text/plain', copied.text)
  clipboard?.setData(OWN_TYPE, copied.form)
  const { rows, state } = place
  const wanted = countOf(state.selection.peek(), rows.total.peek() ?? 0)
  if (copied.rows < wanted) sayPart(place, copied.rows, wanted)
  return true
}

/** A browser takes a copy only from what the person does: the others are loaded, and then a button copies all. */
function sayPart({ rows, state }: Place, copied: number, wanted: number): void {
  const { number } = format.peek()
  const text = texts().copiedPart(number(copied), number(wanted))
  const total = rows.total.peek() ?? 0
  if (total > MOST_LOADED) return void showToast({ text: `${text} ${texts().copyByExport}`, kind: 'error' })
  showToast({ text: `${text} ${texts().copyLoads}`, kind: 'working' })
  void loadRange(rows, 0, total - 1).then((isWhole) => {
    const run = () => {
      state.toFocus.current?.()
      document.execCommand('copy')
    }
    if (isWhole) showToast({ text: `${text} ${texts().copyLoaded}`, action: { label: texts().copyAll(wanted), run } })
    else showToast({ text, kind: 'error' })
  })
}

function copiedCells(place: Place): { text: string; form: string; rows: number } | undefined {
  const { kind, rows, columns, state, sources } = place
  const read = (id: string | undefined, column: TableColumn): OwnCell => {
    const { field } = column
    const found = id === undefined ? undefined : (record(kind, id).peek() as Rec | null | undefined)
    const value = found ? readValue(column, found) : null
    return { type: field.type, value: value ?? null, text: found ? textOfValue(value, field, sources) : '' }
  }
  const selection = state.selection.peek()
  const chosen = rows.loadedIds().filter((id) => isSelected(selection, id))
  if (chosen.length > 0) {
    const head = columns.map(({ field }) => field.label)
    const cells = chosen.map((id) => columns.map((column) => read(id, column)))
    return { ...copiedAs(cells, head), rows: chosen.length }
  }
  const { row, column } = state.focus.peek()
  const own = columns[column]
  if (!own || row < 0) return undefined
  return { ...copiedAs([[read(rows.idAt(row), own)]], null), rows: 0 }
}

/** Selects from the row that was chosen last to this one. What lies between is loaded first, or the range would have holes. */
export async function selectRange({ selection }: TableState, rows: Rows, row: number): Promise<void> {
  const { anchor } = selection.peek()
  const isWhole = await loadRange(rows, anchor ?? row, row)
  if (selection.peek().anchor !== anchor) return
  if (isWhole) selection.value = extended(selection.peek(), row, rows.idAt)
  else showToast({ kind: 'error', text: texts().rangeTooLong(format.peek().number(MOST_LOADED)) })
}

/** Each cell is a request of its record at most: more than this would take minutes, and an import does it better. */
const MOST_CELLS = 2000

/** Writes pasted cells from the focused one on. Resolves when every record was answered. */
export async function pasteCells(place: Place, text: string, form: string): Promise<void> {
  const { rows, columns, state } = place
  const { row, column } = state.focus.peek()
  const labels = columns.slice(column).map(({ field }) => field.label)
  const block: readonly (readonly Cell[])[] = cellsOf(form, text) ?? withoutHead(parseTsv(text), labels)
  // A person is no value of a cell.
  if (
    place.kind === 'contacts' &&
    form === '' &&
    !text.includes('\t') &&
    isAboutPeople(text) &&
    !isReach(columns[column])
  )
    return askForPeople(text)
  const cells = block.reduce((sum, row) => sum + row.length, 0)
  if (cells > MOST_CELLS) {
    showToast({ kind: 'error', text: texts().pasteTooLarge(format.peek().number(MOST_CELLS)) })
    return
  }
  const { knownOf } = await loadFigures()
  const textIn = (cell: Cell | undefined): string => (typeof cell === 'string' ? cell : (cell?.text ?? ''))
  const plan = await planPaste(block, {
    at: { row, column },
    columns: columns.map((own, index) => {
      const known = knownOf(
        own.field,
        block.map((cells) => textIn(cells[index - column])),
      )
      const valueIn = (id: string) => {
        const found = record(place.kind, id).peek() as Rec | null | undefined
        return found ? { value: readValue(own, found) } : undefined
      }
      return { key: own.field.key, read: (cell, id) => readCell(own.field, valueIn(id), cell, known, place.sources) }
    }),
    idAt: rows.idAt,
    rows: rows.total.peek() ?? 0,
  })
  if (cells > 1) showToast({ kind: 'working', text: texts().pasteWorking(cells) })
  markUnread(place, plan)
  let writing: Promise<Done>[] = []
  const step = asStep(() => {
    writing = plan.changes.map((change) => write(place, change))
  })
  const beyond = block.slice(Math.max(0, (rows.total.peek() ?? 0) - row))
  const makes =
    place.kind === 'contacts' && beyond.length > 0 ? formatTsv(beyond.map((cells) => cells.map(textIn))) : ''
  summarise(plan, await Promise.all(writing), step, makes)
}

const isReach = (column: TableColumn | undefined): boolean => /^(?:emails|phones)$/.test(column?.field.key ?? '')

/** A spreadsheet gives the heads back that it got with the rows. */
const withoutHead = (block: readonly string[][], labels: readonly string[]): readonly string[][] =>
  block.length > 1 && block[0]?.every((cell, at) => cell === labels[at]) ? block.slice(1) : block

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

type Done = { changed: number; refused: number }

/** One PATCH for all cells of a record; where the server refuses some of them, the others are written all the same. */
async function write({ kind, columns, state }: Place, { id, fields }: Plan['changes'][number]): Promise<Done> {
  const found = record(kind, id).peek() as Rec
  touch(state, id)
  const cells = Object.entries(fields).map(([key, { value }]) =>
    patchFor(columns.find(({ field }) => field.key === key) as TableColumn, value, found),
  )
  const isRefused = (path: string) => /refused|conflict/.test(fieldState(kind, id, path).peek()?.state ?? '')
  try {
    await patch(kind, id, joined(cells))
    return { changed: cells.length, refused: 0 }
  } catch {
    // The cells say why. Where none does, the record itself is not there.
    const refused = cells.filter((cell) => pathsOf(cell).some(isRefused)).length || cells.length
    return { changed: cells.length - refused, refused }
  }
}

/** `beyond`: the rows behind the last one, which can become contacts. */
function summarise(plan: Plan, done: readonly Done[], step: string, beyond: string): void {
  const changed = done.reduce((sum, each) => sum + each.changed, 0)
  const refused = plan.refusals.length + done.reduce((sum, each) => sum + each.refused, 0)
  const words = texts()
  const none = refused > 0 ? words.pastedNone(refused) : words.pastedSame
  const main = changed === 0 ? none : refused > 0 ? words.pastedSome(changed, refused) : words.pasted(changed)
  const text = plan.outside > 0 ? `${main}. ${words.pasteOutside(plan.outside)}` : main
  showToast({
    text,
    icon: refused > 0 ? 'alert' : 'check',
    ...(changed > 0 ? { step } : {}),
    ...(beyond === '' ? {} : { action: { label: words.pasteMakes, run: () => askForPeople(beyond) } }),
  })
}
