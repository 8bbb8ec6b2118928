import { pathWith } from '../../data/api.ts'
import { client } from '../../data/current.ts'
import type { Company, Rec } from '../../data/types.ts'
import { searchFor } from '../../lib/emoji.ts'
import { type Hit, type Scope, SEARCHED, type SearchedKind } from './palette-search.ts'

// Where the palette finds records: at once in what this browser has, then on the server.

const PER_KIND = 8

const isSearched = (kind: string): kind is SearchedKind => (SEARCHED as readonly string[]).includes(kind)

/** Every record that this browser has, of the kinds that are searched. */
export function* recordsAtHand(): Iterable<readonly [SearchedKind, Rec]> {
  for (const { kind, view } of client().store.all()) {
    const record = view.peek()
    if (record && isSearched(kind)) yield [kind, record]
  }
}

/** Throws if the server does not answer; what one kind refuses leaves the others. */
export async function askServer(typed: string, scope: Scope): Promise<Hit[]> {
  const kinds = scope === 'all' ? SEARCHED : SEARCHED.filter((kind) => kind === scope)
  const answers = await Promise.allSettled(kinds.map((kind) => askFor(kind, typed)))
  if (answers.every(({ status }) => status === 'rejected')) throw (answers[0] as PromiseRejectedResult).reason
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
}

async function askFor(kind: SearchedKind, typed: string): Promise<Hit[]> {
  const { api, store } = client()
  const since = store.moment()
  const { q, parts } = searchFor(kind, typed.trim())
  // Tasks and meetings have no filters.
  if ((kind === 'tasks' || kind === 'meetings') && parts.length > 0) return []
  const filter = parts.length > 0 ? { filter: JSON.stringify({ all: parts }) } : {}
  const place = parts.length > 0 ? `/app/rows/${kind}` : `/api/v1/${kind}`
  const path = pathWith(place, {
    ...filter,
    ...(q === '' ? {} : { q }),
    ...(kind === 'meetings' ? { sort: '-starts_at' } : {}),
    limit: PER_KIND,
  })
  const { data } = await api.get<{ data: Rec[] }>(path)
  return data.map((record, index) => {
    store.accept(kind, record, { since })
    return { kind, record, score: index }
  })
}

/** The name of a company, if this browser knows it. */
export function companyName(id: string | null | undefined): string | undefined {
  if (!id) return undefined
  const record = client().store.find('companies', id)?.view.peek() as Company | null | undefined
  return record?.name
}
