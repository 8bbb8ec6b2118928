import { useRef, useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu } from '../../components/menu.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { scaled, unscaled } from '../../lib/scale.ts'
import { keyOf, type TableColumn } from './column.ts'
import type { Geometry } from './geometry.ts'
import { hidden, type Layout, moved, pinned, resized } from './layout.ts'
import { Part } from './part.tsx'
import { isNumber } from './table-row.tsx'
import { texts } from './texts.ts'

export type HeadProps = {
  geometry: Geometry
  layout: Layout
  kinds: { key: string; width: number; fixed?: boolean | undefined }[]
  onLayout: (layout: Layout) => void
  /** As in the API: `-name`. */
  sort: string | null
  onSort: (sort: string) => void
  onFilterBy?: ((field: string) => void) | undefined
  /** The focused column; -1 for none. */
  focused: number
  onFocus: (column: number) => void
  box?: { checked: boolean; some: boolean; onChange: () => void } | undefined
}

export function TableHead({ box, ...props }: HeadProps) {
  return (
    <Part role="row" class="tr thead" aria-rowindex={1}>
      {box && (
        <Part role="columnheader" class="th box" aria-colindex={1}>
          <Check
            checked={box.checked}
            some={box.some}
            title={box.checked || box.some ? texts().clearSelection : texts().selectLoaded}
            onChange={box.onChange}
          />
        </Part>
      )}
      {props.geometry.columns.map((column, at) => (
        <HeadCell key={keyOf(column)} {...props} hasBox={box !== undefined} column={column} at={at} />
      ))}
    </Part>
  )
}

type CellProps = Omit<HeadProps, 'box'> & { hasBox: boolean; column: TableColumn; at: number }

const STEP = 16

function HeadCell(props: CellProps) {
  const { geometry, layout, kinds, onLayout, sort, focused, onFocus, hasBox, column, at } = props
  const key = keyOf(column)
  const cell = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [drag, setDrag] = useState<{ over: string | null } | null>(null)
  const by = 'by' in column.sort ? column.sort.by : undefined
  const direction =
    by !== undefined && sort === by ? 'ascending' : by !== undefined && sort === `-${by}` ? 'descending' : undefined
  const stay = geometry.stays.get(key)
  const width = unscaled(geometry.places[at]?.width ?? scaled(column.width))

  const onKeyDown = (event: KeyboardEvent) => {
    const isArrow = event.key === 'ArrowLeft' || event.key === 'ArrowRight'
    const step = event.key === 'ArrowLeft' ? -1 : 1
    if (isArrow && event.shiftKey && (event.ctrlKey || event.metaKey))
      onLayout(resized(layout, key, width + step * STEP))
    else if (isArrow && event.shiftKey) {
      const next = moved(layout, key, step, kinds)
      if (next !== layout) {
        onLayout(next)
        onFocus(at + step)
      }
    } else if (event.key === 'Enter' || event.key === ' ' || (event.key === 'ArrowDown' && event.altKey)) setOpen(true)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /** Dragging a head moves its column; a press without moving opens the menu. */
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0 || event.pointerType === 'touch' || column.fixed) return
    const start = event.clientX
    let over: string | null = null
    let isMoving = false
    const target = event.currentTarget as HTMLElement
    const onMove = (move: PointerEvent) => {
      if (!isMoving && Math.abs(move.clientX - start) < 6) return
      isMoving = true
      const head = document.elementFromPoint(move.clientX, target.getBoundingClientRect().top + 8)
      over = head?.closest<HTMLElement>('.th[data-key]')?.dataset.key ?? null
      setDrag({ over })
    }
    const onUp = () => {
      removeEventListener('pointermove', onMove)
      removeEventListener('pointerup', onUp)
      setDrag(null)
      if (!isMoving) return
      // The press that ends a drag is no press on the head.
      addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true })
      if (over !== null && over !== key) onLayout(moved(layout, key, over, kinds))
    }
    addEventListener('pointermove', onMove)
    addEventListener('pointerup', onUp)
  }

  const names = ['th', isNumber(column) && 'num', isOpen && 'is-open', drag && 'is-dragged']
  return (
    <Part
      ref={cell}
      role="columnheader"
      class={names.filter(Boolean).join(' ')}
      style={stay === undefined ? undefined : { position: 'sticky', left: `${stay}px`, zIndex: 2 }}
      aria-colindex={at + (hasBox ? 2 : 1)}
      aria-sort={direction ?? (by === undefined ? undefined : 'none')}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      tabIndex={focused === at ? 0 : -1}
      data-column={at}
      data-key={key}
      onKeyDown={onKeyDown}
      onPointerDown={onPointerDown}
      onClick={() => {
        onFocus(at)
        setOpen(true)
      }}
    >
      <span class="cut" dir="auto">
        {column.field.label}
      </span>
      {direction && <Icon name={direction === 'ascending' ? 'asc' : 'desc'} small />}
      {!direction && isOpen && <Icon name="down" small />}
      <Resizer width={width} onResize={(next) => onLayout(resized(layout, key, next))} />
      {isOpen && cell.current && (
        <Menu
          anchor={cell.current}
          label={texts().columnMenu(column.field.label)}
          groups={groupsOf(props, width)}
          onClose={() => setOpen(false)}
        />
      )}
    </Part>
  )
}

