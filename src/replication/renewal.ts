import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { type Every, everyMs } from '../lib/every.ts'
import { SECOND_MS } from '../lib/time.ts'
import { restartLog } from '../store/checkpoint.ts'
import { syncFolder } from '../store/key-file.ts'
import { DATABASE, type Store } from '../store/open.ts'

// Litestream reads the log itself, and may copy a commit that a killed server had written and not finished: the database
// does not have it then, and every later change would be copied onto another database. So after such an end the copy
// begins anew, with the whole database. docs/decisions/040-replication.md says more.

/** Where Litestream listens for commands, in the data folder. */
export const SOCKET = 'litestream.sock'
/** Is there while a replicated server runs, and after one that was killed. */
const MARKER = 'replicated'
const TRY_EVERY_MS = 10 * SECOND_MS
/** Litestream copies what is left before it stops. */
const PATIENCE_MS = 60 * SECOND_MS

type Options = {
  store: Pick<Store, 'db'>
  dataDir: string
  /** Where the copy is, in the words of Litestream; undefined if that is not known here. */
  replicaUrl: string | undefined
  every?: Every
  renewed?: () => void
}

/** Makes the copy begin anew if the last server was killed. */
export function startRenewal(options: Options) {
  const { dataDir, every = everyMs, renewed = () => undefined } = options
  const marker = join(dataDir, MARKER)
  let isDue = existsSync(marker)
  let renewing: Promise<void> | undefined
  let reason = ''
  if (!isDue) {
    writeFileSync(marker, 'A replicated server runs, or was killed.\n', { mode: 0o600, flush: true })
    syncFolder(dataDir)
  }

  async function renew(): Promise<void> {
    try {
      await renewCopy(options)
      isDue = false
      renewed()
    } catch (error) {
      reason = (error as Error).message
    }
  }

  function tick(): void {
    if (!isDue) return
    renewing ??= renew().finally(() => {
      renewing = undefined
    })
  }

  const stop = every(TRY_EVERY_MS, tick)
  tick()
  return {
    /** What needs somebody; undefined if nothing does. */
    problem: (): string | undefined =>
      isDue && reason !== ''
        ? `The last server was killed, so Litestream has to copy the whole database anew, and cannot be told so at ${join(dataDir, SOCKET)} (${reason}).`
        : undefined,
    stop: async (): Promise<void> => {
      stop()
      await renewing
      if (!isDue) rmSync(marker, { force: true })
    },
  }
}

/**
 * Litestream copies the whole database when it finds another log than it left. To change the log, nobody else may have the
 * database open, so Litestream is told to let go of it, if it runs.
 */
async function renewCopy({ store, dataDir, replicaUrl }: Options): Promise<void> {
  if (restartLog(store.db)) return
  if (replicaUrl === undefined) throw new Error('its address is not known here')
  const path = resolve(dataDir, DATABASE)
  await tell(dataDir, 'unregister', { path, timeout: PATIENCE_MS / SECOND_MS })
  try {
    if (!restartLog(store.db)) throw new Error('another program has the database open')
  } finally {
    await tell(dataDir, 'register', { path, replica_url: replicaUrl })
  }
}

function tell(dataDir: string, what: 'unregister' | 'register', body: object): Promise<void> {
  const { promise, resolve: done, reject } = Promise.withResolvers<void>()
  const options = { socketPath: join(dataDir, SOCKET), method: 'POST', path: `/${what}`, agent: false }
  const asked = request({ ...options, timeout: 2 * PATIENCE_MS, headers: { 'content-type': 'application/json' } })
  asked.on('response', (answer) => {
    answer.resume()
    answer.on('close', () =>
      answer.statusCode === 200 ? done() : reject(new Error(`it answered ${answer.statusCode}`)),
    )
  })
  asked.on('timeout', () => asked.destroy(new Error('it does not answer')))
  asked.on('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? new Error('it is not there') : error),
  )
  asked.end(JSON.stringify(body))
  return promise
}
