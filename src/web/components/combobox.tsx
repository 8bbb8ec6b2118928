import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../lib/texts/texts.ts'
import { type Choice, ChoiceList, type ChoiceSource, type Row, rowsOf, useChoices, useEarlyEnter } from './choices.tsx'
import { Icon } from './icon.tsx'
import { Popover } from './popover.tsx'
import './menu.css'
import './combobox.css'

export type { Choice, Search } from './choices.tsx'

type ComboboxProps = ChoiceSource & {
  label: string
  id?: string | undefined
  /** The chosen one; null for none. */
  value: Choice | null
  onPick: (choice: Choice | null) => void
  /** Makes what is typed, as the last row; resolves to the new choice. */
  create?: ((typed: string) => Promise<Choice | null>) | undefined
  /** An emptied input chooses nothing. */
  clearable?: boolean | undefined
  placeholder?: string | undefined
  describedBy?: string | undefined
  invalid?: boolean | undefined
  autofocus?: boolean | undefined
  /** Opens at once, as when a field is edited in place. */
  open?: boolean | undefined
}

/** One choice of many: type to narrow, arrows, Enter, Esc. */
export function Combobox({ value, onPick, create, clearable, ...props }: ComboboxProps) {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const pick = async (row: Row) => {
    const choice = row.kind === 'create' ? await create?.(row.text) : row.choice
    setTyped(undefined)
    if (choice) onPick(choice)
  }
  return (
    <ComboInput
      {...props}
      // What stands there already is not a search for itself.
      typed={typed ?? ''}
      shown={typed ?? value?.label ?? ''}
      onTyped={(text) => {
        setTyped(text)
        if (text === '' && clearable) onPick(null)
      }}
      isChosen={(each) => each === value?.value}
      create={create !== undefined}
      onPick={pick}
      onLeave={() => setTyped(undefined)}
    />
  )
}

type MultiComboboxProps = Omit<ComboboxProps, 'value' | 'onPick' | 'clearable'> & {
  value: readonly Choice[]
  onChange: (value: Choice[]) => void
  /** What is picked by leaving the field with a text; null drops the text. */
  onLeft?: ((typed: string) => Choice | null) | undefined
}

/** Several choices: each picked one stands before the input, and Backspace takes the last away. */
export function MultiCombobox({ value, onChange, create, onLeft, ...props }: MultiComboboxProps) {
  const [typed, setTyped] = useState('')
  const isChosen = (each: string) => value.some((choice) => choice.value === each)
  const pick = async (row: Row) => {
    const choice = row.kind === 'create' ? await create?.(row.text) : row.choice
    setTyped('')
    if (!choice) return
    onChange(isChosen(choice.value) ? value.filter((each) => each.value !== choice.value) : [...value, choice])
  }
  return (
    <ComboInput
      {...props}
      multiple
      typed={typed}
      shown={typed}
      onTyped={setTyped}
      isChosen={isChosen}
      create={create !== undefined}
      onPick={pick}
      onLeave={(by) => {
        const left = typed === '' || by === 'escape' ? null : onLeft?.(typed)
        if (left && !isChosen(left.value)) onChange([...value, left])
        setTyped('')
      }}
      onBackspace={() => onChange(value.slice(0, -1))}
    >
      {value.map((choice) => (
        <span key={choice.value} class="picked">
          {choice.mark}
          <span class="cut" dir="auto">
            {choice.label}
          </span>
          <button
            type="button"
            tabIndex={-1}
            aria-label={t().remove(choice.label)}
            title={t().remove(choice.label)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChange(value.filter((each) => each !== choice))}
          >
            <Icon name="x" small />
          </button>
        </span>
      ))}
    </ComboInput>
  )
}

type ComboInputProps = ChoiceSource & {
  label: string
  id?: string | undefined
  typed: string
  shown: string
  multiple?: boolean | undefined
  placeholder?: string | undefined
  describedBy?: string | undefined
  invalid?: boolean | undefined
  autofocus?: boolean | undefined
  open?: boolean | undefined
  create: boolean
  isChosen: (value: string) => boolean
  onTyped: (text: string) => void
  onPick: (row: Row) => void
  onLeave: (by: 'escape' | 'blur') => void
  onBackspace?: (() => void) | undefined
  children?: ComponentChildren
}

function ComboInput(props: ComboInputProps) {
  const { label, typed, shown, multiple, isChosen, onTyped, onPick, onLeave, onBackspace, children } = props
  const listId = useId()
  const box = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [moved, setMoved] = useState<number | undefined>(undefined)
  const found = useChoices(props, typed)
  const rows = rowsOf(found, typed, props.create)
  const at = Math.min(
    moved ??
      Math.max(
        0,
        rows.findIndex((row) => row.kind === 'choice' && isChosen(row.choice.value)),
      ),
    rows.length - 1,
  )
  useLayoutEffect(() => {
    if (props.autofocus) input.current?.focus()
  }, [])
  const open = () => {
    setMoved(undefined)
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    setMoved(undefined)
  }
  const pick = (row: Row) => {
    if (multiple) setMoved(undefined)
    else close()
    onPick(row)
  }
  const early = useEarlyEnter(found, typed, () => rows[0] && pick(rows[0]))
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at]
    if (event.key !== 'Enter') early.forget()
    // Where several can be chosen in place, Enter without a new choice ends the editing.
    const isSettled = multiple && props.open && typed === '' && moved === undefined
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!isOpen) open()
      else setMoved((at + (event.key === 'ArrowDown' ? 1 : -1) + rows.length) % Math.max(1, rows.length))
    } else if (event.key === 'Enter' && isOpen && !isSettled && at <= 0 && early.isEarly()) {
      // It picks once the choices are there.
    } else if (event.key === 'Enter' && isOpen && row && !isSettled) pick(row)
    else if (event.key === 'Escape' && isOpen && !props.open) {
      close()
      onLeave('escape')
    } else if (event.key === 'Backspace' && shown === '' && onBackspace) onBackspace()
    else return
    event.preventDefault()
    // Enter and Esc of the list are not those of the field or the dialog around it.
    event.stopPropagation()
  }
  return (
    <div ref={box} class="combo row grow">
      {children}
      <input
        ref={input}
        id={props.id}
        class="bare"
        dir="auto"
        role="combobox"
        type="text"
        autocomplete="off"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && rows.length > 0 ? `${listId}-${at}` : undefined}
        aria-describedby={props.describedBy}
        aria-invalid={props.invalid || undefined}
        placeholder={props.placeholder}
        value={shown}
        onFocus={(event) => {
          event.currentTarget.select()
          if (props.open && !isOpen) open()
        }}
        onClick={() => !isOpen && open()}
        onInput={(event) => {
          onTyped(event.currentTarget.value)
          setMoved(0)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          early.forget()
          close()
          onLeave('blur')
        }}
      />
      {!props.open && <Icon name="down" small class="opens-list" />}
      {isOpen && box.current && (
        <Popover
          anchor={(box.current.closest('.input, .inline, td') as HTMLElement | null) ?? box.current}
          kind="manual"
          asWide
          class="menu choices"
          onClose={close}
        >
          <ChoiceList
            id={listId}
            label={label}
            rows={rows}
            at={at}
            chosen={isChosen}
            state={found.state}
            multiple={multiple}
            onAt={setMoved}
            onPick={pick}
          />
        </Popover>
      )}
    </div>
  )
}
