import type { Deps } from '../deps.ts'
import { conversationStore } from '../inbox/conversations/conversations.ts'
import { SLA_DUE, WAKE } from '../inbox/conversations/sla-targets.ts'
import { openConversations, SLA_RECOUNT } from '../inbox/sla/recount.ts'
import { type Job, jobQueue } from '../store/jobs.ts'
import type { RunKind } from './kinds.ts'

/** Some at a time, so that no request waits long for it. */
const RECOUNTED_AT_ONCE = 100

/** What conversations do by themselves. */
export function inboxKinds(deps: Deps): RunKind[] {
  const { wake, slaDue, recount } = conversationStore(deps)
  const jobs = jobQueue(deps)
  const openBehind = openConversations(deps.db)

  function recountSome({ org, key, payload }: Job): void {
    const { after } = payload as { after: string | null }
    const ids = openBehind(org, after ?? '', RECOUNTED_AT_ONCE)
    for (const id of ids) recount(org, id)
    const last = ids.at(-1)
    if (last === undefined || ids.length < RECOUNTED_AT_ONCE) return
    jobs.put(org, { kind: SLA_RECOUNT, key: key as string, payload: { after: last }, dueAt: deps.clock.now() })
  }

  return [
    { kind: WAKE, isDated: true, run: ({ org, key }) => void wake(org, key as string) },
    { kind: SLA_DUE, isDated: true, run: ({ org, key }) => void slaDue(org, key as string) },
    { kind: SLA_RECOUNT, run: (job) => void recountSome(job) },
  ]
}
