import { DAY_MS, HOUR_MS, rfc3339 } from '../../../lib/time.ts'
import { ENDED } from '../../backup/begun.ts'
import { MEMORY_SHORT } from '../../backup/encryption/memory.ts'
import type { BackupState } from '../../backup/state.ts'
import { type Passed, type Trouble, warned } from './finding.ts'

/** A backup is made each night. One may be missed, as by a machine that is off. */
export const LATE_MS = 36 * HOUR_MS
export const OLD_MS = 7 * DAY_MS

type Facts = Pick<BackupState, 'failure' | 'drill'> & {
  newest: { path: string; made: number } | undefined
  /** Of the newest; without one, since when there should be one. */
  ageMs: number
  /** Where there is none, where that is known. */
  folder?: string
}

/** What is not well about backups, of each kind by itself. */
export function backupTroubles({ newest, ageMs, folder, failure, drill }: Facts) {
  return {
    failed: failure ? failed(failure) : undefined,
    late: ageMs > LATE_MS ? (newest ? late(newest, ageMs) : none(folder)) : undefined,
    drill: drill?.error ? badDrill(drill) : undefined,
  }
}

function failed({ code, message, since, at }: NonNullable<BackupState['failure']>): Trouble {
  const detail = `The last backup failed at ${at}: ${message}`
  const where = 'the log of the server says why, and so does "dealbox backup"'
  const open = SAYS_ALL.includes(code) ? message : `No backup could be made since ${since}; ${where}.`
  return { status: 'warn', detail, advice: HOW, open }
}

function late({ path, made }: NonNullable<Facts['newest']>, ageMs: number): Trouble {
  const text = `The newest backup is ${path}, of ${rfc3339(made)}`
  const open = `The last good backup is of ${rfc3339(made)}, ${Math.floor(ageMs / HOUR_MS)} hours ago.`
  if (ageMs > OLD_MS) return { status: 'fail', detail: `${text}, more than a week ago.`, advice: HOW, open }
  return { status: 'warn', detail: `${text}: that of the last night is missing.`, advice: HOW, open }
}

function none(folder: string | undefined): Trouble {
  const detail = `There is no backup${folder === undefined ? '' : ` in ${folder}`}.`
  return { status: 'warn', detail, advice: HOW, open: NO_BACKUP }
}

function badDrill({ file, at, error }: NonNullable<BackupState['drill']>): Trouble {
  return {
    status: 'fail',
    detail: `The restore drill of ${file} failed at ${at}: ${error}`,
    advice: HOW,
    open: BAD_DRILL,
  }
}

/** In /readyz one of them is enough. `lacking`: since when there should be one if there is none. */
export function backupCheck({ last, failure, drill }: BackupState, now: number, lacking: () => number): Passed {
  const newest = last ? { path: last.file, made: Date.parse(last.made_at) } : undefined
  const ageMs = Math.max(0, now - (newest?.made ?? lacking()))
  const found = last ? { age_s: Math.floor(ageMs / 1000) } : {}
  const troubles = backupTroubles({ newest, ageMs, failure, drill })
  const worst = troubles.failed ?? troubles.late ?? troubles.drill
  if (worst) return { ...warned(worst), ...found }
  return last ? { status: 'pass', ...found } : { status: 'pass', detail: NO_BACKUP }
}

/** Failures whose message names no place. */
const SAYS_ALL = [ENDED, MEMORY_SHORT]
const NO_BACKUP = 'No backup has been made yet.'
const BAD_DRILL =
  'The restore drill of a backup failed; the log of the server says why. Make another one with "dealbox backup", which the server then tries.'
export const HOW = 'Make one with "dealbox backup", and look into the log of the server for why it made none.'
