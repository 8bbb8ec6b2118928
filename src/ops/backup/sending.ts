import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installedAt } from '../../store/installation.ts'
import type { Database } from '../../store/sqlite/driver.ts'

// A restored copy may run beside the original, or hold mails and deliveries that were sent after the backup was made. A
// file in the data folder keeps the server from sending until a person has looked.

export const PAUSE_FILE = 'sending.paused'

const TEXT = `This data folder was restored from a backup. While this file is here, the server sends no mails, runs no sequences,
calls no webhooks and fetches no mails. "dealbox resume-sending" removes it.
`

/** Keeps servers on the data folder from sending, from their next start on. */
export const pauseSending = (dataDir: string): void =>
  writeFileSync(join(dataDir, PAUSE_FILE), TEXT, { mode: 0o600, flush: true })

export const isSendingPaused = (dataDir: string): boolean => existsSync(join(dataDir, PAUSE_FILE))

/** When a data folder was restored that may not send yet, in epoch milliseconds; otherwise undefined. */
export const pausedSince = (dataDir: string): number | undefined =>
  wholeMs(statSync(join(dataDir, PAUSE_FILE), { throwIfNoEntry: false })?.mtimeMs)

/** File systems know fractions of a millisecond, which no date takes. */
const wholeMs = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : Math.floor(ms))

/**
 * From when on a data folder without a backup lacks one: since it was made, or restored. Whoever only looks at a restored
 * copy needs no backup of it at once.
 */
export const lackingSince = (db: Database, dataDir: string): number =>
  Math.max(installedAt(db), pausedSince(dataDir) ?? 0)

/** Lets servers send again, from their next start on. Returns whether they were paused. */
export function resumeSending(dataDir: string): boolean {
  const wasPaused = isSendingPaused(dataDir)
  rmSync(join(dataDir, PAUSE_FILE), { force: true })
  return wasPaused
}
