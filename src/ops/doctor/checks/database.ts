import { sizeText } from '../../../lib/size.ts'
import { emptyLog } from '../../../store/checkpoint.ts'
import { replicationRow } from '../../../store/replication.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import { LARGE_LOG, longLog } from '../../monitoring/judges/folder.ts'
import { type Finding, fail, pass, some, warn } from '../finding.ts'
import { danglingReferences, databaseBytes, logBytes, storedFormat } from '../inspect/inspect.ts'
import { logFault } from '../inspect/log-frames.ts'
import { hasOtherStatistics, resetStatistics, schemaDrift } from '../inspect/shape.ts'
import { howToRestore, type Patient } from '../patient.ts'

const dbOf = ({ database }: Patient): Database => database.db as Database

/** Whether this version can use it, and whether its pages are whole. */
export function database(patient: Patient): Finding {
  const { problem, db } = patient.database
  if (problem && !db) return refused(patient)
  const errors = patient.pageErrors()
  const isOfSearch = patient.isSearchDamaged()
  if (errors.length > 0 && !isOfSearch)
    return fail(`The database is damaged: ${some(errors, 3)}.`, howToRestore(patient))
  if (problem) return refused(patient)
  const but = isOfSearch ? 'whole but for its search' : 'whole'
  const how = patient.isFull ? 'all pages and indexes' : 'all pages; --full also compares the indexes'
  return pass(`The database (${sizeText(databaseBytes(patient.dataDir))}) is ${but} (${how}).`)
}

/** By the code of the problem; anything else is a reason to restore. */
const ADVICE: Record<string, string> = {
  newer_schema:
    'To go back to this version, restore the backup that was made before the update with "dealbox restore".',
  other_schema: 'Keep this folder as it is until the new one is complete.',
  no_database: 'Name the data folder with --data.',
  database_empty: 'Start the server, or use "dealbox init".',
  cannot_open: 'Run this command as the user of the server, or with --fix as root.',
  busy: 'Try again in a moment.',
  foreign_log: 'Make a copy of the folder first: what is in the log is nowhere else.',
  no_shared_memory: 'Stop the server, copy the data folder to such a disk, and name that with --data.',
  storage_failed:
    'Look into the log of the operating system for errors of the disk, and copy the data folder to another one.',
}

function refused(patient: Patient): Finding {
  const { code, message } = patient.database.problem as NonNullable<Patient['database']['problem']>
  return (code === 'database_empty' ? warn : fail)(message, ADVICE[code] ?? howToRestore(patient))
}

export function foreignKeys(patient: Patient): Finding {
  const found = danglingReferences(dbOf(patient))
  if (found.length === 0) return pass('All references are valid.')
  const rows = found.map(({ table, target, count }) => `${count} of ${table} to ${target}`)
  return fail(
    `Rows refer to others that do not exist: ${some(rows)}.`,
    `The database was changed by another program, or is damaged. ${howToRestore(patient)}`,
  )
}

export function format(patient: Patient): Finding {
  const { journal_mode, encoding, page_size } = storedFormat(dbOf(patient))
  const text = `journal_mode ${journal_mode}, encoding ${encoding}, page_size ${page_size}`
  if (encoding !== 'UTF-8') return fail(`${text}: the encoding must be UTF-8.`, howToRestore(patient))
  if (journal_mode === 'wal') return pass(`${text}.`)
  return warn(
    `${text}: the journal mode should be wal; another program has changed it.`,
    'Start the server, which sets it. Open the database with other programs for reading only.',
  )
}

/** Nothing else looks for tables and indexes that somebody has changed. */
export function schema(patient: Patient): Finding {
  const drift = schemaDrift(dbOf(patient))
  if (drift.length === 0) return pass('The tables are those of this version.')
  return fail(
    `The tables are not those of this version: ${some(drift)}.`,
    'They were changed by another program. Undo that, or restore a backup; or move the data to a new folder with "dealbox export" and "dealbox import".',
  )
}

export function statistics(patient: Patient): Finding {
  if (!hasOtherStatistics(dbOf(patient))) return pass('Queries are planned with the fixed statistics.')
  return warn(
    'The statistics by which SQLite plans queries were changed, as by ANALYZE: queries may become slow.',
    'Use "dealbox doctor --fix", and restart the server.',
    {
      runOn({ transaction, db }) {
        transaction(() => resetStatistics(db))
        return 'Restored the statistics for the planner.'
      },
    },
  )
}

export function log(patient: Patient): Finding {
  const {
    dataDir,
    isServed,
    database: { db, isCurrent },
  } = patient
  const bytes = logBytes(dataDir)
  const size = `The write-ahead log has ${sizeText(bytes)}`
  if (isServed) {
    return bytes > LARGE_LOG ? longLog(bytes) : pass(`${size}.`)
  }
  if (bytes === 0) return pass('The write-ahead log is empty.')
  const fault = logFault(dataDir)
  if (fault !== undefined)
    return fail(
      fault,
      `Copy ${dataDir} before anything else opens it: the next start drops that part. Compare with the newest backup, and check the disk.`,
    )
  if (db && isCurrent && replicationRow(db).read().is_replicated)
    return pass(`${size}. Litestream copies it, and empties it.`)
  return warn(
    `${size}, though no server runs: the last one did not stop by itself. Nothing is lost.`,
    'Keep this file with the database: it contains the last changes. The next start, or "dealbox doctor --fix", copies them into the database.',
    {
      isAlone: true,
      runOn({ db }) {
        emptyLog(db)
        return 'Copied the write-ahead log into the database.'
      },
    },
  )
}
