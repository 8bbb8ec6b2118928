import { backUpFirst } from '../backup/before-migration.ts'
import type { Log } from '../http/log.ts'
import { emptyLog } from '../store/checkpoint.ts'
import type { Failure } from '../store/failures.ts'
import type { FailureReport } from '../store/health.ts'
import { type OpenOptions, openStore, type Store } from '../store/open.ts'
import { diskReserve } from '../store/reserve.ts'

const MESSAGES: Record<Failure, string> = {
  damaged: 'the database is damaged, and nothing is written any more: stop the server and restore a backup',
  full: 'the disk is full: reads and deletions still work, and other writes resume when there is space',
  locked: 'another process holds the database',
  failed: 'the storage failed',
}

/** Opens the store of a server, which allows reads and deletions even on a full disk, and logs storage failures. */
export function openServedStore(dataDir: string, backupDir: string, log: Log, measure?: OpenOptions['measure']): Store {
  const reserve = diskReserve(dataDir)

  function report({ failure, err, omitted }: FailureReport): void {
    log[failure === 'locked' ? 'warn' : 'error']({ failure, omitted, err }, MESSAGES[failure])
  }

  const reportSpace = () => log.warn('there is space on the disk again, and writes resume')
  const beforeMigration = backUpFirst(dataDir, backupDir, (backup, { from, to }) =>
    log.warn({ backup, from, to }, 'the database is migrated to a newer schema; this backup is from before'),
  )
  const store = openStore(dataDir, { neverSleeps: true, reserve, report, reportSpace, measure, beforeMigration })

  function close(): void {
    try {
      emptyLog(store.db)
    } catch (error) {
      store.health.note(error) // the write-ahead log stays for the next start
    }
    const isDiskFull = store.health.isDiskFull()
    store.close()
    if (isDiskFull) reserve.allocateWhatFits()
  }

  return { ...store, close }
}
