import { HOUR_MS, rfc3339 } from '../../../lib/time.ts'
import { copiedBackup } from '../../backup/standing.ts'
import { type BackupState, lastBackup } from '../../backup/state.ts'
import { counted, type Finding, fail, pass, together, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'
import { LATE_MS, OLD_MS } from './backups.ts'

const RETRY = 'The server tries it again every hour; "dealbox backup" with the same options does it now.'
const UNUSED = 'Look whether the server runs with that place. One that is not used is forgotten after 30 days.'
/** A server tries a place each night. */
const UNTRIED_MS = LATE_MS + HOUR_MS

/** How the copies of backups stand at other places, as far as this data folder knows. */
export function copies({ dataDir, now }: Patient): Finding {
  const { copies = [] } = lastBackup(dataDir)
  if (copies.length === 0)
    return pass('No backup was copied to another place: --backup-copy-to and --backup-s3 of "dealbox serve" do that.')
  const found = copies.map((copy) => judgedCopy(copy, now()))
  return together(found, `${counted(copies.length, 'place has', 'places have')} a copy of the newest backup.`)
}

export function judgedCopy(copy: NonNullable<BackupState['copies']>[number], now: number): Finding {
  const { place, tried_at, error } = copy
  const made = copiedBackup(copy)
  const last = made === undefined ? 'It has no copy.' : `Its last copy is of ${rfc3339(made)}.`
  if (now - Date.parse(tried_at) > UNTRIED_MS)
    return warn(`Nothing was copied to ${place} since ${tried_at}. ${last}`, UNUSED)
  const ageMs = made === undefined ? Number.POSITIVE_INFINITY : now - made
  if (error !== null)
    return (ageMs > OLD_MS ? fail : warn)(`The copy to ${place} failed at ${tried_at}: ${error} ${last}`, RETRY)
  return ageMs > LATE_MS ? warn(`The copy at ${place} is old. ${last}`, RETRY) : pass(`${place} has a copy.`)
}
