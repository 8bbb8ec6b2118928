import type { WindowedHandle } from '../../components/windowed.tsx'
import type { BoardState } from './board-state.ts'

/** Gives a card the focus: also one that is not in the page yet, because it has just moved or is beyond the view. */
export function focusAt(board: BoardState, handles: ReadonlyMap<string, WindowedHandle>, id: string): void {
  board.at.value = id
  // A key may lead on before the card is drawn: the focus that came late would lead back.
  const isWanted = () => board.at.peek() === id
  // The column draws the card first: it may have come by a change of this moment.
  requestAnimationFrame(() => {
    if (!isWanted()) return
    for (const { stage, cards } of board.shown.peek()) {
      const index = cards.findIndex(({ row, movedTo }) => row.id === id && movedTo === undefined)
      if (index < 0) continue
      showColumn(stage.id)
      handles.get(stage.id)?.focus(index, isWanted)
    }
  })
}

/** Columns that are wide apart scroll sideways. */
function showColumn(stage: string): void {
  document.querySelector(`[data-stage="${stage}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
}
