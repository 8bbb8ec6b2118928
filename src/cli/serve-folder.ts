import { api, catalog, PREFIX } from '../app.ts'
import { version } from '../assets.ts'
import { clientOf } from '../auth/client.ts'
import { isSendingPaused } from '../backup/sending.ts'
import { labelled } from '../backup/standing.ts'
import { lastBackup } from '../backup/state.ts'
import { bodies } from '../http/bodies.ts'
import type { Log } from '../http/log.ts'
import { openApiDocument } from '../http/openapi.ts'
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
import { hostCheck, hostsOf } from '../screens/sessions/hosts.ts'
import { lockInstance } from '../store/lock.ts'
import { requireDatabase } from '../store/open.ts'
import { publicUrlsWith } from '../store/orgs.ts'
import { guard } from '../webhooks/egress/guard.ts'
import { startBackups } from './backup-options.ts'
import { screensOrigin } from './screens-url.ts'
import { readServeOptions, type ServeOptions } from './serve-options.ts'
import { PAUSED, startSending } from './serve-sending.ts'
import { openServedStore } from './served-store.ts'
import { newSetupUrl, prepareEmptyFolder } from './setup.ts'

/** How long running work may take to finish when the server stops. */
const GRACE_MS = 10_000

export type Running = {
  api: string
  screens: string | null
  /** The link that creates the first organisation, while there is none. */
  setup: string | null
  /** Reads the certificate again, if there is one. */
  reload: (() => Promise<void>) | undefined
  stop: () => Promise<void>
}

/** Serves a data folder until `stop`, which waits for running requests, writes a checkpoint and closes the database. */
export async function serveFolder(options: ServeOptions, log: Log): Promise<Running> {
  const read = await readServeOptions(options, log)
  const { apiAddress, screensAddress, rate, allow, maxFileBytes, minFreeBytes, keepEventsMs, keepAuditMs } = read
  const { backups, givenUrl, monitors, trust, names, front } = read
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
      ...{ backupDir: backups.folder, encryption: backups.copying.encryption },
      ...{ minFree: minFreeBytes, measure: recorded.committed },
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
    const ofGivenUrl = givenUrl === undefined ? [] : hostsOf([givenUrl])
    const checkHost = hostCheck({
      listen: apiAddress.host,
      added: [...names, ...ofGivenUrl],
      publicUrls: publicUrlsWith(store.db),
    })
    const app = api(store, {
      ...{ ...state, dataDir: options.data, rate, corsOrigins, deps },
      checkHost: names.length > 0 ? checkHost : undefined,
      measure: recorded.requests.of('api', PREFIX),
    })
    const apiListener = await listen(app.callback(), apiAddress, front)
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
          addressOf: (req) => clientOf(req).address,
          backups: backups.at === null ? undefined : () => lastBackup(options.data),
          places: isPaused ? [] : labelled(backups.copying.places),
          connections: () => ({ api: listeners[0]?.connections() ?? 0, screens: listeners[1]?.connections() ?? 0 }),
        },
        hosts: names,
      })
      listeners.push(await listen(site.callback(), screensAddress, front))
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
    workers.push(startBackups({ store, log, dataDir: options.data, isPaused }, backups))
    const screensUrl = listeners[1]?.url ?? null
    const setup = screensUrl && newSetupUrl(store, options.data, screensOrigin(store, { ...options, url: screensUrl }))
    return { api: apiListener.url, screens: screensUrl, setup, reload: front.certificate?.reload, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
