import { Button, type ButtonProps, IconButton } from '../../components/button.tsx'
import type { IconName } from '../../components/icon.tsx'
import { isPhone } from '../../lib/widths.ts'
import { commandHints, runCommand } from './listen.ts'
import { findCommand } from './registry.ts'

type CommandButtonProps = Omit<ButtonProps, 'onClick' | 'keys'> & {
  id: string
  /** On a phone there is room for its icon alone, as in the top bar. */
  isIconOnPhone?: boolean
}

/** A button that runs a command: words, key and `aria-keyshortcuts` come from the registry. */
export function CommandButton({ id, children, isIconOnPhone, ...rest }: CommandButtonProps) {
  const command = findCommand(id)
  const hints = commandHints(id)
  if (!command) return null
  if (isIconOnPhone && isPhone.value && command.icon) {
    return <IconButton plain icon={command.icon as IconName} title={command.title()} onClick={() => runCommand(id)} />
  }
  return (
    <Button
      icon={command.icon as IconName | undefined}
      {...rest}
      keys={hints.keys}
      aria-keyshortcuts={hints.aria}
      onClick={() => runCommand(id)}
    >
      {children ?? command.title()}
    </Button>
  )
}
