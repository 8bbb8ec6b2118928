import { DAY_MS, HOUR_MS, rfc3339 } from '../../../lib/time.ts'
import { isOfFuture } from '../../backup/retention.ts'
import { lackingSince } from '../../backup/sending.ts'
import { lastBackup } from '../../backup/state.ts'
import { type Finding, fail, pass, some, together, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

/** A backup is made each night: an older one means that the last night's is missing. */
export const LATE_MS = 36 * HOUR_MS
export const OLD_MS = 7 * DAY_MS
const HOW = 'Make one with "dealbox backup", and look into the log of the server for why it made none.'

export function backups(patient: Patient): Finding {
  const { failure, drill } = lastBackup(patient.dataDir)
  const failed = failure && warn(`The last backup failed at ${failure.at}: ${failure.message}`, HOW)
  const unusable = drill?.error && fail(`The restore drill of ${drill.file} failed at ${drill.at}: ${drill.error}`, HOW)
  return together([age(patient), ...(failed ? [failed] : []), ...(unusable ? [unusable] : [])], age(patient).detail)
}

function age({ backups: all, backupDir, dataDir, now, database }: Patient): Finding {
  const [newest] = all
  if (newest && isOfFuture(newest.made, now()))
    return warn(
      `${newest.path} is dated in the future: it was made while the clock was wrong, and there is no other.`,
      HOW,
    )
  const lacking = newest?.lacks() ?? []
  if (newest && lacking.length > 0)
    return fail(
      `${newest.path}, the newest backup, cannot be restored: it lacks ${some(lacking)}.`,
      'Restore the missing files in keys/ from an older backup, and make a new one with "dealbox backup".',
    )
  if (newest) return judged(now() - newest.made, `The newest backup is ${newest.path}, of ${rfc3339(newest.made)}`)
  const none = `There is no backup in ${backupDir}`
  const ageMs =
    database.db && database.isCurrent ? now() - lackingSince(database.db, dataDir) : Number.POSITIVE_INFINITY
  return ageMs < LATE_MS ? pass(`${none} yet; the first is made at night.`) : warn(`${none}.`, HOW)
}

export function judged(ageMs: number, text: string): Finding {
  if (ageMs > OLD_MS) return fail(`${text}, more than a week ago.`, HOW)
  if (ageMs > LATE_MS) return warn(`${text}: that of the last night is missing.`, HOW)
  return pass(`${text}. "dealbox verify" checks it.`)
}
