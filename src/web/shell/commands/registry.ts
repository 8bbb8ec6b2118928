import { computed, signal } from '@preact/signals'
import { overlap } from './keys.ts'

/** Where a command is offered, from the outermost; the keys of an inner place win over those of an outer one. */
export const PLACES = ['anywhere', 'screen', 'panel', 'dialog'] as const
export type CommandPlace = (typeof PLACES)[number]

export const GROUPS = ['go', 'new', 'record', 'list', 'view', 'app'] as const
export type CommandGroup = (typeof GROUPS)[number]

/** What a command acts on: the selection, else the focused row, else the open record. */
export type Targets = {
  kind: string
  ids: readonly string[]
  /** They are not of the selection: a menu was opened at a row outside of it. */
  isAside?: true
}
export type CommandContext = {
  targets: Targets | null
  /** The element that had the focus, or was pointed at for a context menu. */
  element: Element | null
  /** What was typed in the palette, such as the title of what is to be made. */
  text?: string
}

export type Command = {
  /** Such as `deals.won`. Preferences change keys by it. */
  id: string
  title: () => string
  group: CommandGroup
  /** Such as 'g d', 'mod+k', 'shift+j'. */
  keys?: string
  icon?: string
  /** Such as 'screen', the default for what a screen registers. */
  where?: CommandPlace
  /** Lets the palette offer it for any text: "New deal “Rollout”". The text is in the context then. */
  titleWith?: (text: string) => string
  /** The kind of record that it makes, such as "deals". */
  makes?: string
  /** Other words for it, which the palette finds too. */
  words?: () => string
  when?: (context: CommandContext) => boolean
  run: (context: CommandContext) => unknown
  /** Its keys act inside fields too: only for those with mod. */
  isInFields?: true
  /** The palette does not list it, such as "next row". */
  isHidden?: true
  /** Other keys of a command that is listed already. */
  isAlias?: true
  isDanger?: true
}

/** Some, or what says which there are now. */
type Commands = readonly Command[] | (() => readonly Command[])
const registered = signal<readonly Commands[]>([])

/** All commands that are registered now: those of the app and of what is on the page. */
export const commands = computed(() => registered.value.flatMap((each) => (typeof each === 'function' ? each() : each)))

/**
 * Adds commands; the answer takes them out again. Call it in a layout effect: what a plain effect answers runs only after
 * the paint, when the commands of the next screen may be there already.
 */
export function register(added: Commands): () => void {
  registered.value = [...registered.peek(), added]
  for (const [one, other] of conflictsOf(commands.peek())) {
    // A test opens every screen and finds no such line.
    console.error(`The commands ${one.id} and ${other.id} have the same keys "${one.keys}" in one place.`)
  }
  return () => {
    registered.value = registered.peek().filter((each) => each !== added)
  }
}

export const findCommand = (id: string): Command | undefined => commands.value.find((command) => command.id === id)

export const placeOf = (command: Command): CommandPlace => command.where ?? 'screen'

/** Pairs with the same keys in one place, or of which one begins the other. */
export function conflictsOf(list: readonly Command[]): [Command, Command][] {
  const found: [Command, Command][] = []
  for (const [index, one] of list.entries()) {
    for (const other of list.slice(index + 1)) {
      if (one.keys && other.keys && placeOf(one) === placeOf(other) && overlap(one.keys, other.keys)) {
        found.push([one, other])
      }
    }
  }
  return found
}

/** What the commands act on. A list or a record says it while it is on the page; the last one to say it wins. */
const sources = signal<readonly (() => Targets | null)[]>([])

export function provideTargets(source: () => Targets | null): () => void {
  sources.value = [...sources.peek(), source]
  return () => {
    sources.value = sources.peek().filter((other) => other !== source)
  }
}

export function commandContext(element: Element | null = globalThis.document?.activeElement ?? null): CommandContext {
  for (const source of sources.value.toReversed()) {
    const targets = source()
    if (targets && targets.ids.length > 0) return { targets, element }
  }
  return { targets: null, element }
}

export const isOffered = (command: Command, context: CommandContext): boolean => command.when?.(context) ?? true
