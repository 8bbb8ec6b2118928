import { join } from 'node:path'
import type { Environment } from '../../lib/machine/environment.ts'
import { usage } from '../../lib/problem.ts'
import { readEnvironment } from './environment.ts'
import { CONFIG_FILE, type ConfigFile, readConfigFile } from './file.ts'
import { readFlags } from './flags.ts'
import { type Arguments, type Found, flagOf, type Options, optionUsage, type Values } from './options.ts'
import { refuseRenamedVariables } from './renamed.ts'

/** What a command accepts. `rest` names further arguments, all of them optional. */
type Accepted<O extends Options, A extends Arguments> = { options: O; args: A; rest?: { name: string } | undefined }

/** What was given. `known` are the options of all commands, which a configuration file may have. */
type Given = { argv: readonly string[]; env: Environment; known: Options }

export type Config<O extends Options, A extends Arguments> = {
  options: Values<O>
  args: { readonly [Name in keyof A]: string }
  rest: readonly string[]
  found: ReadonlyMap<string, Found>
  /** The path of the configuration file, if there is one. */
  file: string | null
}

/**
 * Reads each option from the command line, else the environment, else a credential, else the configuration file, else
 * it has its default: docs/decisions/036-configuration.md. Throws a usage Problem.
 */
export function readConfig<O extends Options, A extends Arguments>(
  { options, args, rest }: Accepted<O, A>,
  { argv, env, known }: Given,
): Config<O, A> {
  const { given, positionals } = readFlags(options, argv)
  refuseRenamedVariables(env, options)
  let file: ConfigFile | undefined

  function find(name: string): Found {
    const option = options[name] as Options[string]
    const flag = given.get(name)
    if (flag !== undefined) return { value: flag, from: 'flag', where: flagOf(name) }
    const inEnvironment = readEnvironment(name, option, env)
    const inFile = file?.values.get(name)
    if (option.once && (inEnvironment ?? inFile) !== undefined) throw notOnce(name, inEnvironment?.where ?? file?.path)
    if (inEnvironment) return inEnvironment
    if (inFile !== undefined) return { value: inFile, from: 'file', where: file?.path as string }
    if (option.default === undefined && option.required) throw usage(`${optionUsage(name, option)} is missing.`)
    return { value: option.default ?? NOTHING[option.type], from: 'default', where: null }
  }

  const all = { ...known, ...options }
  const named = 'config' in options ? find('config').value : undefined
  if (named !== undefined) file = readConfigFile(named as string, all, false)
  else if ('data' in options) file = readConfigFile(join(find('data').value as string, CONFIG_FILE), all, true)
  const found = new Map(Object.keys(options).map((name) => [name, find(name)]))
  const words = nameArguments(args, rest, positionals)
  return Object.freeze({
    options: Object.freeze(Object.fromEntries([...found].map(([name, { value }]) => [name, value]))) as Values<O>,
    args: Object.freeze(words.args) as { [Name in keyof A]: string },
    rest: words.rest,
    found,
    file: file?.path ?? null,
  })
}

const notOnce = (name: string, where: string | null | undefined): Error =>
  usage(`${flagOf(name)} is only for the command line, since it is about one start: take it out of ${where}.`)

const NOTHING = { boolean: false, strings: [] as readonly string[], string: undefined }

function nameArguments(
  args: Arguments,
  rest: { name: string } | undefined,
  positionals: string[],
): { args: Record<string, string>; rest: readonly string[] } {
  const names = Object.keys(args)
  const [missing] = names.slice(positionals.length)
  if (missing) throw usage(`${missing.toUpperCase()} is missing: ${args[missing]}.`)
  const more = positionals.slice(names.length)
  const [extra] = more
  if (extra !== undefined && !rest) {
    const taken = names.length === 0 ? 'no arguments' : names.map((name) => name.toUpperCase()).join(' ')
    throw usage(`"${extra}" is one argument too many; this command takes ${taken}.`)
  }
  return { args: Object.fromEntries(names.map((name, index) => [name, positionals[index] as string])), rest: more }
}
