import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import * as f from '../lib/fields.ts'
import { Problem } from '../lib/problem.ts'
import { cannotRead } from './files.ts'

// What an export says of itself. It is written last: a folder without it is none.

export const MANIFEST = 'manifest.json'
export const SETTINGS = 'settings.json'

const KIND = 'dealbox-export'
/** Another number says that older versions would read the files wrongly. A new file or a new field needs none. */
const FORMAT = 1

const File = v.object({ name: v.string(), records: v.number(), bytes: v.number(), sha256: v.string() })
export type File = v.InferOutput<typeof File>

const Manifest = v.object({
  format: v.literal(KIND),
  format_version: v.literal(FORMAT),
  dealbox_version: v.string(),
  exported_at: f.time,
  org: v.object({ id: f.id, name: f.title }),
  last_seq: f.count(),
  files: v.array(File),
})
export type Manifest = v.InferOutput<typeof Manifest>

export const newManifest = (given: Omit<Manifest, 'format' | 'format_version'>): Manifest => ({
  format: KIND,
  format_version: FORMAT,
  ...given,
})

/** Throws Problem 404 and 422 for what is no export, or none that this version can read. */
export function readManifest(folder: string): Manifest {
  const document = readJsonFile(folder, MANIFEST) as { format?: unknown; format_version?: unknown } | null
  if (document?.format !== KIND) {
    throw new Problem(422, 'no_export', `${folder} is no export: its ${MANIFEST} is of something else.`)
  }
  const { format_version: format } = document
  if (typeof format === 'number' && format > FORMAT) throw newer(folder, `format ${format}, this one knows ${FORMAT}`)
  const read = v.safeParse(Manifest, document)
  if (read.success) return read.output
  const at = v.getDotPath(read.issues[0])
  throw damaged(`${join(folder, MANIFEST)} is damaged: ${at ?? 'it'} is not as an export writes it.`)
}

// As it was written: what this machine knows of time zones and currencies must not keep anybody from their data.
const Settings = v.object({
  org: v.object({
    name: v.string(),
    timezone: v.string(),
    currency: v.string(),
    public_base_url: v.exactOptional(v.string()),
  }),
})

/** Of the settings, what no other file has. */
export function readSettings(folder: string): v.InferOutput<typeof Settings> {
  const read = v.safeParse(Settings, readJsonFile(folder, SETTINGS))
  if (read.success) return read.output
  throw damaged(`${join(folder, SETTINGS)} is damaged: its org is not as an export writes it.`)
}

/** A JSON document of an export. */
function readJsonFile(folder: string, name: string): unknown {
  const path = join(folder, name)
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) throw damaged(`${path} is damaged: it is no JSON.`)
    if (name === MANIFEST && (error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Problem(404, 'no_export', `${folder} is no export, or not a whole one: it has no ${MANIFEST}.`)
    }
    throw cannotRead(error, path)
  }
}

export const newer = (folder: string, what: string): Problem =>
  new Problem(409, 'newer_export', `${folder} was written by a newer Dealbox (${what}); restore it with that version.`)

export const damaged = (detail: string): Problem =>
  new Problem(422, 'damaged_export', `${detail} Nothing was restored.`)
