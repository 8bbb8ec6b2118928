import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { Trail, trailOf } from '../../events/trail.ts'
import { Problem } from '../../lib/problem.ts'
import { rfc3339 } from '../../lib/time.ts'
import { lastCommit } from '../../store/newest.ts'
import type { Store } from '../../store/open.ts'
import { replicationRow } from '../../store/replication.ts'
import type { ReplicaStorage } from './replica/copy.ts'
import { isChangesFile, isFirst, NEW_FILES, SNAPSHOTS } from './replica/ltx.ts'

// What is said beside a copy about its primaries: which there were, where each began, and where each ended. Every file is
// made once and never changed; docs/decisions/043-failover.md. Which server holds the present one is in holder.ts.

export type EpochFiles = Pick<ReplicaStorage, 'name' | 'own' | 'get' | 'create'>

/** A primary. The one with the highest number is the present one. */
const Epoch = v.object({
  epoch: v.number(),
  primary_url: v.nullable(v.string()),
  /** RFC 3339; null for the first. */
  promoted_at: v.nullable(v.string()),
  /** The epoch of the copy that was promoted; 0 for the first primary, which was none. */
  from: v.number(),
  /** By which two promotions differ. */
  id: v.string(),
})
export type Epoch = v.InferOutput<typeof Epoch>

/** The last event, by the order of commits, and the last heartbeat that a primary began or ended with. */
const Position = v.object({ commit_seq: v.number(), beat: v.number(), at: v.string() })
export type Position = v.InferOutput<typeof Position>

/** The position of the database when a primary began; older versions noted no trail. */
const Begun = v.object({ ...Position.entries, trail: v.optional(Trail, []) })
type Begun = v.InferInput<typeof Begun>

/** How far a database is. */
export const presentPosition = ({ db, wallClock }: Pick<Store, 'db' | 'wallClock'>): Position => ({
  commit_seq: lastCommit(db),
  beat: replicationRow(db).read().beat,
  at: rfc3339(wallClock.now()),
})

/** The position of the database now, for the epoch that begins. */
export const beginning = (store: Pick<Store, 'db' | 'wallClock'>): Begun => ({
  ...presentPosition(store),
  trail: trailOf(store.db),
})

export const numberOf = (epoch: number): string => String(epoch).padStart(8, '0')
const nameOf = (epoch: number): string => `epoch-${numberOf(epoch)}.json`
const beginOf = (epoch: number): string => `epoch-${numberOf(epoch)}-begun.json`
const endOf = (epoch: number): string => `epoch-${numberOf(epoch)}-stopped.json`
const NAME = /^epoch-(\d{8})\.json$/
const BEGUN = /^epoch-(\d{8})-begun\.json$/

/** The folder below the copy into which a primary replicates; the first one does so into the copy itself. */
export const folderOfEpoch = (epoch: number): string => (epoch === 1 ? '' : `epoch-${numberOf(epoch)}`)

/** Undefined if there is none. Rejects with Problem 502 if it is not of us. */
export async function read<T>(
  place: Pick<EpochFiles, 'name' | 'get'>,
  name: string,
  schema: v.GenericSchema<unknown, T>,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const content = await place.get(name, signal)
  if (!content) return undefined
  try {
    return v.parse(schema, JSON.parse(content.toString()))
  } catch {
    throw new Problem(
      502,
      'copy_damaged',
      `${name} at ${place.name} is damaged; nobody can say which server is the primary.`,
    )
  }
}

export const create = (place: EpochFiles, name: string, value: object, signal?: AbortSignal): Promise<boolean> =>
  place.create(name, Buffer.from(`${JSON.stringify(value)}\n`), signal)

export const readEpoch = (place: EpochFiles, epoch: number, signal?: AbortSignal): Promise<Epoch | undefined> =>
  read(place, nameOf(epoch), Epoch, signal)

/** The present primary; undefined if no primary has looked after this copy yet. */
export async function newestEpoch(place: EpochFiles, signal?: AbortSignal): Promise<Epoch | undefined> {
  const newest = numbersIn(await place.own(signal), NAME).at(-1)
  return newest === undefined ? undefined : readEpoch(place, newest, signal)
}

const numbersIn = (names: readonly string[], pattern: RegExp): number[] =>
  names
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)

/**
 * Makes a server the primary of an epoch. Of all who try, one succeeds. Resolves with what is there then, which is of
 * another server if its id is another one.
 */
