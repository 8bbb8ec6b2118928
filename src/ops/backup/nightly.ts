import type { Log } from '../../lib/log.ts'
import { conflict } from '../../lib/problem.ts'
import { HOUR_MS, MINUTE_MS, rfc3339 } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { beginWork, ENDED, endWork, isWaiting, noteDeath } from './begun.ts'
import { dueAgain } from './drill.ts'
import type { Encryption } from './encryption/secrets.ts'
import type { Night, NightOptions } from './night.ts'
import { nightWorker } from './night-worker.ts'
import type { Keep } from './retention.ts'
import type { Run } from './runs.ts'
import { nextAt, type TimeOfDay } from './schedule.ts'
import { lackingSince, pausedSince } from './sending.ts'
import { type BackupState, lastBackup, noteAgain, noteBackup, notedState, noteRuns } from './state.ts'
import { removeAbandoned } from './workspace.ts'

/** The start of a server has passed by then, and a wall clock that was set is noticed. */
const CHECK_EVERY_MS = MINUTE_MS
/** After a failure, which a person may have to see to; and whoever deletes backups does not get one each minute. */
const RETRY_MS = HOUR_MS

export type NightlyOptions = {
  store: Pick<Store, 'db' | 'installation' | 'wallClock' | 'clock'>
  log: Log
  dataDir: string
  at: TimeOfDay
  folder: string
  keep: Keep
  timezone: string
  encryption?: Encryption | undefined
  /** A backup from before the start that is not at all second places yet. */
  uncopied?: string | undefined
  /** Copies a backup to the second places; false if one of them failed, so that it is tried again. Logs by itself. */
  copy?: ((file: string, how: { now: number; mayPrune: boolean; signal: AbortSignal }) => Promise<boolean>) | undefined
  /** Notes how each piece of work went, without an error if it went well. */
  outcome?: ((name: string, error: string | undefined) => Promise<void>) | undefined
  /** Does the work of a night; by default in a thread. */
  work?: ((options: NightOptions) => Promise<Night>) | undefined
}

export type Nightly = ReturnType<typeof startNightly>

/** Work that somebody wants at once, and who: the id of a member. */
export type Wanted = { what: 'backup' | 'drill'; by: string }
/** Work that is being done, since when, and who wanted it. */
export type AtWork = { what: 'backup' | 'copy' | 'drill'; since: number; by?: string | undefined }

