import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'

// How it stands with the copy, in a file of the data folder for commands: they do not know where the server has its copy.
// All times are RFC 3339.

const NAME = 'replication.json'

const State = v.object({
  /** The folder or address of the copy; null where nobody can ask it. */
  copy: v.nullable(v.string()),
  /** The server was there at this time. */
  seen_at: v.string(),
  /** The age of the newest that had arrived then. */
  lag_s: v.nullable(v.number()),
  /** The fault that a person has to mend, as a sentence; null if there is none. */
  problem: v.nullable(v.string()),
})

export type ReplicationState = v.InferOutput<typeof State>

/** Undefined before the first, and if the file is damaged. */
export function readReplicationState(dataDir: string): ReplicationState | undefined {
  try {
    const parsed = v.safeParse(State, JSON.parse(readFileSync(join(dataDir, NAME), 'utf8')))
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined
  }
}

export function noteReplicationState(dataDir: string, state: ReplicationState): void {
  const temporary = join(dataDir, `.${NAME}.${randomUUID()}`)
  try {
    writeFileSync(temporary, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(temporary, join(dataDir, NAME))
  } finally {
    rmSync(temporary, { force: true })
  }
}
