import { join } from 'node:path'
import { resourceDeps } from '../app/deps.ts'
import { showSettings } from '../app/settings/document.ts'
import { version } from '../assets.ts'
import { lineOf } from '../events/audit/entry.ts'
import { auditLog } from '../events/audit/log.ts'
import { rfc3339 } from '../lib/time.ts'
import type { Store } from '../store/open.ts'
import { orgOf } from '../store/orgs/orgs.ts'
import { eachRow } from '../store/schema/tables.ts'
import { inSnapshot } from '../store/sqlite/snapshot.ts'
import { newFile, newFolder } from './files.ts'
import { AUDIT_LOG, type File, MANIFEST, type Manifest, newManifest, SETTINGS } from './manifest.ts'
import type { Part } from './part.ts'
import { parts } from './parts.ts'
import { sheets } from './sheet.ts'

/** The limits of a page held in memory: rows, and characters of their lines. */
const PAGE = 500
const PAGE_LENGTH = 1 << 20

/** Called from time to time with the number of records written. */
export type Progress = (records: number) => void

/**
 * Exports an organisation into a new folder. Everything is read in one transaction, a consistent snapshot during which
 * others can write. Throws Problem 409 if the folder cannot be written.
 */
export function writeExport(store: Store, org: number, folder: string, onProgress?: Progress): Manifest {
  return newFolder(folder, (place) => inSnapshot(store.db, () => writeAll(store, org, place, onProgress)))
}

function writeAll(store: Store, org: number, folder: string, onProgress: Progress = () => undefined): Manifest {
  const { db, clock } = store
  const { public_id, name, last_seq } = orgOf(db, org)
  const sheetOf = sheets(db, org)
  let written = 0

  function writeFile(name: string, fill: (write: (text: string) => void) => number): File {
    let records = 0
    const { bytes, sha256 } = newFile(join(folder, name), (write) => {
      records = fill(write)
    })
    return { name, records, bytes, sha256 }
  }

  const writeJson = (name: string, document: unknown): File =>
    writeFile(name, (write) => {
      write(`${JSON.stringify(document, null, 2)}\n`)
      return 1
    })

  function* pagesOf({ table, columns: { select, stored }, where, order }: Part): Generator<string[]> {
    let page: string[] = []
    let length = 0
    for (const row of eachRow(db, { table, select, where, order }, org)) {
      const line = stored.json(row)
      page.push(line)
      length += line.length
      if (page.length < PAGE && length < PAGE_LENGTH) continue
      yield page
      page = []
      length = 0
    }
    if (page.length > 0) yield page
  }

  function writeLines(part: Part): File {
    return writeFile(`${part.name}.ndjson`, (write) => {
      let records = 0
      for (const page of pagesOf(part)) {
        write(`${page.join('\n')}\n`)
        records += page.length
        onProgress((written += page.length))
      }
      return records
    })
  }

  function writeSheet(part: Part): File {
    const { head, lines } = sheetOf(part)
    return writeFile(`${part.name}.csv`, (write) => {
      write(head)
      let records = 0
      for (const page of pagesOf(part)) {
        write(lines(page.map((line) => JSON.parse(line))))
        records += page.length
      }
      return records
    })
  }

  const files = parts(resourceDeps(store)).flatMap((part) =>
    part.hasSheet ? [writeLines(part), writeSheet(part)] : [writeLines(part)],
  )
  const log = writeFile(AUDIT_LOG, (write) => {
    let records = 0
    for (const row of auditLog(store).all(public_id)) {
      write(`${lineOf(row)}\n`)
      records++
    }
    return records
  })
  const manifest = newManifest({
    dealbox_version: version,
    exported_at: rfc3339(clock.now()),
    org: { id: public_id, name },
    last_seq,
    files: [writeJson(SETTINGS, showSettings(store, org)), ...files, log],
  })
  writeJson(MANIFEST, manifest)
  return manifest
}
