import type { Notice } from './stream-types.ts'
import type { Kind } from './types.ts'

// Without signals, since the worker of the stream needs it too.

/** What a colleague does in one tab. */
export type Present = {
  member_id: string
  tab: string
  viewing: { kind: Kind; id: string } | null
  editing: { kind: Kind; id: string; field: string } | null
  typing: boolean
}

/** All tabs after a notice: that of a new stream says all of them, others what has changed. */
export function presentAfter(before: ReadonlyMap<string, Present>, notice: Notice): ReadonlyMap<string, Present> {
  const { present, changed = [], gone = [] } = notice as { present?: Present[]; changed?: Present[]; gone?: Present[] }
  const after = new Map(present ? [] : before)
  for (const each of [...(present ?? []), ...changed]) after.set(each.tab, each)
  for (const each of gone) after.delete(each.tab)
  return after
}
