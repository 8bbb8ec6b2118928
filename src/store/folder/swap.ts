import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateFolder, syncFolder } from './key-file.ts'
import { lockRestore } from './lock.ts'

// How the files of a restored backup take the place of those in a data folder. The folder itself stays, since it may be a
// mount point, and everything stays on one file system. The swap begins with one rename, of a folder with all new files;
// from then on it is completed by whoever opens the data folder next.

/** Moves a file or a folder; tests interrupt it. */
type Rename = (from: string, to: string) => void

/** The new files, once they are complete. */
const STAGED = 'restored.part'
/** In there: the name of the folder for the old files. */
const ASIDE = 'aside'
const DATABASE = 'dealbox.db'
/** What belongs to a database: it must never be beside another one. */
const OF_DATABASE = [
  ...['dealbox.db-wal', 'dealbox.db-shm', 'dealbox.db-journal'],
  '.dealbox.db-litestream', // Litestream takes its place as that of this database, and sends nothing of another one
  DATABASE,
]
/**
 * Puts the files of a folder, which must be on the same file system and synced, in the place of those of the data folder.
 * The old ones are moved into a new folder in there, whose path is returned; undefined if there are none.
 */
export function swapIn(
  dataDir: string,
  files: string,
  asideName: string,
  rename: Rename = renameSync,
): string | undefined {
  const aside = freeName(dataDir, asideName)
  writeFileSync(join(files, ASIDE), aside, { flush: true })
  syncFolder(files)
  rename(files, join(dataDir, STAGED))
  syncFolder(dataDir)
  finishSwap(dataDir, rename)
  return existsSync(join(dataDir, aside)) ? join(dataDir, aside) : undefined
}

/** Completes a swap that was interrupted. Throws Problem 409 `restore_running` if another process does it right now. */
export function finishSwap(dataDir: string, rename: Rename = renameSync): void {
  const staged = join(dataDir, STAGED)
  if (!existsSync(staged)) return
  const release = lockRestore(dataDir)
  try {
    if (!existsSync(staged)) return // another process was faster
    if (existsSync(join(staged, DATABASE))) moveAll(dataDir, staged, rename)
    rmSync(staged, { recursive: true, force: true })
    syncFolder(dataDir)
  } finally {
    release()
  }
}

/**
 * The new database comes last: until then, the files of a database in the data folder are old ones, and so is any file that
 * is also among the new ones. So this can be interrupted anywhere, and begun again.
 */
function moveAll(dataDir: string, staged: string, rename: Rename): void {
  const aside = join(dataDir, readFileSync(join(staged, ASIDE), 'utf8'))
  const fresh = readdirSync(staged).filter((name) => name !== ASIDE && name !== DATABASE)
  for (const name of [...OF_DATABASE, ...fresh])
    if (existsSync(join(dataDir, name))) moveAside(dataDir, aside, name, rename)
  if (existsSync(aside)) syncFolder(aside) // some file systems keep a move only where it went
  syncFolder(dataDir)
  for (const name of [...fresh, DATABASE]) {
    rename(join(staged, name), join(dataDir, name))
    syncFolder(dataDir)
  }
}

function moveAside(dataDir: string, aside: string, name: string, rename: Rename): void {
  createPrivateFolder(aside) // which is on the disk before anything is moved into it
  rename(join(dataDir, name), join(aside, name))
}

function freeName(dataDir: string, name: string): string {
  let free = name
  for (let count = 2; existsSync(join(dataDir, free)); count++) free = `${name}-${count}`
  return free
}
