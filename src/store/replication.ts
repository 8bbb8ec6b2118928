import { readUnlessDamaged } from './newest.ts'
import type { Database } from './sqlite/driver.ts'

/** What all copies of a database know of its primary. */
export type Replication = {
  /** Which primary this is: 1 is the first, and each promotion raises it. */
  epoch: number
  /** In epoch milliseconds; null for the first primary. */
  promoted_at: number | null
  /** Where the primary answers; null if nobody has said so. */
  primary_url: string | null
  /** Whether all processes leave checkpoints to Litestream. */
  is_replicated: boolean
  /** The number of the last heartbeat, and its time in epoch milliseconds; null before the first. */
  beat: number
  beat_at: number | null
}

/** The one row about replication; docs/decisions/040-replication.md. */
export function replicationRow(db: Database) {
  const row = db.prepare(
    'SELECT epoch, promoted_at, primary_url, is_replicated, beat, beat_at FROM replication WHERE singleton = 1',
  )
  const beat = db.prepare('UPDATE replication SET beat = beat + 1, beat_at = ? WHERE singleton = 1')
  const serve = db.prepare('UPDATE replication SET is_replicated = ?, primary_url = ? WHERE singleton = 1')

  const read = (): Replication => {
    const found = row.get() as Omit<Replication, 'is_replicated'> & { is_replicated: number }
    return { ...found, is_replicated: found.is_replicated === 1 }
  }

  return {
    read,
    /** For a transaction. Returns the number of changed rows, which is 1. */
    beat: (now: number): number => beat.run(now).changes,
    /** Notes how the primary is served. For a transaction. Returns the number of changed rows. */
    serve: (isReplicated: boolean, url: string | null): number => serve.run(Number(isReplicated), url).changes,
  }
}

/** Whether checkpoints are left to Litestream, as the last server has noted. */
export const isReplicated = (db: Database, note: (error: unknown) => void): boolean =>
  readUnlessDamaged(note, false, () => replicationRow(db).read().is_replicated)
