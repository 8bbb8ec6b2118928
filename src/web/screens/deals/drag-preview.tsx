import { useRef } from 'preact/hooks'
import { CardBody } from './card-body.tsx'
import { meanwhile } from './held.ts'
import { useBoard } from './use-board.ts'
import { useDrag } from './use-drag.ts'

/** The card in the hand, followed over the board. Not the browser's own picture of it, which is pale and never turned. */
export function DragPreview({ over }: { over: { current: HTMLElement | null } }) {
  const { board, actions } = useBoard()
  useDrag(over)
  const grip = useRef<{ id: string; x: number; y: number } | null>(null)
  const drag = board.drag.value
  const Lines = meanwhile.value?.InHandLines
  if (!drag) {
    grip.current = null
    return null
  }
  const { row, ids, width, x, y } = drag
  grip.current ??= { id: row.id, x: Math.min(width * 0.5, 108), y: 20 }
  const stage = board.stages.value.find(({ id }) => id === row.stage_id)
  if (!stage) return null
  const at = `translate(${x - grip.current.x}px, ${y - grip.current.y}px) rotate(1.6deg)`
  return (
    <div class="card in-hand" style={{ width: `${width}px`, transform: at }} aria-hidden="true">
      <h3 dir="auto">{row.title}</h3>
      <CardBody row={row} stage={stage} />
      {Lines && <Lines board={board} say={actions.say} />}
      {ids.length > 1 && <span class="taken">{ids.length}</span>}
    </div>
  )
}
