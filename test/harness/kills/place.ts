import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { applySettings } from '../../../src/app/settings/document.ts'
import type { Random } from '../../../src/demo/story/random.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { openStore } from '../../../src/store/open.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import type { Program } from './program.ts'

/** A data folder, and what runs on it. */
export type Place = {
  program: Program
  random: Random
  folder: string
  dataDir: string
  /** The folders of the server's own backups, and of those that a command makes elsewhere. */
  nightly: string
  beside: string
  /** What all processes say on stderr. */
  log: string
  org: Org
  remove: () => void
}

/** Makes a data folder with an organisation and a mailbox with these settings, as if two days ago: a backup is due. */
export async function makePlace(program: Program, random: Random, mailbox: object): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-kills-'))
  const [dataDir, nightly, beside] = ['data', 'nightly', 'beside'].map((name) => join(folder, name)) as string[]
  for (const path of [nightly, beside]) mkdirSync(path as string)
  const store = openStore(dataDir as string, { create: true })
  const org = await makeOrg(store, dataDir as string, 'Acme')
  store.db.prepare('UPDATE installation SET created_at = created_at - ?').run(2 * DAY_MS)
  applySettings(store, org.org, { mailboxes: [mailbox] })
  store.close()
  return {
    ...{ program, random, folder, org },
    ...({ dataDir, nightly, beside } as Pick<Place, 'dataDir' | 'nightly' | 'beside'>),
    log: join(folder, 'log'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
