import { Problem } from '../lib/problem.ts'
import { failureOf, isWithoutMemory, reasonOf } from '../store/sqlite/failures.ts'

/** For who has no log to look into: what SQLite or the system says, in a sentence. */
export function sentenceOf(error: unknown): unknown {
  const { code, syscall, path, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (error instanceof Problem) {
    if (!failureOf(cause) || isWithoutMemory(cause)) return error
    const text = error.message.replace(/(;|\.)? ?the log of the server has the reason\.$|\.$/i, '')
    error.message = `${text} (${reasonOf(cause)}).`
    return error
  }
  if (syscall === undefined || !FILE_CODES.test(String(code))) return error
  const of = path === undefined ? '' : ` ${path}`
  return new Problem(
    503,
    'files_failed',
    `A file could not be used:${of} (${syscall}: ${code}). ${HINTS[String(code)] ?? 'Check the disk, and the owner and permissions of the folder.'}`,
  )
}

/** What goes wrong with files; a stack would help nobody. */
const FILE_CODES =
  /^(EPERM|EACCES|EROFS|EIO|ENOSPC|EDQUOT|ENOTSUP|EOPNOTSUPP|ENOSYS|ESTALE|ENODEV|ENXIO|ENOTDIR|EISDIR|ENAMETOOLONG|EMFILE|ENFILE|ELOOP|EXDEV|EBUSY|EFBIG|EILSEQ)$/
const HINTS: Record<string, string> = {
  EROFS: 'It is mounted for reading only.',
  ENOSPC: 'The disk is full.',
  EDQUOT: 'The quota of the user is used up.',
  EPERM: 'The file system or its mount does not permit that, or the owner is another one.',
}
