import { useRef } from 'preact/hooks'
import { CardBody } from './card.tsx'
import { useBoard } from './use-board.ts'

/** The card in the hand. Not the browser's own picture of it, which is pale and never turned. */
export function DragPreview() {
  const { board } = useBoard()
  const grip = useRef<{ id: string; x: number; y: number } | null>(null)
  const drag = board.drag.value
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
      <h3>{row.title}</h3>
      <CardBody row={row} stage={stage} />
      {ids.length > 1 && <span class="taken">{ids.length}</span>}
    </div>
  )
}
