import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import { backUpFirst } from '../../ops/backup/before-migration.ts'
import type { Encryption } from '../../ops/backup/encryption/secrets.ts'
import { emptyLog } from '../../store/checkpoint.ts'
import { watchSpace } from '../../store/folder/disk-space.ts'
import { refuseForeignLog } from '../../store/folder/foreign-log.ts'
import { diskReserve } from '../../store/folder/reserve.ts'
import type { FailureReport } from '../../store/health.ts'
import { DATABASE, type OpenOptions, openStore, type Store } from '../../store/open.ts'
import type { Versions } from '../../store/schema/migrations.ts'
import type { Failure } from '../../store/sqlite/failures.ts'

const MESSAGES: Record<Failure, string> = {
  damaged:
    'the database is damaged, and nothing is written any more: stop the server and restore a backup; "dealbox doctor" says which, and how',
  full: 'the disk is full: reads and deletions still work, and other writes resume when there is space',
  low: 'the disk has less free space than --min-free: reads and deletions still work, and other writes resume when there is more',
  locked: 'another process holds the database',
  failed: 'the storage failed',
}

const LONG_LOG =
  'the write-ahead log is not emptied by Litestream, so Dealbox tries to: look whether Litestream runs. If it does not, it copies the whole database when it starts again'

const MIGRATED = 'the database is migrated to a newer schema; this backup is from before'
const MIGRATED_AGAIN =
  'the database is migrated to a newer schema once more; this backup from before the last attempt still has all of it'

type ServedOptions = Pick<OpenOptions, 'measure' | 'fence' | 'wall'> & {
  /** Where the backup before a migration goes. */
  backupDir: string
  /** Of that backup. */
  encryption?: Encryption | undefined
  /** In bytes; 0 is none, and undefined the default. */
  minFree?: number | undefined
  /** Whether Litestream does the checkpoints. */
  isReplicated?: boolean | undefined
}

/** Logs storage failures. `lastSpace` is what to log of a disk that has little space. */
export function reportFailures(log: Log, lastSpace: () => object = () => ({})): (report: FailureReport) => void {
  return ({ failure, err, omitted }) => {
    const more = failure === 'low' ? lastSpace() : { err }
    log[failure === 'locked' ? 'warn' : 'error']({ failure, omitted, ...more }, MESSAGES[failure])
  }
}

/** Opens the store of a server, which allows reads and deletions even on a full disk, and logs storage failures. */
export function openServedStore(dataDir: string, log: Log, options: ServedOptions): Store {
  const { backupDir, encryption, minFree, measure, fence, wall = Date.now, isReplicated = false } = options
  refuseForeignLog(join(dataDir, DATABASE))
  const reserve = diskReserve(dataDir)
  const space = watchSpace(dataDir, { minFree })

  const report = reportFailures(log, () => {
    const { freeBytes: free_bytes, minFreeBytes: min_free_bytes } = space.last()
    return { free_bytes, min_free_bytes }
  })

  const reportSpace = () => log.warn('there is space on the disk again, and writes resume')
  const tell = (backup: string, { from, to }: Versions, isAgain: boolean) =>
    log.warn({ backup, from, to }, isAgain ? MIGRATED_AGAIN : MIGRATED)
  const beforeMigration = backUpFirst({ dataDir, folder: backupDir, encryption, isLast: true, tell })
  const onLongLog = (bytes: number) => log.warn({ bytes }, LONG_LOG)
  const served = { neverSleeps: true, reserve, space, report, reportSpace }
  // Whoever serves must not be able to block: see `CommandStore`.
  const { transaction: _, ...store } = openStore(dataDir, {
    ...served,
    fence,
    wall,
    measure,
    beforeMigration,
    isReplicated,
    onLongLog,
  })

  function close(): void {
    try {
      if (!isReplicated) emptyLog(store.db)
    } catch (error) {
      store.health.note(error) // the write-ahead log stays for the next start
    }
    const isDiskFull = store.health.isDiskFull()
    store.close()
    if (isDiskFull) reserve.allocateWhatFits()
  }

  return { ...store, close }
}
