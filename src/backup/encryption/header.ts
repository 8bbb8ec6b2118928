import { open } from 'node:fs/promises'
import { Problem } from '../../lib/problem.ts'

const FIRST_LINE = 'age-encryption.org/v1\n'

/** Longer headers are not read: one of 40 recipients that resist quantum computers is as long. */
const MAX_HEADER_BYTES = 64 * 1024

/** Whether a file is encrypted, by its first bytes. Rejects with the error of the file system. */
export async function isEncrypted(file: string): Promise<boolean> {
  return (await startOf(file, FIRST_LINE.length)) === FIRST_LINE
}

/**
 * What it takes to open an encrypted file. Rejects with Problem `not_encrypted` or `backup_damaged`, or with the error of
 * the file system.
 */
export async function lockOf(file: string): Promise<'passphrase' | 'identity'> {
  const start = await startOf(file, MAX_HEADER_BYTES)
  if (!start.startsWith(FIRST_LINE)) throw new Problem(409, 'not_encrypted', `${file} is not a file of age.`)
  if (!start.includes('\n--- ')) throw damaged(file)
  return start.startsWith('-> scrypt ', FIRST_LINE.length) ? 'passphrase' : 'identity'
}

/** Bytes cannot tell whether a file was cut or changed: in both cases the last part is not what was encrypted. */
export function damaged(file: string): Problem {
  return new Problem(409, 'backup_damaged', `${file} is damaged: it was cut or changed after it was encrypted.`)
}

async function startOf(file: string, bytes: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
