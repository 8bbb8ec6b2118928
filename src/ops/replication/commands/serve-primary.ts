import type { Every } from '../../../lib/every.ts'
import type { Log } from '../../../lib/log.ts'
import { readUnlessDamaged } from '../../../store/newest.ts'
import type { Store } from '../../../store/open.ts'
import { replicationRow } from '../../../store/replication.ts'
import type { ReplicationStatus, startPrimary } from '../primary.ts'
import type { readReplicated } from './replica-options.ts'

type Options = {
  store: Store
  log: Log
  dataDir: string
  /** Undefined if it is not replicated. */
  replicated: Awaited<ReturnType<typeof readReplicated>>
  /** Where clients reach it. */
  url: string | undefined
  lease?: Parameters<typeof startPrimary>[0]['lease']
  every?: Every
  elapsed?: () => number
}

/** Notes how a database is served, for all who open it or a copy, and starts what a replicated one needs. */
export async function servePrimary({ store, log, dataDir, replicated, url, lease, ...time }: Options): Promise<{
  status: (() => ReplicationStatus) | undefined
  stop: () => Promise<void>
}> {
  const row = replicationRow(store.db)
  const served = { is_replicated: replicated !== undefined, primary_url: replicated ? (url ?? null) : null }
  const noted = readUnlessDamaged(store.health.note, served, row.read)
  if (noted.is_replicated !== served.is_replicated || noted.primary_url !== served.primary_url)
    // While another process writes, it waits, and the start does not.
    store
      .write(() => row.serve(served.is_replicated, served.primary_url), { isSmall: true })
      .catch((error) => {
        if (!store.health.note(error)) log.error({ err: error }, 'whether the database is replicated was not noted')
      })
  if (!replicated) return { status: undefined, stop: () => Promise.resolve() }
  const primary = await import('../primary.ts') // few servers need it
  return primary.startPrimary({ store, log, dataDir, ...replicated, lease, ...time })
}
