import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../lib/problem.ts'
import { createPrivateFolder, syncFolder } from '../../store/folder/key-file.ts'
import { lockInstance } from '../../store/folder/lock.ts'
import { isCopy, isPromoting } from '../../store/folder/marks.ts'
import { finishSwap, swapIn } from '../../store/folder/swap.ts'
import { type CommandStore, DATABASE } from '../../store/open.ts'
import { refuseIfOpen } from './database.ts'
import { formerPrimary, goOnAs } from './former-primary.ts'
import { stampOf } from './names.ts'
import { openRestored } from './open-restored.ts'
import { withFiles } from './problems.ts'
import { pauseSending } from './sending.ts'
import { unpacked, type Verified, workingFolder } from './verify.ts'

export type RestoreOptions<T> = {
  file: string
  dataDir: string
  /** Epoch milliseconds. */
  now: number
  /** Does all but to replace the data folder. */
  dryRun: boolean
  /** Reads what the restored copy contains. */
  describe: (store: CommandStore, dataDir: string) => T
}

export type Restored<T> = Verified & {
  described: T
  /** Where the files are that were in the data folder before; null if there were none. */
  aside: string | null
  /** Which primary the restored database is of; null in a dry run. */
  epoch: number | null
  /** Whether the folder had the database of that primary: otherwise nobody can say whether a later one was promoted. */
  isEpochKnown: boolean
}

/**
 * Replaces the database, the keys and the settings of a data folder by those of a backup. All of it is prepared in a folder
 * beside, checked, migrated and opened, before anything is replaced; what is replaced is moved into a folder of its own. The
 * restored copy sends nothing until `resumeSending`. Throws Problem and changes nothing if the backup is damaged or newer,
 * or if a server or command uses the data folder.
 */
export function restoreBackup<T>(options: RestoreOptions<T>): Restored<T> {
  const { dataDir, dryRun } = options
  return withFiles(`Restoring into ${dataDir}`, dryRun ? workingFolder(options.file) : dataDir, () => {
    const isNew = !existsSync(dataDir)
    if (isNew && dryRun) return replace(options)
    createPrivateFolder(dataDir)
    try {
      return whileNobodyUses(dataDir, () => replace(options))
    } catch (error) {
      if (isNew) removeUnused(dataDir)
      throw error
    }
  })
}

/** Removes a folder that contains nothing but the files that lock it. */
function removeUnused(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((each) => each.endsWith('.lock'))) rmSync(join(dataDir, name))
  try {
    rmdirSync(dataDir)
  } catch {
    // Something was restored into it.
  }
}

function whileNobodyUses<T>(dataDir: string, job: () => T): T {
  const release = lockInstance(dataDir)
  try {
    finishSwap(dataDir)
    refuseIfOpen(join(dataDir, DATABASE))
    return job()
  } finally {
    release()
  }
}

function replace<T>({ file, dataDir, now, dryRun, describe }: RestoreOptions<T>): Restored<T> {
  const database = join(dataDir, DATABASE)
  if (isCopy(database) || isPromoting(database)) throw ofReader(dataDir)
  const former = dryRun ? undefined : formerPrimary(dataDir)
  return unpacked(file, dryRun ? workingFolder(file) : dataDir, (staged, verified) => {
    const restored = openRestored(file, staged, verified.manifest, (store) => {
      const epoch = goOnAs(former, store)
      return { epoch, described: describe(store, staged), isEpochKnown: epoch === former?.epoch }
    })
    if (dryRun) return { ...verified, ...restored, aside: null, epoch: null }
    pauseSending(staged)
    syncAll(staged)
    return { ...verified, ...restored, aside: swapIn(dataDir, staged, `before-restore-${stampOf(now)}`) ?? null }
  })
}

/** What Litestream has noted beside the copy would be taken for the position of what is restored. */
const ofReader = (dataDir: string): Problem =>
  new Problem(
    409,
    'is_a_copy',
    `${dataDir} has a copy that follows a primary. Restore into the folder of the primary, or into another one.`,
  )

/** Flushes all files of a folder to the disk. */
function syncAll(folder: string): void {
  for (const found of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name)
    if (found.isDirectory()) syncFolder(path)
    else {
      const file = openSync(path, 'r+')
      fsyncSync(file)
      closeSync(file)
    }
  }
  syncFolder(folder)
}
