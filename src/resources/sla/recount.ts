import { jobQueue } from '../../store/jobs.ts'
import type { Store } from '../../store/open.ts'

/** The kind of job that counts anew what all open conversations of an org are promised. */
export const SLA_RECOUNT = 'sla.recount'

/** To be called where something has changed that decides on promises, but no conversation itself. */
export function recountLater(store: Pick<Store, 'db' | 'clock'>, org: number): void {
  jobQueue(store).put(org, { kind: SLA_RECOUNT, key: 'org', payload: { after: null }, dueAt: store.clock.now() })
}
