import { useComputed } from '@preact/signals'
import type { ComponentChildren, VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useSources } from '../../components/fields/sources.ts'
import type { Kind } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { scaled } from '../../lib/scale.ts'
import { copyCells, pasteCells, selectRange } from './block-actions.ts'
import { kindsOf, type TableColumn } from './column.ts'
import { moveFocus, nextEditable } from './focus.ts'
import { geometryOf, roomOf } from './geometry.ts'
import { cellSelector, isTextChosen, isTyping, mountedRows } from './grid-dom.ts'
import { type Layout, settled } from './layout.ts'
import { OWN_TYPE } from './own-form.ts'
import { Part } from './part.tsx'
import { type OnMenu, pointerOf } from './pointer.ts'
import type { Rows } from './rows.ts'
import { countOf, extended, headToggled, toggled } from './selection.ts'
import { TableHead } from './table-head.tsx'
import { type RowView, TableRow } from './table-row.tsx'
import type { TableState } from './table-state.ts'
import './table.css'

export type TableProps = {
  kind: Kind
  label: string
  rows: Rows
  columns: readonly TableColumn[]
  layout: Layout
  onLayout: (layout: Layout) => void
  sort: string | null
  onSort: (sort: string) => void
  onFilterBy?: ((field: string) => void) | undefined
  state: TableState
  canSelect: boolean
  nameOf: (record: Rec) => string
  onOpen: (id: string) => void
  onMenu: OnMenu
  /** In place of the rows when there are none, or they did not come. */
  instead?: ComponentChildren
}

const ROW = scaled(36)
const HEAD = scaled(32)
/** Rows beyond both edges of the view. */
const SPARE = 6
/** More than are ever in the page, so that each keeps its element while it is scrolled through. */
const SLOTS = 80

