import { openStore } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'

/** Makes a data folder with one organisation, and returns a token for it. */
export async function startStore(dataDir: string): Promise<string> {
  const store = openStore(dataDir, { create: true })
  const { token } = await makeOrg(store, dataDir, 'Acme')
  store.close()
  return token
}
