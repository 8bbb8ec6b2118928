import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packedAsset } from '../assets.ts'
import type { Log } from '../http/log.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import { installedAt } from '../store/installation.ts'
import type { Store } from '../store/open.ts'
import type { Encryption } from './encryption/secrets.ts'
import type { Night, NightOptions } from './night.ts'
import type { Keep } from './retention.ts'
import { nextAt, type TimeOfDay } from './schedule.ts'
import { lastBackup } from './state.ts'

/** Where esbuild writes the thread's code, and its name inside the executable. */
const BUNDLE = 'dist/night.cjs'

/** The start of a server has passed by then, and a wall clock that was set is noticed. */
const CHECK_EVERY_MS = MINUTE_MS
/** After a failure, which a person may have to see to. */
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
  /** A backup of before the start that is not at all second places yet. */
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
  /** The last failure of this server; in memory, since the disk may be full. */
  let failed: { at: number; code: string } | undefined

  function isDue(now: number): boolean {
    const { last } = lastBackup(dataDir)
    const rested = failed ? now - failed.at : RETRY_MS
    if (rested >= 0 && rested < RETRY_MS) return false
    const made = last ? Date.parse(last.made_at) : installedAt(store.db)
    return made > now || nextAt(at, timezone, made) <= now // one of the future was made while the clock was wrong
  }

  async function run(now: number): Promise<void> {
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    const { drill, failure, last, deleted } = await work({
      ...{ dataDir, folder, installation, keep, timezone, now, mayPrune, encryption: options.encryption },
    })
    if (isStopped) return
    if (drill?.error) log.error({ job: 'restore drill', backup: drill.file, reason: drill.error }, DRILL_FAILED)
    if (failure) return noteFailure(now, failure.code, { reason: failure.message })
    if (failed) log.warn({ job: 'backup', backup: last?.file }, 'backups are made again')
    failed = undefined
    log.info({ job: 'backup', backup: last?.file, bytes: last?.bytes, deleted }, 'made a backup')
    if (last) await copy(last.file, now)
  }

  async function copy(file: string, now: number): Promise<void> {
    const mayPrune = wallClock.purgeHeldUntil() === undefined
    const isDone = (await options.copy?.(file, { now, mayPrune, signal: stopping.signal })) ?? true
    uncopied = isDone ? undefined : { file, at: now }
  }

  /** Logs only the first of the same failures. */
  function noteFailure(at: number, code: string, details: object): void {
    if (failed?.code !== code) log.error({ job: 'backup', ...details }, FAILED)
    failed = { at, code }
  }

  async function start(): Promise<void> {
    let now = 0
    try {
      now = clock.now()
      if (isDue(now)) await run(now)
      else if (uncopied && now - uncopied.at >= RETRY_MS) await copy(uncopied.file, now)
    } catch (error) {
      if (!isStopped) noteFailure(now, 'failed', { err: error })
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
const DRILL_FAILED = 'the newest backup could not be restored on trial; make another one with "dealbox backup"'

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
