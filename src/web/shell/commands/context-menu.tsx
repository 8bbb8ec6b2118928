import { Menu } from '../../components/menu.tsx'
import type { Anchor } from '../../lib/place.ts'
import { commandMenu } from './command-menu.ts'
import { openedMenu } from './opened.ts'
import { isByMenuKey } from './own-menu.ts'
import type { Targets } from './registry.ts'

// Commands as the menu of a record under the pointer.

/** Where a menu opens: at the pointer, or below the element that has the focus. */
export function anchorOf(event: MouseEvent): Anchor {
  const { target, clientX: x, clientY: y } = event
  return isByMenuKey(event) && target instanceof HTMLElement ? target : { x, y }
}

/** Opens a menu of commands that act on the targets. */
export function openContextMenu(
  anchor: Anchor,
  label: string,
  ids: readonly (readonly string[])[],
  targets: Targets,
): void {
  const element = anchor instanceof HTMLElement ? anchor : document.activeElement
  openedMenu.value = { anchor, label, ids, context: { targets, element } }
}

/** The place of context menus, in the app once. */
export function ContextMenu({ onClose }: { onClose: () => void }) {
  const menu = openedMenu.value
  if (!menu) return null
  return (
    <Menu
      key={menu} // each opening is a new one: that the browser has closed the one before may be told later
      anchor={menu.anchor}
      label={menu.label}
      groups={commandMenu(menu.ids, menu.context)}
      onClose={() => openedMenu.peek() === menu && onClose()}
    />
  )
}
