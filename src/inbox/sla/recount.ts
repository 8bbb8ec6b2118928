import { jobQueue } from '../../store/jobs.ts'
import type { Store } from '../../store/open.ts'

/** The kind of job that counts anew what all open conversations of an org are promised. */
export const SLA_RECOUNT = 'sla.recount'

/** To be called where something has changed that decides on promises, but no conversation itself. */
export function recountLater(store: Pick<Store, 'db' | 'clock'>, org: number): void {
  jobQueue(store).put(org, { kind: SLA_RECOUNT, key: 'org', payload: { after: null }, dueAt: store.clock.now() })
}

/** The same where policies look at the companies of conversations. */
export function companyWatch(store: Pick<Store, 'db' | 'clock'>) {
  const looksAt = store.db
    .prepare(`SELECT 1 FROM sla_policies WHERE org_id = ? AND is_active = 1 AND match LIKE '%"company.%' LIMIT 1`)
    .pluck()

  return function companyChanged(org: number): void {
    if (looksAt.get(org)) recountLater(store, org)
  }
}
