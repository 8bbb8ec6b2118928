import { pathWith } from '../data/api.ts'
import { client } from '../data/current.ts'
import type { Rec } from '../data/types.ts'
import type { FilteredKind } from './filter-fields.ts'
import { toFilter } from './filters/conditions.ts'
import type { Asked } from './list-context.ts'
import type { RowQuery } from './table/rows.ts'

/** The rows that a question selects. */
export function rowQuery({ conditions, q, sort, listId }: Asked): RowQuery {
  const filter = toFilter(conditions)
  return {
    sort: sort ?? undefined,
    q: q.trim() === '' ? undefined : q.trim().slice(0, 255),
    filter: filter === null ? undefined : JSON.stringify(filter),
    list_id: listId,
  }
}

type Page = { data: Rec[]; next_cursor: string | null; total?: number }

/** How many records a query selects. */
export async function countRows(kind: FilteredKind, query: RowQuery): Promise<number | undefined> {
  const page = await client().api.get<Page>(
    pathWith(`/app/rows/${kind}`, { ...query, sort: undefined, limit: 1, count: true }),
  )
  return page.total
}

/** Reads all records of a query, page by page, as long as `take` wants more. */
export async function walkRows(
  kind: FilteredKind,
  query: RowQuery,
  take: (page: Rec[], total: number) => unknown,
): Promise<void> {
  let cursor: string | null = null
  let total = 0
  do {
    const from: RowQuery = cursor === null ? { count: true } : { cursor }
    const page: Page = await client().api.get<Page>(pathWith(`/app/rows/${kind}`, { ...query, limit: 100, ...from }))
    total = page.total ?? total
    if ((await take(page.data, total)) === false) return
    cursor = page.next_cursor
  } while (cursor !== null)
}
