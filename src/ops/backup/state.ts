import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { MINUTE_MS } from '../../lib/time.ts'
import { Run, withRuns } from './runs.ts'

// What became of backups, in a file of the data folder: it outlives the server, and commands read it without knowing where
// the backups are. All times are RFC 3339.

const NAME = 'backups.json'
const PART = `.${NAME}.`

const Made = v.object({ made_at: v.string(), file: v.string(), bytes: v.number(), duration_ms: v.number() })
/** `folder` is where no backup could be made; older versions did not note it. */
const Failure = v.object({
  since: v.string(),
  at: v.string(),
  code: v.string(),
  message: v.string(),
  folder: v.optional(v.string()),
})
const Drill = v.object({ at: v.string(), file: v.string(), duration_ms: v.number(), error: v.nullable(v.string()) })

/** The last backup from before a migration, and `stamp` of what it has; see before-migration.ts. */
const Migration = v.object({ file: v.string(), bytes: v.number(), stamp: v.string() })

/** The work of a night: when it was begun last, whether it has not ended, and how often a server ended in the middle of it. */
const Begun = v.object({ at: v.string(), is_running: v.boolean(), deaths: v.number() })

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
  /** The last restore drill. */
  drill: v.nullable(Drill),
  migration: v.optional(Migration),
  begun: v.optional(Begun),
  /** What is wrong with the time zone by which the server makes them. */
  zone_doubt: v.optional(v.string()),
  /** How it stands at the second places, if there are any. */
  copies: v.optional(v.array(Copied)),
  /** The last ones, newest first. */
  runs: v.optional(v.array(Run)),
})

export type BackupState = v.InferOutput<typeof State>

const NONE: BackupState = { last: null, failure: null, drill: null }

/**
 * The last good backup in the folder for backups, the last failure since, and the last drill. A backup that was deleted
 * since is not there: `last` is null. For health checks, metrics and commands; reads two files.
 */
export function lastBackup(dataDir: string): BackupState {
  const state = notedState(dataDir)
  return state.last && !existsSync(state.last.file) ? { ...state, last: null } : state
}

/** The same, whether the last backup is still there or not. */
export const notedState = (dataDir: string): BackupState => ({ ...readState(dataDir), ...unwritten.get(dataDir) })

/** What could not be written, as on a full disk, by data folder: it holds while this process runs. */
const unwritten = new Map<string, Partial<BackupState>>()

/** A file that is missing or damaged counts as if nothing were known, which leads to a new backup. */
function readState(dataDir: string): BackupState {
  try {
    const parsed = v.safeParse(State, JSON.parse(readFileSync(join(dataDir, NAME), 'utf8')))
    return parsed.success ? parsed.output : NONE
  } catch {
    return NONE
  }
}

/**
 * Replaces parts of the state. Of two processes at the same moment, the second one wins. Never throws, as no backup depends
 * on it: what cannot be written is kept in mind, written with the next change, and false is returned.
 */
export function noteBackup(dataDir: string, change: Partial<BackupState>): boolean {
  const all = { ...unwritten.get(dataDir), ...change }
  try {
    writeState(dataDir, { ...readState(dataDir), ...all })
    unwritten.delete(dataDir)
    return true
  } catch {
    unwritten.set(dataDir, all)
    return false
  }
}

/** Notes a good backup as the last one. What has failed is over if it was in the same folder. */
export function noteMade(dataDir: string, last: NonNullable<BackupState['last']>, more: Partial<BackupState> = {}) {
  const { failure } = notedState(dataDir)
  const isOver = failure?.folder === undefined || failure.folder === dirname(last.file)
  return noteBackup(dataDir, { last, begun: undefined, ...(isOver && { failure: null }), ...more })
}

/** Notes runs that have ended, the first one first. */
export const noteRuns = (dataDir: string, ...ended: Run[]): boolean =>
  noteBackup(dataDir, { runs: withRuns(notedState(dataDir).runs ?? [], ended) })

/** Writes what could not be written before. */
export function noteAgain(dataDir: string): void {
  if (unwritten.has(dataDir)) noteBackup(dataDir, {})
}

function writeState(dataDir: string, state: BackupState): void {
  removeAbandoned(dataDir)
  const temporary = join(dataDir, `${PART}${randomUUID()}`)
  try {
    const text = `${JSON.stringify(state, null, 2)}\n`
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
