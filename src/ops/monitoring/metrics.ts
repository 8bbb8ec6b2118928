import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { preferred } from '../../http/negotiate.ts'
import type { Log } from '../../lib/log.ts'
import type { Family } from '../../lib/metrics/metrics.ts'
import { metricsText, OPEN_METRICS, PLAIN_TEXT } from '../../lib/metrics/text.ts'
import { Problem } from '../../lib/problem.ts'
import { type PlaceLabel, standingOf } from '../backup/standing.ts'
import type { BackupState } from '../backup/state.ts'
import type { CopyStatus } from '../replication/follow.ts'
import type { LeaseStatus } from '../replication/lease.ts'
import type { ReplicationStatus } from '../replication/primary.ts'
import { type MonitorAccess, type Monitors, monitorAccess, ONLY_LOOPBACK } from './access.ts'
import type { Finding, Health } from './health.ts'
import { gauge, type ObservedOptions, observedMetrics } from './observed.ts'
import { processMetrics } from './process.ts'
import { type Recorded, recordedMetrics } from './recorded.ts'

/** What monitoring needs besides the store. All of it may be left out, as in tests of other things. */
export type Monitoring = {
  monitors: Monitors
  /** The address of the client of a request, if not that of its connection. */
  addressOf?: ((req: IncomingMessage) => string | undefined) | undefined
  recorded: Recorded
  /** The kinds of jobs that the server runs. */
  kinds: readonly string[]
  /** How many connections each listener has, by its name. */
  connections: () => Record<string, number>
  /** How it stands with the copy, where the database is replicated. */
  replication?: (() => ReplicationStatus) | undefined
  /** Whether this server is still the primary, where it looks for that. */
  lease?: (() => LeaseStatus) | undefined
  /** How a reader follows its primary; it has nothing else to say of the database, whose primary says it. */
  copy?: (() => CopyStatus) | undefined
  /** The outcome of the last backups; left out where none are made. */
  backups?: (() => BackupState) | undefined
  /** When the TLS certificate of the listeners ends, in epoch milliseconds; left out without one. */
  certificateUntil?: (() => number) | undefined
  /** The notice that this version is old, if it is at that time. */
  versionAge?: ((now: number) => string | undefined) | undefined
  /** The doubt about the time zone by which backups are made, as a sentence. */
  zoneDoubt?: string | undefined
  /** The places to which backups are copied. */
  places?: readonly PlaceLabel[] | undefined
}

export const noMonitoring = (): Monitoring => ({
  ...{ monitors: ONLY_LOOPBACK, recorded: recordedMetrics(), kinds: [], connections: () => ({}) },
})

type Options = Omit<ObservedOptions, 'kinds'> & { monitoring: Monitoring; health: Health; log: Log }

/** Answers /readyz and /metrics: strangers see of the first whether the server is ready, and nothing of the second. */
export function monitoringPages({ monitoring, health, store, deps, dataDir, log }: Options) {
  const access: MonitorAccess = monitorAccess(monitoring.monitors, monitoring.addressOf)
  const { kinds, backups, places = [], replication, lease, copy, certificateUntil } = monitoring
  const [storage, ...ofPrimary] = observedMetrics({ store, deps, dataDir, kinds })
  const groups = [
    () => checkMetrics(health),
    ...(backups ? [() => backupMetrics(backups(), places, store.wallClock.now())] : []),
    () => (replication ? replicationMetrics(replication()) : []),
    () => (lease ? leaseMetrics(lease()) : []),
    () => (certificateUntil ? certificateMetrics(certificateUntil()) : []),
    processMetrics(),
    monitoring.recorded.families,
    () => connectionMetrics(monitoring.connections()),
    ...(storage ? [storage] : []),
    ...(copy ? [() => copyMetrics(copy())] : ofPrimary),
  ]

  /** A group that cannot be read, as from a damaged database, is left out: the others say why. */
  function familiesOf(read: () => Family[]): Family[] {
    try {
      return read()
    } catch (error) {
      if (!store.health.note(error)) log.error({ err: error }, 'metrics are incomplete')
      return []
    }
  }

  function metrics(ctx: Context): void {
    access.check(ctx.req)
    const isOpen = preferred(ctx.req.headers.accept, ['application/openmetrics-text', 'text/plain']) !== 'text/plain'
    ctx.set({ 'Content-Type': isOpen ? OPEN_METRICS : PLAIN_TEXT, Vary: 'Accept' })
    ctx.body = metricsText(groups.flatMap(familiesOf), isOpen)
  }

  /** Throws Problem 503. */
  function ready(ctx: Context): void {
    const isKnown = access.mayAsk(ctx.req)
    if (!isKnown && !health.isReady())
      throw new Problem(503, 'not_ready', 'The server is not ready.', { headers: { 'Retry-After': '5' } })
    ctx.set('Content-Type', 'application/json')
    ctx.body = JSON.stringify(isKnown ? health.ready() : { status: 'ready' })
  }

  return { metrics, ready }
}

