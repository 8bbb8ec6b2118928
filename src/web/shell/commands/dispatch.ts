import { isSingle, strokesOf } from './keys.ts'
import { type Command, type CommandContext, isOffered, PLACES, placeOf } from './registry.ts'

/** How long a begun sequence such as "g" waits for its next key. */
export const SEQUENCE_MS = 1500

export type Bindings = {
  /** Single keys are switched on. */
  singles: boolean
  /** Keys by command id that the member changed; an empty text takes them away. */
  keys: Readonly<Record<string, string>>
}

export const keysOf = (command: Command, { keys, singles }: Bindings): string | undefined => {
  const own = keys[command.id] ?? command.keys
  if (!own || (!singles && isSingle(own))) return undefined
  return own
}

export type Situation = {
  commands: readonly Command[]
  bindings: Bindings
  context: CommandContext
  /** The focus is in a field. */
  isInField: boolean
  /** A modal dialog is open: only commands of dialogs, and those that act in fields, act. */
  isInDialog: boolean
  now: number
}

/** Follows the keys that are pressed; the answer is the command to run, or that a sequence has begun. */
export function createDispatcher() {
  let begun: string[] = []
  let since = 0

  function press(stroke: string, situation: Situation): Command | 'begun' | null {
    const { now } = situation
    if (now - since > SEQUENCE_MS) begun = []
    const strokes = [...begun, stroke]
    const candidates = candidatesOf(situation)
    const match = candidates.find(({ keys }) => same(keys, strokes))
    if (match) {
      begun = []
      return match.command
    }
    if (candidates.some(({ keys }) => startsWith(keys, strokes))) {
      begun = strokes
      since = now
      return 'begun'
    }
    const wasBegun = begun.length > 0
    begun = []
    // A wrong key after a begun sequence counts as a new beginning.
    return wasBegun ? press(stroke, situation) : null
  }

  return { press, begun: () => begun }
}

function candidatesOf({ commands, bindings, context, isInField, isInDialog }: Situation) {
  return commands
    .flatMap((command) => {
      const keys = keysOf(command, bindings)
      if (keys === undefined) return []
      if (isInField && !command.isInFields) return []
      if (isInDialog && placeOf(command) !== 'dialog' && !command.isInFields) return []
      return isOffered(command, context) ? [{ command, keys: strokesOf(keys) }] : []
    })
    .sort((one, other) => PLACES.indexOf(placeOf(other.command)) - PLACES.indexOf(placeOf(one.command)))
}

const startsWith = (keys: readonly string[], strokes: readonly string[]): boolean =>
  strokes.length < keys.length && strokes.every((stroke, index) => keys[index] === stroke)

const same = (keys: readonly string[], strokes: readonly string[]): boolean =>
  keys.length === strokes.length && strokes.every((stroke, index) => keys[index] === stroke)
