import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { resourceDeps } from '../app/deps.ts'
import { recountLater } from '../inbox/sla/recount.ts'
import { UUID } from '../lib/id.ts'
import { conflict } from '../lib/problem.ts'
import { type Batch, batches, type Pace } from '../store/batches.ts'
import { lockRestore } from '../store/folder/lock.ts'
import { hideJobs } from '../store/jobs/hidden-jobs.ts'
import type { CommandStore } from '../store/open.ts'
import { eraser } from '../store/orgs/erase.ts'
import { orgOf } from '../store/orgs/orgs.ts'
import { stagedOrgs } from '../store/orgs/staged.ts'
import { isWhole, suspendForeignKeys } from '../store/schema/foreign-keys.ts'
import { enlargeCache } from '../store/sqlite/cache.ts'
import { storageProblem } from '../store/sqlite/failures.ts'
import { linesOf, sumOf } from './files.ts'
import {
  AUDIT_LOG,
  damaged,
  type File,
  FORMAT,
  type Manifest,
  newer,
  older,
  readManifest,
  readSettings,
  SETTINGS,
} from './manifest.ts'
import type { Part } from './part.ts'
import { parts } from './parts.ts'
import { type Replaced, refuseIdsAhead, refuseUnlessEmpty, stage, takePlace } from './place.ts'

export type RestoreOptions = {
  dataDir: string
  org: number
  folder: string
  /** Only checks whether everything could be restored. */
  dryRun?: boolean
  onProgress?: ((records: number) => void) | undefined
  /** Aborts the restore; then nothing is restored. */
  signal?: AbortSignal
  pace?: Pace
}

export type Restored = Replaced & { org_id: string; last_seq: number; records: Record<string, number> }

/**
 * Restores an export into an organisation without records: the same records with the same ids, versions and times, and
 * the same history, without new events. The organisation keeps its public id, and gets another number in the store. The
 * restore is atomic: short transactions fill a staged organisation that no request can reach, and one transaction swaps
 * it in; what an interrupted restore leaves behind is erased by the next call. Throws Problem 4xx before anything is
 * written if the export is damaged or newer, or the organisation has records.
 */
export async function restoreExport(store: CommandStore, options: RestoreOptions): Promise<Restored> {
  const { dataDir, org, folder } = options
  const { db } = store
  const manifest = readManifest(folder)
  const all = parts(resourceDeps(store))
  checkFiles(folder, manifest, all)
  const settings = readSettings(folder)
  refuseUnlessEmpty(store, org, all)
  const release = lockRestore(dataDir)
  const batch = batches(store, options.pace)
  const resetCache = enlargeCache(db, 256)
  const resumeForeignKeys = suspendForeignKeys(db) // companies may refer to companies restored in a later transaction
  try {
    const staged = batch(() => stage(store, settings.org, manifest.last_seq))
    return await fillAndTakePlace(store, { ...options, manifest, all, batch, staged })
  } finally {
    try {
      eraseStaged(store, batch)
    } catch {
      // For example on a full disk: the next call erases the rest.
    }
    resumeForeignKeys()
    resetCache()
    store.accessChanged()
    release()
  }
}

type FillOptions = RestoreOptions & { manifest: Manifest; all: readonly Part[]; batch: Batch; staged: number }

async function fillAndTakePlace(store: CommandStore, options: FillOptions): Promise<Restored> {
  const { dataDir, org, folder, dryRun = false, signal, manifest, all, batch, staged } = options
  const { db } = store
  const jobs = hideJobs(store, batch, staged)
  try {
    const filler = restoreParts(options)
    let records: Record<string, number> | undefined
    while (!records) {
      records = batch((isFull) => {
        for (;;) {
          const { done, value } = filler.next()
          if (done) return value
          if (isFull()) return undefined
        }
      })
      await turn() // lets an abort signal arrive
      if (signal?.aborted) throw conflict('stopped', 'Cancelled; nothing was restored.')
    }
    if (!isWhole(db, staged))
      throw damaged(`${folder} cannot be restored: a record in it refers to one that does not exist.`)
    let restored: Restored | undefined
    try {
      batch(() => {
        refuseUnlessEmpty(store, org, all)
        const replaced = takePlace(store, org, staged)
        recountLater(store, staged) // jobs are not exported
        jobs.release()
        refuseIdsAhead(store, dataDir)
        restored = { org_id: orgOf(db, staged).public_id, last_seq: manifest.last_seq, records, ...replaced }
        if (dryRun) throw ROLL_BACK
      })
    } catch (error) {
      if (error !== ROLL_BACK) throw error
    }
    return restored as unknown as Restored
  } finally {
    jobs.drop()
  }
}

