import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { later, laterInFocus, useLater } from '../../components/later.tsx'
import type { WindowedHandle } from '../../components/windowed.tsx'
import { Column } from './column.tsx'
import { registerBoard } from './commands.ts'
import { armDragging, dragging } from './dragging.ts'
import { keepEarlyMenu } from './early-menu.ts'
import { type ClosedCounts, Ends } from './ends.tsx'
import { BoardContext, type BoardParts, useBoard } from './use-board.ts'
import { columnsIn, HEAD, NARROWEST, overscanFor } from './windows.ts'
import './board.css'
import './card.css'

const CardMenus = later(() => import('./card-menus.ts').then((module) => module.CardMenus))
const Popups = laterInFocus(() => import('./popups.tsx').then((module) => module.Popups))

type Handles = Map<string, WindowedHandle>

/** The columns of a pipeline, with what is open on them. */
export function Board({
  parts,
  handles,
  label,
  closed,
}: {
  parts: BoardParts
  handles: Handles
  label: string
  closed: ClosedCounts | null
}) {
  useLayoutEffect(() => registerBoard(parts), [parts])
  const hasTime = useLater()
  const [isAsked, setAsked] = useState(false)
  useLayoutEffect(() => keepEarlyMenu(() => setAsked(true)), [])
  return (
    <BoardContext.Provider value={parts}>
      <Columns handles={handles} label={label} closed={closed} />
      {(hasTime || isAsked) && <CardMenus />}
      {parts.board.popup.value && <Popups onClose={parts.board.closePopup} />}
      <div class="sr" role="status">
        {parts.actions.said}
      </div>
    </BoardContext.Provider>
  )
}

const ARROWS: Record<string, 'up' | 'down' | 'left' | 'right' | 'first' | 'last'> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'first',
  End: 'last',
}

function Columns({ handles, label, closed }: { handles: Handles; label: string; closed: ClosedCounts | null }) {
  const { board, actions } = useBoard()
  const ref = useRef<HTMLElement>(null)
  const columns = board.shown.value
  const folded = board.folded.value
  const view = useView(
    ref,
    columns.map(({ stage }) => folded.has(stage.id)),
  )
  const DragPreview = dragging.value?.DragPreview
  const endOf = (outcome: string) =>
    ref.current?.querySelector<HTMLElement>(`[data-end="${outcome}"]`) ?? { x: 0, y: 0 }

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    if (board.lift.peek()) {
      actions.pressLifted(event.key, endOf)
      event.preventDefault()
      event.stopPropagation()
      return
    }
    const card = event.target instanceof Element ? event.target.closest('[data-card]') : null
    const isLink = event.target instanceof HTMLAnchorElement
    const id = card?.getAttribute('data-card')
    if (!id) return
    const way = ARROWS[event.key]
    if (way && !event.shiftKey) {
      const next = board.step(way)
      if (next !== undefined) actions.focusCard(next)
    } else if (event.key === ' ' && isLink && !event.shiftKey) actions.lift(id)
    else if (event.key === 'Enter' && isLink) actions.open(id)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const sizes = columns.map(({ stage }) => (folded.has(stage.id) ? '2.5rem' : 'minmax(var(--col), 1fr)'))
  return (
    <>
      <section
        ref={ref}
        class={board.inHand.value ? 'board has-hand' : 'board'}
        aria-label={label}
        data-scroll="board"
        style={{ gridTemplateColumns: `${sizes.join(' ')} 2.5rem` }}
        onKeyDown={onKeyDown}
        onPointerEnter={(event) => armDragging(event.pointerType)}
        onPointerDownCapture={(event) => actions.usePointer(event.pointerType)}
        onFocusOut={(event) => {
          // A card that was lifted and left goes back.
          const to = event.relatedTarget
          if (board.lift.peek() && to instanceof Node && !ref.current?.contains(to))
            actions.pressLifted('Escape', endOf)
        }}
      >
        {columns.map((column, index) => (
          <Column
            key={column.stage.id}
            column={column}
            isInView={index >= view.from && index < view.to}
            isFirst={index === 0}
            isLast={index === columns.length - 1}
            overscan={overscanFor(view.to - view.from, view.height)}
            viewHeight={view.height - HEAD}
            onHandle={(stage, handle) => (handle ? handles.set(stage, handle) : handles.delete(stage))}
          />
        ))}
        <Ends counts={closed} />
      </section>
      {DragPreview && <DragPreview over={ref} />}
    </>
  )
}

/** How high the board was when it was last shown: it comes back as high as it was. */
let lastHeight = 800

/** Which columns are in view, and how high the board is. */
function useView(ref: { current: HTMLElement | null }, folded: readonly boolean[]) {
  const [view, setView] = useState(() => ({
    from: 0,
    to: Math.min(folded.length, Math.ceil(innerWidth / NARROWEST)),
    height: lastHeight,
  }))
  const key = folded.join()
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const look = () => {
      const widths = [...element.querySelectorAll<HTMLElement>(':scope > .col')].map(({ offsetWidth }) => offsetWidth)
      const range = columnsIn(widths, element.scrollLeft, element.clientWidth)
      const next = { ...range, height: element.clientHeight }
      lastHeight = next.height
      setView((now) => (now.from === next.from && now.to === next.to && now.height === next.height ? now : next))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [key])
  return useMemo(() => ({ ...view, to: Math.max(view.to, 1) }), [view])
}
