import { Button, type ButtonProps } from '../../components/button.tsx'
import { commandHints } from './listen.ts'

/** A button of the bar of a selection: what it does can be done by a command too, whose key it shows. */
export function BulkButton({ command, ...rest }: ButtonProps & { command: string }) {
  const { keys, aria } = commandHints(command)
  return <Button plain {...rest} keys={keys} aria-keyshortcuts={aria} />
}
