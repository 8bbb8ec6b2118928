import { closeSync, openSync, readSync } from 'node:fs'
import type { Endpoint } from './mailboxes.ts'

/** The source of a mailbox password, read when its settings are applied; at most one of them. */
export type Source = Pick<Endpoint, 'password_env' | 'password_file'>

/** `fault` continues the name of the field as a sentence, and contains nothing of what was read. */
export type Read = { password: string } | { field: keyof Source; fault: string }

const MAX_BYTES = 4096

/** Reads the password from its source, or returns why there is none. Returns undefined if there is no source. */
export function readPassword({ password_env, password_file }: Source): Read | undefined {
  if (password_env !== null) return fromEnvironment(password_env)
  return password_file === null ? undefined : fromFile(password_file)
}

/** Returns why a mail server cannot accept this password, or undefined if it can. */
export function passwordFault(password: string): string | undefined {
  if (password === '') return 'is empty'
  if (/[\r\n\0]/.test(password)) return 'has more than one line'
  return Buffer.byteLength(password) > MAX_BYTES ? `is longer than ${MAX_BYTES} bytes` : undefined
}

function fromEnvironment(name: string): Read {
  const password = process.env[name]
  const fault = password === undefined ? 'is not set' : passwordFault(password)
  if (fault === undefined) return { password: password as string }
  return { field: 'password_env', fault: `must name an environment variable with a password: ${name} ${fault}` }
}

function fromFile(name: string): Read {
  const refused = (fault: string): Read => ({
    field: 'password_file',
    fault: `must name a file with a password: ${name} ${fault}`,
  })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(beginningOf(name))
    const password = text.replace(/\r?\n$/, '')
    const fault = passwordFault(password)
    return fault === undefined ? { password } : refused(fault)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return refused(code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is not UTF-8' : `cannot be read (${code})`)
  }
}

/** Reads enough to detect that a file is too long, even if it is endless. */
function beginningOf(name: string): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES + 3)
  const file = openSync(name, 'r')
  try {
    let length = 0
    while (length < bytes.length) {
      const read = readSync(file, bytes, length, bytes.length - length, null)
      if (read === 0) break
      length += read
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}
