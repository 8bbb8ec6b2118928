import { type Agent, request } from 'node:http'
import { keyring } from '../../src/auth/keys.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { tokens } from '../../src/auth/tokens.ts'
import { random } from '../../src/demo/story/random.ts'
import { firstIdAt, timeOfId } from '../../src/lib/id.ts'
import { openStore } from '../../src/store/open.ts'
import { OWNER } from './capacity-template.ts'

/** An organisation that requests are sent for. */
export type Visited = {
  token: string
  deals: string[]
  openStages: string[]
  from: number
  until: number
}

/** Prepares so many organisations, spread over all. */
export async function visitedOrgs(folder: string, most: number, dealsOfEach: number): Promise<Visited[]> {
  const store = openStore(folder)
  try {
    const { db } = store
    const all = db.prepare('SELECT count(*) FROM orgs').pluck().get() as number
    const orgs = Array.from(
      { length: Math.min(all, most) },
      (_, at) => 1 + Math.floor((at * all) / Math.min(all, most)),
    )
    const { sign } = tokens(keyring(folder, store), store)
    const signed = await Promise.all(orgs.map((org) => sign(org, OWNER, [...SCOPES], null)))
    store.transaction(() => {
      for (const { keep } of signed) keep()
    })
    const ends = db.prepare('SELECT min(id) AS first, max(id) AS last FROM deals WHERE org_id = ?')
    const after = db.prepare('SELECT id FROM deals WHERE org_id = ? AND id >= ? ORDER BY id LIMIT 1').pluck()
    const stages = db.prepare('SELECT id FROM stages WHERE org_id = ? AND is_open = 1 ORDER BY position').pluck()
    const { next } = random(7)
    return orgs.map((org, at) => {
      const { first, last } = ends.get(org) as { first: string; last: string }
      const [from, until] = [timeOfId(first), timeOfId(last)]
      const some = () =>
        (after.get(org, firstIdAt(from + Math.floor(next() * (until - from)))) as string | undefined) ?? first
      return {
        token: (signed[at] as { created: { token: string } }).created.token,
        deals: Array.from({ length: dealsOfEach }, some),
        openStages: stages.all(org) as string[],
        ...{ from, until },
      }
    })
  } finally {
    store.close()
  }
}

type Request = { method: string; path: string; body?: object }
export type Kind = (org: Visited, n: number, part: () => number) => Request

const pick = <T>(from: readonly T[], part: () => number): T => from[Math.floor(part() * from.length)] as T
const get = (path: string): Request => ({ method: 'GET', path })
const timeIn = ({ from, until }: Visited, part: () => number): string =>
  new Date(from + part() * (until - from)).toISOString()

/** What is asked of an organisation, each time another question. */
export const KINDS: Record<string, Kind> = {
  'newest 50 deals': () => get('/deals?limit=50'),
  'list of 50 before a time': (org, _n, part) => get(`/deals?limit=50&created_at[lt]=${timeIn(org, part)}`),
  'list of 50 of a stage before a time': (org, _n, part) =>
    get(`/deals?limit=50&stage=${pick(org.openStages, part)}&created_at[lt]=${timeIn(org, part)}`),
  'list of 50 by amount': (_org, _n, part) =>
    get(`/deals?limit=50&sort=-amount&amount[lte]=${(part() * 100_000).toFixed(2)}`),
  get: (org, _n, part) => get(`/deals/${pick(org.deals, part)}`),
  'search: a common word': (_org, n, part) => get(`/deals?q=${pick(WORDS, part)}&limit=${30 + (n % 60)}`),
  'search: two words': (_org, n, part) =>
    get(`/deals?q=${pick(WORDS, part)}+${pick(TEAMS, part)}&limit=${30 + (n % 60)}`),
  create: (_org, n) => ({
    method: 'POST',
    path: '/deals',
    body: { title: `Rollout of ${n} seats`, amount: n, currency: 'EUR' },
  }),
  'change of the title': (org, n, part) => ({
    ...{ method: 'PATCH', path: `/deals/${pick(org.deals, part)}`, body: { title: `Renewal ${n}` } },
  }),
  'change of the stage': (org, _n, part) => ({
    ...{ method: 'PATCH', path: `/deals/${pick(org.deals, part)}`, body: { stage: pick(org.openStages, part) } },
  }),
}
const WORDS = ['seats', 'rollout', 'annual', 'licence', 'renewal', 'additional', 'upgrade', 'onboarding', 'training']
const TEAMS = ['sales', 'service', 'field', 'planning', 'support', 'finance', 'purchasing']

export function send(agent: Agent, url: string, token: string, { method, path, body }: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body)
    const headers = {
      ...{ authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(text) },
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const req = request(`${url}/api/v1${path}`, { method, agent, headers }, (res) => {
      res.resume()
      res.on('end', () => resolve(res.statusCode ?? 0))
    })
    req.on('error', reject)
    req.end(text)
  })
}
