import { useState } from 'preact/hooks'
import { commandMenu } from '../../commands/context-menu.tsx'
import { Button } from '../../components/button.tsx'
import { parseMoney } from '../../components/fields/parse.ts'
import { tagChoices } from '../../components/filters/common-fields.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu, type MenuGroup } from '../../components/menu.tsx'
import { PickerPopover } from '../../components/picker.tsx'
import { Popover } from '../../components/popover.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { t } from '../../texts/texts.ts'
import type { Popup } from './board-state.ts'
import { assignDeals, dateDeals, type Outcome, priceDeals, tagDeals } from './changes.ts'
import { ownerChoices } from './choices.ts'
import { CARD_COMMANDS } from './command-ids.ts'
import { texts } from './texts/texts.ts'
import { useBoard } from './use-board.ts'

/** What is open at a card, at an end of the board or at the bar of the selection. */
export function Popups() {
  const { board } = useBoard()
  const popup = board.popup.value
  if (!popup) return null
  const close = () => {
    if (board.popup.peek() === popup) board.popup.value = null
  }
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
    return <Menu anchor={anchor} label={texts().moveTo} groups={stageGroups(popup)} onClose={onClose} />
  }
  if (kind === 'won' || kind === 'lost') return <Reasons popup={popup} outcome={kind} onClose={onClose} />
  if (kind === 'owner') {
    return (
      <PickerPopover
        anchor={anchor}
        onClose={onClose}
        label={texts().assign}
        choices={ownerChoices()}
        chosen={rows.length === 1 ? [rows[0]?.owner_id ?? ''] : []}
        onPick={({ value, label }) => {
          assignDeals(rows, value === '' ? null : { id: value, name: label }, board.holdAnew)
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
  return kind === 'amount' ? (
    <AmountPopup popup={popup} onClose={onClose} />
  ) : (
    <DatePopup popup={popup} onClose={onClose} />
  )
}

/** The stages of the pipeline, and its ends. */
function stageGroups({ ids, anchor }: Popup): MenuGroup[] {
  const { board, actions } = useBoard()
  const own = ids.length === 1 ? board.find(ids[0] as string)?.stage_id : undefined
  return [
    {
      items: board.stages.value.map(({ id, name }) => ({
        label: name,
        checked: id === own,
        onPick: () => actions.move(ids, id),
      })),
    },
    {
      items: (['won', 'lost'] as const).map((outcome) => ({
        label: outcome === 'won' ? texts().closeAsWon : texts().closeAsLost,
        icon: outcome,
        onPick: () => actions.askReason(ids, outcome, anchor),
      })),
    },
  ]
}

/** Why it was won or lost, where it was dropped. Esc leaves the deal where it was. */
function Reasons({ popup, outcome, onClose }: PopupProps & { outcome: Outcome }) {
  const { actions } = useBoard()
  const reasons = boot.value.close_reasons.filter((reason) => reason.outcome === outcome && reason.is_active)
  const question = outcome === 'won' ? texts().whyWon : texts().whyLost
  if (reasons.length === 0) {
    return (
      <Popover
        anchor={popup.anchor}
        onClose={onClose}
        align="end"
        class="note-popover"
        role="dialog"
        aria-label={question}
      >
        <p>{texts().noReasons}</p>
      </Popover>
    )
  }
  const items = reasons.map(({ id, name }) => ({
    label: name,
    onPick: () => actions.close(popup.ids, outcome, id),
  }))
  return (
    <Menu anchor={popup.anchor} align="end" label={question} groups={[{ label: question, items }]} onClose={onClose} />
  )
}

function AmountPopup({ popup, onClose }: PopupProps) {
  const { board, actions } = useBoard()
  const rows = actions.rowsOf(popup.ids)
  const [first] = rows
  const own = first?.currency ?? boot.value.org.currency
  const [text, setText] = useState(first?.amount == null ? '' : format.value.money(first.amount, own))
  const [fault, setFault] = useState('')
  const save = (event: Event) => {
    event.preventDefault()
    const parsed = parseMoney(text, own, { format: format.peek(), texts: t().fields, now: now.peek() })
    if ('error' in parsed) return setFault(parsed.error)
    onClose()
    priceDeals(rows, parsed.value as { amount: number | null; currency: string | null }, board.holdAnew)
    board.holdAnew()
  }
  return (
    <Popover anchor={popup.anchor} onClose={onClose} class="note-popover" role="dialog" aria-label={texts().amount}>
      <form onSubmit={save}>
        <label class="label" for="board-amount">
          {texts().amount}
        </label>
        <input
          id="board-amount"
          class={fault ? 'input is-bad' : 'input'}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          aria-invalid={fault !== ''}
          ref={selectOnce}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setFault('')
          }}
        />
        {fault && (
          <p class="help late" role="alert">
            <Icon name="alert" small />
            {fault}
          </p>
        )}
        <Button first type="submit">
          {texts().save}
        </Button>
      </form>
    </Popover>
  )
}

function DatePopup({ popup, onClose }: PopupProps) {
  const { board, actions } = useBoard()
  const rows = actions.rowsOf(popup.ids)
  const save = (date: string | null) => {
    onClose()
    dateDeals(rows, date, board.holdAnew)
    board.holdAnew()
  }
  return (
    <Popover anchor={popup.anchor} onClose={onClose} class="note-popover" role="dialog" aria-label={texts().closeDate}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get('date')
          save(given ? String(given) : null)
        }}
      >
        <label class="label" for="board-date">
          {texts().closeDate}
        </label>
        <input
          id="board-date"
          name="date"
          class="input"
          type="date"
          ref={selectOnce}
          defaultValue={rows.length === 1 ? (rows[0]?.expected_close_date ?? '') : ''}
        />
        <div class="row">
          <Button first type="submit">
            {texts().save}
          </Button>
          <Button plain onClick={() => save(null)}>
            {texts().clearDate}
          </Button>
        </div>
      </form>
    </Popover>
  )
}

const seen = new WeakSet<HTMLElement>()

/** The input has the focus when it opens, and not again: once the popover is shown, since before it takes none. */
function selectOnce(element: HTMLInputElement | null): void {
  if (!element || seen.has(element)) return
  seen.add(element)
  queueMicrotask(() => {
    element.focus()
    element.select()
  })
}
