import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { eventJson } from '../../events/body.ts'
import { committedEvents } from '../../events/reading.ts'
import { syncFolder } from '../../store/folder/key-file.ts'
import { lastCommit } from '../../store/newest.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** Of the file in the data folder. */
export const unreplicatedName = (epoch: number): string => `unreplicated-epoch-${epoch}.ndjson`

/** Read at once. */
const BATCH = 200

export type Unreplicated = {
  file: string
  events: number
  /** How many there are of each organisation, by its id. */
  orgs: Record<string, number>
}

/**
 * Writes the events after a commit, a line each, to a file of the data folder that its owner alone can read. Undefined if
 * there are none. The file is complete and synced when it gets its name.
 */
export async function writeUnreplicated({
  db,
  dataDir,
  epoch,
  kept,
}: {
  db: Database
  dataDir: string
  epoch: number
  kept: number
}): Promise<Unreplicated | undefined> {
  if (lastCommit(db) <= kept) return undefined
  const next = committedEvents(db, BATCH)
  const file = join(dataDir, unreplicatedName(epoch))
  const temporary = `${file}.part`
  const orgs: Record<string, number> = {}
  let events = 0
  let after = kept
  const descriptor = openSync(temporary, 'w', 0o600)
  try {
    for (;;) {
      const found = next(after)
      if (found.length === 0) break
      const lines = found.map(({ org, commit_seq, ...event }) => {
        orgs[org] = (orgs[org] ?? 0) + 1
        return `{"org":"${org}","commit_seq":${commit_seq},"event":${eventJson(event)}}\n`
      })
      writeWhole(descriptor, Buffer.from(lines.join('')))
      events += found.length
      after = (found.at(-1) as { commit_seq: number }).commit_seq
      await turn() // reads go on meanwhile
    }
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  syncFolder(dataDir)
  return { file, events, orgs }
}

/** A full disk takes a part and fails at the next write. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}
