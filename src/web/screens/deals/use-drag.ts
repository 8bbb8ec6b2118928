import { monitorForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { preventUnhandled } from '@atlaskit/pragmatic-drag-and-drop/prevent-unhandled'
import { useEffect } from 'preact/hooks'
import { edgeSpeed } from './edge-speed.ts'
import { loadMeanwhile } from './held.ts'
import type { Target } from './lift.ts'
import { useBoard } from './use-board.ts'

/** Follows a card in the hand of the mouse or pen, over the columns and ends of the board. */
export function useDrag(ref: { current: HTMLElement | null }): void {
  const { board, actions } = useBoard()
  useEffect(() => {
    let frame = 0
    const scroll = () => {
      const now = board.drag.peek()
      if (now && ref.current) scrollAtEdges(ref.current, now)
      frame = requestAnimationFrame(scroll)
    }
    const stop = monitorForElements({
      canMonitor: ({ source }) => 'deal' in source.data,
      onDragStart: ({ source, location }) => {
        const row = board.find(String(source.data.deal))
        if (!row) return
        void loadMeanwhile().catch(() => undefined)
        // Without this, the browser lets the card fly back before it says that it was dropped.
        preventUnhandled.start()
        for (const { stage } of board.columns.peek()) board.hold(stage.id)
        const { clientX: x, clientY: y } = location.current.input
        board.drag.value = {
          row,
          ids: board.take(row.id),
          width: source.element.getBoundingClientRect().width,
          x,
          y,
          over: null,
        }
        frame = requestAnimationFrame(scroll)
      },
      onDrag: ({ location }) => follow(location.current),
      onDropTargetChange: ({ location }) => follow(location.current),
      onDrop: ({ location }) => {
        cancelAnimationFrame(frame)
        const now = board.drag.peek()
        board.drag.value = null
        actions.releaseAll()
        const [found] = location.current.dropTargets
        const taken = board.letGo()
        if (!now || !found) return
        const target = found.data as Target
        if ('outcome' in target || now.ids.length > 1 || target.stage !== now.row.stage_id)
          actions.drop(taken, target, found.element as HTMLElement)
      },
    })
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }

    function follow({
      input,
      dropTargets,
    }: {
      input: { clientX: number; clientY: number }
      dropTargets: readonly { data: Record<string | symbol, unknown> }[]
    }) {
      const now = board.drag.peek()
      if (!now) return
      const over = (dropTargets[0]?.data ?? null) as Target | null
      const isSame = JSON.stringify(over) === JSON.stringify(now.over)
      board.drag.value = { ...now, x: input.clientX, y: input.clientY, over: isSame ? now.over : over }
    }
  }, [board, actions])
}

/** The board scrolls sideways and the column under the pointer up and down, while the card is near an edge. */
function scrollAtEdges(element: HTMLElement, { x, y }: { x: number; y: number }): void {
  const box = element.getBoundingClientRect()
  element.scrollLeft += edgeSpeed(x, box.left, box.right)
  for (const cards of element.querySelectorAll('.cards')) {
    const own = cards.getBoundingClientRect()
    if (x >= own.left && x <= own.right) cards.scrollTop += edgeSpeed(y, own.top, own.bottom)
  }
}
