import { closeSync, openSync, readSync } from 'node:fs'
import { Problem } from '../../../lib/problem.ts'

const FIRST_LINE = 'age-encryption.org/v1\n'

/** Longer headers are not read: one of 40 recipients that resist quantum computers is as long. */
const MAX_HEADER_BYTES = 64 * 1024

/** Whether a file is encrypted, by its first bytes. Throws the error of the file system. */
export const isEncrypted = (file: string): boolean => startOf(file, FIRST_LINE.length) === FIRST_LINE

/**
 * What it takes to open an encrypted file. Throws Problem `not_encrypted` or `backup_damaged`, or the error of the file
 * system.
 */
export function lockOf(file: string): 'passphrase' | 'identity' {
  const start = startOf(file, MAX_HEADER_BYTES)
  if (!start.startsWith(FIRST_LINE)) throw new Problem(409, 'not_encrypted', `${file} is not a file of age.`)
  if (!start.includes('\n--- ')) throw damaged(file)
  return start.startsWith('-> scrypt ', FIRST_LINE.length) ? 'passphrase' : 'identity'
}

/** Bytes cannot tell whether a file was cut or changed: in both cases the last part is not what was encrypted. */
export function damaged(file: string): Problem {
  return new Problem(409, 'backup_damaged', `${file} is damaged: it was cut or changed after it was encrypted.`)
}

function startOf(file: string, bytes: number): string {
  const opened = openSync(file, 'r')
  try {
    const start = Buffer.alloc(bytes)
    return start.toString('latin1', 0, readSync(opened, start))
  } finally {
    closeSync(opened)
  }
}