/** A grid of any number of rows: those in view are in the page, and their pages are loaded. */
export function Table(props: TableProps) {
  const { kind, label, rows, columns, layout, onLayout, state, canSelect, nameOf, onOpen, onMenu, instead } = props
  const sources = useSources()
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ first: 0, last: 30, page: 20 })
  const kinds = useMemo(() => kindsOf(columns), [columns])
  const placed = useMemo(() => settled(layout, kinds), [layout, kinds])
  const [room, setRoom] = useState(Number.POSITIVE_INFINITY)
  const geometry = useMemo(() => geometryOf(columns, placed, canSelect, room), [columns, placed, canSelect, room])
  const total = rows.total.value ?? 0
  const isFirstLoad = rows.total.value === undefined
  const count = isFirstLoad ? (rows.error.value === undefined ? 12 : 0) : total
  void rows.revision.value
  const focus = state.focus
  const headFocus = useComputed(() => (focus.value.row === -1 ? focus.value.column : -1)).value

  // What is in view, and its rows.
  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return
    const look = () => {
      setRoom(roomOf(box.clientWidth))
      const page = Math.max(1, Math.floor((box.clientHeight - HEAD) / ROW))
      const first = Math.max(0, Math.floor(box.scrollTop / ROW) - SPARE)
      // In steps, so that not every pixel draws anew.
      const next = { first: first - (first % 4), last: first + page + 2 * SPARE + 4, page }
      setView((now) => (now.first === next.first && now.last === next.last && now.page === next.page ? now : next))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(box)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [])
  // Before the empty rows are painted: on the way to the end, the request is what takes the time.
  useLayoutEffect(() => {
    const box = scroller.current
    const top = box ? Math.floor(box.scrollTop / ROW) : 0
    const last = top + view.page + SPARE
    rows.ensure(Math.max(0, top - SPARE), isFirstLoad ? last : Math.min(last, total - 1))
  }, [rows, view, total])

  const isPending = useRef(false)
  useLayoutEffect(() => {
    if (!isPending.current || !scroller.current) return
    const { row, column } = focus.peek()
    const cell = scroller.current.querySelector<HTMLElement>(cellSelector(row, column))
    if (!cell) return
    isPending.current = false
    cell.focus({ preventScroll: true })
  })

  const focusCell = () => {
    const box = scroller.current
    if (!box) return
    const { row, column } = focus.peek()
    const place = geometry.places[column]
    if (row >= 0) {
      const top = row * ROW
      const [above, below] = [box.scrollTop, box.scrollTop + box.clientHeight - HEAD]
      if (top < above) box.scrollTop = top
      else if (top + ROW > below) box.scrollTop = top + ROW - (box.clientHeight - HEAD)
    }
    const stays = geometry.columns[column] && geometry.stays.has(geometry.columns[column].field.key)
    if (place && !stays) {
      if (place.left - geometry.covered < box.scrollLeft) box.scrollLeft = place.left - geometry.covered
      else if (place.left + place.width > box.scrollLeft + box.clientWidth)
        box.scrollLeft = place.left + place.width - box.clientWidth
    }
    const cell = box.querySelector<HTMLElement>(cellSelector(row, column))
    cell?.focus({ preventScroll: true })
    // A row that comes into view is drawn first, and one that is far away is loaded.
    isPending.current = cell === null
  }
  state.toFocus.current = focusCell

  const go = (cell: { row: number; column: number }) => {
    focus.value = cell
    focusCell()
  }
  const canEdit = (column: number): boolean => geometry.columns[column]?.field.off === undefined
  const edit = (startWith?: string) => {
    const { row, column } = focus.peek()
    if (row < 0 || !canEdit(column) || rows.idAt(row) === undefined) return
    state.editing.value = { row, column, startWith }
  }

  const onEdited: RowView['onEdited'] = (how) => {
    const { row, column } = focus.peek()
    state.editing.value = null
    if (how === 'leave') return
    if (how === 'tab' || how === 'back-tab') {
      const next = nextEditable({ row, column }, how === 'tab' ? 1 : -1, total, canEdit, geometry.columns.length)
      if (next) {
        focus.value = next
        focusCell()
        edit()
        return
      }
    }
    requestAnimationFrame(focusCell)
  }

  const onSelect = (row: number, id: string, isRange: boolean) => {
    const { selection } = state
    if (isRange) void selectRange(state, rows, row)
    else selection.value = toggled(selection.peek(), id, row)
    focus.value = { row, column: focus.peek().column }
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (
      event.defaultPrevented ||
      !(event.target as Element).matches('[role=gridcell], [role=rowheader], [role=columnheader]')
    )
      return
    const at = focus.peek()
    const size = { rows: total, columns: geometry.columns.length, page: view.page }
    const next = moveFocus(at, event, size)
    if (next) go(next)
    else if (event.shiftKey && (event.key === 'ArrowDown' || event.key === 'ArrowUp') && at.row >= 0) {
      const row = Math.max(0, Math.min(total - 1, at.row + (event.key === 'ArrowDown' ? 1 : -1)))
      const { selection } = state
      const anchored =
        selection.peek().anchor === undefined ? { ...selection.peek(), anchor: at.row } : selection.peek()
      const own = rows.idAt(at.row)
      const start =
        own !== undefined && !anchored.ids.has(own) && !anchored.isAll ? toggled(anchored, own, at.row) : anchored
      selection.value = extended({ ...start, anchor: start.anchor ?? at.row }, row, rows.idAt)
      go({ row, column: at.column })
    } else if ((event.key === 'Enter' || event.key === 'F2') && at.row >= 0) {
      const id = rows.idAt(at.row)
      if (canEdit(at.column) && !(event.ctrlKey || event.metaKey)) edit()
      else if (id !== undefined) onOpen(id)
    } else return
    event.preventDefault()
  }

  const latest = useRef({ onSelect, onEdited, edit, onMenu })
  latest.current = { onSelect, onEdited, edit, onMenu }
  const pointer = useMemo(
    () =>
      pointerOf({
        state,
        edit: () => latest.current.edit(),
        onMenu: (event, id) => latest.current.onMenu(event, id),
      }),
    [state],
  )
  const rowView: RowView = useMemo(
    () => ({
      kind,
      columns: geometry.columns,
      stays: geometry.stays,
      state,
      left: rows.left,
      rowHeight: ROW,
      canSelect,
      nameOf,
      onSelect: (row, id, isRange) => latest.current.onSelect(row, id, isRange),
      onEdited: (how) => latest.current.onEdited(how),
    }),
    [kind, geometry, state, rows.left, canSelect],
  )

  const place = { kind, rows, columns: geometry.columns, state, sources }
  const selection = state.selection.value
  const mounted = mountedRows(view, count, focus.value.row)
  const cache = useRef(new Map<number, { id: string | undefined; view: RowView; node: VNode }>())
  const drawn = new Map<number, { id: string | undefined; view: RowView; node: VNode }>()
  for (const row of mounted) {
    const id = rows.idAt(row)
    const before = cache.current.get(row)
    const kept = before && before.id === id && before.view === rowView
    drawn.set(
      row,
      kept ? before : { id, view: rowView, node: <TableRow key={row % SLOTS} view={rowView} row={row} id={id} /> },
    )
  }
  cache.current = drawn

  return (
    <div class="tbl-box fill">
      <Part
        ref={scroller}
        class="tbl scroll"
        role="grid"
        aria-label={label}
        aria-rowcount={isFirstLoad ? -1 : total + 1}
        aria-colcount={geometry.columns.length + (canSelect ? 1 : 0)}
        aria-multiselectable={canSelect ? true : undefined}
        aria-busy={rows.isLoading.value}
        data-scroll="table"
        onKeyDown={onKeyDown}
        {...pointer}
        onCopy={(event) => {
          if (isTyping(event) || (countOf(selection, total) === 0 && isTextChosen())) return
          if (copyCells(place, event.clipboardData)) event.preventDefault()
        }}
        onPaste={(event) => {
          if (isTyping(event) || !canSelect || focus.peek().row < 0) return
          event.preventDefault()
          const given = (type: string) => event.clipboardData?.getData(type) ?? ''
          void pasteCells(place, given('text/plain'), given(OWN_TYPE))
        }}
      >
        <Part
          class="tbl-in"
          role="presentation"
          style={{ minWidth: `${geometry.width}px`, '--columns': geometry.template }}
        >
          <TableHead
            geometry={geometry}
            layout={placed}
            kinds={kinds}
            onLayout={onLayout}
            sort={props.sort}
            onSort={props.onSort}
            onFilterBy={props.onFilterBy}
            focused={headFocus}
            onFocus={(column) => go({ row: -1, column })}
            box={
              canSelect
                ? {
                    checked: selection.isAll && selection.ids.size === 0,
                    some: selection.ids.size > 0,
                    onChange: () => {
                      state.selection.value = headToggled(selection, rows.loadedIds())
                    },
                  }
                : undefined
            }
          />
          {count > 0 && (
            <Part role="rowgroup" class="tbody" style={{ height: `${count * ROW}px` }}>
              {mounted.map((row) => drawn.get(row)?.node)}
            </Part>
          )}
        </Part>
      </Part>
      {instead && (total === 0 || rows.error.value !== undefined) && !rows.isLoading.value && (
        <div class="tbl-instead">{instead}</div>
      )}
    </div>
  )
}
