import { renameSync } from 'node:fs'
import { Problem } from '../lib/problem.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../lib/time.ts'
import { listBackups, prune } from './list.ts'
import { makeBackup } from './make.ts'
import { openRestored } from './open-restored.ts'
import { DAMAGED } from './problems.ts'
import type { Keep } from './retention.ts'
import { type BackupState, lastBackup, noteBackup } from './state.ts'
import { unpacked } from './verify.ts'

export type NightOptions = {
  dataDir: string
  folder: string
  installation: string
  keep: Keep
  timezone: string
  now: number
  /** False while the clock may be wrong: then nothing is deleted. */
  mayPrune: boolean
}

export type Night = Pick<BackupState, 'last' | 'failure'> & {
  /** Null if none was due. */
  drill: BackupState['drill']
  deleted: string[]
}

/** A drill is due a week after the last one, also when a night comes a little earlier. */
const DRILL_EVERY_MS = 7 * DAY_MS - 12 * HOUR_MS

/**
 * The work of a night: once a week the newest backup is restored into a temporary folder, then a new one is made, and old
 * ones are deleted. What became of each is noted in the data folder. Takes seconds to minutes: it belongs into a thread.
 */
export function night(options: NightOptions): Night {
  const { dataDir, now } = options
  const drill = drillIfDue(options)
  if (drill) noteBackup(dataDir, { drill })
  const before = lastBackup(dataDir)
  try {
    const last = make(options)
    noteBackup(dataDir, { last, failure: null })
    return { last, failure: null, drill, deleted: deleteOld(options) }
  } catch (error) {
    const since = before.failure?.since ?? rfc3339(now)
    const failure = { since, at: rfc3339(now), code: codeOf(error), message: (error as Error).message }
    noteBackup(dataDir, { failure })
    return { last: before.last, failure, drill, deleted: [] }
  }
}

function make({ dataDir, folder, now }: NightOptions): NonNullable<BackupState['last']> {
  const began = performance.now()
  const { file, bytes, manifest } = makeBackup({ dataDir, folder, reason: 'nightly', now })
  return { made_at: manifest.made_at, file, bytes, duration_ms: Math.round(performance.now() - began) }
}

function deleteOld({ folder, installation, keep, timezone, mayPrune }: NightOptions): string[] {
  try {
    return mayPrune ? prune(folder, installation, keep, timezone) : []
  } catch {
    return [] // the next night tries again
  }
}

/** A backup that turned out to be damaged gets another name, so that nobody counts on it. */
function drillIfDue({ dataDir, folder, installation, now }: NightOptions): BackupState['drill'] {
  const { drill } = lastBackup(dataDir)
  const since = drill ? now - Date.parse(drill.at) : Number.POSITIVE_INFINITY
  if (since >= 0 && since < DRILL_EVERY_MS) return null
  const newest = newestIn(folder, installation)
  if (newest === undefined) return null
  const began = performance.now()
  const done = (error: string | null) => ({
    ...{ at: rfc3339(now), file: newest, error },
    duration_ms: Math.round(performance.now() - began),
  })
  try {
    unpacked(newest, folder, (restored, { manifest }) => openRestored(newest, restored, manifest, () => undefined))
    return done(null)
  } catch (error) {
    if (codeOf(error) === DAMAGED) renameSync(newest, `${newest}.damaged`)
    return done((error as Error).message)
  }
}

function newestIn(folder: string, installation: string): string | undefined {
  try {
    return listBackups(folder).find((each) => each.installation === installation)?.file
  } catch {
    return undefined // making the next one says what is wrong with the folder
  }
}

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : 'failed')