export async function claimEpoch(
  place: EpochFiles,
  { epoch, from, primary_url, now }: { epoch: number; from: number; primary_url: string | null; now: number },
  signal?: AbortSignal,
): Promise<{ isOurs: boolean; claimed: Epoch }> {
  const ours = { epoch, primary_url, promoted_at: epoch === 1 ? null : rfc3339(now), from, id: randomUUID() }
  if (await create(place, nameOf(epoch), ours, signal)) return { isOurs: true, claimed: ours }
  const claimed = await readEpoch(place, epoch, signal)
  if (!claimed) throw new Problem(502, 'copy_damaged', `${place.name} refuses ${nameOf(epoch)}, and does not have it.`)
  return { isOurs: false, claimed }
}

/** Rejects with Problem 502 if the storage takes a file a second time: then it would also let two servers be the primary. */
export async function checkStorage(place: EpochFiles, signal?: AbortSignal): Promise<void> {
  const make = () => create(place, 'made-once.json', { id: randomUUID() }, signal)
  if ((await make()) && (await make())) throw overwrites(place) // the first may have been needed
}

/** Notes with which event a primary began. */
export const noteBegun = (place: EpochFiles, epoch: number, begun: Begun, signal?: AbortSignal): Promise<boolean> =>
  create(place, beginOf(epoch), begun, signal)

/** Notes with which event a primary ended, so that the next one need not wait. */
export const noteStopped = (
  place: EpochFiles,
  epoch: number,
  position: Position,
  signal?: AbortSignal,
): Promise<boolean> => create(place, endOf(epoch), position, signal)

export const readStopped = (place: EpochFiles, epoch: number): Promise<Position | undefined> =>
  read(place, endOf(epoch), Position)

export const readBegun = (place: EpochFiles, epoch: number): Promise<Position | undefined> =>
  read(place, beginOf(epoch), Begun)

/** Whose copy is to be followed: the newest that has begun, and whose Litestream has sent what a restore begins with. */
export async function epochToFollow(copy: ReplicaStorage, signal?: AbortSignal): Promise<number> {
  for (const epoch of await begunEpochs(copy, signal)) {
    const { files } = copy.below(folderOfEpoch(epoch))
    const [first, snapshots] = await Promise.all([NEW_FILES, SNAPSHOTS].map((level) => files(level).catch(unlessNone)))
    if (first?.some(isFirst) || snapshots?.some(isChangesFile)) return epoch
  }
  return 1
}

/** Litestream of the new primary has not made its folder yet. Another failure does not mean that there is no copy. */
function unlessNone(error: unknown): string[] {
  if (error instanceof Problem && error.code === 'place_missing') return []
  throw error
}

/** The primaries that have begun, the newest first. A promotion that did not come to its end has not begun. */
export const begunEpochs = async (place: EpochFiles, signal?: AbortSignal): Promise<number[]> =>
  numbersIn(await place.own(signal), BEGUN).reverse()

/**
 * The last event of an epoch that all later primaries have; undefined while none of them has begun. One that was promoted
 * from a copy of an earlier epoch (`promote --abandon`) has of this one at most what this one began with. `common` tells how
 * far the database of the epoch has the events of a trail.
 */
export async function lastKept(
  place: EpochFiles,
  epoch: number,
  common: (trail: Trail) => number,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const begun = await Promise.all(
    (await begunEpochs(place, signal)).map(async (number) => {
      const [made, position] = await Promise.all([
        readEpoch(place, number, signal),
        read(place, beginOf(number), Begun, signal),
      ])
      const { commit_seq = 0, trail = [] } = position ?? {}
      return { number, from: made?.from ?? number - 1, commit_seq, trail }
    }),
  )
  const later = begun.filter(({ number }) => number > epoch)
  if (later.length === 0) return undefined
  // The others go on from one of these.
  const direct = later.filter(({ from, trail }) => from <= epoch && trail.length > 0)
  if (direct.length > 0 && later.every(({ from, trail }) => from > epoch || trail.length > 0))
    return Math.min(...direct.map(({ trail }) => common(trail)))
  const oldest = Math.min(...later.map(({ from }) => from))
  return Math.min(...begun.filter(({ number }) => number > oldest).map(({ commit_seq }) => commit_seq))
}

const overwrites = ({ name }: EpochFiles): Problem =>
  new Problem(
    502,
    'copy_overwrites',
    `${name} takes a file a second time that must be made only once (If-None-Match), so two servers could be the primary. Use storage that refuses that, or leave --replica out.`,
  )
