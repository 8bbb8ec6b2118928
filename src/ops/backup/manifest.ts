import * as v from 'valibot'
import { MIB } from '../../lib/size.ts'
import { DATABASE } from '../../store/open.ts'
import { firstEntry } from './archive.ts'
import { REASONS } from './reasons.ts'

// The first entry of a backup says what it contains. It has no secrets: anybody may read it who finds the file.

export const MANIFEST = 'manifest.json'
export const MAX_MANIFEST = MIB

const KIND = 'dealbox-backup'
/** Changes when older programs would misread a backup. */
const FORMAT = 1

/** The settings of the folder, where there are any. */
export const SETTINGS = 'dealbox.json'

/** What a backup may contain beside its manifest: nothing else is ever written to a data folder. */
const PART = /^(?:dealbox\.db|dealbox\.json|keys\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,80}\.(?:key|pem))$/

export const isPartName = (name: string): boolean => PART.test(name)

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

const schema = v.object({
  format: v.literal(KIND),
  format_version: v.literal(FORMAT),
  dealbox_version: v.string(),
  schema_version: count,
  installation_id: v.string(),
  made_at: v.pipe(v.string(), v.isoTimestamp()),
  reason: v.picklist(REASONS),
  parts: v.pipe(
    v.array(
      v.object({
        name: v.pipe(v.string(), v.regex(PART)),
        bytes: count,
        mode: count,
        sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
      }),
    ),
    v.check((parts) => parts[0]?.name === DATABASE),
  ),
  /** The number of rows of each table. */
  rows: v.record(v.string(), count),
})

export type Manifest = v.InferOutput<typeof schema>

export const newManifest = (contents: Omit<Manifest, 'format' | 'format_version'>): Manifest => ({
  format: KIND,
  format_version: FORMAT,
  ...contents,
})

export const manifestBytes = (manifest: Manifest): Buffer => Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)

/** Undefined if it is none; a newer format is returned as its number. */
export function parseManifest(bytes: Buffer): Manifest | { newer: number } | undefined {
  try {
    const document: unknown = JSON.parse(bytes.toString())
    const { format, format_version } = document as { format?: unknown; format_version?: unknown }
    if (format === KIND && typeof format_version === 'number' && format_version > FORMAT)
      return { newer: format_version }
    const parsed = v.safeParse(schema, document)
    return parsed.success ? parsed.output : undefined
  } catch {
    return undefined // no JSON
  }
}

/** The manifest of a file without checking the rest, for lists of backups; undefined if it is none of this format. */
export function peekManifest(path: string): Manifest | undefined {
  const first = firstEntry(path, MAX_MANIFEST)
  if (first?.entry.name !== MANIFEST) return undefined
  const manifest = parseManifest(first.content)
  return manifest && !('newer' in manifest) ? manifest : undefined
}
