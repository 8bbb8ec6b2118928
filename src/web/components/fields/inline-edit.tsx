import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keepTyped } from '../../lib/keyboard.ts'
import { isPrinting } from '../../lib/printing.ts'
import { t } from '../../lib/texts/texts.ts'
import { Icon } from '../icon.tsx'
import { Kbd } from '../kbd.tsx'
import { Spinner } from '../spinner.tsx'
import { dropped } from '../typed/dropped.ts'
import { Conflict } from './conflict.tsx'
import { EditingPanel } from './editing-panel.tsx'
import type { Field, FieldState } from './field.ts'
import { isEmpty, kindOf } from './field-types.ts'
import { useEditing } from './use-editing.ts'
import { Value } from './value.tsx'
import './inline-edit.css'
import { fieldTexts } from './texts.ts'

export type InlineEditProps = {
  field: Field
  value: unknown
  onSave: (value: unknown) => void
  /** Of data/records.ts: saving, saved, refused, conflict. */
  state?: ReadonlySignal<FieldState> | undefined
  onUseMine?: (() => void) | undefined
  onUseTheirs?: (() => void) | undefined
  /** Told when editing begins and ends, for presence. */
  onEditing?: ((isEditing: boolean) => void) | undefined
  /** A line under the field while it is edited. */
  note?: ComponentChildren
}

/**
 * A value that is edited where it is read: a press or Enter edits, Enter or leaving saves, Esc drops. Nothing moves; what was
 * refused stays open with its reason.
 */
export function InlineEdit(props: InlineEditProps) {
  const { field, value, onSave, onUseMine, onUseTheirs, onEditing, note } = props
  const state = props.state?.value
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const returns = useRef(false)
  const editing = useEditing(field, value, onSave)
  const { layout } = kindOf(field.type)
  const { isOpen } = editing

  useEffect(() => {
    if (state?.state !== 'refused') return editing.settle()
    // It may come while another field is typed in.
    const isElsewhere = document.activeElement !== document.body && !box.current?.contains(document.activeElement)
    editing.open({ typed: state.mine, message: state.message, isQuiet: isElsewhere })
  }, [state])
  // Before the next event is heard: what it sets was not seen.
  useLayoutEffect(() => {
    if (!isOpen) return
    onEditing?.(true)
    return () => onEditing?.(false)
  }, [isOpen])

  /** After Enter and Esc the focus is on the field again; after Tab and a press elsewhere it is there. */
  const returnFocus = () => {
    returns.current = true
  }
  useLayoutEffect(() => {
    if (isOpen || !returns.current) return
    returns.current = false
    box.current?.querySelector<HTMLElement>('.opens')?.focus()
  })
  const onKeyDown = (event: KeyboardEvent) => {
    // A text of several lines is saved by Ctrl+Enter, since Enter begins a line.
    const isEnter = event.key === 'Enter' && (layout !== 'block' || event.ctrlKey || event.metaKey)
    if (isEnter) {
      event.preventDefault()
      if (editing.save()) returnFocus()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      dropped(editing.drop())
      returnFocus()
    }
    keepTyped(event)
  }

  if (state?.state === 'conflict' && !isOpen) {
    return <Conflict field={field} state={state} onUseMine={onUseMine} onUseTheirs={onUseTheirs} />
  }
  const isEdited = isOpen && layout !== 'panel'
  const { Edit } = kindOf(field.type)
  // One element at rest and while it is edited, so that nothing moves.
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the input inside */}
      <div
        ref={box}
        class={namesOf(isEdited, editing.error !== undefined, layout === 'block')}
        onKeyDown={isEdited ? onKeyDown : undefined}
        onFocusOut={(event) => {
          // The button at rest loses the focus by being taken away, which is no leaving.
          const isGone = (event.target as Element).matches('.opens')
          if (isEdited && !isGone && !event.currentTarget.contains(event.relatedTarget as Node | null)) editing.leave()
        }}
      >
        {isEdited ? (
          <Edit
            field={field}
            draft={editing.draft}
            onDraft={editing.put}
            onDone={(draft) => {
              if (editing.save(draft)) returnFocus()
            }}
            id={id}
            describedBy={editing.error === undefined ? undefined : `${id}-error`}
            invalid={editing.error !== undefined}
            where="place"
            autofocus={!editing.isQuiet}
          />
        ) : (
          <AtRest field={field} value={value} state={state} onOpen={() => editing.open()} />
        )}
        {isEdited && layout === 'line' && editing.error === undefined && (
          <span class="end mute">
            <Kbd keys="Enter" /> <Kbd keys="Esc" />
          </span>
        )}
        {isOpen && !isEdited && box.current && <EditingPanel field={field} editing={editing} anchor={box.current} />}
      </div>
      {isEdited && <Refusal id={id} error={editing.error} />}
      {isEdited && <ReadAs text={editing.readAs} />}
      {isEdited && note && <p class="edit-note row">{note}</p>}
    </>
  )
}

function namesOf(isEdited: boolean, isWrong: boolean, isTall: boolean): string {
  const state = !isEdited ? '' : isWrong ? ' is-bad' : ' is-edit'
  return `inline row${state}${isTall ? ' tall' : ''}`
}

type AtRestProps = { field: Field; value: unknown; state: FieldState; onOpen: () => void }

function AtRest({ field, value, state, onOpen }: AtRestProps) {
  const isFree = field.off === undefined
  return (
    <>
      {isFree && (
        <button type="button" class="opens" aria-label={t().edit(field.label)} onClick={onOpen}>
          {!state && <Icon name="pen" small />}
        </button>
      )}
      {isEmpty(value) ? (
        <span class="mute">{isFree && !isPrinting.value ? (field.add ?? t().add) : t().none}</span>
      ) : (
        <Value value={value} field={field} />
      )}
      <Progress state={state} />
    </>
  )
}

function Refusal({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p class="help late" id={`${id}-error`} role="alert">
      <Icon name="alert" small />
      {error}
    </p>
  )
}

/** What is typed as it is understood, before it is saved. */
export function ReadAs({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p class="help" role="status">
      {fieldTexts().readAs(text)}
    </p>
  )
}

const SAVED_MS = 2000

/** "Saving…", then "Saved" for two seconds. */
export function Progress({ state }: { state: FieldState }) {
  const [isOver, setOver] = useState(false)
  const name = state?.state
  useEffect(() => {
    setOver(false)
    if (name !== 'saved') return
    const timer = setTimeout(() => setOver(true), SAVED_MS)
    return () => clearTimeout(timer)
  }, [name])
  if (name === 'saving') {
    return (
      <span class="end mute" role="status" title={t().saving}>
        <Spinner />
        {t().saving}
      </span>
    )
  }
  if (name === 'waiting') {
    return (
      <span class="end mute" role="status" title={t().waiting}>
        <Icon name="clock" small />
        {t().waiting}
      </span>
    )
  }
  if (name !== 'saved' || isOver) return null
  return (
    <span class="end good" role="status" title={t().saved}>
      <Icon name="check" small />
      {t().saved}
    </span>
  )
}

/** A row of properties: the label, and the value that is edited in place. */
export function Property(props: InlineEditProps) {
  return (
    <div>
      <dt>{props.field.label}</dt>
      <dd>
        <InlineEdit {...props} />
      </dd>
    </div>
  )
}
