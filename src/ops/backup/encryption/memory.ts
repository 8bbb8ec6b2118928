import { freeMemory } from '../../../lib/machine/free-memory.ts'
import { Problem } from '../../../lib/problem.ts'
import { MIB, sizeText } from '../../../lib/size.ts'
import { lockOf } from './header.ts'
import type { Encryption } from './secrets.ts'

// Whoever tries passphrases needs as much memory for each, on purpose: the kernel ends a server that has not got it.

export const MEMORY_SHORT = 'memory_short'
const USUAL_WORK_FACTOR = 18
/** Of the thread that does it. */
const BESIDE = 32 * MIB

const neededFor = (workFactor = USUAL_WORK_FACTOR): number => 128 * 8 * 2 ** workFactor + BESIDE

/** Throws Problem 503 `memory_short` if there is not enough to encrypt with a passphrase. */
export function requireMemoryToEncrypt(encryption: Encryption): void {
  if ('passphrase' in encryption) require(neededFor(encryption.workFactor), 'To encrypt a backup with a passphrase')
}

/** The same to open a file, if it takes a passphrase. */
export function requireMemoryToDecrypt(file: string): void {
  if (lockOf(file) === 'passphrase') require(neededFor(), 'To open a backup with its passphrase')
}

function require(needed: number, purpose: string): void {
  const free = freeMemory()
  if (free >= needed) return
  throw new Problem(
    503,
    MEMORY_SHORT,
    `${purpose}, Dealbox needs ${sizeText(needed)} of memory for a moment, and ${sizeText(free)} are free. It was not begun. Give the machine, container or service more, or use a recipient of age instead, which needs none.`,
  )
}
