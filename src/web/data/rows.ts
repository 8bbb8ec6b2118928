import { type Api, pathWith } from './api.ts'
import type { RecordStore } from './record-store.ts'
import type { Kind, Rec } from './types.ts'

/**
 * Query parameters of the list, as in the API: `{status: 'open', sort: '-amount', 'amount[gte]': 1000}`. Deals, contacts and
 * companies also take `filter`, a tree like that of a smart list.
 */
export type Query = Record<string, string | number | boolean | null | undefined | object>

export type Rows = { ids: string[]; total: number | undefined; cursor: string | null }

export const PAGE = 50

/** Lists that can be entered in the middle, which the API does not offer. */
const SKIPPING: ReadonlySet<Kind> = new Set(['deals', 'contacts', 'companies'])
export const canSkip = (kind: Kind): boolean => SKIPPING.has(kind)

/** Where a page begins. */
export type At = { cursor: string } | { skip: number; limit?: number }

/** Reads a page, whose records the store takes. Throws ApiProblem and NoAnswer. */
export async function readRows(
  { api, store }: { api: Api; store: RecordStore },
  kind: Kind,
  query: Query,
  at: At,
): Promise<Rows> {
  const since = store.moment()
  const asked = { limit: PAGE, ...query, ...('cursor' in at ? at : placeOf(at)) }
  const given = Object.entries(asked).map(([name, value]) => [name, isTree(value) ? JSON.stringify(value) : value])
  const path = canSkip(kind) ? `/app/rows/${kind}` : `/api/v1/${kind}`
  const page = await api.get<{ data: Rec[]; next_cursor: string | null; total?: number }>(
    pathWith(path, Object.fromEntries(given)),
  )
  for (const record of page.data) store.accept(kind, record, { since })
  return { ids: page.data.map(({ id }) => id), total: page.total, cursor: page.next_cursor }
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

const placeOf = ({ skip, limit = PAGE }: { skip: number; limit?: number }): Query => ({
  count: true,
  limit,
  skip: skip || undefined,
})
