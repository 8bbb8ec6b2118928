import { applySettings, showSettings } from '../../app/settings/document.ts'
import type { CommandStore } from '../../store/open.ts'
import { AFTER_DEMO, NEW_LEADS, TRADE_FAIR, WIN_BACK } from '../words/sequences.ts'

/**
 * Creates the team's sequences with the default business hours. Existing sequences stay unchanged, and then nobody is
 * enrolled.
 */
export function setSequences(store: CommandStore, clock: CommandStore['clock'], org: number): void {
  const { hours, sequences } = showSettings(store, org)
  if (sequences.length > 0) return
  const { key = null } = hours.find(({ is_default }) => is_default) ?? hours[0] ?? {}
  const all = [NEW_LEADS, AFTER_DEMO, WIN_BACK, TRADE_FAIR]
  applySettings({ ...store, clock }, org, {
    sequences: all.map((texts) => ({ ...texts, status: 'active' as const, hours: key })),
  })
}

/** Does nothing if the sequence does not exist. */
export function retireSequence(
  store: CommandStore,
  clock: CommandStore['clock'],
  org: number,
  { key, status }: { key: string; status: 'paused' | 'archived' },
): void {
  const { sequences } = showSettings(store, org)
  applySettings({ ...store, clock }, org, {
    sequences: sequences.map((each) => (each.key === key ? { ...each, status } : each)),
  })
}
