import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { offerDuplicate } from '../../components/duplicate/offer.ts'
import { CellEditor } from '../../components/fields/cell-editor.tsx'
import { kindOf } from '../../components/fields/field-types.ts'
import { Bar } from '../../components/skeleton.tsx'
import { type Kind, patch, record as recordOf } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { writes } from '../../data/writes.ts'
import { CellWithState } from './cell-state.tsx'
import { CellValue } from './cell-value.tsx'
import { keyOf, patchFor, readValue, type TableColumn } from './column.ts'
import { Part } from './part.tsx'
import type { Rows } from './rows.ts'
import { isSelected } from './selection.ts'
import { cellName, type TableState, touch } from './table-state.ts'
import { texts } from './texts.ts'

/** What all rows of a table share: the same object while nothing of it changes. */
export type RowView = {
  kind: Kind
  columns: readonly TableColumn[]
  /** Where pinned columns stay, by key, in pixels from the left. */
  stays: ReadonlyMap<string, number>
  state: TableState
  left: Rows['left']
  rowHeight: number
  canSelect: boolean
  nameOf: (record: Rec) => string
  onSelect: (row: number, id: string, isRange: boolean) => void
  onEdited: (how: 'enter' | 'tab' | 'back-tab' | 'esc' | 'leave') => void
}

export function TableRow({ view, row, id }: { view: RowView; row: number; id: string | undefined }) {
  const { kind, columns, stays, state, left, rowHeight, canSelect, nameOf, onSelect } = view
  const focused = useMemo(() => computed(() => (state.focus.value.row === row ? state.focus.value.column : -1)), [row])
  const edited = useMemo(() => computed(() => (state.editing.value?.row === row ? state.editing.value : null)), [row])
  const chosen = useMemo(() => computed(() => id !== undefined && isSelected(state.selection.value, id)), [id])
  const hasLeft = useMemo(() => computed(() => id !== undefined && left.value.has(id)), [id, left])
  const active = useMemo(
    () =>
      computed(
        () => id !== undefined && (state.touched.value.has(id) || writes.value.some((write) => write.id === id)),
      ),
    [id],
  )
  const found = id === undefined ? undefined : (recordOf(kind, id).value as Rec | null | undefined)
  const style = { transform: `translateY(${row * rowHeight}px)`, height: `${rowHeight}px` }
  if (!found) return <EmptyRow view={view} row={row} style={style} />
  const isOn = chosen.value
  return (
    <Part
      role="row"
      class={['tr', isOn && 'is-on', hasLeft.value && 'has-left'].filter(Boolean).join(' ')}
      title={hasLeft.value ? texts().left(1) : undefined}
      style={style}
      aria-rowindex={row + 2}
      aria-selected={canSelect ? isOn : undefined}
      data-row={row}
      data-id={found.id}
    >
      {canSelect && (
        <Part
          role="gridcell"
          class="td box"
          aria-colindex={1}
          onClick={(event) => onSelect(row, found.id, event.shiftKey)}
        >
          <Check checked={isOn} tabIndex={-1} title={texts().selectRow(nameOf(found))} onChange={() => undefined} />
        </Part>
      )}
      {columns.map((column, at) => (
        <TableCell
          key={keyOf(column)}
          view={view}
          record={found}
          column={column}
          at={at}
          stay={stays.get(keyOf(column))}
          isFocused={focused.value === at}
          editing={edited.value?.column === at ? edited.value : null}
          isActive={active.value || state.refused.value.has(cellName(found.id, keyOf(column)))}
        />
      ))}
    </Part>
  )
}

type CellProps = {
  view: RowView
  record: Rec
  column: TableColumn
  at: number
  stay: number | undefined
  isFocused: boolean
  editing: TableState['editing']['value']
  isActive: boolean
}

function TableCell({ view, record, column, at, stay, isFocused, editing, isActive }: CellProps) {
  const { kind, state, canSelect } = view
  // What others set meanwhile is not taken for what was read before typing.
  const from = useMemo(() => record, [editing])
  const names = [
    'td',
    column.fixed && 'name',
    column.dim && 'dim',
    isNumber(column) && 'num',
    editing && 'is-cell-edit',
  ]
  return (
    <Part
      role={column.fixed ? 'rowheader' : 'gridcell'}
      class={names.filter(Boolean).join(' ')}
      style={stay === undefined ? undefined : { position: 'sticky', left: `${stay}px`, zIndex: 1 }}
      aria-colindex={at + (canSelect ? 2 : 1)}
      aria-readonly={column.field.off === undefined ? undefined : true}
      tabIndex={isFocused ? 0 : -1}
      data-column={at}
    >
      {editing ? (
        <CellEditor
          field={column.field}
          value={readValue(column, from)}
          startWith={editing.startWith}
          onSave={(value) => saveCell(view, from, column, value)}
          onUnread={(text, reason) => refuseCell(view, from, column, { text, reason })}
          onDone={view.onEdited}
        />
      ) : isActive ? (
        <CellWithState kind={kind} record={record} column={column} state={state} />
      ) : (
        <CellValue column={column} record={record} />
      )}
    </Part>
  )
}

export const isNumber = ({ field }: TableColumn): boolean => kindOf(field.type).right === true

/** The cell shows what was typed, and why it is none. */
function refuseCell(
  { state }: RowView,
  { id }: Rec,
  column: TableColumn,
  unread: { text: string; reason: string },
): void {
  touch(state, id)
  state.refused.value = new Map(state.refused.peek()).set(cellName(id, keyOf(column)), unread)
}

function saveCell({ kind, state }: RowView, record: Rec, column: TableColumn, value: unknown): void {
  touch(state, record.id)
  const name = cellName(record.id, keyOf(column))
  if (state.refused.peek().has(name)) {
    const rest = new Map(state.refused.peek())
    rest.delete(name)
    state.refused.value = rest
  }
  // The cell shows what becomes of it.
  const body = patchFor(column, value, record)
  patch(kind, record.id, body, record).catch((error) => void offerDuplicate(error, kind, { id: record.id, body }))
}

function EmptyRow({ view, row, style }: { view: RowView; row: number; style: preact.CSSProperties }) {
  const { columns, canSelect, stays } = view
  return (
    <Part role="row" class="tr" style={style} aria-rowindex={row + 2} aria-busy="true" data-row={row}>
      {canSelect && (
        <Part role="gridcell" class="td box" aria-colindex={1}>
          <Bar width={14} height={14} />
        </Part>
      )}
      {columns.map((column, at) => (
        <Part
          key={keyOf(column)}
          role="gridcell"
          class={isNumber(column) ? 'td num' : 'td'}
          aria-colindex={at + (canSelect ? 2 : 1)}
          style={
            stays.has(keyOf(column))
              ? { position: 'sticky', left: `${stays.get(keyOf(column))}px`, zIndex: 1 }
              : undefined
          }
        >
          <Bar row={row + at} width={Math.min(column.width - 40, 60 + ((row * 7 + at * 13) % 5) * 14)} />
        </Part>
      ))}
    </Part>
  )
}
