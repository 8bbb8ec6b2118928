import { ageNotice, readAgeNotice } from '../../command/age-notice.ts'
import { json } from '../../command/command.ts'
import { type Options, parseListen } from '../../command/config/options.ts'
import { expectOptions } from '../../command/expected-data.ts'
import { parseLifetime } from '../../command/lifetime.ts'
import { minFreeOption, readMinFree } from '../../command/min-free.ts'
import { apiListen, parsePublicUrl, publicUrl } from '../../command/public-url.ts'
import { caOption } from '../../command/trust.ts'
import { USUAL_RETENTION_DAYS as AUDIT_RETENTION_DAYS } from '../../events/audit/purge.ts'
import { type FrontOptions, frontOptions, openFront } from '../../http/listener/front.ts'
import { parseRate } from '../../http/ratelimit.ts'
import type { Log } from '../../lib/log.ts'
import { parseAllow } from '../../lib/net/allow.ts'
import { usage } from '../../lib/problem.ts'
import { MIB, parseSize } from '../../lib/size.ts'
import { type BackupOptions, backupOptions, readBackups } from '../../ops/backup/commands/backup-options.ts'
import { type MonitorSettings, monitorOptions, readMonitors } from '../../ops/monitoring/monitors.ts'
import { oldOff } from '../../ops/replication/commands/fence-options.ts'
import { type FollowOptions, followOptions } from '../../ops/replication/commands/follow-options.ts'
import {
  type ReplicatedOptions,
  readReplicated,
  replicatedOptions,
} from '../../ops/replication/commands/replica-options.ts'
import { USUAL_RETENTION_DAYS } from '../../webhooks/delivery/retention.ts'
import { type NotifyOptions, notifyOptions, readNotify } from './notify-options.ts'

const FOR_EVER = Number.MAX_SAFE_INTEGER

export type ServeOptions = BackupOptions &
  ReplicatedOptions &
  FollowOptions &
  NotifyOptions &
  FrontOptions & {
    data: string
    apiListen: string
    publicUrl?: string | undefined
    screensListen: string
    rateLimit: string
    corsOrigin: string
    webhookAllow: string
    eventRetention: string
    /** 365d by default. */
    auditRetention?: string | undefined
    /** 36M by default. */
    maxAttachments?: string | undefined
    /** 256M by default, or a sixteenth of a smaller disk. */
    minFree?: string | undefined
    /** 365d by default. */
    ageNotice?: string | undefined
    oldPrimaryIsOff?: boolean | undefined
    expectData?: boolean | undefined
  } & MonitorSettings

/** The options of `serve`. */
export const serveOptions = {
  apiListen,
  publicUrl,
  screensListen: {
    type: 'string',
    placeholder: 'HOST:PORT',
    default: '127.0.0.1:8081',
    help: 'address of the screens listener (browser app, API reference, health checks, metrics, unsubscribe pages), unix:PATH, or off',
  },
  ...frontOptions,
  rateLimit: {
    type: 'string',
    placeholder: 'RATE',
    default: '60000/60s',
    help: 'requests per seconds for each token, such as 1000/s, or off',
  },
  corsOrigin: {
    type: 'string',
    placeholder: 'ORIGINS',
    default: '',
    help: 'origins that may call the API from a browser, separated by commas',
  },
  webhookAllow: {
    type: 'string',
    placeholder: 'LIST',
    default: '',
    help: 'hosts, addresses and networks that webhooks may reach although they are not public, separated by commas',
  },
  ...caOption,
  eventRetention: {
    type: 'string',
    placeholder: 'TIME',
    default: `${USUAL_RETENTION_DAYS}d`,
    help: 'how long to keep events for polling and replay, such as 30d, or never to delete them',
  },
  auditRetention: {
    type: 'string',
    placeholder: 'TIME',
    default: `${AUDIT_RETENTION_DAYS}d`,
    help: 'how long to keep entries of the audit log, such as 365d, or never to delete them',
  },
  maxAttachments: {
    type: 'string',
    placeholder: 'SIZE',
    default: '36M',
    help: 'how large the files of a received mail may be together, from 1M to 100M; larger ones are left out',
  },
  minFree: minFreeOption,
  ...expectOptions,
  ...backupOptions,
  ...replicatedOptions,
  ...oldOff,
  ...followOptions,
  ...monitorOptions,
  ...notifyOptions,
  ...ageNotice,
  logLevel: {
    type: 'string',
    placeholder: 'LEVEL',
    help: 'error, warn or info, which logs every request; by default info with --json, and warn without',
  },
  json: { ...json, help: 'log as JSON lines to standard output' },
} as const satisfies Options

/** Reads the options, and the files that they name. Throws a usage Problem. */
export async function readServeOptions(options: ServeOptions, log: Log) {
  const apiAddress = parseListen(options.apiListen)
  const screensAddress = parseListen(options.screensListen)
  if (!apiAddress) throw usage('--api-listen must not be off.')
  const rate = parseRate(options.rateLimit)
  const allow = parseAllow(options.webhookAllow)
  const maxFileBytes = readMaxAttachments(options.maxAttachments)
  const minFreeBytes = readMinFree(options.minFree)
  const keepEventsMs = parseLifetime('--event-retention', options.eventRetention) ?? FOR_EVER
  const backups = await readBackups(options.data, options)
  const replicated = await readReplicated(options.data, options)
  const { auditRetention = `${AUDIT_RETENTION_DAYS}d` } = options
  const keepAuditMs = parseLifetime('--audit-retention', auditRetention) ?? FOR_EVER
  const monitors = readMonitors(options)
  const notify = readNotify(options)
  const versionAge = readAgeNotice(options.ageNotice)
  const { names, ...front } = await openFront(options, log)
  const { publicUrl } = options
  const givenUrl = publicUrl === undefined ? undefined : parsePublicUrl(publicUrl, front.basePath)
  return {
    ...{
      apiAddress,
      screensAddress,
      rate,
      allow,
      maxFileBytes,
      minFreeBytes,
      keepEventsMs,
      keepAuditMs,
      backups,
      replicated,
    },
    ...{ givenUrl, monitors, notify, versionAge, names, front },
  }
}

/** Throws a usage Problem. */
export function checkLogLevel(level: string | undefined): void {
  if (level !== undefined && !['error', 'warn', 'info'].includes(level))
    throw usage('--log-level must be error, warn or info.')
}

/** Throws a usage Problem. */
function readMaxAttachments(size: string | undefined): number | undefined {
  const bytes = size === undefined ? undefined : (parseSize(size) ?? 0)
  if (bytes !== undefined && (bytes < MIB || bytes > 100 * MIB))
    throw usage('--max-attachments must be a size from 1M to 100M, such as 36M.')
  return bytes
}
