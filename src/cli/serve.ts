import { api, catalog, PREFIX } from '../app.ts'
import { version } from '../assets.ts'
import { USUAL_RETENTION_DAYS as AUDIT_RETENTION_DAYS } from '../audit/purge.ts'
import { isSendingPaused } from '../backup/sending.ts'
import { lastBackup } from '../backup/state.ts'
import { parseListen, usage } from '../config.ts'
import { bodies } from '../http/bodies.ts'
import { type Log, openLog } from '../http/log.ts'
import { openApiDocument } from '../http/openapi.ts'
import { parseRate } from '../http/ratelimit.ts'
import { type Listener, listen } from '../http/server.ts'
import { deleteOldUploads } from '../http/uploads.ts'
import { mailLogins } from '../inbox/mailboxes/access-tokens.ts'
import { deleteStagedContents } from '../inbox/messages/contents.ts'
import { inboxKinds } from '../jobs/inbox.ts'
import { mailKinds } from '../jobs/mail.ts'
import { recurringWork } from '../jobs/recurring.ts'
import { startScheduler } from '../jobs/scheduler.ts'
import { sequenceKinds } from '../jobs/sequences.ts'
import { outboundMail } from '../mail/sync/outbound-mail.ts'
import { resourceDeps } from '../resource-deps.ts'
import { screensKinds, screensWork } from '../screens/app/jobs.ts'
import { screens } from '../screens/app.ts'
import { recordedMetrics } from '../screens/monitoring/recorded.ts'
import { parseHosts } from '../screens/sessions/hosts.ts'
import { qrText } from '../screens/sessions/qr.ts'
import { lockInstance } from '../store/lock.ts'
import { requireDatabase } from '../store/open.ts'
import { USUAL_RETENTION_DAYS } from '../webhooks/delivery/retention.ts'
import { parseAllow } from '../webhooks/egress/allow.ts'
import { guard } from '../webhooks/egress/guard.ts'
import { type BackupOptions, backupOptions, readBackups, startBackups } from './backup-options.ts'
import { command, json } from './command.ts'
import { parseLifetime } from './lifetime.ts'
import { readMaxAttachments } from './max-attachments.ts'
import { readMinFree } from './min-free.ts'
import { type MonitorSettings, monitorOptions, readMonitors } from './monitors.ts'
import { apiListen, parsePublicUrl, publicUrl } from './public-url.ts'
import { isLocal, screensOrigin } from './screens-url.ts'
import { PAUSED, startSending } from './serve-sending.ts'
import { openServedStore } from './served-store.ts'
import { newSetupUrl, prepareEmptyFolder } from './setup.ts'
import { readTrust } from './trust.ts'

/** How long running work may take to finish when the server stops. */
const GRACE_MS = 10_000
const FOR_EVER = Number.MAX_SAFE_INTEGER

export type ServeOptions = BackupOptions & {
  data: string
  apiListen: string
  publicUrl?: string | undefined
  screensListen: string
  screensHost?: string | undefined
  rateLimit: string
  corsOrigin: string
  webhookAllow: string
  mailCa?: string | undefined
  eventRetention: string
  /** 365d by default. */
  auditRetention?: string | undefined
  /** 36M by default. */
  maxAttachments?: string | undefined
  /** 256M by default, or a sixteenth of a smaller disk. */
  minFree?: string | undefined
} & MonitorSettings

export type Running = {
  api: string
  screens: string | null
  /** The link that creates the first organisation, while there is none. */
  setup: string | null
  stop: () => Promise<void>
}

