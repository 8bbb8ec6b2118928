import { join } from 'node:path'
import { plainText } from '../../lib/plain-text.ts'
import { type Environment, type Found, keyOf, type Option, usage, type Value, variableOf } from './options.ts'
import { readSmallFile } from './small-file.ts'

/**
 * An option in the environment: in its variable, such as DEALBOX_API_LISTEN. A secret is also read from the file that
 * DEALBOX_..._FILE names, and from the systemd credential of its key (LoadCredential= of the unit), so that it is in no
 * environment and no list of processes.
 */
export function readEnvironment(name: string, option: Option, env: Environment): Found | undefined {
  const variable = variableOf(name)
  if (option.secret) return readSecretVariable(variable, keyOf(name), env)
  const value = readVariable(variable, option, env[variable])
  return value === undefined ? undefined : { value, from: 'environment', where: variable }
}

/** A secret, which is a text: of a variable, of the file that the variable with _FILE names, or of a credential. */
export function readSecretVariable(variable: string, credential: string, env: Environment): FoundText | undefined {
  const value = readVariable(variable, { type: 'string' }, env[variable])
  const file = env[`${variable}_FILE`]
  if (value !== undefined && file) throw usage(`${variable} and ${variable}_FILE are both set. Set only one of them.`)
  if (value !== undefined) return { value, from: 'environment', where: variable }
  if (file) return { value: readSecret(file, variable), from: 'environment', where: `${variable}_FILE` }
  return readCredential(credential, env.CREDENTIALS_DIRECTORY)
}

type FoundText = Found & { value: string }

/** Empty variables count as not set. */
function readVariable(variable: string, option: { type: 'string' }, value: string | undefined): string | undefined
function readVariable(variable: string, option: Pick<Option, 'type'>, value: string | undefined): Value | undefined
function readVariable(variable: string, { type }: Pick<Option, 'type'>, value: string | undefined): Value | undefined {
  if (value === undefined || value === '') return undefined
  refuseQuoted(variable, value)
  if (type === 'strings') return value.split('\n').filter((line) => line !== '')
  if (type === 'string') return value
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw usage(`${variable} is "${value}" and must be true, false, 1 or 0.`)
}

/** A shell takes quotation marks away; files for "docker run --env-file" and the like are no shell, and keep them. */
function refuseQuoted(variable: string, value: string): void {
  if (/^(["']).*\1$/s.test(value) && value.length > 1)
    throw usage(`${variable} has quotation marks around its value: remove them, where it is set.`)
  if (value.includes('\uFFFD'))
    throw usage(`${variable} has bytes that are not UTF-8. Give the file or folder that it names a name in UTF-8.`)
  if (value.endsWith('\r'))
    throw usage(`${variable} ends with a carriage return: the file that sets it has the line ends of Windows.`)
}

function readSecret(path: string, variable: string): string {
  const secret = textOf(readSmallFile(path, `The file of ${variable}_FILE`)?.bytes as Buffer)
  if (secret === '') throw usage(`${path}, the file of ${variable}_FILE, is empty.`)
  return secret
}

function readCredential(key: string, folder: string | undefined): FoundText | undefined {
  if (!folder) return undefined
  const path = join(folder, key)
  const file = readSmallFile(path, 'The credential', { optional: true })
  if (!file) return undefined
  const value = textOf(file.bytes)
  if (value === '') throw usage(`The credential ${path} is empty.`)
  return { value, from: 'credential', where: path }
}

const textOf = (bytes: Buffer): string => plainText(bytes.toString('utf8'))
