import { HOUR_MS, rfc3339 } from '../../../lib/time.ts'
import { copiedBackup, type PlaceLabel, standingOf } from '../../backup/standing.ts'
import type { BackupState } from '../../backup/state.ts'
import { LATE_MS, OLD_MS } from './backup.ts'
import { type Passed, type Trouble, warning } from './finding.ts'

/** A server tries a place each night. */
const UNTRIED_MS = LATE_MS + HOUR_MS

/** How the copies stand at the places of this server. No place is named: where they are is nobody's business. */
export function copiesCheck(state: BackupState, places: readonly PlaceLabel[], now: number): Passed {
  const found = standingOf(state, places)
  const oldest = Math.min(...found.map(({ made }) => made ?? Number.POSITIVE_INFINITY))
  const named = (all: typeof found) => all.map(({ label }) => label).join(', ')
  const failing = found.filter(({ isFailing }) => isFailing)
  const rest = found.filter(({ isFailing }) => !isFailing)
  const none = state.last ? rest.filter(({ made }) => made === undefined) : [] // the first one comes with the first backup
  const old = rest.filter(({ made }) => made !== undefined && now - made > LATE_MS)
  const finding = warning('"dealbox doctor" shows the reasons, and "dealbox backup" copies one now.', [
    failing.length > 0 && `the last copy failed to ${named(failing)}`,
    none.length > 0 && `there is no copy yet at ${named(none)}`,
    old.length > 0 && `the last copy is older than 36 hours at ${named(old)}`,
  ])
  if (!Number.isFinite(oldest)) return finding
  return { ...finding, age_s: Math.floor(Math.max(0, now - oldest) / 1000) }
}

/** What is not well about the copy at one place, whether this server uses it or an earlier one did. */
export function copyTrouble(copy: NonNullable<BackupState['copies']>[number], now: number): Trouble | undefined {
  const { place, tried_at, error } = copy
  const made = copiedBackup(copy)
  const last = made === undefined ? 'It has no copy.' : `Its last copy is of ${rfc3339(made)}.`
  if (now - Date.parse(tried_at) > UNTRIED_MS)
    return { status: 'warn', detail: `Nothing was copied to ${place} since ${tried_at}. ${last}`, advice: UNUSED }
  const ageMs = made === undefined ? Number.POSITIVE_INFINITY : now - made
  const status = error !== null && ageMs > OLD_MS ? 'fail' : 'warn'
  if (error !== null)
    return { status, detail: `The copy to ${place} failed at ${tried_at}: ${error} ${last}`, advice: RETRY }
  if (made === undefined) return { status, detail: `There is no copy yet at ${place}.`, advice: RETRY }
  return ageMs > LATE_MS ? { status, detail: `The copy at ${place} is old. ${last}`, advice: RETRY } : undefined
}

const RETRY = 'The server tries it again every hour; "dealbox backup" with the same options does it now.'
const UNUSED = 'Look whether the server runs with that place. One that is not used is forgotten after 30 days.'
