import { parseArgs } from 'node:util'
import { Problem } from './lib/problem.ts'

/** An option of a command, by its name in camelCase: `apiListen` is --api-listen, and DEALBOX_API_LISTEN. */
export type Option = {
  /** `strings` may be given more than once; in the environment, one per line. */
  type: 'string' | 'strings' | 'boolean'
  help: string
  /** The placeholder for the value in the help, such as EMAIL. */
  placeholder?: string
  default?: string
  required?: true
}
export type Options = Record<string, Option>

export type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { type: 'strings' }
      ? readonly string[]
      : O[Name] extends { default: string } | { required: true }
        ? string
        : string | undefined
}

/** The positional arguments of a command, by name, each with its help; all are required. */
export type Arguments = Record<string, string>

export type Environment = Record<string, string | undefined>

type Value = string | boolean | readonly string[]

/** Reads each option from the command line, else the environment, else the default. Throws a usage Problem. */
export function readConfig<O extends Options, A extends Arguments>(
  options: O,
  args: A,
  argv: readonly string[],
  env: Environment,
): { options: Values<O>; args: { readonly [Name in keyof A]: string } } {
  const { given, positionals } = readFlags(options, argv)
  const values: Record<string, Value | undefined> = {}
  for (const [name, option] of Object.entries(options)) {
    const value = given.get(name) ?? readEnvironment(name, option, env) ?? option.default
    if (value === undefined && option.required) throw usage(`${optionUsage(name, option)} is missing.`)
    values[name] = value ?? NOTHING[option.type]
  }
  return Object.freeze({
    options: Object.freeze(values) as Values<O>,
    args: Object.freeze(nameArguments(args, positionals)) as { [Name in keyof A]: string },
  })
}

const NOTHING = { boolean: false, strings: [] as readonly string[], string: undefined }

function readFlags(options: Options, argv: readonly string[]): { given: Map<string, Value>; positionals: string[] } {
  const byFlag = new Map(Object.entries(options).map(([name, option]) => [flagOf(name), { name, option }]))
  const types = Object.fromEntries(
    [...byFlag].map(([flag, { option }]) => [
      flag.slice(2),
      { type: option.type === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
  const { tokens } = parseArgs({ args: [...argv], options: types, strict: false, allowPositionals: true, tokens: true })
  const given = new Map<string, Value>()
  const positionals: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const flag = byFlag.get(token.rawName)
    if (!flag)
      throw usage(`There is no option ${token.rawName} here. Options are: ${[...byFlag.keys(), '--help'].join(', ')}.`)
    const value = flagValue(flag.name, flag.option, token)
    if (flag.option.type === 'strings') {
      given.set(flag.name, [...((given.get(flag.name) ?? []) as readonly string[]), value as string])
      continue
    }
    if (given.has(flag.name)) throw usage(`${token.rawName} is given more than once.`)
    given.set(flag.name, value)
  }
  return { given, positionals }
}

function flagValue(
  name: string,
  option: Option,
  { value, inlineValue }: { value?: string | undefined; inlineValue?: boolean | undefined },
): Value {
  if (option.type === 'boolean') {
    if (value !== undefined) throw usage(`${flagOf(name)} takes no value.`)
    return true
  }
  // Without a value, parseArgs takes the next argument as one: `--org --json`.
  if (!value || (!inlineValue && value.startsWith('-') && value !== '-'))
    throw usage(`${optionUsage(name, option)} needs a value.`)
  return value
}

function readEnvironment(name: string, option: Option, env: Environment): Value | undefined {
  const value = env[variableOf(name)]
  if (value === undefined || value === '') return undefined
  if (option.type === 'strings') return value.split('\n').filter((line) => line !== '')
  if (option.type === 'string') return value
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw usage(`${variableOf(name)} is "${value}" and must be true, false, 1 or 0.`)
}

function nameArguments(args: Arguments, positionals: string[]): Record<string, string> {
  const names = Object.keys(args)
  const [missing] = names.slice(positionals.length)
  if (missing) throw usage(`${missing.toUpperCase()} is missing: ${args[missing]}.`)
  const [extra] = positionals.slice(names.length)
  if (extra !== undefined) {
    const taken = names.length === 0 ? 'no arguments' : names.map((name) => name.toUpperCase()).join(' ')
    throw usage(`"${extra}" is one argument too many; this command takes ${taken}.`)
  }
  return Object.fromEntries(names.map((name, index) => [name, positionals[index] as string]))
}

export const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
export const variableOf = (name: string): string =>
  `DEALBOX_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`

/** The option in the help: `--email EMAIL`. */
export function optionUsage(name: string, { type, placeholder }: Option): string {
  return type === 'boolean' ? flagOf(name) : `${flagOf(name)} ${placeholder ?? name.toUpperCase()}`
}

/** A mistake on the command line: exit code 2. */
export function usage(sentence: string): Problem {
  return new Problem(400, 'usage', sentence)
}

/** Parses `127.0.0.1:8080` or `[::1]:8080`; null means `off`. Throws a usage Problem. */
export function parseListen(text: string): { host: string; port: number } | null {
  if (text === 'off') return null
  const [, ipv6, other, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = ipv6 ?? other
  if (host === undefined || Number(digits) > 65_535) {
    throw usage(`"${text}" is not a valid address to listen on. Use a form such as 127.0.0.1:8080, [::1]:8080 or off.`)
  }
  return { host, port: Number(digits) }
}
