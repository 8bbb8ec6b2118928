import type { Company, Contact, Deal, Rec, Task } from '../../data/types.ts'
import { fold } from '../../lib/fold.ts'
import { fit, searchable, wordsOf } from './match.ts'
import { type Command, type CommandContext, isOffered } from './registry.ts'

export const SEARCHED = ['deals', 'contacts', 'companies', 'tasks', 'meetings'] as const
export type SearchedKind = (typeof SEARCHED)[number]
export type Scope = 'all' | SearchedKind | 'commands'

export type Hit = { kind: SearchedKind; record: Rec; score: number }

/** How many records the palette shows at first, and in a scope of one kind. */
export const SHOWN = 6
export const SHOWN_IN_SCOPE = 12

export function titleOf(kind: SearchedKind, record: Rec): string {
  const shape = record as Partial<Deal & Contact & Company & Task>
  return String((kind === 'contacts' || kind === 'companies' ? shape.name : shape.title) ?? '')
}

export const hrefOf = (kind: string, id: string): string => `/${kind}/${encodeURIComponent(id)}`

/** What a record is found by, folded once: a record that changes is another object. */
const folded = new WeakMap<Rec, string>()

function textOf(kind: SearchedKind, record: Rec): string {
  const known = folded.get(record)
  if (known !== undefined) return known
  const { emails, domains } = record as Partial<Contact & Company>
  const more = [...(emails ?? []).map(({ email }) => email), ...(domains ?? [])]
  const text = searchable([titleOf(kind, record), ...more].join(' '))
  folded.set(record, text)
  return text
}

/** Finds records that this browser has. Done and closed ones come after open ones. */
export function searchRecords(
  records: Iterable<readonly [SearchedKind, Rec]>,
  typed: string,
  scope: Scope = 'all',
): Hit[] {
  const words = wordsOf(typed)
  if (words.length === 0 || scope === 'commands') return []
  const hits: Hit[] = []
  for (const [kind, record] of records) {
    if (scope !== 'all' && scope !== kind) continue
    const score = fit(textOf(kind, record), words)
    if (score !== null) hits.push({ kind, record, score: score + (isOver(kind, record) ? 20 : 0) })
  }
  return hits.sort((one, other) => one.score - other.score)
}

function isOver(kind: SearchedKind, record: Rec): boolean {
  if (kind === 'meetings') return record.status === 'canceled'
  if (kind !== 'deals' && kind !== 'tasks') return false
  return record.status !== undefined && record.status !== 'open'
}

/** Those at hand first, then what only the server knows: rows never change places while one looks at them. */
export function joined(local: readonly Hit[], remote: readonly Hit[]): Hit[] {
  const known = new Set(local.map(({ kind, record }) => `${kind}/${record.id}`))
  return [...local, ...remote.filter(({ kind, record }) => !known.has(`${kind}/${record.id}`))]
}

/** The commands whose title or other words fit; with nothing typed, all. */
export function searchCommands(commands: readonly Command[], typed: string, context: CommandContext): Command[] {
  const words = wordsOf(typed)
  return commands
    .filter((command) => !command.isHidden && !command.isAlias && isOffered(command, context))
    .map((command) => ({ command, score: scoreOf(command, words) }))
    .filter((each): each is { command: Command; score: number } => each.score !== null)
    .sort((one, other) => one.score - other.score)
    .map(({ command }) => command)
}

function scoreOf(command: Command, words: readonly string[]): number | null {
  if (words.length === 0) return 0
  const title = fit(fold(command.title()), words)
  if (title !== null) return title
  const other = command.words ? fit(fold(command.words()), words) : null
  return other === null ? null : other + 50
}

/** An offer makes something of a text that may as well be what is looked for. */
export type FoundCommand = Command & { isOffer?: boolean }

/**
 * The commands that fit what is typed, then those that can begin with it, such as a new deal of this title. Where the title
 * of such a command was typed first, it is meant, with the words after it: "new task call Mira". What was found is not made
 * again.
 */
export function commandsFor(
  registered: readonly Command[],
  typed: string,
  context: CommandContext,
  hits: readonly Hit[] = [],
): FoundCommand[] {
  const found = searchCommands(registered, typed, context)
  const text = typed.trim()
  if (text === '') return found
  const begun = registered
    .filter((command) => command.titleWith && !found.includes(command) && isOffered(command, context))
    .map((command) => {
      const title = command.title()
      const isMeant = fold(text).startsWith(`${fold(title)} `)
      const own = isMeant ? text.slice(title.length).trim() : text
      return {
        isMeant,
        isThere:
          !isMeant &&
          hits.some((hit) => hit.kind === command.makes && !isOver(hit.kind, hit.record) && isCalled(hit, own)),
        command: {
          ...command,
          isOffer: !isMeant,
          title: () => command.titleWith?.(own) ?? title,
          run: (where: CommandContext) => command.run({ ...where, text: own }),
        },
      }
    })
  const pick = (isMeant: boolean) =>
    begun.filter((each) => each.isMeant === isMeant && !each.isThere).map(({ command }) => command)
  return [...pick(true), ...found, ...pick(false)]
}

const isCalled = ({ kind, record }: Hit, text: string): boolean => fold(titleOf(kind, record)) === fold(text)
