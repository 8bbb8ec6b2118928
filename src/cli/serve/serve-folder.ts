import { resourceDeps } from '../../app/deps.ts'
import { makeMissingKeys } from '../../auth/needed-keys.ts'
import { markData, refuseMissing } from '../../command/expected-data.ts'
import { phoneKinds } from '../../crm/phones.ts'
import { bodies } from '../../http/body/bodies.ts'
import { deleteOldUploads } from '../../http/body/uploads.ts'
import { addressOfScreens } from '../../http/listener/screens-url.ts'
import type { Listener } from '../../http/listener/server.ts'
import { inboxKinds } from '../../inbox/conversations/jobs.ts'
import { mailLogins } from '../../inbox/mailboxes/access-tokens.ts'
import { deleteStagedContents } from '../../inbox/messages/contents.ts'
import type { Log } from '../../lib/log.ts'
import { guard } from '../../lib/net/guard.ts'
import { mailKinds } from '../../mail/jobs.ts'
import { outboundMail } from '../../mail/outbound-mail.ts'
import { backupTime, noteZone, startBackups } from '../../ops/backup/commands/backup-options.ts'
import { isSendingPaused } from '../../ops/backup/sending.ts'
import { labelled } from '../../ops/backup/standing.ts'
import { lastBackup } from '../../ops/backup/state.ts'
import { logFault } from '../../ops/doctor/inspect/log-frames.ts'
import { health } from '../../ops/monitoring/health.ts'
import { recordedMetrics } from '../../ops/monitoring/recorded.ts'
import { startArriving } from '../../ops/moves/arriving.ts'
import { startSettling } from '../../ops/moves/settling.ts'
import { fenceOf, whenHeld } from '../../ops/replication/commands/serve-lease.ts'
import { servePrimary } from '../../ops/replication/commands/serve-primary.ts'
import {
  atEpoch,
  ownLitestream,
  type Replicated,
  replicatedByStandby,
} from '../../ops/replication/commands/standby-replica.ts'
import { sequenceKinds } from '../../sequences/enrollments/jobs.ts'
import { screensKinds, screensWork } from '../../site/app/jobs.ts'
import { lockInstance } from '../../store/folder/lock.ts'
import { startScheduler } from '../../store/jobs/scheduler.ts'
import { requireDatabase } from '../../store/open.ts'
import { startListeners } from './listeners.ts'
import { waysOf } from './reader-notices.ts'
import { afterJump, recurringWork } from './recurring.ts'
import { GRACE_MS, type Running } from './running.ts'
import { startNotices } from './serve-notices.ts'
import { readServeOptions, type ServeOptions } from './serve-options.ts'
import { PAUSED, startSending } from './serve-sending.ts'
import { openServedStore } from './served-store.ts'
import { newSetupUrl, prepareEmptyFolder } from './setup.ts'
import { workerList } from './workers.ts'

