import { applySettings, showSettings } from '../../settings/document.ts'
import type { Store } from '../../store/open.ts'
import { AFTER_DEMO, NEW_LEADS, TRADE_FAIR, WIN_BACK } from '../words/sequences.ts'

/**
 * The sequences of the team, by the hours that count for most. What somebody has set up already stays as it is, and then
 * nobody is enrolled.
 */
export function setSequences(store: Store, clock: Store['clock'], org: number): void {
  const { hours, sequences } = showSettings(store, org)
  if (sequences.length > 0) return
  const { key = null } = hours.find(({ is_default }) => is_default) ?? hours[0] ?? {}
  const all = [NEW_LEADS, AFTER_DEMO, WIN_BACK, TRADE_FAIR]
  applySettings({ ...store, clock }, org, {
    sequences: all.map((texts) => ({ ...texts, status: 'active' as const, hours: key })),
  })
}

/** Nothing where it is not there. */
export function retireSequence(
  store: Store,
  clock: Store['clock'],
  org: number,
  { key, status }: { key: string; status: 'paused' | 'archived' },
): void {
  const { sequences } = showSettings(store, org)
  applySettings({ ...store, clock }, org, {
    sequences: sequences.map((each) => (each.key === key ? { ...each, status } : each)),
  })
}
