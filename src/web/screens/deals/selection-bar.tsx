import { BulkBar } from '../../components/bulk-bar.tsx'
import type { IconName } from '../../components/icon.tsx'
import { BulkButton } from '../../shell/commands/bulk-button.tsx'
import { deleteDeals } from '../../tables/deals/changes.ts'
import { openedTexts } from '../../tables/deals/texts/opened.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import type { PopupKind } from './board-state.ts'
import { useBoard } from './use-board.ts'

/** What can be done with the selected deals of the board. */
export function SelectionBar() {
  const { board, actions } = useBoard()
  const ids = board.selected.value
  if (ids.length === 0 || board.inHand.value) return null
  const open = (kind: PopupKind, icon: IconName, label: string) => (
    <BulkButton
      command={`deals.${kind}`}
      icon={icon}
      aria-haspopup="menu"
      onClick={(event) => actions.openPopup(kind, ids, event.currentTarget)}
    >
      {label}
    </BulkButton>
  )
  return (
    <BulkBar
      text={texts().selected(ids.length)}
      label={openedTexts().bulkLabel}
      clear={texts().clearSelection}
      onClear={() => {
        board.clearSelection()
        const at = board.at.peek()
        if (at) actions.focusCard(at)
      }}
    >
      {actions.mayWrite() && (
        <>
          {open('owner', 'person', openedTexts().bulkOwner)}
          {open('stage', 'deal', openedTexts().bulkStage)}
          {open('tags', 'tag', openedTexts().bulkTag)}
          {open('date', 'cal', openedTexts().bulkClose)}
          {open('won', 'won', texts().won)}
          {open('lost', 'lost', texts().lost)}
          <BulkButton
            command="deals.delete"
            danger
            icon="trash"
            onClick={() => void deleteDeals(ids).then(board.clearSelection)}
          >
            {openedTexts().bulkDelete}
          </BulkButton>
        </>
      )}
    </BulkBar>
  )
}
