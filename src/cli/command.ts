import type { Arguments, Options, Values } from '../config.ts'

/** What a command answers: `json` is printed with --json, `text` without; `note` goes to people on stderr. */
export type Answer = { json: unknown; text: string; note?: string }

type Outcome = Answer | undefined | Promise<Answer | undefined> | Promise<void>

/** A file holds one command, or the verbs of one word; the list of all is in commands.ts. */
export type Command = {
  /** With its verb, where it has one: `token create`. */
  name: string
  summary: string
  args: Arguments
  options: Options
  run: (context: { options: never; args: never }) => Outcome
}

/** A command whose `run` knows the types of its options and arguments. Every command takes --data. */
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

// Options that many commands have.

export const json = { type: 'boolean', help: 'answer as JSON' } as const

export const org = {
  type: 'string',
  placeholder: 'ID',
  help: 'the organisation; may be left out where the data folder holds one only',
} as const
