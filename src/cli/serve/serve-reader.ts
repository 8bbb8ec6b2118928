import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { resourceDeps } from '../../app/deps.ts'
import { bodies } from '../../http/body/bodies.ts'
import { passOn } from '../../http/forward.ts'
import type { Listener } from '../../http/listener/server.ts'
import type { Reader } from '../../http/reader.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { health } from '../../ops/monitoring/health.ts'
import { recordedMetrics } from '../../ops/monitoring/recorded.ts'
import type { Followed } from '../../ops/replication/commands/follow-options.ts'
import { type CopyStatus, type Following, follow } from '../../ops/replication/follow.ts'
import { removeLeftovers } from '../../ops/replication/followed/files.ts'
import {
  checkReaderKeys,
  keysMissing,
  missingKeys,
  openReader,
  type ReaderStore,
  untilReadable,
} from '../../ops/replication/followed/reader.ts'
import { createPrivateFolder, hasKeys } from '../../store/folder/key-file.ts'
import { lockInstance } from '../../store/folder/lock.ts'
import { isCopy } from '../../store/folder/marks.ts'
import { DATABASE } from '../../store/open.ts'
import { startListeners } from './listeners.ts'
import { startReaderNotices, waysOf } from './reader-notices.ts'
import { GRACE_MS, type Running } from './running.ts'
import { readServeOptions, type ServeOptions } from './serve-options.ts'
import { reportFailures } from './served-store.ts'

/** How often it looks whether the first round of Litestream is done. */
const LOOK_MS = 20

/**
 * Serves a copy that Litestream keeps in the data folder. Nothing here starts what writes, or what reaches other machines:
 * no jobs, no mail, no webhooks, no backups; only --notify-url is called. The store refuses whatever would write nevertheless. `abandon` ends a start
 * that waits for the first copy, which may take long.
 */
export const serveReader = (
  options: ServeOptions,
  followed: Followed,
  log: Log,
  abandon: Promise<void> = new Promise(() => undefined),
): Promise<Running & { store: ReaderStore }> =>
  // Litestream may replace the copy while what reads it is made.
  untilReadable(
    () => startReader(options, followed, log, abandon),
    () => pause(LOOK_MS),
  )

async function startReader(
  options: ServeOptions,
  followed: Followed,
  log: Log,
  abandon: Promise<void>,
): Promise<Running & { store: ReaderStore }> {
  const read = await readServeOptions(options, log)
  const file = join(options.data, DATABASE)
  if (existsSync(file) && !isCopy(file)) throw notACopy(file)
  createPrivateFolder(options.data)
  if (!hasKeys(options.data)) throw keysMissing(options.data, []) // before the whole database is fetched
  const undo: (() => void | Promise<void>)[] = []
  const listeners: Listener[] = []
  const stopping = new AbortController()
  const state = { log, stopping: stopping.signal, bodies: bodies() }

  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all(listeners.map((listener) => listener.stop(GRACE_MS)))
    for (const step of undo.reverse()) await step()
  }

  try {
    undo.push(lockInstance(options.data))
    removeLeftovers(file)
    const following = follow({ ...followed, file, log })
    undo.push(following.stop)
    const open = () => openReader(options.data, file, { primary: followed.primary, report: reportFailures(log) })
    const store = await firstCopy(open, following, abandon)
    undo.push(store.close)
    checkReaderKeys(options.data, store.db)
    const readerOf = (primary: string | undefined): Reader => {
      const passing = primary === undefined ? undefined : passOn({ primary, bodies: state.bodies })
      if (passing) undo.push(passing.stop)
      return { readable: store.readable, lagMs: store.lagMs, pass: passing?.pass }
    }
    const deps = resourceDeps(store)
    const monitoring = { recorded: recordedMetrics(), kinds: [], copy: () => statusOf(options.data, store, following) }
    const watched = { store, deps, log, dataDir: options.data }
    const judge = health({ ...watched, ...monitoring, stopping: stopping.signal })
    const { notify } = read
    const notifier = startReaderNotices({
      ...{ ...watched, judge, notify, host: options.host, screensUrl: () => listeners[1]?.webUrl },
    })
    undo.push(notifier.stop)
    await startListeners({
      ...{ store, deps, state, options, read, listeners, judge, monitoring },
      operation: { notifier, isReader: true, ways: waysOf({ ...notify, mail: null }, false) },
      reader: { api: readerOf(followed.primary), screens: readerOf(followed.primaryScreens) },
    })
    const [api, screens] = listeners.map(({ url }) => url)
    return {
      api: api as string,
      screens: screens ?? null,
      setup: null,
      reload: read.front.certificate?.reload,
      stop,
      store,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits for Litestream, which may have to fetch the whole database. Rejects with Problem 409. */
async function firstCopy(open: () => ReaderStore, { failed }: Following, abandon: Promise<void>): Promise<ReaderStore> {
  let isAbandoned = false
  void abandon.then(() => {
    isAbandoned = true
  })
  return untilReadable(open, async () => {
    await Promise.race([pause(LOOK_MS), failed])
    if (isAbandoned) throw new Problem(409, 'stopped', 'The server was stopped before there was a copy.')
  })
}

function statusOf(dataDir: string, { db, lagMs }: ReaderStore, { state }: Following): CopyStatus {
  try {
    return { ...state(), lagMs: lagMs(), missingKeys: missingKeys(dataDir, db) }
  } catch {
    return { ...state(), lagMs: undefined, missingKeys: [] } // it cannot be read, which another check finds
  }
}

const notACopy = (file: string): Problem =>
  new Problem(
    409,
    'not_a_copy',
    `${file} is a database of its own, not a copy of another one. Use another folder for the copy with --data.`,
  )
