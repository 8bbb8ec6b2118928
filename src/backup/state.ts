import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { MINUTE_MS } from '../lib/time.ts'

// What became of backups, in a file of the data folder: it outlives the server, and commands read it without knowing where
// the backups are. All times are RFC 3339.

const NAME = 'backups.json'
const PART = `.${NAME}.`

/** Where backups are made unless somebody chooses another folder. */
export const backupsFolder = (dataDir: string): string => join(dataDir, 'backups')

const Made = v.object({ made_at: v.string(), file: v.string(), bytes: v.number(), duration_ms: v.number() })
const Failure = v.object({ since: v.string(), at: v.string(), code: v.string(), message: v.string() })
const Drill = v.object({ at: v.string(), file: v.string(), duration_ms: v.number(), error: v.nullable(v.string()) })

/** `file` is the name of the last copy there; `error` says why the last attempt failed. */
const Copied = v.object({
  place: v.string(),
  file: v.nullable(v.string()),
  copied_at: v.nullable(v.string()),
  tried_at: v.string(),
  error: v.nullable(v.string()),
})

const State = v.object({
  /** The last good backup. */
  last: v.nullable(Made),
  /** Why there is none since then: of all attempts since `since`, the last one. */
  failure: v.nullable(Failure),
  /** The last time that the newest backup was restored into a temporary folder. */
  drill: v.nullable(Drill),
  /** How it stands at the second places, if there are any. */
  copies: v.optional(v.array(Copied)),
})

export type BackupState = v.InferOutput<typeof State>

const NONE: BackupState = { last: null, failure: null, drill: null }

/**
 * The last good backup in the folder for backups, the last failure since, and the last drill. A backup that was deleted
 * since is not there: `last` is null. For health checks, metrics and commands; reads two files.
 */
export function lastBackup(dataDir: string): BackupState {
  const state = readState(dataDir)
  return state.last && !existsSync(state.last.file) ? { ...state, last: null } : state
}

/** A file that is missing or damaged counts as if nothing were known, which leads to a new backup. */
function readState(dataDir: string): BackupState {
  try {
    const parsed = v.safeParse(State, JSON.parse(readFileSync(join(dataDir, NAME), 'utf8')))
    return parsed.success ? parsed.output : NONE
  } catch {
    return NONE
  }
}

/** Replaces parts of the state. Of two processes at the same moment, the second one wins. */
export function noteBackup(dataDir: string, change: Partial<BackupState>): void {
  removeAbandoned(dataDir)
  const temporary = join(dataDir, `${PART}${randomUUID()}`)
  try {
    const text = `${JSON.stringify({ ...readState(dataDir), ...change }, null, 2)}\n`
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(temporary, join(dataDir, NAME))
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Removes what killed processes have left; others write theirs within moments. */
function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((each) => each.startsWith(PART))) {
    const path = join(dataDir, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && Math.abs(Date.now() - found.mtimeMs) > MINUTE_MS) rmSync(path, { force: true })
  }
}