const ROLL_BACK = Symbol('dry run')

/** Erases staged organisations: of this restore if it was stopped, or of an interrupted one. */
function eraseStaged({ db }: CommandStore, batch: Batch): void {
  for (const org of stagedOrgs(db)) {
    const erase = eraser(db, org)
    while (!batch(erase));
  }
}

/**
 * Checks before anything is written that every file exists and matches its hash. CSV files are for people and are not
 * checked.
 */
function checkFiles(folder: string, manifest: Manifest, all: readonly Part[]): void {
  const { files } = manifest
  const known = new Set([SETTINGS, AUDIT_LOG, ...all.map(fileOf)])
  const read = files.filter(({ name }) => !name.endsWith('.csv'))
  const unknown = read.find(({ name }) => !known.has(name))
  if (unknown && isOlder(manifest)) throw older(manifest, `${folder} has ${unknown.name}, which is no longer supported`)
  if (unknown) throw newer(folder, `it has ${unknown.name}`)
  if (!read.some(({ name }) => name === SETTINGS)) throw damaged(`${folder} is damaged: it has no ${SETTINGS}.`)
  for (const file of read) {
    const path = join(folder, file.name)
    const { bytes, sha256 } = sumOf(path)
    if (sha256 !== file.sha256) throw damaged(`${path} is damaged: ${damageOf(path, file, bytes)}.`)
  }
}

/** Describes the damage: the first bad line if it can be found, else the size. */
function damageOf(path: string, { name, records, bytes }: File, found: number): string {
  const size = found === bytes ? 'it was changed after the export' : `it has ${found} bytes instead of ${bytes}`
  if (name === SETTINGS) return size
  let line = 0
  for (const text of linesOf(path)) {
    line++
    if (!isObject(parsed(text))) return `line ${line} is not a JSON object`
    if (line > records) return `line ${line} is after its end`
  }
  return line < records ? `it ends at line ${line} of ${records}` : size
}

const fileOf = ({ name }: Part): string => `${name}.ndjson`
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(line))
  } catch {
    return undefined
  }
}

/**
 * Restores one record per step. Returns the number of records of each part; 0 for parts that an older export does not
 * have.
 */
function* restoreParts({
  all,
  manifest,
  staged,
  folder,
  onProgress = () => undefined,
}: FillOptions): Generator<void, Record<string, number>> {
  const written = new Set(manifest.files.map(({ name }) => name))
  const counts: Record<string, number> = {}
  let done = 0
  for (const part of all) {
    const path = join(folder, fileOf(part))
    const read = recordReader(part)
    let line = 0
    for (const text of written.has(fileOf(part)) ? linesOf(path) : []) {
      line++
      try {
        part.restore(staged, read(parsed(text)) as never)
      } catch (error) {
        throw atLine(error, path, line, manifest)
      }
      if (++done % 1000 === 0) onProgress(done)
      yield
    }
    counts[part.name] = line
  }
  return counts
}

/** Returns a reader that sets fields missing in an older export to null. */
function recordReader({ columns, former = [] }: Part): (value: unknown) => object {
  const { fields } = columns.stored
  const known = new Set([...fields, ...former])
  const empty = Object.fromEntries(fields.map((name) => [name, null]))

  return (value) => {
    if (!isObject(value)) throw new Error('is not a JSON object')
    const unknown = Object.keys(value as object).find((name) => !known.has(name))
    if (unknown !== undefined) throw new Error(`has the unknown field "${unknown}"`)
    const record: Record<string, unknown> = { ...empty, ...(value as object) }
    if (known.has('id') && !UUID.test(String(record.id))) throw new Error('has an invalid id')
    return record
  }
}

/**
 * Describes a record that the store rejects although the hash is right: its format is older, or the file was edited.
 */
function atLine(error: unknown, path: string, line: number, manifest: Manifest): unknown {
  if (storageProblem(error) !== error) return error
  const what = `${path} cannot be restored: line ${line} ${(error as Error).message.replace(/\.$/, '')}`
  return isOlder(manifest) ? older(manifest, what) : damaged(`${what}.`)
}

const isOlder = ({ format_version }: Manifest): boolean => format_version < FORMAT
