import { type Over, overLine } from '../../lib/letters.ts'
import { format } from '../../lib/locale.ts'
import { Icon } from '../icon.tsx'
import { texts } from './texts.ts'

/**
 * Why a text does not fit, or undefined if it does. An input with `maxlength` would drop the end of what is pasted without a
 * word: here all of it stays, and this is said at once.
 */
export function tooLong(text: string, over: (text: string) => Over | undefined = overLine): string | undefined {
  const found = over(text)
  const { number } = format.value
  return found && texts().tooLong(number(found.letters), number(found.fit), number(found.letters - found.fit))
}

type TooLongProps = { text: string; id?: string | undefined; over?: typeof overLine }

/** The same as the line under an input. */
export function TooLong({ text, id, over }: TooLongProps) {
  const why = tooLong(text, over)
  if (!why) return null
  return (
    <p class="help late" id={id} role="alert">
      <Icon name="alert" small />
      {why}
    </p>
  )
}
