import { keyFaultsOf } from '../../auth/needed-keys.ts'
import type { Deps } from '../../deps.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { sizeText } from '../../lib/size.ts'
import { type StorageSizes, storageSizes } from '../../store/files.ts'
import { installationId, isHeldAlone } from '../../store/installation.ts'
import { jobCounts } from '../../store/jobs/job-counts.ts'
import { FAILED_OFTEN, failingRecurring } from '../../store/jobs/recurring.ts'
import type { Store } from '../../store/open.ts'
import { failureOf, isWithoutMemory, NO_SHARED_MEMORY, reasonOf } from '../../store/sqlite/failures.ts'
import { webhookCounts } from '../../webhooks/delivery/counts.ts'
import { lackingSince } from '../backup/sending.ts'
import type { PlaceLabel } from '../backup/standing.ts'
import type { BackupState } from '../backup/state.ts'
import type { CopyStatus } from '../replication/follow.ts'
import type { LeaseStatus } from '../replication/lease.ts'
import type { ReplicationStatus } from '../replication/primary.ts'
import { backupCheck } from './judges/backup.ts'
import { certificateCheck } from './judges/certificate.ts'
import { copiesCheck } from './judges/copies.ts'
import { counted, type Finding, type Passed, warned, warning } from './judges/finding.ts'
import { keyTrouble, LITTLE_SPACE, LONG_LOG, longLog, SENDING_PAUSED, STILL_WORKS } from './judges/folder.ts'

export type { Finding }

/** Contains nothing about single records or file locations. */
export type Readiness = {
  status: 'ready'
  /** Mailboxes by their receiving status, such as {ok: 2, failing: 1}. */
  mailboxes: Record<string, number>
  checks: Record<string, Passed>
}

export type HealthOptions = {
  store: Store
  deps: Deps
  dataDir: string
  stopping: Pick<AbortSignal, 'aborted'>
  log: Log
  /** How it stands with the copy, where the database is replicated. */
  replication?: (() => ReplicationStatus) | undefined
  /** Whether this server is still the primary, where it looks for that. */
  lease?: (() => LeaseStatus) | undefined
  /** How a reader follows its primary: it checks this instead of what the primary does. */
  copy?: (() => CopyStatus) | undefined
  /** The outcome of the last backups. Left out where none are made: then there is no check of them. */
  backups?: (() => BackupState) | undefined
  /** When the TLS certificate ends. Left out without one: then there is no check of it. */
  certificateUntil?: (() => number) | undefined
  /** The notice that this version is old, if it is at that time; left out where no such notice is wanted. */
  versionAge?: ((now: number) => string | undefined) | undefined
  /** What is wrong with the time zone of the machine. */
  zoneDoubt?: string | undefined
  /** The places to which backups are copied. Without any there is no check of copies. */
  places?: readonly PlaceLabel[] | undefined
  isSendingPaused?: boolean | undefined
}

export type Health = ReturnType<typeof health>

