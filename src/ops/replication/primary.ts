import { type Every, everyMs } from '../../lib/every.ts'
import type { Log } from '../../lib/log.ts'
import { MINUTE_MS, rfc3339, SECOND_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import { replicationRow } from '../../store/replication.ts'
import type { Encryption } from '../backup/encryption/secrets.ts'
import { compare } from './cut.ts'
import { copyFiles } from './files.ts'
import { startHeartbeat } from './heartbeat.ts'
import type { Lease } from './lease.ts'
import { type Due, startRenewal } from './renewal.ts'
import type { ReplicaStorage } from './replica/copy.ts'
import { noteReplicationState } from './state.ts'
import { type Lag, watchCopy } from './watch.ts'

/** What a server can say about its copy. */
export type ReplicationStatus = {
  epoch: number
  /** The age of the newest at the copy; undefined where nobody can ask it. */
  lagMs: number | undefined
  /** The fault that a person has to mend, as a sentence; undefined if there is none. */
  problem: string | undefined
  /** Whether the keys and settings are beside the copy. */
  hasFiles: boolean
}

export type Primary = ReturnType<typeof startPrimary>

type Options = {
  store: Store
  log: Log
  dataDir: string
  copy: ReplicaStorage | undefined
  /** The URL of the replica, as Litestream takes it. */
  replicaUrl?: string | undefined
  encryption: Encryption | undefined
  /** Undefined if nobody else can be the primary, as far as this server can tell. */
  lease?: Pick<Lease, 'refusal' | 'onMixed'> | undefined
  every?: Every
  elapsed?: () => number
}

const NOTE_EVERY_MS = MINUTE_MS

/** What a replicated server does: the heartbeat, the question to the copy, and the keys and settings beside it. */
export function startPrimary(options: Options) {
  const { store, log, dataDir, copy, replicaUrl, encryption, lease, every = everyMs, elapsed } = options
  const now = store.wallClock.now
  const row = replicationRow(store.db)
  const { epoch } = row.read()
  let saidProblem: string | undefined
  let notedAt = Number.NEGATIVE_INFINITY
  const isHeld = () => lease?.refusal() === undefined
  const renewal = startRenewal({
    ...{ store, dataDir, replicaUrl, copy, isHeld, every },
    renewed: (what) => log.warn(RENEWED[what]),
  })
  lease?.onMixed(renewal.mixed)
  const stopHeart = startHeartbeat({ store, every })
  const files = copy && encryption ? copyFiles({ dataDir, copy, encryption, every }) : undefined
  const compareNow = () => {
    const isCut = compare(dataDir)
    return (names: readonly string[]) => renewal.found(isCut(names))
  }
  const watch = copy
    ? watchCopy({ copy, now, every, asked: note, compare: compareNow, ...(elapsed && { elapsed }) })
    : undefined
  if (!watch) note(undefined)

  function status(): ReplicationStatus {
    const lag = watch?.lag()
    return { epoch, lagMs: lag?.ms, problem: problemOf(lag), hasFiles: files !== undefined }
  }

  function problemOf(lag: Lag | undefined): string | undefined {
    return renewal.problem() ?? (lag ? (lag.problem ?? files?.problem()) : UNASKED)
  }

  /** Logs what changes, and leaves the state to commands. */
  function note(lag: Lag | undefined): void {
    const problem = problemOf(lag)
    const hasChanged = kindOf(problem) !== kindOf(saidProblem)
    if (hasChanged && problem !== undefined) log.error({ copy: copy?.name }, problem)
    else if (hasChanged) log.warn({ copy: copy?.name }, 'the replica is up to date again')
    saidProblem = problem
    const at = now()
    if (!hasChanged && Math.abs(at - notedAt) < NOTE_EVERY_MS) return
    notedAt = at
    const lag_s = lag ? Math.floor(lag.ms / SECOND_MS) : null
    try {
      noteReplicationState(dataDir, {
        ...{ copy: copy?.name ?? null, seen_at: rfc3339(at), lag_s },
        problem: problem ?? null,
      })
    } catch (error) {
      store.health.note(error) // as on a full disk; commands have an old state then
    }
  }

  return {
    status,
    /** How often the copy was asked. */
    asked: (): number => watch?.count() ?? 0,
    stop: async (): Promise<void> => {
      await Promise.all([stopHeart(), watch?.stop(), files?.stop(), renewal.stop()])
    },
  }
}

/** The same sentence with other numbers is logged once. */
const kindOf = (problem: string | undefined): string | undefined => problem?.replace(/\d+/g, '#')

const RENEWED: Record<Due, string> = {
  killed: 'the last server was killed: Litestream copies the whole database anew',
  cut: 'the replica did not have what comes before the next changes: Litestream copies the whole database anew',
  mixed: 'another server of this folder has written to the replica: Litestream copies the whole database anew',
}
const UNASKED =
  'Nobody asks the replica, so that a replication that stops is not noticed here. Name a folder or S3-compatible storage with --replica, or watch the /readyz of a standby.'
