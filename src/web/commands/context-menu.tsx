import { signal } from '@preact/signals'
import type { IconName } from '../components/icon.tsx'
import { Menu, type MenuGroup } from '../components/menu.tsx'
import { keysOf } from './dispatch.ts'
import { keyLabel } from './keys.ts'
import { bindings, isMac, run } from './listen.ts'
import { type CommandContext, commandContext, findCommand, isOffered, type Targets } from './registry.ts'

// The same commands as menus: at a record under the pointer, or behind its "⋯".

type Opened = { x: number; y: number; label: string; ids: readonly (readonly string[])[]; context: CommandContext }

const opened = signal<Opened | null>(null)

/** Groups of a menu from ids of commands; those that are not offered for the context are left out. */
export function commandMenu(ids: readonly (readonly string[])[], context = commandContext()): MenuGroup[] {
  return ids.map((group) => ({
    items: group.flatMap((id) => {
      const command = findCommand(id)
      if (!command || !isOffered(command, context)) return []
      const keys = keysOf(command, bindings.value)
      return [
        {
          label: command.title(),
          icon: command.icon as IconName | undefined,
          keys: keys === undefined ? undefined : keyLabel(keys, isMac),
          danger: command.isDanger,
          onPick: () => run(command, context),
        },
      ]
    }),
  }))
}

/** Opens the menu of commands where the pointer is, or below the element that the menu key was pressed on. */
export function openContextMenu(
  event: MouseEvent,
  label: string,
  ids: readonly (readonly string[])[],
  targets?: Targets,
): void {
  event.preventDefault()
  const element = event.target instanceof Element ? event.target : null
  const box = element?.getBoundingClientRect()
  const isByKey = event.clientX === 0 && event.clientY === 0
  const context = targets ? { targets, element } : commandContext(element)
  opened.value = {
    x: isByKey ? (box?.left ?? 0) : event.clientX,
    y: isByKey ? (box?.bottom ?? 0) : event.clientY,
    label,
    ids,
    context,
  }
}

/** The place of context menus, in the app once. */
export function ContextMenu() {
  const menu = opened.value
  if (!menu) return null
  return (
    <Menu
      key={`${menu.x},${menu.y}`}
      anchor={{ x: menu.x, y: menu.y }}
      label={menu.label}
      groups={commandMenu(menu.ids, menu.context)}
      onClose={() => {
        opened.value = null
      }}
    />
  )
}