function groupsOf(
  { column, layout, kinds, onLayout, onSort, onFilterBy, sort, geometry }: CellProps,
  width: number,
): MenuGroup[] {
  const key = keyOf(column)
  const words = texts()
  const [up, down] = sortWords(column)
  const off = 'off' in column.sort ? column.sort.off : undefined
  const by = 'by' in column.sort ? column.sort.by : ''
  const { filter } = column
  const isPinned = geometry.stays.has(key)
  const isFree = !column.fixed
  const canMove = (step: -1 | 1) => moved(layout, key, step, kinds) !== layout
  return [
    {
      label: column.caption,
      items: [
        {
          label: up,
          icon: 'asc',
          off,
          end: off === undefined && sort === by ? '✓' : undefined,
          onPick: () => onSort(by),
        },
        {
          label: down,
          icon: 'desc',
          off,
          end: off === undefined && sort === `-${by}` ? '✓' : undefined,
          onPick: () => onSort(`-${by}`),
        },
        ...(onFilterBy && filter !== undefined
          ? [{ label: words.filterBy, icon: 'filter' as const, onPick: () => onFilterBy(filter) }]
          : []),
      ],
    },
    {
      items: isFree
        ? [
            ...(canMove(-1)
              ? [
                  {
                    label: words.moveLeft,
                    icon: 'left' as const,
                    keys: '⇧ ←',
                    onPick: () => onLayout(moved(layout, key, -1, kinds)),
                  },
                ]
              : []),
            ...(canMove(1)
              ? [
                  {
                    label: words.moveRight,
                    icon: 'right' as const,
                    keys: '⇧ →',
                    onPick: () => onLayout(moved(layout, key, 1, kinds)),
                  },
                ]
              : []),
            {
              label: isPinned ? words.letScroll : words.keepInView,
              icon: 'pin',
              onPick: () => onLayout(pinned(layout, key, !isPinned)),
            },
            { label: words.hide, icon: 'hide', onPick: () => onLayout(hidden(layout, key)) },
          ]
        : [],
    },
    {
      items: [
        {
          label: words.wider,
          icon: 'to',
          keys: 'Ctrl ⇧ →',
          onPick: () => onLayout(resized(layout, key, width + 3 * STEP)),
        },
        {
          label: words.narrower,
          icon: 'reply',
          keys: 'Ctrl ⇧ ←',
          onPick: () => onLayout(resized(layout, key, width - 3 * STEP)),
        },
      ],
    },
  ]
}

function sortWords({ field }: TableColumn): [up: string, down: string] {
  const words = texts()
  if (field.type === 'date' || field.type === 'datetime') return [words.sortUpDate, words.sortDownDate]
  if (field.type === 'number' || field.type === 'money') return [words.sortUpNumber, words.sortDownNumber]
  // The order of stages is their own.
  if (field.key === 'stage') return [words.sortUpPlace, words.sortDownPlace]
  return [words.sortUp, words.sortDown]
}

/** The right edge of a head. By keys, the menu and Ctrl+Shift+arrows do the same. */
function Resizer({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  const onPointerDown = (event: PointerEvent) => {
    event.preventDefault()
    event.stopPropagation()
    const start = event.clientX
    const head = (event.currentTarget as HTMLElement).closest<HTMLElement>('.th')
    const from = head?.offsetWidth ?? scaled(width)
    const onMove = (move: PointerEvent) => onResize(unscaled(from + move.clientX - start))
    const onUp = () => {
      removeEventListener('pointermove', onMove)
      removeEventListener('pointerup', onUp)
      addEventListener('click', (click) => click.stopPropagation(), { capture: true, once: true })
    }
    addEventListener('pointermove', onMove)
    addEventListener('pointerup', onUp)
  }
  return (
    <span
      class="resizer"
      aria-hidden="true"
      onPointerDown={onPointerDown}
      onClick={(event) => event.stopPropagation()}
    />
  )
}
