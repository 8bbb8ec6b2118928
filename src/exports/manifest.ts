import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import * as f from '../lib/fields.ts'
import { Problem } from '../lib/problem.ts'
import { cannotRead } from './files.ts'

// The manifest of an export. It is written last: a folder without it is not an export.

export const MANIFEST = 'manifest.json'
export const SETTINGS = 'settings.json'
/** The audit log of the organisation: for people, and not restored, since it is about another installation. */
export const AUDIT_LOG = 'audit_log.ndjson'

const KIND = 'dealbox-export'
/**
 * A hash for each format, of its files and their fields, oldest first. A released format never changes: a test of the
 * shape prints the hash to append. Format 1 varied, since it predates the hashes.
 */
export const SHAPES: readonly (string | null)[] = [
  null,
  '21c2476858b3b402',
  '01fc55abc8036164',
  '23f48fc5935166e0',
  '8d19f71a17ac2568',
  '2c62c12744401fd5',
]
export const FORMAT = SHAPES.length

const File = v.object({ name: v.string(), records: v.number(), bytes: v.number(), sha256: v.string() })
export type File = v.InferOutput<typeof File>

const Manifest = v.object({
  format: v.literal(KIND),
  format_version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(FORMAT)),
  dealbox_version: v.string(),
  exported_at: f.time,
  org: v.object({ id: f.id, name: f.title }),
  last_seq: f.count(),
  files: v.array(File),
})
export type Manifest = v.InferOutput<typeof Manifest>

export const newManifest = (contents: Omit<Manifest, 'format' | 'format_version'>): Manifest => ({
  format: KIND,
  format_version: FORMAT,
  ...contents,
})

/** Throws Problem 404 or 422 if the folder is not an export, and 409 if its format is newer. */
export function readManifest(folder: string): Manifest {
  const document = readJsonFile(folder, MANIFEST) as { format?: unknown; format_version?: unknown } | null
  if (document?.format !== KIND) {
    throw new Problem(422, 'no_export', `${folder} is not an export: its ${MANIFEST} belongs to something else.`)
  }
  const { format_version: format } = document
  if (typeof format === 'number' && format > FORMAT)
    throw newer(folder, `format ${format}, this version supports ${FORMAT}`)
  const read = v.safeParse(Manifest, document)
  if (read.success) return read.output
  const at = v.getDotPath(read.issues[0])
  throw damaged(`${join(folder, MANIFEST)} is damaged: ${at ?? 'it'} is not in the format of an export.`)
}

// Not validated further: a time zone or currency that this machine does not support must not block a restore.
const Settings = v.object({
  org: v.object({
    name: v.string(),
    timezone: v.string(),
    currency: v.string(),
    country: v.exactOptional(v.string()),
    public_base_url: v.exactOptional(v.string()),
    keep_originals_days: v.exactOptional(v.number()),
    keep_originals_mib: v.exactOptional(v.number()),
  }),
})

/** Reads the settings that no other file contains. */
export function readSettings(folder: string): v.InferOutput<typeof Settings> {
  const read = v.safeParse(Settings, readJsonFile(folder, SETTINGS))
  if (read.success) return read.output
  throw damaged(`${join(folder, SETTINGS)} is damaged: its org is not in the format of an export.`)
}

/** Parses a JSON document of an export. */
function readJsonFile(folder: string, name: string): unknown {
  const path = join(folder, name)
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(`${path} is damaged: it is not valid JSON.`)
    if (name === MANIFEST && (error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Problem(404, 'no_export', `${folder} is not an export, or is incomplete: it has no ${MANIFEST}.`)
    }
    throw cannotRead(error, path)
  }
}

export const newer = (folder: string, what: string): Problem =>
  new Problem(
    409,
    'newer_export',
    `${folder} was written by a newer version of Dealbox (${what}). Restore it with that version.`,
  )

/** Returns the Problem for contents of an older format that this version cannot restore. */
export const older = ({ format_version, dealbox_version }: Manifest, what: string): Problem =>
  new Problem(
    409,
    'older_export',
    `${what}. It has format ${format_version}, which is older than format ${FORMAT} of this version. Restore it into a data folder with Dealbox ${dealbox_version}, which wrote it, and open that folder with this version. Nothing was restored.`,
  )

export const damaged = (detail: string): Problem =>
  new Problem(422, 'damaged_export', `${detail} Nothing was restored.`)
