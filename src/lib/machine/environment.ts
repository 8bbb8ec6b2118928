import { join } from 'node:path'
import { plainText } from '../plain-text.ts'
import { usage } from '../problem.ts'
import { readSmallFile } from './small-file.ts'

export type Environment = Record<string, string | undefined>

/** Where a text was found: the variable, or the path of the credential. */
export type FoundText = { value: string; from: 'environment' | 'credential'; where: string }

/** A text in its variable. An empty one counts as not set. Throws a usage Problem about what no shell leaves there. */
export function readVariable(variable: string, env: Environment): string | undefined {
  const value = env[variable]
  if (value === undefined || value === '') return undefined
  refuseQuoted(variable, value)
  return value
}

/**
 * A secret, which is a text: of a variable, of the file that the variable with _FILE names, or of the systemd credential of
 * its key (LoadCredential= of the unit), so that it is in no environment and no list of processes.
 */
export function readSecretVariable(variable: string, credential: string, env: Environment): FoundText | undefined {
  const value = readVariable(variable, env)
  const file = env[`${variable}_FILE`]
  if (value !== undefined && file) throw usage(`${variable} and ${variable}_FILE are both set. Set only one of them.`)
  if (value !== undefined) return { value, from: 'environment', where: variable }
  if (file) return { value: readSecret(file, variable), from: 'environment', where: `${variable}_FILE` }
  return readCredential(credential, env.CREDENTIALS_DIRECTORY)
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
