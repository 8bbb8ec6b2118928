import { endingTokens, NOTICE_DAYS } from '../../auth/ending-tokens.ts'
import type { Deps } from '../../deps.ts'
import { MAILBOX_STATUSES } from '../../inbox/mailboxes/mailbox-health.ts'
import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Family, Sample } from '../../lib/metrics/metrics.ts'
import { storageSizes } from '../../store/files.ts'
import { jobCounts } from '../../store/jobs/job-counts.ts'
import type { Store } from '../../store/open.ts'
import { webhookCounts } from '../../webhooks/delivery/counts.ts'

/** The kinds of jobs are those of this server; jobs of any other, such as of a newer version, are counted together. */
const OTHER = 'other'

export type ObservedOptions = { store: Store; deps: Deps; dataDir: string; kinds: readonly string[] }

/** What the data folder shows at a scrape, counted over all organisations. */
export function observedMetrics({ store, deps, dataDir, kinds }: ObservedOptions) {
  const jobs = jobCounts(store)
  const webhooks = webhookCounts(store)
  const mailboxes = mailboxStore(deps)
  const ending = endingTokens(store.db)

  function storage(): Family[] {
    const { database, log, free } = storageSizes(dataDir)
    return [
      gauge('dealbox_database_bytes', 'Size of the database.', [{ value: database }]),
      gauge('dealbox_log_bytes', 'Size of the write-ahead log.', [{ value: log }]),
      gauge('dealbox_disk_free_bytes', 'Free space on the disk of the data folder.', [{ value: free }]),
    ]
  }

  function queues(): Family[] {
    const running = folded(jobs.running())
    const waiting = kinds.flatMap((kind): Sample[] => {
      const { due, later } = jobs.waitingOf(kind)
      return [
        { labels: { kind, state: 'due' }, value: due },
        { labels: { kind, state: 'later' }, value: later },
        { labels: { kind, state: 'running' }, value: running.get(kind) ?? 0 },
      ]
    })
    const givenUp = [...folded(jobs.givenUp())].map(([kind, value]) => ({ labels: { kind }, value }))
    return [
      gauge('dealbox_jobs', 'Jobs that are due, wait for a later time, or run; up to 10,000 are counted.', waiting),
      gauge('dealbox_jobs_given_up', 'Jobs whose last attempt failed, counted once a minute.', givenUp),
    ]
  }

  function folded(counts: ReadonlyMap<string, number>): Map<string, number> {
    const all = new Map([...kinds, OTHER].map((kind) => [kind, 0]))
    for (const [kind, count] of counts) {
      const known = all.has(kind) ? kind : OTHER
      all.set(known, (all.get(known) as number) + count)
    }
    return all
  }

  function delivering(): Family[] {
    const states = Object.entries(webhooks.byState()).map(([state, value]) => ({ labels: { state }, value }))
    const help = 'Deliveries of events that are not done yet; up to 10,000 are counted.'
    return [
      gauge('dealbox_webhooks', 'Webhooks by state; failing: active, and the receiver is down.', states),
      gauge('dealbox_webhook_deliveries_pending', help, [{ value: webhooks.pending() }]),
    ]
  }

  function mail(): Family[] {
    const counts = new Map(MAILBOX_STATUSES.map((status) => [status, { receiving: 0, sending: 0 }]))
    let pending = 0
    for (const { org, mailbox } of mailboxes.active()) {
      const { receiving, sending } = mailboxes.health(org, mailbox)
      counts.get(receiving.status)!.receiving++
      counts.get(sending.status)!.sending++
      pending += mailboxes.state(org, mailbox.id).pending
    }
    const samples = [...counts].flatMap(([status, { receiving, sending }]) => [
      { labels: { direction: 'receiving', status }, value: receiving },
      { labels: { direction: 'sending', status }, value: sending },
    ])
    return [
      gauge('dealbox_mailboxes', 'Active mailboxes by direction and status.', samples),
      gauge('dealbox_mails_to_import', 'Mails that were seen in mailboxes and are not imported yet.', [
        { value: pending },
      ]),
    ]
  }

  function tokens(): Family[] {
    const now = store.clock.now()
    const samples = NOTICE_DAYS.map((days) => ({ labels: { days: String(days) }, value: ending.count(now, days) }))
    return [gauge('dealbox_tokens_ending', 'Tokens that end within so many days, and were made for longer.', samples)]
  }

  return [storage, queues, delivering, mail, tokens]
}

export const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  ...{ name, help, type: 'gauge' },
  samples,
})
