import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { readAs } from '../../components/fields/field-types.ts'
import { reading } from '../../components/fields/figure-kinds.ts'
import { withFigures } from '../../components/fields/figures.ts'
import { ReadAs } from '../../components/fields/inline-edit.tsx'
import { Icon } from '../../components/icon.tsx'
import { Menu } from '../../components/menu.tsx'
import { Popover } from '../../components/popover.tsx'
import { boot } from '../../data/boot.ts'
import { format } from '../../lib/locale.ts'
import type { Anchor } from '../../lib/place.ts'
import type { Outcome } from './changes.ts'
import { openedTexts } from './texts/opened.ts'
import { texts } from './texts/texts.ts'

// What asks for an amount, a date or a reason for some deals, on the board and in tables.

type Common = { anchor: Anchor; onClose: () => void }

/** Why it was won or lost, where it was dropped. Esc leaves the deal where it was. */
export function ReasonsMenu({
  anchor,
  outcome,
  onClose,
  onPick,
}: Common & { outcome: Outcome; onPick: (reason: string) => void }) {
  const reasons = boot.value.close_reasons.filter((reason) => reason.outcome === outcome && reason.is_active)
  const question = outcome === 'won' ? openedTexts().whyWon : openedTexts().whyLost
  if (reasons.length === 0) {
    return (
      <Popover anchor={anchor} onClose={onClose} align="end" class="note-popover" role="dialog" aria-label={question}>
        <p>{openedTexts().noReasons}</p>
      </Popover>
    )
  }
  const items = reasons.map(({ id, name }) => ({
    label: name,
    onPick: () => onPick(id),
  }))
  return <Menu anchor={anchor} align="end" label={question} groups={[{ label: question, items }]} onClose={onClose} />
}

const AMOUNT = { key: 'amount', label: '', type: 'money' } as const

type AmountPopoverProps = Common & {
  /** Those of the deals; empty where they are not known. */
  currencies: readonly string[]
  /** The amount that all of them have. */
  amount: number | null
  onSave: (price: { amount: number | null; currency: string | null }) => void
}

export function AmountPopover({ anchor, onClose, currencies, amount, onSave }: AmountPopoverProps) {
  const own = currencies.length === 1 ? (currencies[0] as string) : null
  const [shown] = useState(own !== null && amount !== null ? format.value.money(amount, own) : '')
  const [text, setText] = useState(shown)
  const [fault, setFault] = useState('')
  const save = (event: Event) => {
    event.preventDefault()
    withFigures(({ parseMoney }) => {
      const parsed = parseMoney(text, own, reading())
      if ('error' in parsed) return setFault(parsed.error)
      onClose()
      onSave(parsed.value as { amount: number | null; currency: string | null })
    })
  }
  return (
    <Popover anchor={anchor} onClose={onClose} class="note-popover" role="dialog" aria-label={texts().amount}>
      <form onSubmit={save}>
        <label class="label" for="deal-amount">
          {texts().amount}
        </label>
        <input
          id="deal-amount"
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
        {!fault && text !== shown && <ReadAs text={readAs({ text, currency: own }, AMOUNT)} />}
        {currencies.length > 1 && <p class="help">{openedTexts().ownCurrencies([...currencies])}</p>}
        <Button first type="submit">
          {openedTexts().save}
        </Button>
      </form>
    </Popover>
  )
}

/** The currencies of some deals, and the amount that all of them have. */
export function priceOf(deals: readonly { amount: number | null; currency: string | null }[]) {
  const currencies = [...new Set(deals.map(({ currency }) => currency ?? boot.value.org.currency))]
  const [first] = deals
  const isSame = deals.every(({ amount }) => amount === first?.amount)
  return { currencies, amount: isSame ? (first?.amount ?? null) : null }
}

type DatePopoverProps = Common & { date: string | null; onSave: (date: string | null) => void }

export function DatePopover({ anchor, onClose, date, onSave }: DatePopoverProps) {
  const save = (next: string | null) => {
    onClose()
    onSave(next)
  }
  return (
    <Popover anchor={anchor} onClose={onClose} class="note-popover" role="dialog" aria-label={openedTexts().closeDate}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const given = new FormData(event.currentTarget).get('date')
          save(given ? String(given) : null)
        }}
      >
        <label class="label" for="deal-date">
          {openedTexts().closeDate}
        </label>
        <input id="deal-date" name="date" class="input" type="date" ref={selectOnce} defaultValue={date ?? ''} />
        <div class="row">
          <Button first type="submit">
            {openedTexts().save}
          </Button>
          <Button plain onClick={() => save(null)}>
            {openedTexts().clearDate}
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