/** Serves a data folder until `stop`, which waits for running requests, writes a checkpoint and closes the database. */
export async function serveFolder(options: ServeOptions, log: Log): Promise<Running> {
  const read = await readServeOptions(options, log)
  const { screensAddress, allow, maxFileBytes, minFreeBytes, keepEventsMs, keepAuditMs } = read
  const { backups, givenUrl, front, notify } = read
  const replicated: Replicated | undefined = read.replicated ?? replicatedByStandby(options)
  refuseMissing(options.data, options.expectData ?? false)
  if (screensAddress) prepareEmptyFolder(options.data)
  requireDatabase(options.data)
  markData(options.data)
  const undo: (() => void | Promise<void>)[] = []
  const listeners: Listener[] = []
  /** Work that writes to the folder, or reaches other machines. */
  const workers = workerList()
  const stopping = new AbortController()
  const state = { log, stopping: stopping.signal, bodies: bodies() }
  const recorded = recordedMetrics()

  async function stop(): Promise<void> {
    stopping.abort()
    await Promise.all([...listeners.map((listener) => listener.stop(GRACE_MS)), workers.endAll()])
    for (const step of undo.reverse()) await step()
  }

  try {
    undo.push(lockInstance(options.data)) // before the store, which may migrate
    const fault = logFault(options.data) // before SQLite drops it
    if (fault !== undefined) log.error(fault)
    const { fence, start: startLease } = fenceOf(options.data, {
      copy: replicated?.copy,
      option: read.replicated ? 'replica' : 'follow',
      isOldOff: options.oldPrimaryIsOff ?? false,
    })
    const store = openServedStore(options.data, log, {
      fence,
      ...{ backupDir: backups.folder, encryption: backups.copying.encryption },
      ...{ minFree: minFreeBytes, measure: recorded.committed },
      isReplicated: replicated !== undefined,
    })
    undo.push(store.close)
    const lease = await startLease({ store, log, url: givenUrl })
    if (lease) undo.push(lease.stop)
    if (lease) workers.push(async () => lease.release())
    void lease?.deposed.then(workers.endAll)
    const served = { store, log, dataDir: options.data, replicated: atEpoch(replicated, store.db), url: givenUrl }
    const litestream = replicated?.own && ownLitestream(replicated.own, served)
    const primary = await servePrimary({ ...served, store: whenHeld(store, lease), lease })
    workers.push(primary.stop)
    if (litestream) workers.push(litestream.start())
    deleteOldUploads(options.data)
    makeMissingKeys(store, options.data)
    const zoneDoubt = noteZone(options.data, log)
    // The first write of the server; while another process writes, it waits, and the start does not.
    store
      .write(() => void deleteStagedContents(store.db))
      .catch((error) => {
        if (!store.health.note(error)) log.error({ err: error }, 'staged files were not deleted')
      })
    const ownPorts = () => listeners.flatMap(({ port }) => port ?? [])
    const deps = resourceDeps(store, guard({ allow, ownPorts }), { basePath: front.basePath })
    const isPaused = isSendingPaused(options.data)
    if (isPaused) log.warn(PAUSED)
    const logins = mailLogins({ deps, write: store.write })
    workers.push(logins.stop)
    const outbound = outboundMail({ deps, write: store.write, logins, log, count: recorded.mailSent })
    const sendingKinds = isPaused ? [] : [...sequenceKinds(deps), ...mailKinds(outbound)]
    const kinds = [...inboxKinds(deps), ...phoneKinds(deps), ...sendingKinds, ...screensKinds(deps)]
    const arriving = startArriving({ store, dataDir: options.data, log })
    workers.push(arriving.stop)
    // A copy that somebody only looks at must not end the move of the server that it was made of.
    if (!isPaused) workers.push(startSettling({ store, dataDir: options.data, log }))
    const monitoring = {
      ...{ recorded, kinds: kinds.map(({ kind }) => kind), replication: primary.status, lease: lease?.status },
      backups: backups.at === null ? undefined : () => lastBackup(options.data),
      places: isPaused ? [] : labelled(backups.copying.places),
      zoneDoubt,
      certificateUntil: front.certificate?.until,
    }
    const watched = { store, deps, log, dataDir: options.data }
    const judge = health({ ...watched, ...monitoring, stopping: stopping.signal, isSendingPaused: isPaused })
    const night = startBackups({ ...watched, isPaused }, backups)
    if (night) workers.push(night.stop)
    const screensUrl = () => listeners[1]?.webUrl
    const notifier = startNotices({
      ...{ ...watched, judge, notify, host: options.host, screensUrl, logins, isPaused },
    })
    workers.push(notifier.stop)
    await startListeners({
      ...{ store, deps, state, options, read, listeners, judge, arriving, monitoring },
      operation: { notifier, night, ways: waysOf(notify, isPaused), at: backupTime(backups, store) },
    })
    const scheduler = startScheduler({
      store,
      log,
      kinds,
      recurring: [...recurringWork({ keepEventsMs, keepAuditMs }), ...screensWork(deps)],
      afterJump,
    })
    workers.push(() => scheduler.stop().finally(outbound.close))
    if (!isPaused) {
      const { webhookAllow } = options
      workers.push(...startSending({ store, deps, log, logins, recorded, maxFileBytes, webhookAllow, ownPorts }))
    }
    const [api, screens] = listeners as [Listener, Listener?]
    const address = screens && addressOfScreens(store, { ...options, url: screens.webUrl })
    const setup = address === undefined ? null : newSetupUrl(store, options.data, address)
    return { api: api.url, screens: screens?.url ?? null, setup, reload: front.certificate?.reload, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
