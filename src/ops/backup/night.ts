import { Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { type DrillOptions, drillOf, drillOfNew, dueForDrill, newestFor } from './drill.ts'
import { prune } from './list.ts'
import { makeBackup } from './make.ts'
import type { Keep } from './retention.ts'
import { type BackupState, lastBackup, noteBackup } from './state.ts'

export type NightOptions = DrillOptions & {
  keep: Keep
  timezone: string
  /** False while the clock may be wrong: then nothing is deleted. */
  mayPrune: boolean
  /** Those from before are kept. */
  since?: number | undefined
  /** Nothing but a drill of this backup. */
  onlyDrillOf?: string | undefined
  /** Somebody wants a drill, and a backup only where there is none that can be tried. */
  wantsDrill?: boolean | undefined
}

export type Night = Pick<BackupState, 'last' | 'failure'> & {
  /** Null if none was due. */
  drill: BackupState['drill']
  /** Whether a backup was made, or tried to. */
  isMade: boolean
  deleted: string[]
  /** What has changed, and whether that is noted in the data folder. */
  change: Partial<BackupState>
  isNoted: boolean
}

type Made = { last: NonNullable<BackupState['last']>; drill: BackupState['drill'] }

/**
 * The work of a night: once a week a drill restores the newest backup into a temporary folder, then a new one is made, and
 * old ones are deleted. What became of each is noted in the data folder, where that is possible: nothing of the work
 * depends on it. Takes seconds to minutes: it belongs into a thread.
 */
export function night(options: NightOptions): Night {
  const { dataDir, folder, now, onlyDrillOf, wantsDrill = false } = options
  if (onlyDrillOf !== undefined) return drilled(drillOf(onlyDrillOf, options), options)
  const due = wantsDrill ? newestFor(options) : dueForDrill(options)
  const drill = (due?.isReadable && drillOf(due.file, options)) || null
  if (drill && wantsDrill) return drilled(drill, options)
  if (drill) noteBackup(dataDir, { drill })
  const before = lastBackup(dataDir)
  try {
    const made = make(options, wantsDrill || (due !== undefined && !drill))
    const tried = drill ?? made.drill
    const change = { last: made.last, failure: null, ...(tried && { drill: tried }) }
    const isNoted = noteBackup(dataDir, change)
    const deleted = deleteOld(options, made.last.file)
    return { last: made.last, failure: null, drill: tried, isMade: true, deleted, change, isNoted }
  } catch (error) {
    const since = before.failure?.since ?? rfc3339(now)
    const failure = { since, at: rfc3339(now), code: codeOf(error), message: (error as Error).message, folder }
    const change = { failure, ...(drill && { drill }) }
    const isNoted = noteBackup(dataDir, change)
    return { last: before.last, failure, drill, isMade: true, deleted: [], change, isNoted }
  }
}

/** A night without a backup. */
function drilled(drill: BackupState['drill'] | undefined, { dataDir }: NightOptions): Night {
  const { last, failure } = lastBackup(dataDir)
  const change = drill ? { drill } : {}
  return {
    last,
    failure,
    drill: drill ?? null,
    isMade: false,
    deleted: [],
    change,
    isNoted: noteBackup(dataDir, change),
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

function deleteOld({ mayPrune, ...options }: NightOptions, made: string): string[] {
  try {
    return mayPrune ? prune({ ...options, made }) : []
  } catch {
    return [] // the next night tries again
  }
}

const codeOf = (error: unknown): string => (error instanceof Problem ? error.code : 'failed')
