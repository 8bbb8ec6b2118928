import { keyring } from '../../src/auth/keys.ts'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import { type NewToken, tokens } from '../../src/auth/tokens.ts'
import type { Store } from '../../src/store/open.ts'

/** An organisation with two pipelines, close reasons, members and a token with all scopes. */
export type Org = {
  /** The number in the database; `id` is the public id. */
  org: number
  id: string
  token: string
  tokenId: string
  owner: string
  deactivated: string
  pipelines: { sales: string; partners: string }
  /** Stages of the default pipeline by name; `partner` is the first of the other pipeline. */
  stages: { qualified: string; demo: string; proposal: string; won: string; lost: string; partner: string }
  reasons: { won: string; lost: string; inactive: string }
}

const STAGES = [
  ['qualified', null],
  ['demo', null],
  ['proposal', null],
  ['won', 'won'],
  ['lost', 'lost'],
] as const

export async function makeOrg(store: Store, dataDir: string, name: string): Promise<Org> {
  const { db, clock } = store
  const now = clock.now()
  const id = clock.id()
  const org = Number(
    db
      .prepare(
        "INSERT INTO orgs (public_id, name, timezone, currency, created_at) VALUES (?, ?, 'Europe/Berlin', 'EUR', ?)",
      )
      .run(id, name, now).lastInsertRowid,
  )
  const insert = (table: string, row: Record<string, string | number | null>): string => {
    const rowId = clock.id()
    const all = { org_id: org, id: rowId, ...row, created_at: now, updated_at: now, version: 1 }
    const names = Object.keys(all)
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((each) => `@${each}`).join(', ')})`).run(
      all,
    )
    return rowId
  }
  const member = (who: string, role: string, status: string) =>
    insert('members', {
      name: who,
      email: `${who.toLowerCase()}@${name.toLowerCase()}.example`,
      role,
      status,
      timezone: 'Europe/Berlin',
    })
  const owner = member('Ana', 'owner', 'active')
  const deactivated = member('Gone', 'member', 'deactivated')
  let rank = 0
  const pipeline = (key: string, position: number): [string, Record<string, string>] => {
    const pipelineId = insert('pipelines', { key, name: key, is_default: position === 0 ? 1 : 0, position })
    const stages = STAGES.map(([stage, outcome], index) => [
      stage,
      insert('stages', {
        pipeline_id: pipelineId,
        key: stage,
        name: stage,
        position: index,
        rank: rank++,
        outcome,
        probability: outcome === 'won' ? 100 : index * 20,
      }),
    ])
    return [pipelineId, Object.fromEntries(stages)]
  }
  const [sales, stages] = pipeline('sales', 0)
  const [partners, others] = pipeline('partners', 1)
  const reason = (key: string, outcome: string, position: number, active: number) =>
    insert('close_reasons', { key, name: key, outcome, position, is_active: active })
  const reasons = {
    won: reason('fit', 'won', 0, 1),
    lost: reason('price', 'lost', 1, 1),
    inactive: reason('old', 'lost', 2, 0),
  }
  const { token, id: tokenId } = await tokenFor(store, dataDir, org, `ana@${name.toLowerCase()}.example`, SCOPES)
  return {
    org,
    id,
    token,
    tokenId,
    owner,
    deactivated,
    pipelines: { sales, partners },
    stages: { ...stages, partner: others.qualified } as Org['stages'],
    reasons,
  }
}

export function tokenFor(
  store: Store,
  dataDir: string,
  org: number,
  email: string,
  scopes: readonly Scope[],
  expiresAt: number | null = null,
): Promise<NewToken> {
  return tokens(keyring(dataDir, store), store).create(org, email, scopes, expiresAt)
}