/** Makes a backup each night. A night that was missed, or failed, is made up for. */
export function startNightly({ store, log, dataDir, at, folder, keep, timezone, ...options }: NightlyOptions) {
  const { clock, wallClock, installation } = store
  const thread = nightWorker()
  const work = options.work ?? thread.run
  const { outcome = () => Promise.resolve() } = options
  let running: Promise<void> | undefined
  let isStopped = false
  const stopping = new AbortController()
  /** A backup that is not at all second places yet, and when that was tried. */
  let uncopied: { file: string; at: number } | undefined =
    options.uncopied === undefined ? undefined : { file: options.uncopied, at: Number.NEGATIVE_INFINITY }
  /** When a backup was last made or tried, and the code of the failure; in memory, since the disk may be full. */
  let triedAt = Number.NEGATIVE_INFINITY
  let failed: string | undefined
  /** The backup of the last drill that was not due by the week. */
  let drilled: string | undefined

  let wanted: Wanted | undefined
  let atWork: AtWork | undefined

  /** What to say of servers that ended in the middle of this work; it has not been said yet. */
  let ended = noteDeath(dataDir, clock.now(), folder)
  let isCleaned = false

  function isDue(now: number, state: BackupState): boolean {
    const { last } = state
    const rested = now - triedAt
    if (rested >= 0 && rested < RETRY_MS) return false
    const made = last ? Date.parse(last.made_at) : lackingSince(store.db, dataDir)
    return made > now || nextAt(at, timezone, made) <= now // one of the future was made while the clock was wrong
  }

  /** Has the work done, and keeps what cannot be noted. Undefined if the server stops meanwhile. */
  async function done(now: number, how: HowDone = {}): Promise<Night | undefined> {
    const { by, ...what } = how
    const isDrill = what.wantsDrill || what.onlyDrillOf !== undefined
    atWork = { what: isDrill ? 'drill' : 'backup', since: now, by }
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    const { encryption } = options
    const since = pausedSince(dataDir) // what was there before a restore is for a person to delete
    const wasBad = lastBackup(dataDir).drill?.error
    beginWork(dataDir, now)
    const night = await work({
      ...{ dataDir, folder, installation, keep, timezone, now, mayPrune, since, encryption, ...what },
    })
    if (isStopped) return undefined
    noteRuns(dataDir, ...runsOf(night, now, by))
    endWork(dataDir, !night.failure)
    if (!night.isNoted) noteBackup(dataDir, night.change)
    const { drill } = night
    if (drill) await outcome('restore drill', drill.error ?? undefined)
    if (drill?.error) log.error({ job: 'restore drill', backup: drill.file, reason: drill.error }, DRILL_FAILED)
    else if (drill && wasBad) log.warn({ job: 'restore drill', backup: drill.file }, 'the restore drill succeeds again')
    return night
  }

  async function run(now: number, how?: HowDone): Promise<void> {
    if (!how?.wantsDrill) triedAt = now
    const night = await done(now, how)
    if (!night?.isMade) return
    triedAt = now
    const { failure, last, deleted } = night
    await outcome(BACKUP, failure?.message)
    if (failure) return noteFailure(failure.code, { reason: failure.message })
    if (failed) log.warn({ job: 'backup', backup: last?.file }, 'backups are made again')
    failed = undefined
    log.info({ job: 'backup', backup: last?.file, bytes: last?.bytes, deleted }, 'made a backup')
    if (last) await copy(last.file, now)
  }

  async function copy(file: string, now: number): Promise<void> {
    uncopied = { file, at: now }
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    atWork = { what: 'copy', since: now, by: atWork?.by }
    beginWork(dataDir, now)
    const isDone = (await options.copy?.(file, { now, mayPrune, signal: stopping.signal })) ?? true
    if (!isStopped) endWork(dataDir, isDone)
    if (isDone) uncopied = undefined
    if (!isStopped) await outcome('backup copies', isDone ? undefined : 'A copy failed.')
  }

  /** Logs only the first of the same failures. */
  function noteFailure(code: string, details: object): void {
    if (failed !== code) log.error({ job: 'backup', ...details }, FAILED)
    failed = code
  }

  async function start(): Promise<void> {
    const asked = wanted
    wanted = undefined
    try {
      const now = clock.now()
      noteAgain(dataDir)
      if (!isCleaned) await clean()
      if (ended !== undefined) await sayEnd(ended)
      const state = lastBackup(dataDir)
      if (isWaiting(state, now)) return await waits(now, state)
      const again = dueAgain(state, options.encryption)
      if (asked) await run(now, { by: asked.by, wantsDrill: asked.what === 'drill' })
      else if (isDue(now, state)) await run(now)
      else if (again !== undefined && again !== drilled) {
        drilled = again
        await done(now, { onlyDrillOf: again })
      } else if (uncopied && now - uncopied.at >= RETRY_MS) await copy(uncopied.file, now)
    } catch (error) {
      if (!isStopped) await crashed(error)
    }
  }

  /** Removes the unfinished files of a server that ended in the middle of this work. */
  async function clean(): Promise<void> {
    isCleaned = true
    for (const each of new Set([dataDir, folder])) await removeAbandoned(each)
  }

  async function sayEnd(message: string): Promise<void> {
    ended = undefined
    noteRuns(dataDir, { kind: 'backup', at: rfc3339(clock.now()), error: message })
    log.error({ job: 'backup' }, message)
    failed = ENDED
    await outcome(BACKUP, message)
  }

  /** Each hour of waiting is a failure, so that the owners hear of it. */
  async function waits(now: number, { failure }: BackupState): Promise<void> {
    if (now - triedAt >= 0 && now - triedAt < RETRY_MS) return
    triedAt = now
    await outcome(BACKUP, failure?.message ?? 'It waits.')
  }

  /** An error of ours: whoever watches the server, and has no log, hears of it as of any other failure. */
  async function crashed(error: unknown): Promise<void> {
    endWork(dataDir, false)
    noteFailure('failed', { err: error })
    const at = rfc3339(clock.now())
    const since = notedState(dataDir).failure?.since ?? at
    const { message } = error as Error
    noteBackup(dataDir, { failure: { since, at, code: 'failed', message, folder } })
    noteRuns(dataDir, { kind: 'backup', at, error: message, by: atWork?.by })
    await outcome(BACKUP, message)
  }

  /** Starts the work if it is due; resolves when nothing runs. */
  function tick(): Promise<void> {
    if (isStopped) return Promise.resolve()
    running ??= start().finally(() => {
      running = undefined
      atWork = undefined
      if (wanted) void tick() // while it only looked
    })
    return running
  }

  /** Throws Problem 409 if somebody has to wait. */
  function checkFree(): void {
    if (atWork || wanted)
      throw conflict('backup_running', 'This server makes or tries a backup already. Wait until it is done.')
    const state = lastBackup(dataDir)
    if (isWaiting(state, clock.now()))
      throw conflict('backup_waits', state.failure?.message ?? 'Backups wait. Make one with "dealbox backup".')
  }

  /** Does the work of a night now, in the same way. Throws as `checkFree`. */
  function ask(work: Wanted): void {
    checkFree()
    wanted = work
    void tick()
  }

  const timer = setInterval(tick, CHECK_EVERY_MS).unref()

  return {
    tick,
    checkFree,
    ask,
    atWork: (): AtWork | undefined => atWork ?? (wanted && { ...wanted, since: clock.now() }),
    /** Ends a backup that is being made: the next server makes up for it. */
    stop: async (): Promise<void> => {
      isStopped = true
      endWork(dataDir, false)
      clearInterval(timer)
      stopping.abort(new Error('The server stops.'))
      await thread.stop()
      await running // a copy that is stopped leaves nothing
    },
  }
}

type HowDone = Pick<NightOptions, 'onlyDrillOf' | 'wantsDrill'> & { by?: string | undefined }

/** What a night did, in its order: the drill is of the backup before it, or of the new one before that has its name. */
function runsOf({ drill, isMade, failure, last }: Night, now: number, by: string | undefined): Run[] {
  const who = by === undefined ? {} : { by }
  const tried = drill
    ? [{ kind: 'drill', at: drill.at, error: drill.error, duration_ms: drill.duration_ms, ...who } as const]
    : []
  if (!isMade) return tried
  const { made_at: at = rfc3339(now), duration_ms, bytes } = last ?? {}
  const made: Run = failure
    ? { kind: 'backup', at: rfc3339(now), error: failure.message, ...who }
    : { kind: 'backup', at, error: null, duration_ms, bytes, ...who }
  return [...tried, made]
}

const BACKUP = 'nightly backup'
const FAILED =
  'no backup could be made; it is tried again every hour. "dealbox backup" shows whether it works, --backup-dir chooses another folder'
const DRILL_FAILED =
  'the restore drill of a backup failed; the next backup is tried at once, and "dealbox backup" makes one'
