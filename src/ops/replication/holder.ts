import * as v from 'valibot'
import { rfc3339 } from '../../lib/time.ts'
import { create, type EpochFiles, numberOf, read } from './epochs.ts'
import type { ReplicaStorage } from './replica/copy.ts'

// What is said beside a copy about the server that is the primary now, and about the standbys that wait to replace it;
// docs/decisions/067-lone-primaries.md.

const holderOf = (epoch: number): string => `epoch-${numberOf(epoch)}-holder.json`
const standbyOf = (epoch: number): string => `epoch-${numberOf(epoch)}-standby.json`
const fencedOf = (epoch: number): string => `epoch-${numberOf(epoch)}-fenced.json`
const displacedOf = (epoch: number): string => `epoch-${numberOf(epoch)}-displaced.json`

/** The start of a server that is the primary. Each start has a name of its own, by which two of one folder differ. */
const Holder = v.object({ start: v.string(), installation: v.string(), host: v.string(), at: v.string() })
export type Holder = v.InferOutput<typeof Holder>

export const readHolder = (place: EpochFiles, epoch: number, signal?: AbortSignal): Promise<Holder | undefined> =>
  read(place, holderOf(epoch), Holder, signal)

/** Of two who do so, the last one holds it, and the other one sees that. */
export const putHolder = (copy: ReplicaStorage, epoch: number, holder: Holder, signal?: AbortSignal): Promise<void> =>
  copy.put(holderOf(epoch), Buffer.from(`${JSON.stringify(holder)}\n`), signal)

/** A server that has seen another one of its folder and writes no more: `by` is the start of that one. */
const Displaced = v.object({ start: v.string(), by: v.string(), at: v.string() })
export type Displaced = v.InferOutput<typeof Displaced>

export const readDisplaced = (place: EpochFiles, epoch: number, signal?: AbortSignal): Promise<Displaced | undefined> =>
  read(place, displacedOf(epoch), Displaced, signal)

export const putDisplaced = (
  copy: ReplicaStorage,
  epoch: number,
  displaced: Displaced,
  signal?: AbortSignal,
): Promise<void> => copy.put(displacedOf(epoch), Buffer.from(`${JSON.stringify(displaced)}\n`), signal)

/**
 * Says that somebody follows this epoch and may be promoted. One of all standbys has to. Resolves with false where no primary
 * has said anything, as in an empty folder in the place of a share.
 */
export async function registerStandby(
  copy: ReplicaStorage,
  epoch: number,
  now: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const names = await copy.own(signal)
  if (names.length > 0 && !names.includes(standbyOf(epoch)))
    await create(copy, standbyOf(epoch), { at: rfc3339(now) }, signal)
  return names.length > 0
}

export const hasStandby = async (place: EpochFiles, epoch: number, signal?: AbortSignal): Promise<boolean> =>
  (await place.get(standbyOf(epoch), signal)) !== undefined

/** The promise of a primary that knows of a standby: it writes for no longer than this after its last look. */
const Fenced = v.object({
  lease_ms: v.number(),
  /** How the file of the standby looks from there: on a folder that two machines only synchronise, it looks different. */
  standby: v.nullable(v.string()),
})
export type Fenced = v.InferOutput<typeof Fenced>

export const readFenced = (place: EpochFiles, epoch: number, signal?: AbortSignal): Promise<Fenced | undefined> =>
  read(place, fencedOf(epoch), Fenced, signal)

export async function noteFenced(
  copy: ReplicaStorage,
  epoch: number,
  leaseMs: number,
  signal?: AbortSignal,
): Promise<void> {
  if (await readFenced(copy, epoch, signal)) return
  const standby = (await copy.identity?.(standbyOf(epoch), signal)) ?? null
  await create(copy, fencedOf(epoch), { lease_ms: leaseMs, standby }, signal)
}

/** Whether the primary sees the same files as this machine: undefined if nobody can tell, as on S3. */
export async function isSamePlace(
  copy: ReplicaStorage,
  epoch: number,
  { standby }: Fenced,
): Promise<boolean | undefined> {
  const own = await copy.identity?.(standbyOf(epoch))
  if (own === undefined || standby === null) return undefined
  const [ino, changedAt] = own.split(' ')
  const [theirIno, theirChangedAt] = standby.split(' ')
  return ino === theirIno || changedAt === theirChangedAt // some shares number files anew on each machine
}
