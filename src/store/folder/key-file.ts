import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { HOUR_MS } from '../../lib/time.ts'

// Keys are files in a folder beside the database, readable by their owner only (0600).

const FOLDER = 'keys'
/** The keys that sign tokens by their ids, that of stored secrets, and that of the cursors of lists. */
const KEY_FILE = /^(?:[0-9a-f]{16}\.pem|(?:secrets|cursor)\.key)$/
const TEMPORARY = /^\.[0-9a-f-]{36}\.tmp$/
/** Younger ones may belong to a process that is still writing. */
const STALE_AFTER_MS = HOUR_MS
/** Error codes of file systems without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']
const FULL = ['ENOSPC', 'EDQUOT']

export const SECRET_BYTES = 32
export const SECRETS_KEY = 'secrets.key'

/**
 * Whether the content of a key file can be a secret: a crash of the machine may leave a file empty, or full of zeros.
 */
export const isSecret = (bytes: Buffer): boolean => bytes.length === SECRET_BYTES && bytes.some((byte) => byte !== 0)

export const keysFolder = (dataDir: string): string => join(dataDir, FOLDER)
export const keyPath = (dataDir: string, name: string): string => join(dataDir, FOLDER, name)

/** Whether a data folder has keys. They are only made with a database. */
export function hasKeys(dataDir: string): boolean {
  return keyFileNames(dataDir).length > 0
}

/** The names of all key files; other files in their folder, such as copies of a person, are none. */
export const keyFileNames = (dataDir: string): string[] =>
  filesOf(keysFolder(dataDir))
    .filter((name) => KEY_FILE.test(name))
    .sort()

/** Undefined if there is no such file. Throws Problem 409 if it cannot be read. */
export function readKeyFile(dataDir: string, name: string): Buffer | undefined {
  try {
    return readFileSync(keyPath(dataDir, name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Problem(
      409,
      'key_unreadable',
      `${FOLDER}/${name} cannot be read (${code}). Check its owner and permissions.`,
    )
  }
}

/**
 * Makes a key file, or keeps an existing one, possibly just made by another process. On return the file is complete and
 * survives a power cut, so that data which needs it can be committed. Throws Problem 503 `storage_full` or
 * `storage_failed`, and leaves nothing behind.
 */
export function makeKeyFile(dataDir: string, name: string, content: Buffer | string): void {
  write(dataDir, name, content, linkUnlessThere)
}

/** The same, replacing an unusable file. */
export function replaceKeyFile(dataDir: string, name: string, content: Buffer | string): void {
  write(dataDir, name, content, renameSync)
}

function write(
  dataDir: string,
  name: string,
  content: Buffer | string,
  place: (temporary: string, file: string) => void,
): void {
  const temporary = keyPath(dataDir, `.${randomUUID()}.tmp`)
  try {
    createPrivateFolder(keysFolder(dataDir))
    removeStaleFiles(dataDir)
    try {
      writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
      place(temporary, keyPath(dataDir, name))
    } finally {
      rmSync(temporary, { force: true })
    }
    syncFolder(keysFolder(dataDir))
  } catch (error) {
    throw unwritable(name, (error as NodeJS.ErrnoException).code)
  }
}

function linkUnlessThere(temporary: string, file: string): void {
  try {
    linkSync(temporary, file) // a rename would replace a key that another process has just made
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code)
    if (code === 'EEXIST') return
    if (!NO_LINKS.includes(code)) throw error
    if (!existsSync(file)) renameSync(temporary, file)
  }
}

/** Removes temporary files of interrupted writers. */
export function removeStaleFiles(dataDir: string): void {
  for (const name of staleFiles(dataDir)) removeKeyFile(dataDir, name)
}

/** Their names. */
export const staleFiles = (dataDir: string): string[] =>
  filesOf(keysFolder(dataDir)).filter((name) => {
    if (!TEMPORARY.test(name)) return false
    const found = statSync(keyPath(dataDir, name), { throwIfNoEntry: false })
    return found !== undefined && found.mtimeMs < Date.now() - STALE_AFTER_MS
  })

/** The names of signing keys that are not among those in use. */
export const orphanedKeyFiles = (dataDir: string, inUse: readonly string[]): string[] =>
  filesOf(keysFolder(dataDir)).filter((name) => name.endsWith('.pem') && KEY_FILE.test(name) && !inUse.includes(name))

/** The names of files in the folder of the keys that Dealbox did not put there. */
export const strangeFiles = (dataDir: string): string[] =>
  filesOf(keysFolder(dataDir)).filter((name) => !KEY_FILE.test(name) && !name.startsWith('.'))

export const removeKeyFile = (dataDir: string, name: string): void => rmSync(keyPath(dataDir, name), { force: true })

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return []
    throw error
  }
}

/** Makes a folder for its owner only, and missing parent folders; they survive a power cut. */
export function createPrivateFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  const top = dirname(resolve(first))
  let above = resolve(folder)
  do {
    above = dirname(above)
    syncFolder(above)
  } while (above !== top && above !== dirname(above))
}

/** Makes an empty file for its owner only, which SQLite fills: not every file system lets the mode of one be changed later. */
export const makePrivateFile = (file: string): void => closeSync(openSync(file, 'wx', 0o600))

/** Flushes the file names of a folder to the disk. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return // has no way to do this
  let descriptor: number | undefined
  try {
    descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
  } catch (error) {
    // A parent folder may not be readable, and some file systems cannot sync folders.
    if (!['EACCES', 'EINVAL'].includes(String((error as NodeJS.ErrnoException).code))) throw error
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function unwritable(name: string, code: string | undefined): Problem {
  const isFull = FULL.includes(String(code))
  const detail = isFull
    ? `There is no space on the disk for ${FOLDER}/${name}, and nothing was written. Free some space and try again.`
    : `${FOLDER}/${name} cannot be written (${code}), and nothing was written. Check the owner and permissions of the folder.`
  return new Problem(503, isFull ? 'storage_full' : 'storage_failed', detail, { headers: { 'Retry-After': '5' } })
}
