import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { OpenedStore } from '../../../src/store/open.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { makeOrg, type Org } from '../../support/org.ts'

export const NOW = Date.UTC(2026, 10, 23, 3, 15)

/** Makes folders and stores, which are gone after the tests of the file that calls this. */
export function places() {
  const root = mkdtempSync(join(tmpdir(), 'dealbox-backup-'))
  const stores: OpenedStore[] = []
  after(() => {
    for (const store of stores) store.close()
    rmSync(root, { recursive: true, force: true })
  })

  const temporaryFolder = (): string => mkdtempSync(join(root, 'x-'))

  /** Makes a data folder with an organisation and the key of its token. The store stays open. */
  async function dataFolder(name = 'Acme'): Promise<{ dataDir: string; store: OpenedStore; org: Org }> {
    const dataDir = temporaryFolder()
    const store = openEmptyStore(dataDir)
    stores.push(store)
    store.db.pragma('synchronous = OFF')
    return { dataDir, store, org: await makeOrg(store, dataDir, name) }
  }

  return { temporaryFolder, dataFolder }
}
