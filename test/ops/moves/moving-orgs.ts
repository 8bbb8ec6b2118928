import { type OpenedStore, openStore } from '../../../src/store/open.ts'
import { allOrgsEver } from '../../../src/store/orgs/orgs.ts'
import { cli, cliJson } from '../../cli/command-line.ts'

/** Runs a job with the store of a data folder, which is made if there is none. */
export async function inStore<T>(dataDir: string, job: (store: OpenedStore) => T | Promise<T>): Promise<T> {
  const store = openStore(dataDir, { create: true })
  try {
    return await job(store)
  } finally {
    store.close()
  }
}

/** A one-time key of the server of the folder. */
export const receiveIn = async (dataDir: string): Promise<string> =>
  (await cliJson('org', 'receive', '--data', dataDir)).key

export const moveOrg = (org: string, url: string, key: string, dataDir: string) =>
  cli(['org', 'move', org, '--to', url, '--data', dataDir, '--json'], { DEALBOX_MOVE_KEY: key })

/** Undefined where it never was. */
export const stateIn = (dataDir: string, org: string) =>
  inStore(dataDir, ({ db }) => allOrgsEver(db).find(({ public_id }) => public_id === org)?.state)
