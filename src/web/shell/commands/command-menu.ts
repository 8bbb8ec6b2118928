import type { IconName } from '../../components/icon.tsx'
import type { MenuGroup } from '../../components/menu-items.ts'
import { isMac } from '../../lib/keyboard.ts'
import { keysOf } from './dispatch.ts'
import { keyLabel } from './keys.ts'
import { bindings, run } from './listen.ts'
import { commandContext, findCommand, isOffered } from './registry.ts'

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
