import { join } from 'node:path'
import { type Environment, type Found, keyOf, type Option, usage, type Value, variableOf } from '../config.ts'
import { readSmallFile } from './small-file.ts'

/**
 * An option in the environment: in its variable, such as DEALBOX_API_LISTEN. A secret is also read from the file that
 * DEALBOX_..._FILE names, and from the systemd credential of its key (LoadCredential= of the unit), so that it is in no
 * environment and no list of processes.
 */
export function readEnvironment(name: string, option: Option, env: Environment): Found | undefined {
  const variable = variableOf(name)
  const value = readVariable(variable, option, env[variable])
  if (!option.secret) return value === undefined ? undefined : { value, from: 'environment', where: variable }
  const file = env[`${variable}_FILE`]
  if (value !== undefined && file) throw usage(`${variable} and ${variable}_FILE are both set. Set only one of them.`)
  if (value !== undefined) return { value, from: 'environment', where: variable }
  if (file) return { value: readSecret(file, variable), from: 'environment', where: `${variable}_FILE` }
  return readCredential(keyOf(name), env.CREDENTIALS_DIRECTORY)
}

/** Empty variables count as not set. */
function readVariable(variable: string, { type }: Option, value: string | undefined): Value | undefined {
  if (value === undefined || value === '') return undefined
  if (type === 'strings') return value.split('\n').filter((line) => line !== '')
  if (type === 'string') return value
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw usage(`${variable} is "${value}" and must be true, false, 1 or 0.`)
}

function readSecret(path: string, variable: string): string {
  const secret = textOf(readSmallFile(path, `The file of ${variable}_FILE`)?.bytes as Buffer)
  if (secret === '') throw usage(`${path}, the file of ${variable}_FILE, is empty.`)
  return secret
}

function readCredential(key: string, folder: string | undefined): Found | undefined {
  if (!folder) return undefined
  const path = join(folder, key)
  const file = readSmallFile(path, 'The credential', { optional: true })
  if (!file) return undefined
  const value = textOf(file.bytes)
  if (value === '') throw usage(`The credential ${path} is empty.`)
  return { value, from: 'credential', where: path }
}

/** Editors and `echo` end a file with a line break, which is no part of a secret. */
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/\r?\n$/, '')