export function health(options: HealthOptions) {
  const { store, deps, dataDir, stopping, log, backups, places = [], replication, lease, copy } = options
  const { isSendingPaused = false } = options
  const { health: storage } = store
  /** Whether the server was started on a disk without a free byte; see `openStore`. */
  const isAlone = isHeldAlone(store.db)
  const probe = installationId(store.db)
  const mailboxes = mailboxStore(deps)
  const jobs = jobCounts(store)
  const webhooks = webhookCounts(store)
  const lacking = () => lackingSince(store.db, dataDir)
  const primary = (): Finding => (lease ? isPrimary(lease()) : { status: 'pass' })
  const { certificateUntil, versionAge } = options
  const ofCertificate: Record<string, () => Finding> = certificateUntil
    ? { certificate: () => certificateCheck(certificateUntil(), store.wallClock.now()) }
    : {}
  const ofVersion: Record<string, () => Finding> = versionAge ? { version } : {}
  /** In the order in which they run. */
  const checks: Record<string, () => Finding> = copy
    ? { database, disk, clock, ...ofCertificate, copy: () => followed(copy()), keys: () => keys(copy()), ...ofVersion }
    : checksOfPrimary()

  function checksOfPrimary(): Record<string, () => Finding> {
    return {
      ...{
        database,
        disk,
        log: logSize,
        ...(backups && { backup: () => backupCheck(backups(), store.wallClock.now(), lacking) }),
      },
      ...(backups && places.length > 0 && { copies: () => copiesCheck(backups(), places, store.wallClock.now()) }),
      ...{ clock, ...ofCertificate, keys: ownKeys },
      ...(lease && { primary }),
      ...(replication && { replication: () => replicated(replication()) }),
      ...{ jobs: givenUp, recurring, mailboxes: receiving, webhooks: delivering },
      ...ofVersion,
      ...(isSendingPaused && { sending: () => warned(SENDING_PAUSED) }),
    }
  }

  function database(): Finding {
    try {
      probe()
    } catch (error) {
      if (!storage.note(error)) log.error({ err: error }, 'not ready')
      if (storage.damage() === undefined) return unanswered(error)
    }
    const damage = storage.damage()
    if (damage === undefined) return { status: 'pass' }
    const detail = `The database is damaged (${damage}). Stop the server and restore a backup of the data folder.`
    return { status: 'fail', code: 'database_damaged', detail }
  }

  function unanswered(error: unknown): Finding {
    const reason = isWithoutMemory(error) ? NO_SHARED_MEMORY : 'The database does not respond.'
    const detail = `${reason} ${failureOf(error) ? reasonOf(error) : 'The log of the server has the reason.'}`
    return { status: 'fail', code: 'database_failed', detail }
  }

  /** Reads and deletions still work. */
  function disk(): Finding {
    const shortage = storage.shortage()
    if (shortage !== undefined) return { status: 'fail', code: 'storage_full', detail: SHORTAGES[shortage] }
    const free_bytes = sizes()?.free
    if (free_bytes === undefined) return { status: 'fail', code: 'database_failed', detail: GONE }
    if (isAlone) return { status: 'warn', detail: ALONE, free_bytes }
    const detail = `Only ${sizeText(free_bytes)} are free on the disk of the data folder. Free some space, before writes stop.`
    return free_bytes < LITTLE_SPACE ? { status: 'warn', detail, free_bytes } : { status: 'pass', free_bytes }
  }

  /** Undefined if the data folder is gone, such as with its disk. */
  function sizes(): StorageSizes | undefined {
    try {
      return storageSizes(dataDir)
    } catch (error) {
      log.error({ err: error }, 'not ready')
      return undefined
    }
  }

  function logSize(): Passed {
    const bytes = sizes()?.log ?? 0
    return bytes > LONG_LOG ? { ...warned(longLog(bytes)), bytes } : { status: 'pass', bytes }
  }

  /** Without its lease the server only reads, for which another one is as good. */
  function isPrimary({ epoch, problem, warning }: LeaseStatus): Finding {
    if (problem) return { status: 'fail', code: problem.code, detail: problem.message }
    return warning === undefined ? { status: 'pass', epoch } : { status: 'warn', detail: warning, epoch }
  }

  /** A copy that is late is no reason to take the server away: it only warns. */
  function replicated({ lagMs, problem, hasFiles, epoch }: ReplicationStatus): Passed {
    const found = { epoch, ...(lagMs !== undefined && { lag_s: Math.floor(lagMs / 1000) }) }
    if (problem !== undefined) return { status: 'warn', detail: problem, ...found }
    return hasFiles ? { status: 'pass', ...found } : { status: 'pass', detail: NO_FILES, ...found }
  }

  /** A copy that is late is still of use: its answers say how late. */
  function followed({ lagMs, isRunning, failure }: CopyStatus): Passed {
    const found = lagMs === undefined ? {} : { lag_s: Math.floor(lagMs / 1000) }
    if (!isRunning || failure !== undefined) return { status: 'warn', detail: NOT_FOLLOWING, ...found }
    if (lagMs === undefined) return { status: 'warn', detail: NO_HEARTBEAT }
    return lagMs > MAX_LAG_MS ? { status: 'warn', detail: LATE, ...found } : { status: 'pass', ...found }
  }

  function ownKeys(): Passed {
    const trouble = keyTrouble(keyFaultsOf(store.db, dataDir))
    return trouble ? warned(trouble) : { status: 'pass' }
  }

  /** What the primary has sealed or signed with a newer key cannot be read here, and a promotion would be refused. */
  function keys({ missingKeys }: CopyStatus): Passed {
    if (missingKeys.length === 0) return { status: 'pass' }
    const detail = `The folder keys lacks ${missingKeys.join(', ')} of the primary. Copy it, or run "dealbox replicate --fetch"; this server cannot be promoted without.`
    return { status: 'warn', detail }
  }

  function clock(): Passed {
    const detail = store.wallClock.warning() ?? options.zoneDoubt
    return detail === undefined ? { status: 'pass' } : { status: 'warn', detail }
  }

  /** An old version works as it did. */
  function version(): Passed {
    const detail = versionAge?.(store.wallClock.now())
    return detail === undefined ? { status: 'pass' } : { status: 'warn', detail }
  }

  function givenUp(): Passed {
    const given_up = [...jobs.givenUp().values()].reduce((sum, count) => sum + count, 0)
    if (given_up === 0) return { status: 'pass', given_up }
    const detail = `${counted(given_up, 'job was', 'jobs were')} given up after the last attempt; "dealbox jobs list" shows the reasons.`
    return { status: 'warn', detail, given_up }
  }

  /** Work that the server repeats: one failure may be a hiccup. */
  function recurring(): Passed {
    const failing = failingRecurring(store.db).filter(({ failures }) => failures >= FAILED_OFTEN)
    return warning('"dealbox doctor" shows the reasons.', [
      failing.length > 0 && `this failed three times in a row or more: ${failing.map(({ name }) => name).join(', ')}`,
    ])
  }

  /** A server with a failing mailbox is ready; which one fails, and why, is shown only by "dealbox mailbox list". */
  function receiving(): Passed {
    const failing = mailboxCounts().failing ?? 0
    // Also those that only send.
    const lost = mailboxes.active().filter(({ org, mailbox }) => mailboxes.disconnected(org, mailbox)).length
    return warning('"dealbox mailbox list" shows the reasons.', [
      lost > 0 && `${counted(lost, 'has', 'have')} to be connected with "dealbox mailbox connect"`,
      failing > 0 && `receiving mail fails for ${failing}`,
    ])
  }

  function mailboxCounts(): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { org, mailbox } of mailboxes.active()) {
      const { status } = mailboxes.health(org, mailbox).receiving
      counts[status] = (counts[status] ?? 0) + 1
    }
    return counts
  }

  /** One that is disabled needs somebody as well: it was for a reason, and gets no more events. */
  function delivering(): Passed {
    const { failing, disabled } = webhooks.byState()
    return warning('"dealbox webhooks list" shows the reasons.', [
      failing > 0 && `the receiver of ${counted(failing, 'webhook', 'webhooks')} is down`,
      disabled > 0 && `${counted(disabled, 'webhook is', 'webhooks are')} disabled`,
    ])
  }

  /** Runs the checks up to the first that fails: later ones may depend on it. */
  function findings(): Record<string, Finding> {
    const found: Record<string, Finding> = {}
    for (const [name, run] of Object.entries(checks)) {
      const finding = run()
      found[name] = finding
      if (finding.status === 'fail') break
    }
    return found
  }

  /** The same in one word. Strangers may ask for it often: it takes only the checks that can fail, which cost little. */
  const isReady = (): boolean => !stopping.aborted && [database, disk, primary].every((run) => run().status !== 'fail')

  /** Throws Problem 503 with the first check that fails. */
  function ready(): Readiness {
    if (stopping.aborted) throw notReady('stopping', 'The server is shutting down. Try again in a moment.')
    const found = findings()
    for (const [name, finding] of Object.entries(found)) {
      if (finding.status === 'fail') throw notReady(finding.code, finding.detail, { ...found, [name]: FAILED })
    }
    return { status: 'ready', mailboxes: mailboxCounts(), checks: found as Record<string, Passed> }
  }

  return { names: Object.keys(checks), findings, isReady, ready }
}

/** Heartbeats come each 5 seconds, and Litestream takes two or three to bring them. */
const MAX_LAG_MS = 30_000
const NOT_FOLLOWING =
  'Litestream does not bring the copy up to date at the moment; the log of the server has the reason.'
const NO_HEARTBEAT =
  'The copy has no heartbeat of its primary, so nobody can tell how old it is. Start the primary with --replicated.'
const LATE = 'The copy is late: the primary, its Litestream or the way to the replica has a problem.'
const FAILED = { status: 'fail' }
const GONE = 'The data folder cannot be read; the log of the server has the reason.'
const SHORTAGES = {
  full: 'The disk is full. Reads and deletions still work; other writes resume when there is space. Free some space.',
  low: `The disk has less free space than --min-free. ${STILL_WORKS} Free some space.`,
}
const ALONE = 'The server was started without a free byte on the disk. Commands have to wait until it is restarted.'
const NO_FILES =
  'The keys and settings are not beside the replica; a standby needs them from elsewhere, or start the server with --replica-encrypt.'
function notReady(code: string, detail: string, checks?: Record<string, { status: string }>): Problem {
  return new Problem(503, code, detail, { headers: { 'Retry-After': '5' }, ...(checks && { more: { checks } }) })
}
