import { rfc3339 } from '../../../lib/time.ts'
import { isOfFuture } from '../../backup/retention.ts'
import { lackingSince } from '../../backup/sending.ts'
import { lastBackup } from '../../backup/state.ts'
import { backupTroubles, HOW } from '../../monitoring/judges/backup.ts'
import { type Finding, fail, some, together, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

export function backups(patient: Patient): Finding {
  const { backups: all, backupDir, dataDir, now } = patient
  const [newest] = all
  const ageMs = now() - (newest?.made ?? lacking(patient))
  const { late, failed, drill } = backupTroubles({ ...lastBackup(dataDir), newest, ageMs, folder: backupDir })
  const found = [unusable(patient) ?? late, failed, drill].filter((each) => each !== undefined)
  return together(found, newest ? well(newest) : `There is no backup in ${backupDir} yet; the first is made at night.`)
}

/** Since when there should be a backup; a database that does not say so lacks one for ever. */
const lacking = ({ database: { db, isCurrent }, dataDir }: Patient): number =>
  db && isCurrent ? lackingSince(db, dataDir) : Number.NEGATIVE_INFINITY

const well = ({ path, made }: Patient['backups'][number]): string =>
  `The newest backup is ${path}, of ${rfc3339(made)}. "dealbox verify" checks it.`

/** Why the newest is none, whenever it was made. */
function unusable({ backups: [newest], now }: Patient): Finding | undefined {
  if (!newest) return undefined
  if (isOfFuture(newest.made, now()))
    return warn(
      `${newest.path} is dated in the future: it was made while the clock was wrong, and there is no other.`,
      HOW,
    )
  const lacking = newest.lacks()
  if (lacking.length === 0) return undefined
  return fail(
    `${newest.path}, the newest backup, cannot be restored: it lacks ${some(lacking)}.`,
    'Restore the missing files in keys/ from an older backup, and make a new one with "dealbox backup".',
  )
}
