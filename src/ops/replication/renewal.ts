import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join, resolve } from 'node:path'
import { type Every, everyMs } from '../../lib/every.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { restartLog } from '../../store/checkpoint.ts'
import { syncFolder } from '../../store/folder/key-file.ts'
import { DATABASE, type Store } from '../../store/open.ts'
import { beginAnew, link } from './cut.ts'
import type { ReplicaStorage } from './replica/copy.ts'

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
  /** The URL of the replica, as Litestream takes it; undefined if that is not known here. */
  replicaUrl: string | undefined
  /** The place; undefined where nobody can ask it. */
  copy?: ReplicaStorage | undefined
  /** Whether this server is the primary of the place: otherwise nothing is done there. */
  isHeld?: () => boolean
  every?: Every
  renewed?: (what: Due) => void
}

/** After a server that was killed; at a place that has not what Litestream has sent before; or after another server was there. */
export type Due = 'killed' | 'cut' | 'mixed'

/** Makes the copy begin anew if the last server was killed, and where Litestream cannot go on. */
export function startRenewal(options: Options) {
  const { dataDir, every = everyMs, isHeld = () => true, renewed = () => undefined } = options
  const marker = join(dataDir, MARKER)
  let due: Due | undefined = existsSync(marker) ? 'killed' : undefined
  let renewing: Promise<void> | undefined
  let reason = ''
  if (!due) {
    writeFileSync(marker, 'A replicated server runs, or was killed.\n', { mode: 0o600, flush: true })
    syncFolder(dataDir)
  }

  async function renew(what: Due): Promise<void> {
    try {
      await renewCopy(options, what)
      if (due === what) due = undefined
      reason = ''
      renewed(what)
    } catch (error) {
      reason = (error as Error).message
    }
  }

  function tick(): void {
    if (!due || !isHeld()) return
    renewing ??= renew(due).finally(() => {
      renewing = undefined
    })
  }

  const stop = every(TRY_EVERY_MS, tick)
  tick()
  return {
    /** The fault that a person has to mend, as a sentence; undefined if there is none. */
    problem: (): string | undefined => {
      if (due === 'cut') return `${CUT} ${reason === '' ? 'It is told to begin anew.' : cureOf(options, reason)}`
      if (!due || reason === '') return undefined
      return `${due === 'killed' ? KILLED : MIXED}, so Litestream has to copy the whole database anew, and cannot be told so at ${join(dataDir, SOCKET)} (${reason}).`
    },
    /** The place has not what Litestream has sent before, or has it. */
    found: (isCut: boolean): void => {
      if (isCut && due !== 'cut') due = 'cut'
      else if (!isCut && due === 'cut' && !renewing) due = undefined
      tick()
    },
    /** Another server has sent something of another database there. */
    mixed: (): void => {
      due ??= 'mixed'
      tick()
    },
    stop: async (): Promise<void> => {
      stop()
      await renewing
      if (!due || due === 'cut') rmSync(marker, { force: true }) // what is cut is found again
    },
  }
}

const KILLED = 'The last server was killed'
const MIXED = 'Another server of this folder has written to the replica'
const CUT =
  'The replica does not have what comes before the next changes, as when it has got another place or lost its files, so nothing is replicated now.'

const cureOf = ({ dataDir }: Options, reason: string): string =>
  `Litestream could not be told to begin anew (${reason}). Empty the place, or name another one; then stop Litestream, run "litestream reset ${resolve(dataDir, DATABASE)}", and start it.`

/**
 * Litestream copies the whole database when it finds another log than it left. To change the log, nobody else may have the
 * database open, so Litestream is told to let go of it, if it runs.
 */
async function renewCopy({ store, dataDir, replicaUrl, copy }: Options, what: Due): Promise<void> {
  if (what === 'cut' && copy && (await link(dataDir, copy))) return
  const anew = () => {
    if (what === 'cut') beginAnew(dataDir)
  }
  // One that runs lets go of the log for moments, too, and must not lose what it has beside the database then.
  if (what !== 'cut' && restartLog(store.db)) return
  if (replicaUrl === undefined) throw new Error('its address is not known here')
  const path = resolve(dataDir, DATABASE)
  try {
    await tell(dataDir, 'unregister', { path, timeout: PATIENCE_MS / SECOND_MS })
  } catch (error) {
    if (error !== NOT_THERE || !restartLog(store.db)) throw error
    return anew()
  }
  try {
    if (!restartLog(store.db)) throw new Error('another program has the database open')
    anew()
  } finally {
    await tell(dataDir, 'register', { path, replica_url: replicaUrl })
  }
}

const NOT_THERE = new Error('it is not there')

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
    reject(error.code === 'ENOENT' || error.code === 'ECONNREFUSED' ? NOT_THERE : error),
  )
  asked.end(JSON.stringify(body))
  return promise
}
