import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Check } from '../../components/check.tsx'
import { Bar } from '../../components/skeleton.tsx'
import { type Kind, record as recordOf } from '../../data/records.ts'
import type { Rec } from '../../data/types.ts'
import { scaled } from '../../lib/scale.ts'
import { Part } from './part.tsx'
import type { Rows } from './rows.ts'
import { isSelected, toggled } from './selection.ts'
import type { TableState } from './table-state.ts'
import { texts } from './texts.ts'

type CardsProps = {
  kind: Kind
  label: string
  rows: Rows
  state: TableState
  card: (record: Rec) => ComponentChildren
  hrefOf: (id: string) => string
  nameOf: (record: Rec) => string
  /** While some are chosen, a press chooses. */
  canSelect: boolean
  instead?: ComponentChildren
}

const HEIGHT = scaled(64)
const SPARE = 4

/** The rows of a table on a phone, one card each; a long press chooses. */
export function Cards({ kind, label, rows, state, card, hrefOf, nameOf, canSelect, instead }: CardsProps) {
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ first: 0, last: 16 })
  const total = rows.total.value
  const count = total ?? (rows.error.value === undefined ? 8 : 0)
  void rows.revision.value
  useLayoutEffect(() => {
    const scroller = box.current
    if (!scroller) return
    const look = () => {
      const first = Math.max(0, Math.floor(scroller.scrollTop / HEIGHT) - SPARE)
      const last = first + Math.ceil(scroller.clientHeight / HEIGHT) + 2 * SPARE
      setView((now) => (now.first === first && now.last === last ? now : { first, last }))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(scroller)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [])
  useEffect(() => rows.ensure(view.first, view.last), [rows, view, total])
  const mounted: number[] = []
  for (let row = view.first; row <= Math.min(view.last, count - 1); row++) mounted.push(row)
  return (
    <div ref={box} class="cards" data-scroll="cards">
      <Part role="list" aria-label={label} class="cards-in" style={{ height: `${count * HEIGHT}px` }}>
        {mounted.map((row) => (
          <Card
            key={row % 64}
            {...{ kind, row, rows, state, card, hrefOf, nameOf, canSelect }}
            id={rows.idAt(row)}
            total={count}
          />
        ))}
      </Part>
      {instead && (total === 0 || rows.error.value !== undefined) && !rows.isLoading.value && instead}
    </div>
  )
}

type CardProps = Omit<CardsProps, 'label' | 'instead'> & { row: number; id: string | undefined; total: number }

const HOLD_MS = 450

function Card({ kind, row, id, rows, state, card, hrefOf, nameOf, canSelect, total }: CardProps) {
  const found = id === undefined ? undefined : (recordOf(kind, id).value as Rec | null | undefined)
  const hold = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const isChoosing = state.selection.value.ids.size > 0 || state.selection.value.isAll
  const isOn = id !== undefined && isSelected(state.selection.value, id)
  const hasLeft = id !== undefined && rows.left.value.has(id)
  const choose = () => {
    if (id !== undefined && canSelect) state.selection.value = toggled(state.selection.peek(), id, row)
  }
  const stop = () => clearTimeout(hold.current)
  return (
    <Part
      role="listitem"
      class={['rowcard row', isOn && 'is-on', hasLeft && 'has-left'].filter(Boolean).join(' ')}
      aria-setsize={total}
      aria-posinset={row + 1}
      style={{ transform: `translateY(${row * HEIGHT}px)`, height: `${HEIGHT}px` }}
      onPointerDown={() => {
        stop()
        hold.current = setTimeout(choose, HOLD_MS)
      }}
      onPointerUp={stop}
      onPointerCancel={stop}
      onPointerMove={(event) => (Math.abs(event.movementY) > 2 ? stop() : undefined)}
      // A long press chooses the row. The card is a link, which keeps the browser's menu for the mouse.
      onContextMenu={(event) => (event as unknown as PointerEvent).pointerType === 'touch' && event.preventDefault()}
    >
      {found && id !== undefined ? (
        <>
          {isChoosing && <Check checked={isOn} title={texts().selectRow(nameOf(found))} onChange={choose} />}
          <a
            href={hrefOf(id)}
            onClick={(event) => {
              if (!isChoosing) return
              event.preventDefault()
              choose()
            }}
          >
            {card(found)}
          </a>
        </>
      ) : (
        <Bar row={row} />
      )}
    </Part>
  )
}
