import { MESSAGE_SEND } from '../inbox/mailboxes/waiting-mails.ts'
import { HOUR_MS } from '../lib/time.ts'
import type { PerformKind } from '../store/jobs/kinds.ts'
import type { outboundMail } from './outbound-mail.ts'

/**
 * About nine hours, like the first half of a webhook's attempts: a mail server that is down overnight is back by then.
 */
const MAX_TRIES = 20
/** Longer than the largest mail may take on a slow line: what is cut off is sent again. The start of a server ends it. */
export const LEASE_MS = 3 * HOUR_MS
/** With eight at a time, about 90 mails a second: more than most mail servers accept, and a third of a core. */
const REST_MS = 80
const CONCURRENCY = 8
/** As many as a server gets connections: more of one mailbox would only wait for those. */
const PER_MAILBOX = 2

/** Outbound mail handles the last attempt itself, so there is usually one more that does nothing. */
export const mailKinds = ({
  send,
  giveUp,
}: Pick<ReturnType<typeof outboundMail>, 'send' | 'giveUp'>): PerformKind[] => [
  {
    kind: MESSAGE_SEND,
    concurrency: CONCURRENCY,
    perLane: PER_MAILBOX,
    maxTries: MAX_TRIES + 1,
    leaseMs: LEASE_MS,
    restMs: REST_MS,
    perform: ({ org, key, tries }, { signal }) => send(org, key as string, tries >= MAX_TRIES, signal),
    onPermanentFailure: ({ org, key }) => giveUp(org, key as string),
  },
]
