import { HOUR_MS } from '../../lib/time.ts'
import { ENDED } from '../backup/begun.ts'
import { MEMORY_SHORT } from '../backup/encryption/memory.ts'
import { type PlaceLabel, standingOf } from '../backup/standing.ts'
import type { BackupState } from '../backup/state.ts'
import { type Passed, warning } from './finding.ts'

/** One night may be missed, as by a machine that is off. */
export const MAX_BACKUP_AGE_MS = 36 * HOUR_MS

/** `lacking`: since when there should be one if there is none. */
export function backupCheck({ last, failure, drill }: BackupState, now: number, lacking: () => number): Passed {
  const made = last ? Date.parse(last.made_at) : lacking()
  const age = Math.max(0, now - made)
  const found = last ? { age_s: Math.floor(age / 1000) } : {}
  const where = 'the log of the server says why, and so does "dealbox backup"'
  if (failure && SAYS_ALL.includes(failure.code)) return { status: 'warn', detail: failure.message, ...found }
  if (failure) return { status: 'warn', detail: `No backup could be made since ${failure.since}; ${where}.`, ...found }
  if (age > MAX_BACKUP_AGE_MS)
    return { status: 'warn', detail: last ? oldBackup(last.made_at, age) : NO_BACKUP, ...found }
  if (drill?.error) return { status: 'warn', detail: BAD_DRILL, ...found }
  return last ? { status: 'pass', ...found } : { status: 'pass', detail: NO_BACKUP }
}

/** No place is named: where the copies are is nobody's business. */
export function copiesCheck(state: BackupState, places: readonly PlaceLabel[], now: number): Passed {
  const found = standingOf(state, places)
  const oldest = Math.min(...found.map(({ made }) => made ?? Number.POSITIVE_INFINITY))
  const earliest = now - MAX_BACKUP_AGE_MS
  const named = (all: typeof found) => all.map(({ label }) => label).join(', ')
  const failing = found.filter(({ isFailing }) => isFailing)
  const rest = found.filter(({ isFailing }) => !isFailing)
  const none = state.last ? rest.filter(({ made }) => made === undefined) : [] // the first one comes with the first backup
  const old = rest.filter(({ made }) => made !== undefined && made < earliest)
  const finding = warning('"dealbox doctor" shows the reasons, and "dealbox backup" copies one now.', [
    failing.length > 0 && `the last copy failed to ${named(failing)}`,
    none.length > 0 && `there is no copy yet at ${named(none)}`,
    old.length > 0 && `the last copy is older than 36 hours at ${named(old)}`,
  ])
  if (!Number.isFinite(oldest)) return finding
  return { ...finding, age_s: Math.floor(Math.max(0, now - oldest) / 1000) }
}

/** Failures whose message names no place. */
const SAYS_ALL = [ENDED, MEMORY_SHORT]
const NO_BACKUP = 'No backup has been made yet.'
const BAD_DRILL =
  'The restore drill of a backup failed; the log of the server says why. Make another one with "dealbox backup", which the server then tries.'

const oldBackup = (at: string, age: number): string =>
  `The last good backup is of ${at}, ${Math.floor(age / HOUR_MS)} hours ago.`
