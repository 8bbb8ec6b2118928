import type { Deps } from '../../deps.ts'
import { type Job, jobQueue } from '../../store/jobs/jobs.ts'
import type { RunKind } from '../../store/jobs/kinds.ts'
import { openConversations, SLA_RECOUNT } from '../sla/recount.ts'
import { conversationStore } from './conversations.ts'
import { SLA_DUE, WAKE } from './sla-targets.ts'

/** Requests wait for at most one batch. */
const BATCH_SIZE = 100

/** The automatic work of conversations. */
export function inboxKinds(deps: Deps): RunKind[] {
  const { wake, slaDue, recount } = conversationStore(deps)
  const jobs = jobQueue(deps)
  const openAfter = openConversations(deps.db)

  function recountBatch({ org, key, payload }: Job): void {
    const { after } = payload as { after: string | null }
    const ids = openAfter(org, after ?? '', BATCH_SIZE)
    for (const id of ids) recount(org, id)
    const last = ids.at(-1)
    if (last === undefined || ids.length < BATCH_SIZE) return
    jobs.put(org, { kind: SLA_RECOUNT, key: key as string, payload: { after: last }, dueAt: deps.clock.now() })
  }

  return [
    { kind: WAKE, isDated: true, run: ({ org, key }) => void wake(org, key as string) },
    { kind: SLA_DUE, isDated: true, run: ({ org, key }) => void slaDue(org, key as string) },
    { kind: SLA_RECOUNT, run: (job) => void recountBatch(job) },
  ]
}
