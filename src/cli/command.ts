import type { Arguments, Options, Values } from '../config.ts'

/**
 * The result of a command: `json` is printed with --json, `text` without; `note` is printed on stderr. The exit code is 0
 * by default.
 */
export type Answer = { json: unknown; text: string; note?: string; code?: 0 | 1 }

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

/** Declares a command, so that `run` has the types of its options and arguments. Every command accepts --data. */
export function command<const O extends Options, const A extends Arguments = Record<never, string>>(spec: {
  name: string
  summary: string
  args?: A
  options?: O
  run: (context: { options: Values<O & typeof everywhere>; args: { readonly [Name in keyof A]: string } }) => Outcome
}): Command {
  return { ...spec, args: spec.args ?? {}, options: { ...spec.options, ...everywhere } } as Command
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
