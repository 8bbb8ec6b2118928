import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Avatar } from '../components/avatar.tsx'
import { Popover } from '../components/popover.tsx'
import { boot } from '../data/boot.ts'
import { matching } from '../lib/match.ts'
import { texts } from './texts.ts'
import './note-editor.css'

/** What else a text offers at its cursor. It gets each key first. */
export type AddOn = {
  look: (element: HTMLTextAreaElement, event: InputEvent) => void
  /** Whether it has taken the key. */
  onKeyDown: (event: KeyboardEvent) => boolean
  onFocus: () => void
  onBlur: () => void
  list: ComponentChildren
  /** Of its list, while that is open. */
  listId: string | undefined
  activeId: string | undefined
}

type NoteEditorProps = {
  label: string
  value: string
  placeholder?: string | undefined
  autofocus?: boolean | undefined
  onInput: (text: string) => void
  /** Ctrl+Enter. */
  onSend: () => void
  onEscape?: (() => void) | undefined
  /** Members are offered after "@": not in what goes to others. */
  hasMentions?: boolean
  addOn?: AddOn | undefined
}

type Asked = { from: number; typed: string }

/** At most this many members are offered for a mention. */
const MOST = 6

/** A text in Markdown. After "@" the members are offered; a mention is written as the server reads it. */
export function NoteEditor(props: NoteEditorProps) {
  const { label, value, placeholder, autofocus, onInput, onSend, onEscape, hasMentions = true, addOn } = props
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const [at, setAt] = useState(0)
  const caret = useRef<number | undefined>(undefined)
  const found = asked ? membersFor(asked.typed) : []
  const isOpen = found.length > 0
  const before = selectionIn(area.current)

  useLayoutEffect(() => {
    if (autofocus) area.current?.focus()
  }, [autofocus])
  useLayoutEffect(() => {
    const element = area.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight}px`
    if (caret.current !== undefined) element.setSelectionRange(caret.current, caret.current)
    else if (before !== undefined && before.text !== value) {
      // Another page of the member has written it: the cursor stays in the words it was in.
      const added = value.endsWith(before.text.slice(before.start)) ? value.length - before.text.length : 0
      element.setSelectionRange(before.start + added, before.end + added)
    }
    caret.current = undefined
  }, [value])

  function look(element: HTMLTextAreaElement): void {
    if (!hasMentions) return
    const before = element.value.slice(0, element.selectionStart)
    // A first and a last name, since colleagues may share the first.
    const mention = /(?:^|[\s(])@([^\s@[\]()]{0,40}(?: [^\s@[\]()]{1,40})?)$/.exec(before)
    setAsked(mention ? { from: before.length - (mention[1]?.length ?? 0) - 1, typed: mention[1] ?? '' } : undefined)
    setAt(0)
  }

  function pick(member: { id: string; name: string }): void {
    if (!asked) return
    const end = asked.from + 1 + asked.typed.length
    const mention = `@[${member.name.replace(/[[\]]/g, '')}](member:${member.id}) `
    caret.current = asked.from + mention.length
    setAsked(undefined)
    onInput(value.slice(0, asked.from) + mention + value.slice(end))
    area.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (addOn?.onKeyDown(event)) return
    const chosen = found[at]
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      setAt((at + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % found.length)
      event.preventDefault()
    } else if (isOpen && chosen && (event.key === 'Enter' || event.key === 'Tab') && !event.ctrlKey && !event.metaKey) {
      pick(chosen)
      event.preventDefault()
    } else if (event.key === 'Escape') {
      if (isOpen) setAsked(undefined)
      else onEscape?.()
      event.preventDefault()
      event.stopPropagation()
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      onSend()
    }
  }

  return (
    <div class="note-editor">
      <textarea
        ref={area}
        dir="auto"
        aria-label={label}
        rows={1}
        placeholder={placeholder}
        value={value}
        aria-autocomplete="list"
        aria-controls={isOpen ? id : addOn?.listId}
        aria-activedescendant={isOpen ? `${id}-${at}` : addOn?.activeId}
        onInput={(event) => {
          onInput(event.currentTarget.value)
          look(event.currentTarget)
          addOn?.look(event.currentTarget, event)
        }}
        onKeyDown={onKeyDown}
        onFocus={addOn?.onFocus}
        onBlur={() => {
          setAsked(undefined)
          addOn?.onBlur()
        }}
      />
      {addOn?.list}
      {isOpen && area.current && (
        <Popover
          anchor={area.current}
          kind="manual"
          id={id}
          class="menu"
          role="listbox"
          aria-label={texts().composer.mention}
          onClose={() => setAsked(undefined)}
        >
          {found.map((member, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus and names the row it is at
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text
            <div
              key={member.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              class={index === at ? 'mi is-at' : 'mi'}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => pick(member)}
            >
              <Avatar kind="member" id={member.id} name={member.name} size={16} />
              <span class="cut" dir="auto">
                {member.name}
              </span>
            </div>
          ))}
        </Popover>
      )}
    </div>
  )
}

/** Where somebody is writing, before what is drawn changes the text. */
function selectionIn(element: HTMLTextAreaElement | null) {
  if (!element || document.activeElement !== element) return undefined
  return { text: element.value, start: element.selectionStart, end: element.selectionEnd }
}

const membersFor = (typed: string) =>
  matching(
    typed,
    boot.value.members.filter(({ status }) => status === 'active'),
    ({ name, email }) => `${name} ${email}`,
  ).slice(0, MOST)

/** Puts "@" at the cursor of the editor inside an element, which offers the members. */
export function beginMention(place: HTMLElement | null): void {
  const area = place?.querySelector('textarea')
  if (!area) return
  area.focus()
  const before = area.value.slice(0, area.selectionStart)
  area.setRangeText(/(^|\s)$/.test(before) ? '@' : ' @', area.selectionStart, area.selectionEnd, 'end')
  area.dispatchEvent(new InputEvent('input', { bubbles: true }))
}
