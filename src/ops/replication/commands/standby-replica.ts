import { join } from 'node:path'
import type { Log } from '../../../lib/log.ts'
import { Problem } from '../../../lib/problem.ts'
import { DATABASE } from '../../../store/open.ts'
import { replicationRow } from '../../../store/replication.ts'
import type { Database } from '../../../store/sqlite/driver.ts'
import type { Encryption } from '../../backup/encryption/secrets.ts'
import { folderOfEpoch } from '../epochs.ts'
import type { ReplicaStorage } from '../replica/copy.ts'
import { copyOfUrl, urlBelow } from '../replica/url.ts'
import { endOldReplication, startReplicating } from '../replicate.ts'
import { type FollowOptions, readFollow } from './follow-options.ts'

// A standby that was promoted goes on with what it followed with: the same storage, in which it has a folder of its own, and
// the same program.

export type OwnLitestream = { program: string; url: string }

export type Replicated = {
  copy: ReplicaStorage | undefined
  encryption: Encryption | undefined
  /** The URL of the replica, as Litestream takes it. */
  replicaUrl: string | undefined
  own?: OwnLitestream
}

/** How a promoted standby is replicated; undefined for a server that never was one. */
export function replicatedByStandby(options: FollowOptions): Replicated | undefined {
  const followed = readFollow(options)
  if (!followed) return undefined
  const { program, replica: url } = followed
  return { copy: replicaOf(url), encryption: undefined, replicaUrl: url, own: { program, url } }
}

/** The copy that a standby follows. Throws Problem 409 if nobody but Litestream can ask it. */
export function replicaOf(url: string): ReplicaStorage {
  const copy = copyOfUrl(url, process.env)
  if (copy) return copy
  throw new Problem(
    409,
    'cannot_promote',
    `Dealbox cannot ask the replica at ${url}, where a promotion has to be noted: only S3-compatible storage and folders. docs/failover.md says what to do instead.`,
  )
}

/** Where Litestream puts what this primary writes: each epoch has a folder of its own. */
export function atEpoch(replicated: Replicated | undefined, db: Database): Replicated | undefined {
  const folder = folderOfEpoch(replicationRow(db).read().epoch)
  if (!replicated || folder === '') return replicated
  const { copy, replicaUrl } = replicated
  return { ...replicated, copy: copy?.below(folder), replicaUrl: replicaUrl && urlBelow(replicaUrl, folder) }
}

type Served = { store: { db: Database }; log: Log; dataDir: string }

/**
 * The Litestream that a promoted standby starts by itself. One that a killed server left behind is ended at once, so that the
 * log can begin anew before `start`: renewal.ts.
 */
export function ownLitestream({ program, url }: OwnLitestream, { store, log, dataDir }: Served) {
  const { epoch } = replicationRow(store.db).read()
  const own = { program, database: join(dataDir, DATABASE), url: urlBelow(url, folderOfEpoch(epoch)), log }
  endOldReplication(own)
  return { start: () => startReplicating(own) }
}
