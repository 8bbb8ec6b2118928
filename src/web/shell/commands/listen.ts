import { signal } from '@preact/signals'
import { isField, isMac } from '../../lib/keyboard.ts'
import { isTypingAhead } from '../../lib/typed-ahead.ts'
import { type Bindings, createDispatcher, keysOf } from './dispatch.ts'
import { ariaKeys, keyLabel, keyLabels, strokeOf } from './keys.ts'
import { type Command, commandContext, commands, findCommand, isOffered } from './registry.ts'

/** The member's own keys, from the preferences. */
export const bindings = signal<Bindings>({ singles: true, keys: {} })

let onError: (error: unknown, command: Command) => void = (error) => console.error(error)

/** Runs the commands whose keys are pressed; the answer stops that. */
export function listenForKeys(failed: typeof onError): () => void {
  onError = failed
  const dispatcher = createDispatcher()
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return
    const stroke = strokeOf(event, isMac)
    if (stroke === null || isOwnKey(stroke, event.target) || (stroke === 'Escape' && isSomethingOpen())) return
    const context = commandContext()
    const found = dispatcher.press(stroke, {
      commands: commands.peek(),
      bindings: bindings.peek(),
      context,
      isInField: isField(event.target),
      isInDialog: document.querySelector('dialog:modal') !== null,
      now: event.timeStamp,
    })
    if (found === null) return
    event.preventDefault()
    // What is typed meanwhile is for what opens, and no key acts on the page behind it.
    if (isTypingAhead()) return
    // A key that is held repeats movements, such as "next row", and nothing else.
    if (found !== 'begun' && (!event.repeat || found.isHidden)) run(found, context)
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

/** Runs a command that was chosen by key, button, menu or palette. */
export function run(command: Command, context = commandContext()): void {
  Promise.resolve()
    .then(() => command.run(context))
    .catch((error: unknown) => onError(error, command))
}

/** Runs the command with this id, if it is registered and offered. */
export function runCommand(id: string): void {
  const command = findCommand(id)
  const context = commandContext()
  if (command && isOffered(command, context)) run(command, context)
}

/** The browser closes it by Esc, which then means nothing else. */
const isSomethingOpen = (): boolean => document.querySelector('[popover="auto"]:popover-open') !== null

/** Enter and Space press the button or link that has the focus. */
const isOwnKey = (stroke: string, target: EventTarget | null): boolean =>
  (stroke === 'Enter' || stroke === 'Space') &&
  target instanceof Element &&
  target.closest(
    'button, a[href], summary, input, select, [role=button], [role=menuitem], [role=option], [role=tab]',
  ) !== null

/** What a button shows of its command: hint, `aria-keyshortcuts`, and whether it can run now. */
export function commandHints(id: string): { keys?: string; labels: string[]; aria?: string; isOffered: boolean } {
  const command = findCommand(id)
  const keys = command && keysOf(command, bindings.value)
  const aria = keys === undefined ? undefined : ariaKeys(keys, isMac)
  return {
    ...(keys === undefined ? {} : { keys: keyLabel(keys, isMac) }),
    labels: keys === undefined ? [] : keyLabels(keys, isMac),
    ...(aria === undefined ? {} : { aria }),
    isOffered: command !== undefined && isOffered(command, commandContext()),
  }
}
