import { readFileSync, statSync } from 'node:fs'
import { usage } from '../../../lib/problem.ts'
import { mountOf } from '../../../store/folder/mounts.ts'

const MAX_BYTES = 64 * 1024

/**
 * Others must not read it, nor may the group write it. The group may read: that is how the credentials of systemd look,
 * whose access list shows as the mode of the group.
 */
const FORBIDDEN_MODE = 0o027
const READ_BY_OTHERS = 0o005

/**
 * Reads the file of an option that contains a secret. Throws a usage Problem, which never repeats what it contains. One that
 * others may read is accepted where nobody can change that: so Docker and Kubernetes mount secrets, for one container.
 */
export function readSecretFile(option: string, file: string): string {
  const named = `${option} ${file}`
  try {
    const { mode, size } = statSync(file)
    const isOpen = process.platform !== 'win32' && (mode & FORBIDDEN_MODE) !== 0
    if (isOpen && !((mode & FORBIDDEN_MODE & ~READ_BY_OTHERS) === 0 && isMountedReadOnly(file)))
      throw usage(
        `${named} may be read or written by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it. A secret of Docker or Kubernetes is accepted as it is, on its read-only mount.`,
      )
    if (size > MAX_BYTES) throw usage(`${named} is too large for a file with a secret.`)
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '') // the mark of some editors
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'usage') throw error
    throw usage(`${named} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}.`)
  }
}

const isMountedReadOnly = (file: string): boolean => mountOf(file)?.options.includes('ro') === true