/** Serves a data folder until `stop`, which waits for running requests, writes a checkpoint and closes the database. */
export async function serveFolder(options: ServeOptions, log: Log): Promise<Running> {
  const apiAddress = parseListen(options.apiListen)
  const screensAddress = parseListen(options.screensListen)
  if (!apiAddress) throw usage('--api-listen must not be off.')
  const rate = parseRate(options.rateLimit)
  const allow = parseAllow(options.webhookAllow)
  const maxFileBytes = readMaxAttachments(options.maxAttachments)
  const minFree = readMinFree(options.minFree)
  const keepEventsMs = parseLifetime('--event-retention', options.eventRetention) ?? FOR_EVER
  const backups = readBackups(options.data, options)
  const { auditRetention = `${AUDIT_RETENTION_DAYS}d` } = options
  const keepAuditMs = parseLifetime('--audit-retention', auditRetention) ?? FOR_EVER
  const givenUrl = options.publicUrl === undefined ? undefined : parsePublicUrl(options.publicUrl)
  const monitors = readMonitors(options)
  const trust = options.mailCa === undefined ? {} : readTrust(options.mailCa)
  if (screensAddress) prepareEmptyFolder(options.data)
  requireDatabase(options.data)
  const undo: (() => void)[] = []
  const listeners: Listener[] = []
  const workers: (() => Promise<void>)[] = []
  const stopping = new AbortController()
  const state = { log, stopping: stopping.signal, bodies: bodies() }
  const recorded = recordedMetrics()

  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all([...listeners.map((listener) => listener.stop(GRACE_MS)), ...workers.map((end) => end())])
    for (const step of undo.reverse()) step()
  }

  try {
    undo.push(lockInstance(options.data)) // before the store, which may migrate
    const store = openServedStore(options.data, log, {
      backupDir: backups.folder,
      ...{ minFree, measure: recorded.committed },
    })
    undo.push(store.close)
    deleteOldUploads(options.data)
    // The first write of the server; while another process writes, it waits, and the start does not.
    store
      .write(() => void deleteStagedContents(store.db))
      .catch((error) => {
        if (!store.health.note(error)) log.error({ err: error }, 'staged files were not deleted')
      })
    const corsOrigins = options.corsOrigin.split(',').filter((origin) => origin !== '')
    const ownPorts = () => listeners.map(({ port }) => port)
    const deps = resourceDeps(store, guard({ allow, ownPorts }))
    const isPaused = isSendingPaused(options.data)
    if (isPaused) log.warn(PAUSED)
    const logins = mailLogins({ deps, write: store.write, trust })
    workers.push(logins.stop)
    const outbound = outboundMail({ deps, write: store.write, trust, logins, count: recorded.mailSent })
    const sendingKinds = isPaused ? [] : [...sequenceKinds(deps), ...mailKinds(outbound)]
    const kinds = [...inboxKinds(deps), ...sendingKinds, ...screensKinds(deps)]
    const measure = recorded.requests.of('api', PREFIX)
    const app = api(store, { ...state, dataDir: options.data, rate, corsOrigins, deps, measure })
    const apiListener = await listen(app.callback(), apiAddress)
    listeners.push(apiListener)
    if (screensAddress) {
      const routes = catalog(deps)
      const document = () => openApiDocument(routes, PREFIX, version)
      const site = screens({
        ...state,
        ...{
          store,
          deps,
          document,
          routes,
          prefix: PREFIX,
          dataDir: options.data,
          isSendingPaused: isPaused,
          apiUrl: givenUrl ?? apiListener.url,
        },
        listen: screensAddress.host,
        monitoring: {
          ...{ monitors, recorded, kinds: kinds.map(({ kind }) => kind) },
          backups: backups.at === null ? undefined : () => lastBackup(options.data),
          connections: () => ({ api: listeners[0]?.connections() ?? 0, screens: listeners[1]?.connections() ?? 0 }),
        },
        hosts: parseHosts(options.screensHost ?? ''),
      })
      listeners.push(await listen(site.callback(), screensAddress))
    }
    const scheduler = startScheduler({
      store,
      log,
      kinds,
      recurring: [...recurringWork({ keepEventsMs, keepAuditMs }), ...screensWork(deps)],
    })
    workers.push(() => scheduler.stop().finally(outbound.close))
    if (!isPaused) {
      const { webhookAllow } = options
      workers.push(...startSending({ store, deps, log, trust, logins, recorded, maxFileBytes, webhookAllow, ownPorts }))
    }
    workers.push(startBackups({ store, log, dataDir: options.data }, backups))
    const screensUrl = listeners[1]?.url ?? null
    const setup =
      screensUrl && newSetupUrl(store, options.data, screensOrigin(store, screensUrl.slice('http://'.length)))
    return { api: apiListener.url, screens: screensUrl, setup, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

export const serve = command({
  name: 'serve',
  summary: 'Start the server: the API and the screens listener; in an empty folder it prints a link to set it up',
  options: {
    apiListen,
    publicUrl,
    screensListen: {
      type: 'string',
      placeholder: 'HOST:PORT',
      default: '127.0.0.1:8081',
      help: 'address of the screens listener (browser app, API reference, health checks, metrics, unsubscribe pages), or off',
    },
    screensHost: {
      type: 'string',
      placeholder: 'NAMES',
      default: '',
      help: 'further names by which browsers may open the screens, such as crm.example.com, separated by commas',
    },
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
    mailCa: {
      type: 'string',
      placeholder: 'FILE',
      help: 'additional CA certificates (PEM) to trust for mail servers, such as that of your own CA',
    },
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
    ...backupOptions,
    ...monitorOptions,
    minFree: {
      type: 'string',
      placeholder: 'SIZE',
      help: 'below this much free space on the disk of the data folder little but deletions is written, such as 1G, or off (default 256M, or a sixteenth of a smaller disk)',
    },
    logLevel: {
      type: 'string',
      placeholder: 'LEVEL',
      default: 'info',
      help: 'error, warn or info; info logs every request',
    },
    json: { ...json, help: 'log as JSON lines to standard output' },
  },
  run: async ({ options }) => {
    if (!['error', 'warn', 'info'].includes(options.logLevel)) throw usage('--log-level must be error, warn or info.')
    // Without --json the output is for people: two addresses, then only warnings and errors.
    const { log, flush } = options.json ? openLog(options.logLevel, 1) : openLog('warn', 2)
    try {
      const running = await serveFolder(options, log)
      const { api, screens, setup } = running
      if (options.json) {
        log.info({ version, data: options.data, api, screens: screens ?? 'off' }, 'listening')
        if (setup) log.info({ setup }, 'no organisation yet')
      } else process.stdout.write(`api      ${api}\nscreens  ${screens ?? 'off'}\n${setup ? setupText(setup) : ''}`)
      if (![api, screens ?? api].every(isLocal)) log.warn(CLEAR_TEXT)
      flush()
      await untilSignal()
      log.info('stopping')
      await running.stop()
      log.info('stopped')
    } finally {
      flush()
    }
  },
})

const CLEAR_TEXT =
  'Dealbox serves plain HTTP on the network: tokens and passwords are sent in clear text, unless a TLS proxy stands in front of it.'

/** The link works once, so that it is no secret for long. A phone on the network reads it as a QR code. */
const setupText = (url: string): string =>
  `setup    ${url}\n         Open this link to create your organisation. It works once, for 24 hours.\n${isLocal(url) ? '' : `\n${qrText(url)}\n`}`

/** Resolves on the first SIGTERM or SIGINT; a second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let seen = false
    const onSignal = () => {
      if (seen) process.exit(1)
      seen = true
      resolve()
    }
    process.on('SIGTERM', onSignal)
    process.on('SIGINT', onSignal)
  })
}
