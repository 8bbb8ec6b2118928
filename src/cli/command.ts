import type { Arguments, Options, Values } from '../config.ts'

/** The result of a command: `json` is printed with --json, `text` without; `note` is printed on stderr. */
export type Answer = { json: unknown; text: string; note?: string }

type Outcome = Answer | undefined | Promise<Answer | undefined> | Promise<void>

/** A file contains one command, or all verbs of a group; commands.ts lists all commands. */
export type Command = {
  /** Includes the verb, if any: `token create`. */
  name: string
  summary: string
  args: Arguments
  options: Options
  run: (context: { options: never; args: never }) => Outcome
}

/**
 * Declares a command, so that `run` has the types of its options and arguments. Every command accepts --data, and may
 * have a default of its own for it.
 */
export function command<const O extends Options, const A extends Arguments = Record<never, string>>(spec: {
  name: string
  summary: string
  args?: A
  options?: O
  run: (context: {
    options: Values<O & Omit<typeof everywhere, keyof O>>
    args: { readonly [Name in keyof A]: string }
  }) => Outcome
}): Command {
  return { ...spec, args: spec.args ?? {}, options: { ...spec.options, ...everywhere, ...spec.options } } as Command
}

const everywhere = {
  data: { type: 'string', placeholder: 'DIR', default: './dealbox-data', help: 'the data folder' },
} as const satisfies Options

// Options shared by many commands.

export const json = { type: 'boolean', help: 'print the result as JSON' } as const

export const org = {
  type: 'string',
  placeholder: 'ID',
  help: 'the organisation; optional if the data folder contains only one',
} as const
