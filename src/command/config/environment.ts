import { type Environment, readSecretVariable, readVariable } from '../../lib/machine/environment.ts'
import { usage } from '../../lib/problem.ts'
import { type Found, keyOf, type Option, type Value, variableOf } from './options.ts'

/** An option in the environment: in its variable, such as DEALBOX_API_LISTEN. A secret may also be in a file. */
export function readEnvironment(name: string, option: Option, env: Environment): Found | undefined {
  const variable = variableOf(name)
  if (option.secret) return readSecretVariable(variable, keyOf(name), env)
  const text = readVariable(variable, env)
  return text === undefined
    ? undefined
    : { value: parsed(text, variable, option), from: 'environment', where: variable }
}

function parsed(text: string, variable: string, { type }: Option): Value {
  if (type === 'strings') return text.split('\n').filter((line) => line !== '')
  if (type === 'string') return text
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  throw usage(`${variable} is "${text}" and must be true, false, 1 or 0.`)
}
