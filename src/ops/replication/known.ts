import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { Problem } from '../../lib/problem.ts'
import { replaceFile } from '../../store/folder/replace-file.ts'

// What a data folder remembers of its replica. By the id of the file beside it a replica is known: one that lacks that file
// has lost its files, or is an empty folder in the place of a share, and nobody can say whether another server was promoted.

export const KNOWN = 'primary.json'

const Known = v.object({
  /** The name of the place. */
  replica: v.string(),
  epoch: v.number(),
  id: v.string(),
  /** The names of the starts that may stand beside the replica and are of this folder. */
  starts: v.optional(v.array(v.string()), []),
  /** Whether a standby was seen there: then nothing is written while the replica cannot be reached. */
  is_fenced: v.optional(v.boolean(), false),
  /** Whether the place was reached once, with all that has to be there before the first write. */
  has_begun: v.optional(v.boolean(), true),
  /** The option that names the place. */
  option: v.optional(v.picklist(['replica', 'follow']), 'replica'),
})
export type Known = v.InferOutput<typeof Known>

/** Undefined if this data folder was never served as a primary whose replica can be asked. Throws Problem 409. */
export function readKnown(dataDir: string): Known | undefined {
  const path = join(dataDir, KNOWN)
  if (!existsSync(path)) return undefined
  try {
    return v.parse(Known, JSON.parse(readFileSync(path, 'utf8')))
  } catch {
    throw new Problem(
      409,
      'known_damaged',
      `${path}, which says where the replica is, is damaged. If no standby was promoted, delete it and start the server again.`,
    )
  }
}

export const noteKnown = (dataDir: string, known: Known): void =>
  replaceFile(join(dataDir, KNOWN), `${JSON.stringify(known, null, 2)}\n`)

/** For a server that is not replicated any more. */
export const forgetKnown = (dataDir: string): void => rmSync(join(dataDir, KNOWN), { force: true })
