import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { Problem } from '../../lib/problem.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { replaceFile } from './replace-file.ts'

// A primary that may be replaced by a promotion writes only while it knows that it was not: docs/decisions/043-failover.md.
// The server looks, and leaves what it knows in two files of the data folder, for the commands beside it and for its next
// start.

/** Problem 503 while nothing may be written. Called at the moment of each commit. */
export type Fence = () => Problem | undefined

/** A moment by two clocks: one stands still while the machine sleeps, and the other may be set. */
export type Moment = { monotonic: number; wall: number }

/** Monotonic for all processes of the machine, in milliseconds since it started. */
export const thisMoment = (): Moment => ({
  monotonic: Number(process.hrtime.bigint() / 1_000_000n),
  wall: Date.now(),
})

/** So long a look counts. A promotion waits longer: promotion.ts. */
export const LEASE_MS = 2 * SECOND_MS

/** Whether a look that began at a moment still counts. */
export const isHeld = (began: Moment, now: Moment): boolean => {
  const passed = now.monotonic - began.monotonic
  return passed >= 0 && passed < LEASE_MS && now.wall - began.wall < LEASE_MS
}

const LEASE = 'primary.lease'
const DEPOSED = 'deposed.json'
const WIDTH = 20

/** Where the server notes its last look. It is as long each time, so that a full disk does not matter. */
export function leaseFile(dataDir: string) {
  let descriptor: number | undefined
  const note = ({ monotonic, wall }: Moment): void => {
    descriptor ??= openSync(join(dataDir, LEASE), 'w+', 0o600)
    writeSync(descriptor, `${String(monotonic).padStart(WIDTH)} ${String(wall).padStart(WIDTH)}\n`, 0)
  }
  const close = (): void => {
    if (descriptor !== undefined) closeSync(descriptor)
    descriptor = undefined
  }
  return {
    note,
    /** Nothing is written until the next look. */
    noteNone: () => note({ monotonic: 0, wall: 0 }),
    /** Commands write without a look. */
    remove: () => {
      close()
      removeLease(dataDir)
    },
    close,
  }
}

/** For a server that does not look. */
export const removeLease = (dataDir: string): void => rmSync(join(dataDir, LEASE), { force: true })

/** Which primary took over. */
const Successor = v.object({
  epoch: v.number(),
  primary_url: v.nullable(v.string()),
  /** RFC 3339. */
  promoted_at: v.nullable(v.string()),
})
export type Successor = v.InferOutput<typeof Successor>

/** Undefined if nobody has taken over, as far as this folder knows. */
export function successorOf(dataDir: string): Successor | undefined {
  const path = join(dataDir, DEPOSED)
  if (!existsSync(path)) return undefined
  try {
    return v.parse(Successor, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw new Problem(
      409,
      'not_primary',
      `${path}, which names the new primary, is damaged. Nothing may be written here.`,
    )
  }
}

export const noteSuccessor = (dataDir: string, successor: Successor): void =>
  replaceFile(join(dataDir, DEPOSED), `${JSON.stringify(successor, null, 2)}\n`)

/** Whether a command may write: as the server of the folder may, which looks for both. */
export function fenceOfFolder(dataDir: string, now = thisMoment): Fence {
  return () => {
    const successor = successorOf(dataDir)
    if (successor) return notPrimary(successor)
    const path = join(dataDir, LEASE)
    if (!existsSync(path)) return undefined
    const [monotonic = 0, wall = 0] = readFileSync(path, 'utf8').trim().split(/\s+/).map(Number)
    return isHeld({ monotonic, wall }, now()) ? undefined : unlooked(dataDir)
  }
}

/** What a server answers that was replaced. */
export function notPrimary({ epoch, primary_url, promoted_at }: Successor): Problem {
  const since = promoted_at === null ? '' : ` since ${promoted_at}`
  const where = primary_url === null ? 'another server, whose address is not known' : primary_url
  const detail = `This is no longer the primary: that is ${where}${since} (epoch ${epoch}). Nothing was written.`
  return new Problem(503, 'not_primary', detail, {
    ...(primary_url === null ? {} : { headers: { 'Dealbox-Primary': primary_url } }),
    more: { primary: primary_url, epoch },
  })
}

/** What a server answers that does not know whether it was replaced. */
export const notConfirmed = (): Problem =>
  new Problem(
    503,
    'not_confirmed',
    'The server cannot reach the replica of its database, and so does not know whether another server was promoted. Nothing was confirmed. Try again in a moment.',
    { headers: { 'Retry-After': '2' } },
  )

/** What a server answers that has seen another one which was started from the same folder. */
export const replacedByCopy = (host: string, at: string): Problem =>
  new Problem(
    503,
    'another_server',
    `Another server was started from a copy of this data folder, on ${host} at ${at}, and has the same replica. Nothing was written here since that was seen. Stop one of both for good, with its Litestream.`,
  )

const unlooked = (dataDir: string): Problem =>
  new Problem(
    503,
    'not_confirmed',
    `Nobody looks whether another server was promoted instead of ${dataDir}, so nothing may be written. Start its server, or wait until that reaches the replica.`,
  )
