import { hash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { asset, packedAsset } from '../../assets.ts'

const loadedFrom = 'dealbox.sqlite-addon'

/**
 * Loads the addon that the executable has in it, for the database in this file. An addon can only be loaded from a file, so
 * it is written to a folder that no other user can change. The folder of the database comes before a temporary one, so that
 * a service without a home directory writes its copy only once.
 */
export function loadAddon(file: string): unknown {
  const require = createRequire(process.execPath)
  // A worker loads the same file as the main thread: two copies of SQLite in one process break each other's locks.
  const loadedPath = getEnvironmentData(loadedFrom)
  if (typeof loadedPath === 'string') return require(loadedPath)

  const sha256 = asset('better-sqlite3.sha256').toString()
  const besideFile = () => join(dirname(resolve(file)), '.cache')
  const folders = file === ':memory:' ? [cacheFolder, temporaryFolder] : [cacheFolder, besideFile, temporaryFolder]
  const reasons: string[] = []
  for (const folder of folders) {
    try {
      const path = writeAddon(sha256, folder())
      const loaded = require(path)
      setEnvironmentData(loadedFrom, path)
      return loaded
    } catch (error) {
      reasons.push(`- ${(error as Error).message}`)
    }
  }
  throw new Error(
    `SQLite needs one folder that is private, writable and not mounted noexec; none of these is:\n${reasons.join('\n')}`,
  )
}

function cacheFolder(): string {
  const { LOCALAPPDATA, XDG_CACHE_HOME } = process.env
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'), 'dealbox', 'cache')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'dealbox')
  if (XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, 'dealbox')
  const home = homedir()
  if (!isAbsolute(home)) throw new Error(`HOME is "${home}", and must be the path of a folder`)
  return join(home, '.cache', 'dealbox')
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-'))
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Windows locks the file of a loaded addon.
    }
  })
  return folder
}

/** Writes the addon into the folder if it is missing, and returns its path. */
function writeAddon(sha256: string, folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!isPrivate(folder)) throw new Error(`${folder} can be changed by another user`)
  const path = join(folder, `${sha256}.node`)
  if (hasContent(path, sha256)) return path

  const written = join(folder, `${randomUUID()}.tmp`)
  try {
    writeFileSync(written, packedAsset('better-sqlite3.node'), { flag: 'wx', mode: 0o600 })
    renameSync(written, path)
  } catch (error) {
    rmSync(written, { force: true })
    // Windows refuses to replace a file that another start has just written and loaded.
    if (!hasContent(path, sha256)) throw error
  }
  return path
}

function isPrivate(folder: string): boolean {
  const { mode, uid } = lstatSync(folder)
  return !process.getuid || (uid === process.getuid() && (mode & 0o022) === 0)
}

function hasContent(path: string, sha256: string): boolean {
  try {
    return hash('sha256', readFileSync(path)) === sha256
  } catch {
    return false
  }
}
