import { openStore } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'
import { dealbox } from './host.ts'

const PROFILES: Record<number, string> = { 10000: '10k', 100000: '100k', 1000000: '1m' }

/** Makes a data folder with an organisation of so many deals, and returns its id and a token for it. */
export async function fill(dataDir: string, deals: number): Promise<{ id: string; token: string }> {
  const email = 'ana@acme.example'
  const profile = PROFILES[deals]
  if (profile) {
    const { org_id } = await json(['init', '--data', dataDir, '--org', 'Acme', '--email', email])
    await json(['seed', '--data', dataDir, '--profile', profile])
    const { token } = await json(['token', 'create', '--data', dataDir, '--email', email, '--scope', 'all'])
    return { id: org_id as string, token: token as string }
  }
  const store = openStore(dataDir, { create: true })
  const { org, id, token, stages } = await makeOrg(store, dataDir, 'Acme')
  const insert = store.db.prepare(
    `INSERT INTO deals (org_id, id, title, title_key, stage_id, status, tag_ids, stage_changed_at, created_at, updated_at, version)
     VALUES (?, ?, ?, ?, ?, 'open', '[]', ?, ?, ?, 1)`,
  )
  store.transaction(() => {
    const now = store.clock.now()
    for (let count = 0; count < deals; count++) {
      const title = `deal ${count}`
      insert.run(org, store.clock.id(), title, title, stages.qualified, now, now, now)
    }
  })
  store.close()
  return { id, token }
}

async function json(argv: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await dealbox([...argv, '--json'])
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}
