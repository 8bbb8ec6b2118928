import { hash, randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir, tmpdir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isSea } from 'node:sea'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { asset, packedAsset } from '../../assets.ts'
import { defineFunctions } from './functions.ts'
import { plannedOnce } from './parameters.ts'
import { prepareAtFirstUse } from './prepared.ts'

/** A prepared statement. The type of its results depends on the SQL. */
export type Statement = {
  run: (...values: unknown[]) => { changes: number; lastInsertRowid: number | bigint }
  get: (...values: unknown[]) => unknown
  all: (...values: unknown[]) => unknown[]
  iterate: (...values: unknown[]) => IterableIterator<unknown>
  /** Makes rows the value of their first column. */
  pluck: () => Statement
  /** Makes rows arrays of values. */
  raw: () => Statement
  /** Makes integers bigints. */
  safeIntegers: () => Statement
}

/** The methods of a database for all of the code. src/store has functions for everything else. */
export type Database = {
  /**
   * Each `?` is planned once for all values, see `plannedOnce`. SQLite reads the text at the first use of the statement:
   * an error in it is thrown there.
   */
  prepare: (sql: string) => Statement
  readonly inTransaction: boolean
  close: () => void
}

/** A database with the methods that only src/store uses. */
export type Connection = Database & {
  /** The name of its file, or ":memory:". */
  readonly name: string
  readonly open: boolean
  /** Instead of PRAGMA data_version, where others change the file past SQLite. */
  dataVersion?: () => unknown
  exec: (sql: string) => unknown
  pragma: (source: string, options?: { simple?: boolean }) => unknown
  /** Whether the tables that virtual tables keep may be written, and those of the schema. */
  unsafeMode?: (isUnsafe: boolean) => unknown
  function: (
    name: string,
    options: { deterministic?: boolean; directOnly?: boolean; varargs?: boolean },
    compute: (...values: unknown[]) => unknown,
  ) => unknown
  transaction: <Given extends unknown[], T>(
    job: (...given: Given) => T,
  ) => ((...given: Given) => T) & { immediate: (...given: Given) => T }
}

/** Only for src/store: the database as it was opened. */
export const connection = (db: Database): Connection => db as Connection

const loadedFrom = 'dealbox.sqlite-addon'
let addon: unknown

/** Opens a database with the addon in node_modules or, in the executable, with the embedded one. */
export function openSqlite(file: string, options: Sqlite.Options = {}): Connection {
  if (!isSea()) return extend(new Sqlite(file, options) as Connection)
  addon ??= loadAddon(file)
  // The library also accepts the loaded addon itself, which its types omit.
  return extend(new Sqlite(file, { ...options, nativeBinding: addon as string }) as Connection)
}

function extend(db: Connection): Connection {
  const { prepare } = db
  db.prepare = (sql) => prepareAtFirstUse(() => prepare.call(db, plannedOnce(sql)))
  return defineFunctions(db)
}

// An addon can only be loaded from a file, so it is written to a folder that no other user can change. The folder of
// the database comes before a temporary one, so that a service without a home directory writes its copy only once.
function loadAddon(file: string): unknown {
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
