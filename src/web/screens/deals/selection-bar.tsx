import { BulkBar } from '../../components/bulk-bar.tsx'
import { Button } from '../../components/button.tsx'
import type { IconName } from '../../components/icon.tsx'
import type { PopupKind } from './board-state.ts'
import { deleteDeals } from './bulk.ts'
import { texts } from './texts/texts.ts'
import { useBoard } from './use-board.ts'

/** What can be done with the selected deals of the board. */
export function SelectionBar() {
  const { board, actions } = useBoard()
  const ids = board.selected.value
  if (ids.length === 0 || board.inHand.value) return null
  const open = (kind: PopupKind, icon: IconName, label: string) => (
    <Button
      plain
      icon={icon}
      aria-haspopup="menu"
      onClick={(event) => actions.openPopup(kind, ids, event.currentTarget)}
    >
      {label}
    </Button>
  )
  return (
    <BulkBar
      text={texts().selected(ids.length)}
      label={texts().bulkLabel}
      clear={texts().clearSelection}
      onClear={() => {
        board.clearSelection()
        const at = board.at.peek()
        if (at) actions.focusCard(at)
      }}
    >
      {actions.mayWrite() && (
        <>
          {open('owner', 'person', texts().bulkOwner)}
          {open('stage', 'deal', texts().bulkStage)}
          {open('tags', 'tag', texts().bulkTag)}
          {open('date', 'cal', texts().bulkClose)}
          <Button plain danger icon="trash" onClick={() => void deleteDeals(ids).then(board.clearSelection)}>
            {texts().bulkDelete}
          </Button>
        </>
      )}
    </BulkBar>
  )
}
