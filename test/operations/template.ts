import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMissingKeys } from '../../src/auth/needed-keys.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg } from '../support/org.ts'

/** When the data folder of all walks was made. */
export const BEGAN = Date.UTC(2026, 10, 19)

let made: Promise<string> | undefined

/** A data folder with one organisation; made once. */
export function templateOf(): Promise<string> {
  made ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dealbox-operations-template-'))
    const dataDir = join(folder, 'data')
    const store = openStore(dataDir, { create: true, wall: () => BEGAN })
    await makeOrg(store, dataDir, 'Acme')
    makeMissingKeys(store, dataDir)
    store.close()
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    return dataDir
  })()
  return made
}
