import { effect, type ReadonlySignal, signal } from '@preact/signals'
import type { Kind } from '../data/types.ts'
import { path } from '../lib/router.ts'

/** The list that records are opened from: "4 of 26", and the way to the ones before and after. */
export type Trail = {
  kind: Kind
  /** The ids of the list as it is loaded, in its order. */
  ids: readonly string[]
  /** How many rows stand before the loaded part, and how many there are in all. */
  before?: number | undefined
  total?: number | undefined
  /** The address of the list, for the way back. */
  href: string
  label: string
}

const latest = signal<Trail | null>(null)

/** The list that was on the page last. */
export const trail: ReadonlySignal<Trail | null> = latest

/**
 * A list says what it shows, as long as it is on the page; afterwards its last state stands, so that the order does not
 * change under somebody who walks through it. `read` reads signals. Returns what stops it.
 */
export function leaveTrail(read: () => Trail | null): () => void {
  const here = path.peek()
  return effect(() => {
    // The address is that of the record already while the list still stands, and would be taken for the way back.
    if (path.value !== here) return
    const now = read()
    if (now) latest.value = now
  })
}

export type TrailPlace = { at: number; of: number; previous: string | null; next: string | null; href: string }

/** Where a record stands in the list that it was opened from; null if it is in none. */
export function placeInTrail(kind: Kind, id: string): TrailPlace | null {
  const now = latest.value
  const index = now?.kind === kind ? now.ids.indexOf(id) : -1
  if (!now || index < 0) return null
  const { ids, before = 0, total = before + ids.length, href } = now
  return { at: before + index + 1, of: total, previous: ids[index - 1] ?? null, next: ids[index + 1] ?? null, href }
}
