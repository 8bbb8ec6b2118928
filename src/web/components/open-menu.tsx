import { useLayoutEffect, useRef } from 'preact/hooks'
import { match } from '../lib/match.ts'
import { rovingKeys } from '../lib/roving.ts'
import { Icon } from './icon.tsx'
import { Kbd } from './kbd.tsx'
import type { MenuGroup, MenuItem, MenuProps } from './menu-items.ts'
import { Popover } from './popover.tsx'
import './menu.css'

const TYPING_MS = 700

/** A menu at a button or at a point: arrows, the first letters of a row, Enter, Esc. */
export function OpenMenu({ anchor, label, groups, onClose, ...place }: MenuProps) {
  const list = useRef<HTMLDivElement>(null)
  const typed = useRef({ text: '', at: performance.now() })
  useLayoutEffect(() => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>('.mi') ?? [])]
    const chosen = items.find((item) => item.getAttribute('aria-checked') === 'true')
    ;(chosen ?? items[0])?.focus()
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab') {
      event.preventDefault()
      onClose()
    } else if (event.key === ' ' && isTyping(event)) {
      event.preventDefault()
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey) {
      toTyped(event)
    } else rovingKeys('.mi', { axis: 'vertical' })(event)
    // The page behind must not act on these keys while the menu is open.
    event.stopPropagation()
  }

  /** A space right behind a letter, or behind the key that opened the menu, belongs to words that are typed. */
  const isTyping = (event: KeyboardEvent) => event.timeStamp - typed.current.at < TYPING_MS

  const toTyped = (event: KeyboardEvent) => {
    const isNew = !isTyping(event)
    typed.current = { text: isNew ? event.key : typed.current.text + event.key, at: event.timeStamp }
    const items = [...(list.current?.querySelectorAll<HTMLElement>('.mi') ?? [])]
    const at = items.indexOf(document.activeElement as HTMLElement)
    // A single letter goes from one row to the next that begins with it; more letters may stay where they are.
    const from = typed.current.text.length === 1 ? at + 1 : at
    const order = [...items.slice(from), ...items.slice(0, from)]
    order.find((item) => match(typed.current.text, item.textContent) === 0)?.focus()
    event.preventDefault()
  }

  return (
    <Popover anchor={anchor} onClose={onClose} class="menu" {...place}>
      <div
        ref={list}
        role="menu"
        aria-label={label}
        onKeyDown={onKeyDown}
        // Windows sends it when the menu key is let go, to what has the focus by then.
        onContextMenu={(event) => event.preventDefault()}
      >
        {groups
          .filter(({ items }) => items.length > 0)
          .map((group, index) => (
            <Group key={group.label ?? index} group={group} isFirst={index === 0} onClose={onClose} />
          ))}
      </div>
    </Popover>
  )
}

function Group({ group, isFirst, onClose }: { group: MenuGroup; isFirst: boolean; onClose: () => void }) {
  return (
    <>
      {!isFirst && <hr />}
      {group.label && (
        <div class="cap" role="presentation">
          {group.label}
        </div>
      )}
      {group.items.map((item) => (
        <Row key={item.label} item={item} onClose={onClose} />
      ))}
    </>
  )
}

function Row({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  const { label, icon, keys, end, danger, off, checked, onPick } = item
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: undefined without the role that supports it
    <button
      type="button"
      class={danger ? 'mi danger' : 'mi'}
      role={checked === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={checked}
      aria-disabled={off === undefined ? undefined : true}
      aria-keyshortcuts={keys}
      title={off}
      tabIndex={-1}
      onPointerMove={(event) => event.pointerType === 'mouse' && event.currentTarget.focus({ preventScroll: true })}
      onClick={() => {
        if (off !== undefined) return
        // The focus is back at the control before what follows may move it.
        onClose()
        queueMicrotask(onPick)
      }}
    >
      {checked === undefined ? (
        icon && <Icon name={icon} />
      ) : (
        <span class="tick">{checked && <Icon name="check" />}</span>
      )}
      <span class="cut" dir="auto">
        {label}
      </span>
      {end && <span class="end">{end}</span>}
      {keys && !end && <Kbd keys={keys} />}
    </button>
  )
}
