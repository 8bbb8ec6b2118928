import type { Caller } from '../../lib/caller.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { Store } from '../../store/open.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** The kind of job that recalculates the SLA targets of all open conversations of an org. */
export const SLA_RECOUNT = 'sla.recount'

/** Call this after a change that affects SLA targets, but no conversation itself. */
export function recountLater(store: Pick<Store, 'db' | 'clock'>, org: number): void {
  jobQueue(store).put(org, { kind: SLA_RECOUNT, key: 'org', payload: { after: null }, dueAt: store.clock.now() })
}

/**
 * Watches what affects SLA targets besides the conversations themselves: their companies and tags, if policies use
 * them.
 */
export function slaWatch(store: Pick<Store, 'db' | 'clock'>) {
  const looksAt = store.db
    .prepare(`SELECT 1 FROM sla_policies WHERE org_id = ? AND is_active = 1 AND match LIKE '%"company.%' LIMIT 1`)
    .pluck()
  const onConversation = store.db
    .prepare('SELECT 1 FROM conversation_tags WHERE org_id = ? AND tag_id = ? LIMIT 1')
    .pluck()

  function companyUpdated({ org }: Caller): void {
    if (looksAt.get(org)) recountLater(store, org)
  }

  /** Companies lose the tag, too. */
  function tagRemoved({ org }: Caller, tag: string): void {
    if (onConversation.get(org, tag) || looksAt.get(org)) recountLater(store, org)
  }

  return { companyUpdated, tagRemoved }
}

/** The ids of at most `most` conversations that are not closed, after the given id. */
export function openConversations(db: Database): (org: number, after: string, most: number) => string[] {
  const behind = db
    .prepare("SELECT id FROM conversations WHERE org_id = ? AND id > ? AND status <> 'closed' ORDER BY id LIMIT ?")
    .pluck()
  return (org, after, most) => behind.all(org, after, most) as string[]
}
