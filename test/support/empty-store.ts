import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DATABASE, type OpenOptions, openStore } from '../../src/store/open.ts'

let template: { bytes: Buffer; idAt: number } | undefined

/** Opens a new data folder. Its database is a copy of one made earlier in this process, with an installation id of its own. */
export function openEmptyStore(dataDir: string, options: OpenOptions = {}): ReturnType<typeof openStore> {
  template ??= makeTemplate()
  template.bytes.write(randomUUID(), template.idAt)
  writeFileSync(join(dataDir, DATABASE), template.bytes, { mode: 0o600 })
  return openStore(dataDir, { ...options, create: true })
}

function makeTemplate(): { bytes: Buffer; idAt: number } {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-template-'))
  try {
    const store = openStore(folder, { create: true })
    store.close()
    const bytes = readFileSync(join(folder, DATABASE))
    return { bytes, idAt: bytes.indexOf(store.installation) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
