import type { ComponentChildren } from 'preact'
import { isPlainClick } from '../../lib/router/links.ts'

type OptionProps = {
  id: string
  /** Of a record: its row is a link, so that the browser can open it in a new tab and copy its address. */
  href: string | undefined
  isCurrent: boolean
  onPoint: () => void
  onPick: () => void
  children: ComponentChildren
}

export function Option({ id, href, isCurrent, onPoint, onPick, children }: OptionProps) {
  const props = {
    id,
    role: 'option',
    class: 'hit row',
    tabIndex: -1,
    'aria-selected': isCurrent,
    onPointerMove: onPoint,
    // The focus stays in the input, which names the row.
    onMouseDown: (event: MouseEvent) => event.preventDefault(),
    onClick: (event: MouseEvent) => {
      if (href !== undefined && !isPlainClick(event)) return
      event.preventDefault()
      onPick()
    },
  } as const
  return href === undefined ? (
    <div {...props}>{children}</div>
  ) : (
    <a {...props} href={href}>
      {children}
    </a>
  )
}
