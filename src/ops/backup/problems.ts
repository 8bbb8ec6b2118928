import { basename } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { failureOf, reasonOf, storageProblem } from '../../store/sqlite/failures.ts'
import { isFull } from './files/full-disk.ts'

/** The code of a file whose content is not what was written, as opposed to one that cannot be read at the moment. */
export const DAMAGED = 'backup_damaged'

export const damaged = (file: string, why: string): Problem =>
  new Problem(409, DAMAGED, `${basename(file)} is damaged: ${why}. Use another backup.`, { more: { reason: why } })

/** What to say if a backup that was just written is damaged. */
export function notWhole(error: unknown): unknown {
  if (!(error instanceof Problem) || error.code !== DAMAGED) return error
  return new Problem(
    503,
    'backup_failed',
    `No backup was made: what was written is not whole (${error.more?.reason}). Either the database itself or the disk is damaged: keep the backups that there are, and check both.`,
  )
}

/**
 * Runs the job, whose errors of files become Problems: what cannot be read or written, and what to do. `folder` is where
 * the job writes.
 */
export function withFiles<T>(what: string, folder: string, job: () => T): T {
  try {
    return job()
  } catch (error) {
    throw fileProblem(what, folder, error)
  }
}

function fileProblem(what: string, folder: string, error: unknown): unknown {
  if (error instanceof Problem) return error
  const { code, syscall, path } = error as NodeJS.ErrnoException
  if (isFull(error) || failureOf(error) === 'full')
    return new Problem(
      503,
      'storage_full',
      `${what} failed: the disk of ${folder} is full. Nothing of it was left there. Free some space, or choose another folder.`,
    )
  if (failureOf(error) === 'failed')
    return new Problem(
      503,
      'files_failed',
      `${what} failed (${reasonOf(error)}). Check the disks, and the owner of the folder.`,
    )
  if (syscall === undefined) return storageProblem(error)
  const of = path === undefined ? '' : `: ${path}`
  return new Problem(
    503,
    'files_failed',
    `${what} failed (${code}${of}). Check that the folder is there, and its owner.`,
  )
}
