import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../lib/texts/texts.ts'
import { IconButton } from './button.tsx'
import './side-panel.css'

type SidePanelProps = {
  title: string
  onClose: () => void
  /** Buttons in its head, before the one that closes it. */
  actions?: ComponentChildren
  children: ComponentChildren
  /** Lets the focus stay where it is when it opens, as when a list is walked through. */
  quiet?: boolean | undefined
}

/** A region beside the list: F6 moves between both, Esc closes it, and the focus returns to the row it came from. */
export function SidePanel({ title, onClose, actions, children, quiet }: SidePanelProps) {
  const ref = useRef<HTMLElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const panel = ref.current
    if (!panel) return
    let outside = document.activeElement
    let inside: Element = panel
    if (!quiet) panel.focus()
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return
      if (panel.contains(target)) inside = target
      else outside = target
    }
    const onF6 = (event: KeyboardEvent) => {
      if (event.key !== 'F6') return
      event.preventDefault()
      const isInside = panel.contains(document.activeElement)
      const next = isInside ? outside : inside.isConnected ? inside : panel
      if (next instanceof HTMLElement) next.focus()
    }
    document.addEventListener('focusin', remember)
    document.addEventListener('keydown', onF6)
    return () => {
      document.removeEventListener('focusin', remember)
      document.removeEventListener('keydown', onF6)
      const hasFocus = panel.contains(document.activeElement)
      if (hasFocus && outside instanceof HTMLElement && outside.isConnected) outside.focus()
    }
  }, [])
  return (
    <aside
      ref={ref}
      class="side-panel"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        event.stopPropagation()
        onClose()
      }}
    >
      <header class="row strip">
        <h2 id={id} class="cut grow" dir="auto">
          {title}
        </h2>
        {actions}
        <IconButton plain icon="x" title={t().close} aria-keyshortcuts="Escape" onClick={onClose} />
      </header>
      <div class="in scroll">{children}</div>
    </aside>
  )
}
