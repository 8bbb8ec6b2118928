import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keepTyped } from '../lib/keyboard.ts'
import type { Anchor, PlaceOptions } from '../lib/place.ts'
import { t } from '../lib/texts/texts.ts'
import { type Choice, ChoiceList, type ChoiceSource, type Row, rowsOf, useChoices, useEarlyEnter } from './choices.tsx'
import { Icon } from './icon.tsx'
import { Popover } from './popover.tsx'
import './menu.css'
import './combobox.css'
import './picker.css'

export type PickerProps = ChoiceSource & {
  label: string
  chosen: readonly string[]
  /** Called with each choice that is picked: the one who shows it decides whether that adds or replaces. */
  onPick: (choice: Choice) => void
  multiple?: boolean | undefined
  /** Makes what is typed, as the last row. */
  create?: ((typed: string) => Promise<Choice | null>) | undefined
  /** The input has the focus when it opens. */
  autofocus?: boolean | undefined
}

/** An input with its choices always open under it: for what opens at a card or a button. */
export function Picker({ label, chosen, onPick, multiple, create, autofocus, ...source }: PickerProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')
  const [moved, setMoved] = useState(0)
  const found = useChoices(source, typed)
  const rows = rowsOf(found, typed, create !== undefined)
  const at = Math.min(moved, rows.length - 1)
  useLayoutEffect(() => {
    if (autofocus) input.current?.focus()
  }, [autofocus])

  const pick = async (row: Row) => {
    const choice = row.kind === 'create' ? await create?.(row.text) : row.choice
    if (!choice) return
    if (multiple) {
      setTyped('')
      input.current?.focus()
    }
    onPick(choice)
  }
  const early = useEarlyEnter(found, typed, () => rows[0] && void pick(rows[0]))
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at]
    if (event.key !== 'Enter') early.forget()
    if (event.key === 'ArrowDown') setMoved((at + 1) % Math.max(1, rows.length))
    else if (event.key === 'ArrowUp') setMoved((at - 1 + rows.length) % Math.max(1, rows.length))
    else if (event.key === 'Enter' && at <= 0 && early.isEarly()) {
      // It picks once the choices are there.
    } else if (event.key === 'Enter' && row) void pick(row)
    else {
      if (event.key !== 'Escape') keepTyped(event)
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div class="picker">
      <label class="find row">
        <Icon name="search" small />
        <input
          ref={input}
          // A popover gives the focus to it as it opens.
          autofocus={autofocus}
          type="text"
          class="bare"
          dir="auto"
          role="combobox"
          autocomplete="off"
          aria-label={label}
          aria-expanded
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={rows.length > 0 ? `${id}-${at}` : undefined}
          placeholder={t().search}
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value)
            setMoved(0)
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      <ChoiceList
        id={id}
        label={label}
        rows={rows}
        at={at}
        chosen={(value) => chosen.includes(value)}
        state={found.state}
        multiple={multiple}
        onAt={setMoved}
        onPick={(row) => void pick(row)}
      />
    </div>
  )
}

/** The same as what opens at an element or a point. Picking closes it, unless several can be picked. */
export function PickerPopover({
  anchor,
  onClose,
  align,
  onPick,
  ...props
}: PickerProps & PlaceOptions & { anchor: Anchor; onClose: () => void }) {
  return (
    <Popover anchor={anchor} onClose={onClose} align={align} class="menu choices">
      <Picker
        {...props}
        autofocus
        onPick={(choice) => {
          if (!props.multiple) onClose()
          onPick(choice)
        }}
      />
    </Popover>
  )
}