const LEVELS: Record<Finding['status'], number> = { pass: 0, warn: 1, fail: 2 }

function checkMetrics(health: Health): Family[] {
  const found = Object.entries(health.findings())
  const checks = found.map(([check, { status }]) => ({ labels: { check }, value: LEVELS[status] }))
  const isReady = found.every(([, { status }]) => status !== 'fail')
  return [
    gauge('dealbox_ready', 'Whether the server is ready: 1 or 0.', [{ value: Number(isReady) }]),
    gauge('dealbox_health_check', 'Health checks of /readyz: 0 is pass, 1 warn, 2 fail.', checks),
  ]
}

/** Ages are without samples while there is no backup, or no copy. */
function backupMetrics(state: BackupState, places: readonly PlaceLabel[], now: number): Family[] {
  const { last } = state
  const ageOf = (made: number | undefined): number[] => (made === undefined ? [] : [Math.max(0, now - made) / 1000])
  const copies = standingOf(state, places).map(({ label: place, ...copy }) => ({ labels: { place }, ...copy }))
  const ages = copies.flatMap(({ labels, made }) => ageOf(made).map((value) => ({ labels, value })))
  const failing = copies.map(({ labels, isFailing }) => ({ labels, value: Number(isFailing) }))
  return [
    gauge(
      'dealbox_backup_age_seconds',
      'Age of the last good backup.',
      ageOf(last ? Date.parse(last.made_at) : undefined).map((value) => ({ value })),
    ),
    gauge('dealbox_backup_bytes', 'Size of the last good backup.', last ? [{ value: last.bytes }] : []),
    gauge('dealbox_backup_copy_age_seconds', 'Age of the newest backup of which a place has a copy.', ages),
    gauge('dealbox_backup_copy_failing', 'Whether the last copy to a place failed: 1 or 0.', failing),
  ]
}

/** The age is missing where nobody can ask the copy. */
function replicationMetrics({ epoch, lagMs }: ReplicationStatus): Family[] {
  const lag = lagMs === undefined ? [] : [{ value: lagMs / 1000 }]
  return [
    gauge('dealbox_replication_lag_seconds', 'Age of the newest that has arrived at the copy.', lag),
    gauge('dealbox_replication_epoch', 'Which primary this is; each promotion raises it.', [{ value: epoch }]),
  ]
}

const leaseMetrics = ({ problem }: LeaseStatus): Family[] => [
  gauge('dealbox_primary', 'Whether this server knows that it is the primary, and so writes: 1 or 0.', [
    { value: Number(problem === undefined) },
  ]),
]

const certificateMetrics = (until: number): Family[] => [
  gauge('dealbox_certificate_end_time_seconds', 'When the TLS certificate ends, in seconds since 1970.', [
    { value: Math.floor(until / 1000) },
  ]),
]

/** The lag is missing where the copy has no heartbeat. */
function copyMetrics({ lagMs, isRunning, restarts }: CopyStatus): Family[] {
  const lag = lagMs === undefined ? [] : [{ value: lagMs / 1000 }]
  return [
    gauge('dealbox_reader_lag_seconds', 'How far the copy is behind its primary: the age of its heartbeat.', lag),
    gauge('dealbox_reader_following', 'Whether Litestream follows the replica: 1 or 0.', [
      { value: Number(isRunning) },
    ]),
    {
      ...{ name: 'dealbox_reader_restarts', type: 'counter', help: 'Restarts of Litestream after it ended.' },
      samples: [{ value: restarts }],
    },
  ]
}

const connectionMetrics = (counts: Record<string, number>): Family[] => [
  gauge(
    'dealbox_connections',
    'Open connections.',
    Object.entries(counts).map(([listener, value]) => ({ labels: { listener }, value })),
  ),
]
