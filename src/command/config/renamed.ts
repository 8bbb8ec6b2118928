import { type Environment, readVariable } from '../../lib/machine/environment.ts'
import { usage } from '../../lib/problem.ts'
import { flagOf, keyOf, type Options, variableOf } from './options.ts'

/** The options of today by the names that they had in earlier versions. Ignoring such a name would drop what somebody has set. */
const RENAMED: Record<string, string> = { mailCa: 'ca', backupS3Ca: 'ca', replicaCa: 'ca', toCa: 'ca' }

/** A usage Problem about a flag, variable or key of an old name; undefined if it is none, or the command lacks the new one. */
function renamed(written: string, nameOf: (name: string) => string, options: Options, where = ''): Error | undefined {
  const old = Object.keys(RENAMED).find((each) => nameOf(each) === written)
  const name = RENAMED[old ?? ''] ?? ''
  const option = options[name]
  return option && usage(`${written}${where} is ${nameOf(name)} now: ${option.help}.`)
}

export const renamedFlag = (flag: string, options: Options): Error | undefined => renamed(flag, flagOf, options)

export const renamedKey = (key: string, options: Options, path: string): Error | undefined =>
  renamed(key, keyOf, options, ` in ${path}`)

/** Throws a usage Problem if a variable of an old name is set. */
export function refuseRenamedVariables(env: Environment, options: Options): void {
  for (const variable of Object.keys(RENAMED).map(variableOf)) {
    const refusal = readVariable(variable, env) === undefined ? undefined : renamed(variable, variableOf, options)
    if (refusal) throw refusal
  }
}
