import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../assets.ts'
import type { Log } from '../http/log.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { dueAgain } from './drill.ts'
import type { Encryption } from './encryption/secrets.ts'
import type { Night, NightOptions } from './night.ts'
import type { Keep } from './retention.ts'
import { nextAt, type TimeOfDay } from './schedule.ts'
import { lackingSince, pausedSince } from './sending.ts'
import { type BackupState, lastBackup, noteAgain, noteBackup } from './state.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/night.cjs'

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
  /** Does the work of a night; by default in a thread. */
  work?: ((options: NightOptions) => Promise<Night>) | undefined
}

export type Nightly = ReturnType<typeof startNightly>

/** Makes a backup each night. A night that was missed, or failed, is made up for. */
export function startNightly({ store, log, dataDir, at, folder, keep, timezone, ...options }: NightlyOptions) {
  const { clock, wallClock, installation } = store
  const thread = nightThread()
  const work = options.work ?? thread.run
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

  function isDue(now: number, { last }: BackupState): boolean {
    const rested = now - triedAt
    if (rested >= 0 && rested < RETRY_MS) return false
    const made = last ? Date.parse(last.made_at) : lackingSince(store.db, dataDir)
    return made > now || nextAt(at, timezone, made) <= now // one of the future was made while the clock was wrong
  }

  /** Has the work done, and keeps what cannot be noted. Undefined if the server stops meanwhile. */
  async function done(now: number, onlyDrillOf?: string): Promise<Night | undefined> {
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    const { encryption } = options
    const since = pausedSince(dataDir) // what was there before a restore is for a person to delete
    const wasBad = lastBackup(dataDir).drill?.error
    const night = await work({
      ...{ dataDir, folder, installation, keep, timezone, now, mayPrune, since, encryption, onlyDrillOf },
    })
    if (isStopped) return undefined
    if (!night.isNoted) noteBackup(dataDir, night.change)
    const { drill } = night
    if (drill?.error) log.error({ job: 'restore drill', backup: drill.file, reason: drill.error }, DRILL_FAILED)
    else if (drill && wasBad) log.warn({ job: 'restore drill', backup: drill.file }, 'the restore drill succeeds again')
    return night
  }

  async function run(now: number): Promise<void> {
    triedAt = now
    const night = await done(now)
    if (!night) return
    const { failure, last, deleted } = night
    if (failure) return noteFailure(failure.code, { reason: failure.message })
    if (failed) log.warn({ job: 'backup', backup: last?.file }, 'backups are made again')
    failed = undefined
    log.info({ job: 'backup', backup: last?.file, bytes: last?.bytes, deleted }, 'made a backup')
    if (last) await copy(last.file, now)
  }

  async function copy(file: string, now: number): Promise<void> {
    uncopied = { file, at: now }
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    const isDone = (await options.copy?.(file, { now, mayPrune, signal: stopping.signal })) ?? true
    if (isDone) uncopied = undefined
  }

  /** Logs only the first of the same failures. */
  function noteFailure(code: string, details: object): void {
    if (failed !== code) log.error({ job: 'backup', ...details }, FAILED)
    failed = code
  }

  async function start(): Promise<void> {
    try {
      const now = clock.now()
      noteAgain(dataDir)
      const state = lastBackup(dataDir)
      const again = dueAgain(state, options.encryption)
      if (isDue(now, state)) await run(now)
      else if (again !== undefined && again !== drilled) {
        drilled = again
        await done(now, again)
      } else if (uncopied && now - uncopied.at >= RETRY_MS) await copy(uncopied.file, now)
    } catch (error) {
      if (!isStopped) noteFailure('failed', { err: error })
    }
  }

  /** Starts the work if it is due; resolves when nothing runs. */
  function tick(): Promise<void> {
    if (isStopped) return Promise.resolve()
    running ??= start().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(tick, CHECK_EVERY_MS).unref()

  return {
    tick,
    /** Ends a backup that is being made: the next server makes up for it. */
    stop: async (): Promise<void> => {
      isStopped = true
      clearInterval(timer)
      stopping.abort(new Error('The server stops.'))
      await thread.stop()
      await running // a copy that is stopped leaves nothing
    },
  }
}

const FAILED =
  'no backup could be made; it is tried again every hour. "dealbox backup" shows whether it works, --backup-dir chooses another folder'
const DRILL_FAILED =
  'the restore drill of a backup failed; the next backup is tried at once, and "dealbox backup" makes one'

/** Runs each task in a thread of its own: it is rare, and needs much memory for a while. */
function nightThread() {
  let worker: Worker | undefined

  function run(workerData: NightOptions): Promise<Night> {
    return new Promise((resolve, reject) => {
      worker = newThread(workerData)
      worker.unref()
      worker.once('message', resolve).once('error', reject)
      worker.once('exit', () => reject(new Error('The thread ended early.')))
    })
  }

  return { run, stop: async (): Promise<void> => void (await worker?.terminate()) }
}

/** Starts the thread from the sources, or from an asset of the executable. */
function newThread(workerData: NightOptions): Worker {
  const options = { workerData, execArgv: [] }
  if (import.meta.filename.endsWith('.ts')) return new Worker(join(import.meta.dirname, 'night-thread.ts'), options)
  return new Worker(packedAsset(BUNDLE).toString(), { ...options, eval: true })
}
