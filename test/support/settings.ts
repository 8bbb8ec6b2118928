import { applySettings } from '../../src/app/settings/document.ts'
import type { CommandStore } from '../../src/store/open.ts'

type Item = { key: string } & Record<string, unknown>

/** Replaces the business hours, SLA policies and sequences of an organisation; returns their ids by key. */
export function setLevels(
  store: CommandStore,
  org: number,
  given: { hours?: Item[]; sla?: Item[]; sequences?: Item[] },
): Record<string, string> {
  applySettings(store, org, given)
  const rows = ['hours', 'sla_policies', 'sequences'].flatMap(
    (table) =>
      store.db.prepare(`SELECT key, id FROM ${table} WHERE org_id = ?`).all(org) as { key: string; id: string }[],
  )
  return Object.fromEntries(rows.map(({ key, id }) => [key, id]))
}
