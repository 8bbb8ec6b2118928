import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { replaceFile } from '../store/replace-file.ts'

// By which file beside the replica its primary is known. A replica that lacks it has lost its files, or is an empty folder
// in the place of a share: then nobody can say whether another server was promoted.

export const KNOWN = 'primary.json'

const Known = v.object({ replica: v.string(), epoch: v.number(), id: v.string() })
type Known = v.InferOutput<typeof Known>

/** The id of the file; undefined if this data folder was never the primary of this epoch with this replica. */
export function knownId(dataDir: string, { replica, epoch }: Omit<Known, 'id'>): string | undefined {
  const path = join(dataDir, KNOWN)
  if (!existsSync(path)) return undefined
  const known = v.parse(Known, JSON.parse(readFileSync(path, 'utf8')))
  return known.replica === replica && known.epoch === epoch ? known.id : undefined
}

export const noteKnown = (dataDir: string, known: Known): void =>
  replaceFile(join(dataDir, KNOWN), `${JSON.stringify(known, null, 2)}\n`)
