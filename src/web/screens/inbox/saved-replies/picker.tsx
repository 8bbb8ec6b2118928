import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { IconButton } from '../../../components/button.tsx'
import type { Choice } from '../../../components/choices.tsx'
import { Icon } from '../../../components/icon.tsx'
import { PickerPopover } from '../../../components/picker.tsx'
import { Popover } from '../../../components/popover.tsx'
import type { AddOn } from '../../../record/note-editor.tsx'
import { useAsk } from '../../../shell/pages/ask.ts'
import { openSavedReplies } from './open.ts'
import { type Filled, found } from './reply.ts'
import { texts } from './texts.ts'

type Asked = { from: number; typed: string }

/** A letter has to follow, and no space: ";)" and "first ; second" are what they are. */
const ASKED = /(?:^|[\s(])(;(?:[\p{L}\p{N}][^\s;]{0,40})?)$/u

/**
 * What ";" at the start of a word offers, of the saved replies that stand filled in at a path. After the sign alone nothing is chosen: Enter and Tab stay what they are until a
 * letter or an arrow says that it is meant.
 */
export function useSavedReplies(path: string | undefined): AddOn {
  const id = useId()
  const [isWanted, setWanted] = useState(false)
  const { value, again } = useAsk<{ data: Filled[] }>(isWanted && path !== undefined ? path : null, ['saved_reply'])
  const [asked, setAsked] = useState<Asked | undefined>(undefined)
  const [at, setAt] = useState(-1)
  const area = useRef<HTMLTextAreaElement | null>(null)
  /** Where Esc has closed it: further letters of that word do not open it again. */
  const closed = useRef(-1)
  const replies = asked ? found(asked.typed, value?.data ?? []) : []
  const isOpen = asked !== undefined && (replies.length > 0 || (asked.typed === '' && value !== undefined))
  const rows: (Filled | 'edit')[] = [...replies, 'edit']

  useEffect(() => setAsked(undefined), [path])

  function look(element: HTMLTextAreaElement, event: InputEvent): void {
    area.current = element
    const before = element.value.slice(0, element.selectionStart)
    const word = ASKED.exec(before)?.[1]
    const from = before.length - (word?.length ?? 0)
    if (word === undefined) closed.current = -1
    // What undo brings back was answered already.
    if (event.inputType?.startsWith('history')) closed.current = from
    const isAsked = word !== undefined && closed.current !== from
    if (isAsked && !asked) void again()
    setAsked(isAsked ? { from, typed: word.slice(1) } : undefined)
    setAt(word === undefined || word.length === 1 ? -1 : 0)
  }

  function close(): void {
    if (asked) closed.current = asked.from
    setAsked(undefined)
  }

  function pick(row: Filled | 'edit'): void {
    const element = area.current
    if (!asked || !element) return
    setAsked(undefined)
    if (row === 'edit') {
      closed.current = asked.from
      openSavedReplies()
    } else putIn(element, row.filled, asked.from)
  }

  function onKeyDown(event: KeyboardEvent): boolean {
    if (!isOpen) return false
    const row = rows[at]
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const isChoice =
      (event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && !event.ctrlKey && !event.metaKey
    if (step !== 0) setAt(at < 0 && step < 0 ? rows.length - 1 : (at + step + rows.length) % rows.length)
    else if (isChoice && row) pick(row)
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }

  return {
    look,
    onKeyDown,
    onFocus: () => setWanted(true),
    onBlur: close,
    listId: isOpen ? id : undefined,
    activeId: isOpen && at >= 0 ? `${id}-${at}` : undefined,
    list: isOpen && area.current && (
      <Popover
        anchor={area.current}
        kind="manual"
        asWide
        id={id}
        class="menu choices"
        role="listbox"
        aria-label={texts().title}
        onClose={close}
      >
        {rows.map((row, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus and names the row it is at
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text
          <div
            key={row === 'edit' ? row : row.id}
            id={`${id}-${index}`}
            ref={index === at ? showRow : null}
            role="option"
            aria-selected={index === at}
            class={['mi', index === at && 'is-at', row === 'edit' && index > 0 && 'last'].filter(Boolean).join(' ')}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(row)}
          >
            {row === 'edit' ? (
              <>
                <Icon name="pen" small />
                {texts().edit}
              </>
            ) : (
              <>
                <span class="cut" dir="auto">
                  {row.title}
                </span>
                <span class="small mute cut" dir="auto">
                  {row.filled}
                </span>
              </>
            )}
          </div>
        ))}
      </Popover>
    ),
  }
}

/** The same by a button, for those who have no ";" at hand. */
export function SavedReplyButton({ path }: { path: string }) {
  const [anchor, setAnchor] = useState<HTMLElement | undefined>(undefined)
  const words = texts()
  const { value } = useAsk<{ data: Filled[] }>(anchor ? path : null, ['saved_reply'])
  const choices: Choice[] = found('', value?.data ?? []).map(({ id, title, filled }) => ({
    value: id,
    label: title,
    note: filled.slice(0, 80),
    words: filled,
  }))
  return (
    <>
      <IconButton
        plain
        icon="copy"
        title={words.insert}
        aria-expanded={anchor !== undefined}
        onClick={({ currentTarget }) => setAnchor(currentTarget)}
      />
      {anchor && (
        <PickerPopover
          anchor={anchor}
          label={words.search}
          chosen={[]}
          choices={[...choices, { value: '', label: words.edit, mark: <Icon name="pen" small /> }]}
          onClose={() => setAnchor(undefined)}
          onPick={({ value: id }) => {
            const reply = value?.data.find((each) => each.id === id)
            const element = anchor.closest('.writing')?.querySelector('textarea')
            if (!reply) openSavedReplies()
            // The popover gives the focus back first.
            else if (element) queueMicrotask(() => putIn(element, reply.filled, element.selectionStart))
          }}
        />
      )}
    </>
  )
}

const showRow = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' })

/** In place of what stands between `from` and the cursor. The browser can undo it in one step, which no other way allows. */
function putIn(element: HTMLTextAreaElement, text: string, from: number): void {
  element.focus()
  element.setSelectionRange(from, element.selectionEnd)
  document.execCommand('insertText', false, text)
}
