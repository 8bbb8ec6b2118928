import { closeSync, openSync, readSync } from 'node:fs'

/** The source of a secret, read when its settings are applied: the name of a variable or of a file, at most one. */
export type Source = { env: string | null; file: string | null }

/** `fault` continues the name of the field as a sentence, and contains nothing of what was read. */
export type Read = { secret: string } | { from: keyof Source; fault: string }

const MAX_BYTES = 4096

/**
 * Reads a secret from its source, or returns why there is none; `what` it is, such as "a password". Returns undefined if
 * there is no source.
 */
export function readSecret({ env, file }: Source, what: string): Read | undefined {
  if (env !== null) return fromEnvironment(env, what)
  return file === null ? undefined : fromFile(file, what)
}

/** Returns why a mail server cannot accept this password, or undefined if it can. */
export function passwordFault(password: string): string | undefined {
  if (password === '') return 'is empty'
  if (/[\r\n\0]/.test(password)) return 'has more than one line'
  return Buffer.byteLength(password) > MAX_BYTES ? `is longer than ${MAX_BYTES} bytes` : undefined
}

function fromEnvironment(name: string, what: string): Read {
  const secret = process.env[name]
  const fault = secret === undefined ? 'is not set' : passwordFault(secret)
  if (fault === undefined) return { secret: secret as string }
  return { from: 'env', fault: `must name an environment variable with ${what}: ${name} ${fault}` }
}

function fromFile(name: string, what: string): Read {
  const refused = (fault: string): Read => ({ from: 'file', fault: `must name a file with ${what}: ${name} ${fault}` })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(beginningOf(name))
    const secret = text.replace(/\r?\n$/, '')
    const fault = passwordFault(secret)
    return fault === undefined ? { secret } : refused(fault)
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
