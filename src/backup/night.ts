import { Problem } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import { type DrillOptions, drillOf, drillOfNew, dueForDrill } from './drill.ts'
import { prune } from './list.ts'
import { makeBackup } from './make.ts'
import type { Keep } from './retention.ts'
import { type BackupState, lastBackup, noteBackup } from './state.ts'

export type NightOptions = DrillOptions & {
  keep: Keep
  timezone: string
  /** False while the clock may be wrong: then nothing is deleted. */
  mayPrune: boolean
}

export type Night = Pick<BackupState, 'last' | 'failure'> & {
  /** Null if none was due. */
  drill: BackupState['drill']
  deleted: string[]
}

type Made = { last: NonNullable<BackupState['last']>; drill: BackupState['drill'] }

/**
 * The work of a night: once a week the newest backup is restored into a temporary folder, then a new one is made, and old
 * ones are deleted. What became of each is noted in the data folder. Takes seconds to minutes: it belongs into a thread.
 */
export function night(options: NightOptions): Night {
  const { dataDir, now } = options
  const due = dueForDrill(options)
  const drill = (due?.isReadable && drillOf(due.file, options)) || null
  if (drill) noteBackup(dataDir, { drill })
  const before = lastBackup(dataDir)
  try {
    const made = make(options, due !== undefined && !drill)
    noteBackup(dataDir, { last: made.last, failure: null, ...(made.drill && { drill: made.drill }) })
    return { last: made.last, failure: null, drill: drill ?? made.drill, deleted: deleteOld(options) }
  } catch (error) {
    const since = before.failure?.since ?? rfc3339(now)
    const failure = { since, at: rfc3339(now), code: codeOf(error), message: (error as Error).message }
    noteBackup(dataDir, { failure })
    return { last: before.last, failure, drill, deleted: [] }
  }
}

function make({ dataDir, folder, now, encryption }: NightOptions, isDrillDue: boolean): Made {
  const began = performance.now()
  let drill: ReturnType<typeof drillOfNew> | undefined
  const tryOut = (plain: string, workspace: string) => {
    drill = drillOfNew(plain, workspace, now)
  }
  const how = { dataDir, folder, reason: 'nightly' as const, now, encryption }
  const { file, bytes, manifest } = makeBackup({ ...how, tryOut: isDrillDue ? tryOut : undefined })
  const duration_ms = Math.round(performance.now() - began)
  return { last: { made_at: manifest.made_at, file, bytes, duration_ms }, drill: drill ? { ...drill, file } : null }
}

function deleteOld({ folder, installation, keep, timezone, mayPrune }: NightOptions): string[] {
  try {
    return mayPrune ? prune(folder, installation, keep, timezone) : []
  } catch {
    return [] // the next night tries again
  }
}

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : 'failed')
