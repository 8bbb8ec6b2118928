import { type Deps, once } from '../../deps.ts'
import { type Duplicate, duplicates } from './duplicates.ts'
import type { MergeObject } from './undo-conflicts.ts'

/** Two records that may be the same, the older one first. */
export type Pair = { older_id: string; newer_id: string; reasons: Duplicate['reasons'] }

/** `last` is the last record that was looked at, `more` whether there are older ones. */
export type PairPage = { pairs: Pair[]; looked: number; last: string | null; more: boolean }

/** Each record takes a few look-ups in indexes, 50 µs: a page takes at most some 20 ms, in which nobody else is served. */
const MAX_LOOKED = 400
const ABOVE_ALL_IDS = '~'

/**
 * Walks all contacts or companies, newest first, and finds older ones that may be the same: see `duplicates`. A page ends
 * after `limit` pairs, or after 400 records even if there was none.
 */
export const suspectedPairs = once(({ db }: Deps) => {
  const duplicatesOf = duplicates(db)
  const ids = (table: string) =>
    db.prepare(`SELECT id FROM ${table} WHERE org_id = ? AND id < ? ORDER BY id DESC LIMIT ?`).pluck()
  const older = { contact: ids('contacts'), company: ids('companies') }

  function find(org: number, object: MergeObject, limit: number, below = ABOVE_ALL_IDS): PairPage {
    const pairs: Pair[] = []
    const all = older[object].all(org, below, MAX_LOOKED + 1) as string[]
    let looked = 0
    for (const id of all.slice(0, MAX_LOOKED)) {
      looked++
      for (const other of duplicatesOf(org, object, id)) {
        if (other.id < id) pairs.push({ older_id: other.id, newer_id: id, reasons: other.reasons })
      }
      if (pairs.length >= limit) break
    }
    const last = all[looked - 1] ?? null
    return { pairs, looked, last, more: looked < all.length }
  }

  return { find }
})
