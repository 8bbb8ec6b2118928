import { version } from '../assets.ts'
import type { Environment } from '../lib/machine/environment.ts'
import { Problem, usage } from '../lib/problem.ts'
import { storageProblem } from '../store/sqlite/failures.ts'
import { auditedWrites } from './audit-writes.ts'
import { type Answer, type Command, optionsOf } from './command.ts'
import { readConfig } from './config/read.ts'
import { commandHelp, listHelp } from './help.ts'
import { sentenceOf } from './sentence.ts'
import type { Opener } from './store.ts'
import { trustFile } from './trust.ts'

/** Where a command writes its result and its errors. */
export type Streams = { out: (text: string) => void; err: (text: string) => void }

/** The streams of this process. A reader that closes early, as in `| head`, is not an error. */
export function standardStreams(): Streams {
  const { stdout, stderr } = process
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return { out: (text) => void stdout.write(text), err: (text) => void stderr.write(text) }
}

/** Runs a command line. Returns the exit code: 0 success, 1 failure, 2 usage error. */
export async function run(
  commands: readonly Command[],
  argv: readonly string[],
  env: Environment,
  streams: Streams,
  opens: Opener,
): Promise<number> {
  const garbled = argv.find((arg) => arg.includes('\uFFFD'))
  if (garbled !== undefined) return fail(streams, notUtf8(garbled), false, 'dealbox --help')
  const [first, second] = argv
  if (first === undefined || isHelp(first)) return say(streams, listHelp(commands))
  if (first === '--version') return say(streams, `${version}\n`)
  const verb = commands.find(({ name }) => name === `${first} ${second}`)
  const command = verb ?? commands.find(({ name }) => name === first)
  const group = commands.filter(({ name }) => name.startsWith(`${first} `))
  const rest = argv.slice(verb ? 2 : 1)
  const asksHelp = beforeDashes(rest).some(isHelp)
  if (command && asksHelp) {
    const more = verb || group.length === 0 ? '' : `\n${listHelp(group, first)}`
    return say(streams, commandHelp(command) + more)
  }
  if (command) return runCommand(command, { argv: rest, env, commands, opens }, streams)
  if (group.length === 0) return fail(streams, unknownCommand(commands, first), false, 'dealbox --help')
  if (asksHelp) return say(streams, listHelp(group, first))
  return fail(streams, unknownVerb(group, first, second), false, `dealbox ${first} --help`)
}

type Line = { argv: readonly string[]; env: Environment; commands: readonly Command[]; opens: Opener }

async function runCommand(command: Command, { argv, env, commands, opens }: Line, streams: Streams): Promise<number> {
  let asJson = false
  try {
    const more = command.accepts?.(firstWords(argv), commands)
    const accepted = { ...command, options: { ...more, ...command.options } }
    const config = readConfig(accepted, { argv, env, known: optionsOf(commands) })
    asJson = (config.options as { json?: boolean }).json === true
    if ('ca' in command.options && config.options.ca !== undefined) trustFile(config.options.ca as string)
    const writes = command.audit === undefined ? {} : auditedWrites(command.audit, config.options)
    const answer = await command.run({
      ...config,
      ...writes,
      ...opens(config.options as never),
      env,
      commands,
    } as never)
    if (answer) print(streams, answer, asJson)
    return answer?.code ?? 0
  } catch (error) {
    return fail(streams, error, asJson, `dealbox ${command.name} --help`)
  }
}

function print({ out, err }: Streams, { json, text, note }: Answer, asJson: boolean): void {
  if (asJson) {
    if (json === null && text === '') return
    out(`${JSON.stringify(json)}\n`)
    return
  }
  if (text !== '') out(`${text}\n`)
  if (note) err(`${note}\n`)
}

function say({ out }: Streams, text: string): number {
  out(text)
  return 0
}

function fail({ err }: Streams, error: unknown, asJson: boolean, help: string): number {
  const problem = sentenceOf(storageProblem(error))
  if (!(problem instanceof Problem)) {
    err(`${(problem as Error).stack ?? problem}\n`)
    return 1
  }
  if (problem.code === 'usage') {
    err(`${problem.message} See "${help}".\n`)
    return 2
  }
  err(asJson ? `${problemJson(problem)}\n` : `${problemText(problem)}\n`)
  return 1
}

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h'

/** The arguments before the first option. */
function firstWords(argv: readonly string[]): readonly string[] {
  const option = argv.findIndex((arg) => arg.startsWith('-'))
  return option < 0 ? argv : argv.slice(0, option)
}

/** Arguments after `--` are not options. */
function beforeDashes(argv: readonly string[]): readonly string[] {
  const dashes = argv.indexOf('--')
  return dashes < 0 ? argv : argv.slice(0, dashes)
}

function unknownCommand(commands: readonly Command[], name: string): Problem {
  const known = [...new Set(commands.map((command) => command.name.split(' ')[0]))]
  return usage(`There is no command "${name}". Commands are: ${known.join(', ')}.`)
}

function unknownVerb(group: readonly Command[], name: string, verb: string | undefined): Problem {
  const verbs = group.map((command) => command.name.split(' ')[1]).join(', ')
  return usage(
    verb === undefined || verb.startsWith('-')
      ? `"dealbox ${name}" needs one of ${verbs}.`
      : `There is no "dealbox ${name} ${verb}". Use one of ${verbs}.`,
  )
}

/** Node replaces such bytes, so that a file is not found by its name. */
const notUtf8 = (arg: string): Problem =>
  usage(
    `"${arg}" has bytes that are not UTF-8. Give the file or folder a name in UTF-8, or call it through a link that has one.`,
  )

function problemText({ message, errors = [] }: Problem): string {
  if (errors.length < 2) return message
  return [message, ...errors.map((error) => `  ${error.pointer || '/'} ${error.message}`)].join('\n')
}

function problemJson({ status, code, message, errors, more }: Problem): string {
  return JSON.stringify({
    type: `urn:dealbox:problem:${code}`,
    status,
    detail: message,
    code,
    ...(errors ? { errors } : {}),
    ...more,
  })
}
