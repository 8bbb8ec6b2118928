import { requestMetrics } from '../../http/measure.ts'
import { type Family, histogram, tally } from '../../lib/metrics/metrics.ts'
import type { ImportedMail } from '../../mail/incoming.ts'
import type { Tried } from '../../mail/outbound-mail.ts'
import type { CommittedBatch } from '../../store/commit.ts'
import type { Outcome } from '../../webhooks/delivery/delivery.ts'

const BATCHES = [1, 2, 4, 8, 16, 32, 64, 128]
const COMMITS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export type Recorded = ReturnType<typeof recordedMetrics>

/** What a server counts while it works: everything that nobody could find out afterwards. */
export function recordedMetrics() {
  const requests = requestMetrics()
  const batches = histogram(BATCHES)
  const commits = histogram(COMMITS)
  const sent = tally<Tried>(['sent', 'refused', 'later', 'limited', 'doubtful'])
  const received = tally<ImportedMail['outcome']>(['imported', 'skipped', 'rejected'])
  const attempts = tally<Exclude<Outcome, 'given_up'>>(['delivered', 'failed', 'lost'])
  let givenUp = 0

  const families = (): Family[] => [
    ...requests.families(),
    {
      name: 'dealbox_commit_batch_size',
      type: 'histogram',
      help: 'Writes that shared one commit, and so one fsync.',
      series: [{ histogram: batches }],
    },
    {
      name: 'dealbox_commit_duration_seconds',
      type: 'histogram',
      help: 'Time of each COMMIT, which is mostly the fsync of the write-ahead log.',
      series: [{ histogram: commits }],
    },
    {
      name: 'dealbox_mails_sent',
      type: 'counter',
      help: 'Attempts to send a mail, by outcome; later: it is tried again, limited: the server refuses the mailbox, doubtful: the answer of the server is missing.',
      samples: sent.samples('outcome'),
    },
    {
      name: 'dealbox_mails_received',
      type: 'counter',
      help: 'Mails that were found in mailboxes, by outcome.',
      samples: received.samples('outcome'),
    },
    {
      name: 'dealbox_webhook_attempts',
      type: 'counter',
      help: 'Attempts to deliver an event to a webhook, by outcome; lost: it failed on our side.',
      samples: attempts.samples('outcome'),
    },
    {
      name: 'dealbox_webhook_deliveries_given_up',
      type: 'counter',
      help: 'Deliveries of events whose last attempt failed.',
      samples: [{ value: givenUp }],
    },
  ]

  return {
    requests,
    families,
    committed({ jobs, commitMs }: CommittedBatch): void {
      batches.observe(jobs)
      commits.observe(commitMs / 1000)
    },
    mailSent: sent.add,
    mailReceived: received.add,
    webhookTried: (outcome: Outcome): void => {
      if (outcome === 'given_up') givenUp++
      else attempts.add(outcome)
    },
  }
}
