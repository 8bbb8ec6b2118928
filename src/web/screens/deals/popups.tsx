import { Menu } from '../../components/menu.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { PickerPopover } from '../../components/picker.tsx'
import { boot } from '../../data/boot.ts'
import { commandMenu } from '../../shell/commands/command-menu.ts'
import { assignDeals, dateDeals, priceDeals, tagDeals } from '../../tables/deals/changes.ts'
import { AmountPopover, DatePopover, priceOf, ReasonsMenu } from '../../tables/deals/popovers.tsx'
import { openedTexts } from '../../tables/deals/texts/opened.ts'
import { texts } from '../../tables/deals/texts/texts.ts'
import { tagChoices } from '../../tables/filters/common-fields.tsx'
import type { Popup } from './board-state.ts'
import { ownerChoices } from './choices.ts'
import { CARD_COMMANDS } from './command-ids.ts'
import { useBoard } from './use-board.ts'

/** What is open at a card, at an end of the board or at the bar of the selection. */
export function Popups({ onClose }: { onClose: () => void }) {
  const { board } = useBoard()
  const popup = board.popup.value
  if (!popup) return null
  const close = () => board.popup.peek() === popup && onClose()
  return <OnePopup key={`${popup.kind} ${popup.ids.join()}`} popup={popup} onClose={close} />
}

type PopupProps = { popup: Popup; onClose: () => void }

function OnePopup({ popup, onClose }: PopupProps) {
  const { board, actions } = useBoard()
  const { kind, ids, anchor } = popup
  const rows = actions.rowsOf(ids)
  if (kind === 'menu') {
    const context = { targets: { kind: 'deals', ids }, element: anchor instanceof HTMLElement ? anchor : null }
    return (
      <Menu
        anchor={anchor}
        label={texts().moreOf(rows[0]?.title ?? '')}
        groups={commandMenu(CARD_COMMANDS, context)}
        onClose={onClose}
      />
    )
  }
  if (kind === 'stage') {
    return <Menu anchor={anchor} label={openedTexts().moveTo} groups={stageGroups(popup)} onClose={onClose} />
  }
  if (kind === 'won' || kind === 'lost') {
    const close = (reason: string) => actions.close(popup.taken, kind, reason)
    return <ReasonsMenu anchor={anchor} outcome={kind} onClose={onClose} onPick={close} />
  }
  if (kind === 'owner') {
    return (
      <PickerPopover
        anchor={anchor}
        onClose={onClose}
        label={texts().assign}
        choices={ownerChoices()}
        chosen={rows.length === 1 ? [rows[0]?.owner_id ?? ''] : []}
        onPick={({ value, label }) => {
          assignDeals(rows, value === '' ? null : { id: value, name: label })
          board.holdAnew()
        }}
      />
    )
  }
  if (kind === 'tags') {
    return (
      <PickerPopover
        anchor={anchor}
        onClose={onClose}
        multiple
        label={texts().tags}
        choices={tagChoices()}
        chosen={boot.value.tags.map(({ id }) => id).filter((id) => rows.every(({ tag_ids }) => tag_ids.includes(id)))}
        onPick={({ value }) => tagDeals(actions.rowsOf(ids), value)}
      />
    )
  }
  const held = (change: () => void) => {
    change()
    board.holdAnew()
  }
  return kind === 'amount' ? (
    <AmountPopover
      anchor={anchor}
      onClose={onClose}
      {...priceOf(rows)}
      onSave={(price) => held(() => priceDeals(rows, price))}
    />
  ) : (
    <DatePopover
      anchor={anchor}
      onClose={onClose}
      date={rows.length === 1 ? (rows[0]?.expected_close_date ?? null) : null}
      onSave={(date) => held(() => dateDeals(rows, date))}
    />
  )
}

/** The stages of the pipeline, and its ends. */
function stageGroups({ ids, anchor, taken }: Popup): MenuGroup[] {
  const { board, actions } = useBoard()
  const own = ids.length === 1 ? board.find(ids[0] as string)?.stage_id : undefined
  return [
    {
      items: board.stages.value.map(({ id, name }) => ({
        label: name,
        checked: id === own,
        onPick: () => actions.drop(taken, { stage: id }, anchor),
      })),
    },
    {
      items: (['won', 'lost'] as const).map((outcome) => ({
        label: outcome === 'won' ? openedTexts().closeAsWon : openedTexts().closeAsLost,
        icon: outcome,
        onPick: () => actions.askReason(ids, outcome, anchor),
      })),
    },
  ]
}
