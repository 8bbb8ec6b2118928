import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { replaceFile } from '../../../store/folder/replace-file.ts'
import type { Checks, Told } from './watched.ts'

// What was told of which check, in a file of the data folder: a full disk keeps the database from being written, and that is
// to be told as well.

const NAME = 'notified.json'

const Watched = v.object({
  bad_since: v.number(),
  status: v.picklist(['warn', 'fail']),
  detail: v.string(),
  well_since: v.nullable(v.number()),
  steady_ms: v.number(),
  is_well: v.boolean(),
})
const ToldOf = v.object({
  of: v.record(v.string(), v.number()),
  at: v.nullable(v.number()),
  failures: v.number(),
  tried_at: v.nullable(v.number()),
  error: v.nullable(v.string()),
  is_nobody: v.boolean(),
})
const Kept = v.object({ checks: v.record(v.string(), Watched), told: v.record(v.string(), ToldOf) })

export type Memory = { checks: Checks; told: { readonly [channel: string]: Told } }

/** A file that is missing or damaged counts as if nothing had been told. */
export function readMemory(dataDir: string): Memory {
  try {
    const parsed = v.safeParse(Kept, JSON.parse(readFileSync(join(dataDir, NAME), 'utf8')))
    return parsed.success ? parsed.output : NONE
  } catch {
    return NONE
  }
}

const NONE: Memory = { checks: {}, told: {} }

/** Writes it where it has changed. What cannot be written holds while the server runs, and is written with the next change. */
export function memoryFile(dataDir: string): (memory: Memory) => void {
  let written = ''

  return (memory) => {
    const text = `${JSON.stringify(memory, null, 2)}\n`
    if (text === written) return
    try {
      replaceFile(join(dataDir, NAME), text)
      written = text
    } catch {
      // A disk that cannot be written to is told of by its check.
    }
  }
}
