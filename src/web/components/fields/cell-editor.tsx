import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { keepTyped } from '../../lib/keyboard.ts'
import { Icon } from '../icon.tsx'
import { EditingPanel } from './editing-panel.tsx'
import type { Field } from './field.ts'
import { kindOf } from './field-types.ts'
import { useEditing } from './use-editing.ts'
import './cell-editor.css'
import { fieldTexts } from './texts.ts'
import { Value } from './value.tsx'

type CellEditorProps = {
  field: Field
  value: unknown
  /** The key that began it: its letter replaces the value. */
  startWith?: string | undefined
  onSave: (value: unknown) => void
  /** What was typed turned out to be none, after the editor was left. */
  onUnread: (text: string, reason: string) => void
  /** It is over: by Enter the cell below is next, by Tab the one beside, by Esc and leaving none. */
  onDone: (how: 'enter' | 'tab' | 'back-tab' | 'esc' | 'leave') => void
}

/** The editor in a cell of a table, which has the class `is-cell-edit`: there while the cell is edited. */
export function CellEditor({ field, value, startWith, onSave, onUnread, onDone }: CellEditorProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const editing = useEditing(field, value, onSave, onUnread)
  const isOver = useRef(false)
  const [isThere, setThere] = useState(false)
  const { Edit, layout, right } = kindOf(field.type)
  useLayoutEffect(() => {
    if (startWith === undefined) editing.open()
    else editing.openWith(startWith)
    setThere(true)
  }, [])
  useLayoutEffect(() => {
    // A letter that began it stands there already: the next one follows it.
    const input = box.current?.querySelector('input')
    if (isThere && startWith !== undefined && input?.type === 'text')
      input.setSelectionRange(input.value.length, input.value.length)
  }, [isThere])

  const end = (how: Parameters<typeof onDone>[0]) => {
    if (isOver.current) return
    if (how === 'esc') editing.drop()
    else if (!editing.save()) return
    isOver.current = true
    onDone(how)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const isEnter = event.key === 'Enter' && (layout !== 'block' || !event.shiftKey)
    if (isEnter) end('enter')
    else if (event.key === 'Escape') end('esc')
    else if (event.key === 'Tab') end(event.shiftKey ? 'back-tab' : 'tab')
    else return keepTyped(event)
    event.preventDefault()
    event.stopPropagation()
  }
  if (layout === 'panel') {
    return (
      <div ref={box} class="cell-edit row">
        <span class="cut" dir="auto">
          <Value value={value} field={field} />
        </span>
        {isThere && box.current && (
          <EditingPanel field={field} editing={editing} anchor={box.current} onDone={() => onDone('esc')} />
        )}
      </div>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the input inside
    <div
      ref={box}
      class={right ? 'cell-edit row right' : 'cell-edit row'}
      onKeyDown={onKeyDown}
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) end('leave')
      }}
    >
      {editing.isOpen && (
        <Edit
          field={field}
          draft={editing.draft}
          onDraft={editing.put}
          onDone={(draft) => {
            isOver.current = editing.save(draft)
            if (isOver.current) onDone('enter')
          }}
          id={id}
          describedBy={editing.error === undefined ? undefined : `${id}-error`}
          invalid={editing.error !== undefined}
          where="place"
          autofocus
        />
      )}
      {editing.error !== undefined && (
        <p class="help late why" id={`${id}-error`} role="alert">
          <Icon name="alert" small />
          {editing.error}
        </p>
      )}
      {editing.error === undefined && editing.readAs !== undefined && (
        <p class="help why" role="status">
          {fieldTexts().readAs(editing.readAs)}
        </p>
      )}
    </div>
  )
}
