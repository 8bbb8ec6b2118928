import { pathWith } from './api.ts'
import { client } from './current.ts'
import { record } from './records.ts'
import type { Rec } from './types.ts'

// The names of records that others refer to. Those that nobody has loaded are asked for together.

export type Named = 'contacts' | 'companies' | 'deals'

const PAUSE_MS = 10
const MOST = 100

const wanted = new Map<Named, Set<string>>()
/** Asked for, and not answered; and those that do not exist. */
const asked = new Set<string>()
let isAsking = false

/** The name, or the title of a deal; undefined while it is not known. Reads a signal. */
export function nameOf(kind: Named, id: string): string | undefined {
  const known = record(kind, id).value as { name?: string; title?: string } | null | undefined
  if (known === undefined) want(kind, id)
  return known?.name ?? known?.title
}

function want(kind: Named, id: string): void {
  if (asked.has(`${kind}/${id}`)) return
  asked.add(`${kind}/${id}`)
  wanted.set(kind, (wanted.get(kind) ?? new Set()).add(id))
  askSoon()
}

function askSoon(): void {
  if (isAsking) return
  isAsking = true
  setTimeout(() => void ask(), PAUSE_MS)
}

async function ask(): Promise<void> {
  isAsking = false
  const { api, store } = client()
  for (const [kind, ids] of wanted) {
    const some = [...ids].slice(0, MOST)
    for (const id of some) ids.delete(id)
    if (ids.size > 0) askSoon()
    if (some.length === 0) continue
    const since = store.moment()
    try {
      const found = await api.get<Record<Named, Rec[]>>(pathWith('/app/names', { [kind]: some.join(',') }))
      for (const each of found[kind]) store.accept(kind, each, { since, isPartial: true })
      // A name that was let go may be asked for again; a record that is gone has none.
      for (const { id } of found[kind]) asked.delete(`${kind}/${id}`)
    } catch {
      for (const id of some) asked.delete(`${kind}/${id}`)
    }
  }
}

/** Resolves when the names of these records are known, as far as they exist. Throws ApiProblem and NoAnswer. */
export async function loadNames(kind: Named, ids: readonly string[]): Promise<void> {
  const missing = ids.filter((id) => record(kind, id).peek() === undefined)
  const { api, store } = client()
  for (let at = 0; at < missing.length; at += MOST) {
    const since = store.moment()
    const found = await api.get<Record<Named, Rec[]>>(
      pathWith('/app/names', { [kind]: missing.slice(at, at + MOST).join(',') }),
    )
    for (const each of found[kind]) store.accept(kind, each, { since, isPartial: true })
  }
}
