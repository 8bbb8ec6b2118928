import { MESSAGE_SEND } from '../inbox/mailboxes/waiting-mails.ts'
import { usage } from '../lib/problem.ts'
import { ENROLLMENT_STEP } from '../sequences/enrollments/enrollment-writer.ts'
import { jobRows } from '../store/jobs/job-rows.ts'
import { pendingWork, type Waiting } from '../store/jobs/pending-work.ts'
import type { Store } from '../store/open.ts'
import type { Database } from '../store/sqlite/driver.ts'
import { resourceDeps } from './deps.ts'
import { remedies } from './remedies.ts'

// What a restored copy sends as soon as it may: it was waiting when the backup was made, and much of it has been sent since.

const JOBS = { mails: MESSAGE_SEND, steps: ENROLLMENT_STEP } as const
export const KINDS = ['mails', 'webhooks', 'steps'] as const
export type PendingKind = (typeof KINDS)[number]

/** Parses `mails,webhooks`, or all. Throws a usage Problem. */
export function parseKinds(text: string | undefined): PendingKind[] {
  if (text === undefined) return []
  const given = text === 'all' ? [...KINDS] : text.split(',').map((each) => each.trim())
  const isKind = (each: string): each is PendingKind => (KINDS as readonly string[]).includes(each)
  if (given.length > 0 && given.every(isKind)) return given
  throw usage(`--drop-pending must be all, or some of ${KINDS.join(', ')}, separated by commas.`)
}

export function pendingOf(db: Database, now: number): Record<PendingKind, Waiting> {
  const { jobs, deliveries } = pendingWork(db, now)
  return { mails: jobs(JOBS.mails), webhooks: deliveries(), steps: jobs(JOBS.steps) }
}

/** With the consequences that "dealbox jobs drop" has. Call it in a transaction, while no server sends. */
export function dropPending(store: Store, kinds: readonly PendingKind[]): void {
  const work = pendingWork(store.db, store.clock.now())
  const all = remedies(resourceDeps(store))
  const { remove } = jobRows(store)
  // First, since what follows has events of its own.
  if (kinds.includes('webhooks')) work.giveUpDeliveries()
  for (const kind of kinds) {
    if (kind !== 'webhooks')
      for (const { org, id, key } of work.jobsOf(JOBS[kind])) {
        all[JOBS[kind]]?.drop?.(org, key)
        remove(org, id)
      }
  }
}
