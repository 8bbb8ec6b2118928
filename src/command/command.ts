import type { Deps } from '../deps.ts'
import type { NewEntry } from '../events/audit/entry.ts'
import type { Environment } from '../lib/machine/environment.ts'
import type { CommandStore, OpenOptions } from '../store/open.ts'
import type { Arguments, Found, Options, Values } from './config/options.ts'

/**
 * The result of a command: `json` is printed with --json, `text` without; `note` is printed on stderr. `audit` is what
 * the entry of a command with `audit` has in addition; null if nothing was done that needs one. The exit code is 0 by
 * default.
 */
export type Answer = { json: unknown; text: string; note?: string; audit?: Audited; code?: 0 | 1 }

export type Audited = Partial<NewEntry> | null

type Outcome = Answer | undefined | Promise<Answer | undefined> | Promise<void>

/** A file contains one command, or all verbs of a group; commands.ts lists all commands. */
export type Command = {
  /** Includes the verb, if any: `token create`. */
  name: string
  summary: string
  args: Arguments
  options: Options
  /** Further arguments, which are optional. */
  rest?: Rest | undefined
  /** Further options, those of the command that the first arguments name. */
  accepts?: (words: readonly string[], commands: readonly Command[]) => Options
  /** What the audit log calls it, such as `token.created`. */
  audit?: string
  run: (context: never) => Outcome
}

type Rest = { name: string; help: string }

/** What a command is run with, besides the values of its options and arguments. */
export type Surroundings = {
  rest: readonly string[]
  found: ReadonlyMap<string, Found>
  /** The path of the configuration file, if there is one. */
  file: string | null
  env: Environment
  commands: readonly Command[]
}

/** How a command opens its data folder, even while a server runs on it: it is closed after the job. */
export type Opens = {
  open: <T>(job: (store: CommandStore, deps: Deps) => T | Promise<T>, options?: OpenOptions) => Promise<T>
  /** With the number of the organisation given by --org, or of the only one. */
  openOrg: <T>(job: (store: CommandStore, org: number, deps: Deps) => T | Promise<T>) => Promise<T>
}

/** How a command with `audit` writes: see audit-writes.ts. */
export type AuditedWrites = {
  write: (store: CommandStore, job: () => Answer) => Answer
  writeInParts: (store: CommandStore, job: (store: CommandStore) => Answer | Promise<Answer>) => Promise<Answer>
}

type Context<O extends Options, A extends Arguments, Audit> = Surroundings &
  Opens & {
    options: Values<O & Omit<typeof everywhere, keyof O>>
    args: { readonly [Name in keyof A]: string }
  } & ([Audit] extends [never] ? unknown : AuditedWrites)

/**
 * Declares a command, so that `run` has the types of its options and arguments. Every command accepts --data, and may
 * have a default of its own for it.
 */
export function command<
  const O extends Options,
  const A extends Arguments = Record<never, string>,
  Audit extends string = never,
>(spec: {
  name: string
  summary: string
  args?: A
  options?: O
  rest?: Rest
  accepts?: Command['accepts']
  audit?: Audit
  run: (context: Context<O, A, Audit>) => Outcome
}): Command {
  return { ...spec, args: spec.args ?? {}, options: { ...spec.options, ...everywhere, ...spec.options } } as Command
}

const everywhere = {
  data: { type: 'string', placeholder: 'DIR', default: './dealbox-data', help: 'the data folder' },
  config: {
    type: 'string',
    placeholder: 'FILE',
    help: 'a configuration file, instead of dealbox.json in the data folder',
  },
} as const satisfies Options

/** The options of all commands, by their names. */
export const optionsOf = (commands: readonly Command[]): Options =>
  Object.assign({}, ...commands.map(({ options }) => options))

// Options shared by many commands.

export const json = { type: 'boolean', help: 'print the result as JSON' } as const

export const org = {
  type: 'string',
  placeholder: 'ID',
  help: 'the organisation; optional if the data folder contains only one',
} as const
