import { same } from '../../../lib/merge.ts'
import type { Stored } from '../../../store/rows/record-store.ts'

// The inverse of a change: what a patch has to contain so that its fields are as before. Pure functions.

type Fields = Record<string, unknown>

/** What an event tells of a change. */
export type Told = { object: Fields; changed_fields: string[]; previous: Fields }

/** Sets, of which only the difference is taken back: what others added meanwhile stays. */
const SETS = ['tag_ids', 'contact_ids', 'company_ids', 'deal_ids']

/** Follow from other fields, which are taken back. */
const DERIVED = [
  'name',
  'status',
  'closed_at',
  'close_reason_id',
  'stage_changed_at',
  'completed_at',
  'is_overdue',
  'waiting_since',
  'sla',
]

/**
 * The patch that takes a change back, and the fields that have changed since. `writable` are the fields that a patch can
 * set; the others follow from them.
 */
export function inverse(
  now: Stored,
  { object, changed_fields, previous }: Told,
  writable: ReadonlySet<string>,
): { patch: Fields; changed: string[] } {
  const patch: Fields = {}
  const changed: string[] = []
  for (const name of changed_fields) {
    if (!writable.has(name)) {
      if (!DERIVED.includes(name) && !same(now[name], object[name])) changed.push(name)
      continue
    }
    const [after, before] = [object[name], previous[name]]
    if (name === 'custom_fields') {
      const values = keysBack(now[name] as Fields, after as Fields, before as Fields)
      changed.push(...values.changed.map((key) => `custom_fields.${key}`))
      patch[name] = values.patch
    } else if (SETS.includes(name)) patch[name] = setBack(now[name] as string[], after as string[], before as string[])
    else if (same(now[name], after)) patch[name] = before
    else changed.push(name)
  }
  return { patch, changed }
}

/** The values of custom fields, each a field of its own; null clears one. */
function keysBack(now: Fields, after: Fields, before: Fields): { patch: Fields; changed: string[] } {
  const keys = Object.keys({ ...after, ...before }).filter((key) => !same(after[key], before[key]))
  const changed = keys.filter((key) => !same(now[key], after[key]))
  return { patch: Object.fromEntries(keys.map((key) => [key, before[key] ?? null])), changed }
}

function setBack(now: string[], after: string[], before: string[]): string[] {
  const kept = now.filter((id) => before.includes(id) || !after.includes(id))
  return [...kept, ...before.filter((id) => !after.includes(id) && !kept.includes(id))]
}
