import { rmSync, statSync } from 'node:fs'
import { positionOf, promotingOf } from '../../../store/folder/marks.ts'

// A copy is a database that Litestream keeps up to date from a replica (`litestream restore -f`). It writes pages into the
// file in place, each transaction or several at once under SQLite's exclusive lock, and after each round notes beside it
// how far the copy is. docs/decisions/041-readers.md has what follows from that.

/**
 * Endings of the files that may be beside a copy. Nobody writes to a copy with SQLite, so logs and journals are left
 * over.
 */
const BESIDE = ['-wal', '-shm', '-journal']

/** One file, as far as anybody can see from outside whether it has changed. */
type Stamp = { ino: bigint; mtimeNs: bigint; size: bigint }

/** Both files of a copy at one moment. */
export type Look = { data: Stamp; position: Stamp }

/** Undefined while there is no copy, as at the beginning of the first round. */
export function lookAt(file: string): Look | undefined {
  const data = statSync(file, { bigint: true, throwIfNoEntry: false })
  const position = data && statSync(positionOf(file), { bigint: true, throwIfNoEntry: false })
  return position && { data, position }
}

const isSame = (one: Stamp, other: Stamp): boolean =>
  one.mtimeNs === other.mtimeNs && one.ino === other.ino && one.size === other.size

export const isSameLook = (one: Look, other: Look): boolean =>
  isSame(one.data, other.data) && isSame(one.position, other.position)

/**
 * Whether a copy is at the end of a round, and not torn: Litestream that was killed, or lost its connection, leaves a file
 * of which a part of the pages is newer. It writes the position last, so pages that are newer than the position belong to a
 * round that has not ended. `before` is how the copy was when it was whole for the last time: this holds also if the clock
 * was set back.
 */
export function isWhole({ data, position }: Look, before: Look | undefined): boolean {
  if (data.mtimeNs > position.mtimeNs) return false
  return before === undefined || isSame(data, before.data) || !isSame(position, before.position)
}

/**
 * File systems note times by the tick of a clock: two changes within one look like one. After this time the next change
 * shows.
 */
const TICK_NS = 20_000_000n

/** Whether a later change of the copy would show. */
export const isSettled = ({ data }: Look, now = Date.now()): boolean =>
  BigInt(now) * 1_000_000n - data.mtimeNs > TICK_NS

/** Removes what a process has left that was killed while it made the copy usable. */
export function removeLeftovers(file: string): void {
  for (const ending of BESIDE) rmSync(file + ending, { force: true })
}

/** Removes a copy, so that the next one is made anew. */
export function removeCopy(file: string): void {
  removeLeftovers(file)
  const names = [positionOf(file), `${file}.tmp`, `${positionOf(file)}.tmp`, file, promotingOf(file)] // the last of one half promoted
  for (const path of names) rmSync(path, { force: true })
}
