import { readFileSync, statSync } from 'node:fs'
import { usage } from '../../config.ts'

const MAX_BYTES = 64 * 1024

/**
 * Others must not read it, nor may the group write it. The group may read: that is how the credentials of systemd look,
 * whose access list shows as the mode of the group.
 */
const FORBIDDEN_MODE = 0o027

/** Reads the file of an option that contains a secret. Throws a usage Problem, which never repeats what it contains. */
export function readSecretFile(option: string, file: string): string {
  const named = `${option} ${file}`
  try {
    const { mode, size } = statSync(file)
    const isOpen = process.platform !== 'win32' && (mode & FORBIDDEN_MODE) !== 0
    if (isOpen)
      throw usage(`${named} may be read or written by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it.`)
    if (size > MAX_BYTES) throw usage(`${named} is too large for a file with a secret.`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'usage') throw error
    throw usage(`${named} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}.`)
  }
}
