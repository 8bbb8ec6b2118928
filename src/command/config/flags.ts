import { parseArgs } from 'node:util'
import { usage } from '../../lib/problem.ts'
import { flagOf, type Option, type Options, optionUsage, type Value } from './options.ts'
import { renamedFlag } from './renamed.ts'

/** Reads the command line: the values of its flags by the names of their options, and the other words. */
export function readFlags(
  options: Options,
  argv: readonly string[],
): { given: ReadonlyMap<string, Value>; positionals: string[] } {
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
      throw (
        renamedFlag(token.rawName, options) ??
        usage(`There is no option ${token.rawName} here. Options are: ${[...byFlag.keys(), '--help'].join(', ')}.`)
      )
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
