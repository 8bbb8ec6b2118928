import { Problem } from '../../lib/problem.ts'

/**
 * What is wrong with the storage, as opposed to the statement. `low`: the disk is almost full, which no statement has
 * noticed yet. `locked`: another process is writing.
 */
export type Failure = 'damaged' | 'full' | 'low' | 'locked' | 'failed'

const CODES: [Failure, RegExp][] = [
  ['damaged', /^SQLITE_(CORRUPT|NOTADB|IOERR_DATA|IOERR_CORRUPTFS)/],
  // The index of the write-ahead log is a file too, and needs space even to read.
  ['full', /^SQLITE_(FULL|IOERR_SHMSIZE)/],
  ['locked', /^SQLITE_(BUSY|LOCKED)/],
  ['failed', /^SQLITE_(IOERR|NOMEM|READONLY|CANTOPEN|PROTOCOL)/],
]

const RETRY = { headers: { 'Retry-After': '5' } }

/** Undefined if it is not an error of the storage. */
export function failureOf(error: unknown): Failure | undefined {
  const code = String((error as { code?: unknown } | null)?.code ?? '')
  if (!code.startsWith('SQLITE_')) return undefined
  return CODES.find(([, pattern]) => pattern.test(code))?.[0]
}

/** Such as "SQLITE_CORRUPT: database disk image is malformed". */
export const reasonOf = (error: unknown): string =>
  `${(error as { code?: unknown }).code}: ${(error as { message?: unknown }).message}`

/** Problem 503 with the error as its cause; any other error is returned unchanged. */
export function storageProblem(error: unknown, access: 'read' | 'write' = 'write'): unknown {
  const failure = failureOf(error)
  if (!failure) return error
  const problem = isWithoutMemory(error) ? withoutMemory(error) : problemOf(failure, access)
  problem.cause = error
  return problem
}

/** Whether the file system has no memory that processes share, in which SQLite keeps the index of the log. */
export const isWithoutMemory = (error: unknown): boolean =>
  /^SQLITE_IOERR_SHM(OPEN|LOCK|MAP)/.test(String((error as { code?: unknown } | null)?.code ?? ''))

const withoutMemory = (error: unknown): Problem =>
  new Problem(503, 'storage_failed', `${NO_SHARED_MEMORY} (${reasonOf(error)})`, RETRY)

export const NO_SHARED_MEMORY =
  'The file system of the data folder gives SQLite no shared memory, as FUSE without a cache does (mergerfs with cache.files=off, /mnt/user of Unraid with direct IO), and some network shares. Put the data folder on the disk itself, such as /mnt/disk1 or /mnt/cache, or mount with a cache (mergerfs: cache.files=auto-full).'

/** Problem 503 for a read or write while the storage is in that state. */
export function problemOf(failure: Failure, access: 'read' | 'write'): Problem {
  if (failure === 'damaged') return new Problem(503, 'database_damaged', DAMAGED[access])
  if (failure === 'full') return new Problem(503, 'storage_full', FULL[access], RETRY)
  if (failure === 'low') return new Problem(503, 'storage_full', LOW, RETRY)
  if (failure === 'locked') return new Problem(503, 'busy', LOCKED, RETRY)
  return new Problem(503, 'storage_failed', FAILED[access], RETRY)
}

const DAMAGED = {
  read: 'The required part of the database is damaged. Stop the server and restore a backup of the data folder.',
  write:
    'The database is damaged. Nothing was written, and nothing will be. Stop the server and restore a backup of the data folder.',
}
const FULL = {
  read: 'The disk of the server is full. Free some space and try again.',
  write: 'The disk of the server is full, and nothing was written. Free some space and try again.',
}
const LOW = 'The disk of the server is almost full, and nothing was written. Free some space and try again.'
const LOCKED = 'Another command holds the database, and nothing was written. Try again in a moment.'
const FAILED = {
  read: 'The database of the server cannot be read at the moment; the log of the server has the reason.',
  write: 'The database of the server cannot be written, and nothing was written. The log of the server has the reason.',
}
