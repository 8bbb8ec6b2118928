import type { Format } from '../../lib/format.ts'
import type { Notice } from '../../shell/notice-data.ts'

/** What can be shown of the notices. */
export const TABS = ['new', 'all', 'mentioned', 'due'] as const
export type NoticeTab = (typeof TABS)[number]

/** `seen` were new when the tab was opened. */
export function isIn(
  { id, kind, read_at }: Pick<Notice, 'id' | 'kind' | 'read_at'>,
  tab: NoticeTab,
  seen: ReadonlySet<string>,
) {
  if (tab === 'new') return read_at === null || seen.has(id)
  return tab === 'all' || kind === tab
}

/**
 * By the days on which they were told, in the zone of the member; the order stays. The moment that a notice names may be
 * another one: a token that ends is told of before.
 */
export function daysOf<One extends Pick<Notice, 'id'>>(notices: readonly One[], format: Format, now: number) {
  const days: { day: string; of: One[] }[] = []
  for (const notice of notices) {
    const at = toldAt(notice)
    const day = format.daysAway(at, now) === 0 ? format.day(at, now) : format.weekdayAndDay(at, now)
    const last = days.at(-1)
    if (last?.day === day) last.of.push(notice)
    else days.push({ day, of: [notice] })
  }
  return days
}

/** Ids begin with the moment at which they were made, in ms. */
const toldAt = ({ id }: Pick<Notice, 'id'>): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16)
