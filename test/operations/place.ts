import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '../../src/lib/problem.ts'
import { LITESTREAM_FOLDER } from '../../src/ops/replication/cut.ts'
import type { ReplicaStorage } from '../../src/ops/replication/replica/copy.ts'
import { folderCopy } from '../../src/ops/replication/replica/folder.ts'
import { HEADER_BYTES, NEW_FILES, numbersOf, SNAPSHOTS } from '../../src/ops/replication/replica/ltx.ts'

// Where a replica is, as a machine sees it, and a program that does what Litestream does as far as Dealbox depends on it: it
// numbers what it sends, goes on only where the place has the number before, and begins anew where it knows nothing.

const named = (first: number, last: number): string =>
  `${[first, last].map((each) => each.toString(16).padStart(16, '0')).join('-')}.ltx`

const newestIn = (folder: string): number => Math.max(0, ...namesIn(folder).map((name) => numbersOf(name)?.[1] ?? 0))

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

const levelOf = (place: string, level: number): string => join(place, 'ltx', String(level))

/** What is asked of places, by all machines; a machine that is cut off reaches none. */
export function network() {
  const asked = new Set<Promise<unknown>>()

  function seenBy(isCut: () => boolean, copy: ReplicaStorage): ReplicaStorage {
    const through =
      <Given extends unknown[], T>(ask: (...given: Given) => Promise<T>) =>
      (...given: Given): Promise<T> => {
        const answer = isCut()
          ? Promise.reject(new Problem(502, 'place_missing', `${copy.name} cannot be reached.`))
          : ask(...given)
        asked.add(answer)
        void answer.catch(() => undefined).finally(() => asked.delete(answer))
        return answer
      }
    return {
      name: copy.name,
      files: through(copy.files),
      start: through(copy.start),
      own: through(copy.own),
      get: through(copy.get),
      put: through(copy.put),
      create: through(copy.create),
      putFile: through(copy.putFile),
      identity: through(copy.identity as NonNullable<ReplicaStorage['identity']>),
      below: (folder) => seenBy(isCut, copy.below(folder)),
    }
  }

  return {
    seenBy: (isCut: () => boolean, place: string): ReplicaStorage => seenBy(isCut, folderCopy(place)),
    /** When nobody asks anything any more, and nothing follows from the answers. */
    async quiet(): Promise<void> {
      for (let turns = 0; turns < 6; turns++) {
        if (asked.size > 0) turns = 0
        await Promise.allSettled(asked)
        await new Promise(setImmediate)
      }
    },
  }
}

/** Sends a database to a place, whole each time. `content` is asked for only if it can be sent. */
export function send(dataDir: string, place: string, now: number, content: () => Buffer): void {
  const own = join(dataDir, LITESTREAM_FOLDER, 'ltx', String(NEW_FILES))
  const last = newestIn(own)
  const there = Math.max(newestIn(levelOf(place, NEW_FILES)))
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('LTX1')
  header.writeBigInt64BE(BigInt(now), 32)
  const put = (folder: string, name: string, bytes: Buffer) => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), bytes)
  }
  if (last > 0 && there < last) {
    // It has sent other files before: it sends the whole database once, and then nothing.
    if (newestIn(levelOf(place, SNAPSHOTS)) < last)
      put(levelOf(place, SNAPSHOTS), named(1, last), Buffer.concat([header, content()]))
    return
  }
  const number = there + 1
  const bytes = Buffer.concat([header, content()])
  const first = last === 0 || number === 1
  if (first) put(levelOf(place, SNAPSHOTS), named(1, number), bytes)
  put(levelOf(place, NEW_FILES), named(number, number), bytes)
  put(own, named(number, number), bytes)
  for (const [folder, kept] of [
    [own, number],
    [levelOf(place, NEW_FILES), number - 1],
  ] as const)
    for (const name of namesIn(folder)) if ((numbersOf(name)?.[1] ?? 0) < kept) rmSync(join(folder, name))
}

/** The newest database that a restore from the place would give. */
export function received(place: string): Buffer | undefined {
  const level = [NEW_FILES, SNAPSHOTS].find((each) => newestIn(levelOf(place, each)) > 0)
  if (level === undefined) return undefined
  const folder = levelOf(place, level)
  const newest = namesIn(folder).sort().at(-1) as string
  return readFileSync(join(folder, newest)).subarray(HEADER_BYTES)
}
