import type { Readable } from 'node:stream'
import { Problem, usage } from '../../../lib/problem.ts'
import { localProblem } from '../files/full-disk.ts'
import { wholeFile } from '../files/whole-file.ts'
import { inThread, inThreadNow, threadStream } from './age-worker.ts'
import { damaged, lockOf } from './header.ts'
import { requireMemoryToDecrypt, requireMemoryToEncrypt } from './memory.ts'
import type { Decryption, Encryption } from './secrets.ts'

// Encrypts backups in the format of the age program (age-encryption.org/v1), which can decrypt them without Dealbox.

/** Encrypts a file. Rejects with Problem `storage_full` or the error of the file system, and leaves nothing. */
export async function encryptFile(
  from: string,
  to: string,
  encryption: Encryption,
  signal?: AbortSignal,
): Promise<void> {
  requireMemoryToEncrypt(encryption)
  await wholeFile(to, async (temporary) => {
    await inThread({ do: 'encrypt', from, to: temporary, encryption }, signal).catch((error) => {
      throw localProblem(error, to)
    })
  })
}

/** Encrypts a file into a stream, whose reader may end the work by destroying it. */
export function encryptedStream(from: string, encryption: Encryption): Readable {
  requireMemoryToEncrypt(encryption)
  return threadStream({ do: 'encrypt', from, encryption })
}

/**
 * Decrypts a file. Rejects with Problem `not_encrypted`, `wrong_passphrase`, `wrong_identity`, `backup_damaged` or
 * `storage_full`, or with the error of the file system, and leaves nothing.
 */
export async function decryptFile(
  from: string,
  to: string,
  decryption: Decryption,
  signal?: AbortSignal,
): Promise<void> {
  refuseOtherLock(from, decryption)
  requireMemoryToDecrypt(from)
  await wholeFile(to, async (temporary) => {
    await inThread({ do: 'decrypt', from, to: temporary, decryption }, signal).catch((error) => {
      if (signal?.aborted) throw error
      throw decryptionProblem(error, from, decryption) ?? localProblem(error, to)
    })
  })
}

// The same while the thread of the caller waits, for the work of a night and before a migration: those are one step. The new
// file is flushed, and what is left of it after an error is for the caller.

/** Throws as `encryptFile` rejects. */
export function encryptNow(from: string, to: string, encryption: Encryption): void {
  requireMemoryToEncrypt(encryption)
  try {
    inThreadNow({ do: 'encrypt', from, to, encryption })
  } catch (error) {
    throw localProblem(error, to)
  }
}

/** Throws as `decryptFile` rejects. */
export function decryptNow(from: string, to: string, decryption: Decryption): void {
  refuseOtherLock(from, decryption)
  requireMemoryToDecrypt(from)
  try {
    inThreadNow({ do: 'decrypt', from, to, decryption })
  } catch (error) {
    throw decryptionProblem(error, from, decryption) ?? localProblem(error, to)
  }
}

/** The first recipient or identity that is not valid is a usage Problem. `option` is the option that it is from. */
export async function checkKeys(option: string, keys: { encryption?: Encryption; decryption?: Decryption }) {
  await inThread({ do: 'check', ...keys }).catch((error) => {
    throw usage(`${option} cannot be used: ${(error as Error).message}.`)
  })
}

/** Says which of the two it takes, before a second is spent on the wrong one. */
function refuseOtherLock(file: string, decryption: Decryption): void {
  const lock = lockOf(file)
  if (lock === 'passphrase' && !('passphrase' in decryption))
    throw new Problem(409, 'wrong_identity', `${file} is encrypted with a passphrase, not for an identity.`)
  if (lock === 'identity' && !('identities' in decryption))
    throw new Problem(409, 'wrong_passphrase', `${file} is encrypted for an identity of age, not with a passphrase.`)
}

function decryptionProblem(error: unknown, file: string, decryption: Decryption): Problem | undefined {
  if ((error as NodeJS.ErrnoException).code !== undefined) return undefined
  if (!(error as Error).message.startsWith('no identity matched')) return damaged(file)
  if ('passphrase' in decryption)
    return new Problem(409, 'wrong_passphrase', `The passphrase is not the one that ${file} is encrypted with.`)
  return new Problem(409, 'wrong_identity', `${file} is encrypted for another identity.`)
}
