import { linksAfterJump, purgeLinks } from '../../auth/links.ts'
import { purgeSessions } from '../../auth/sessions.ts'
import { purgeAuditLog, USUAL_RETENTION_DAYS } from '../../events/audit/purge.ts'
import { deleteExpiredAnswers } from '../../http/idempotency.ts'
import { purgeDraftFiles } from '../../inbox/messages/draft-files.ts'
import { purgeOriginals } from '../../inbox/messages/originals.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/time.ts'
import type { AfterJump } from '../../store/jobs/clock.ts'
import type { Recurring } from '../../store/jobs/recurring-work.ts'
import { scheduleAfterJump } from '../../webhooks/delivery/clock.ts'
import { purgeDeliveries, purgeEvents } from '../../webhooks/delivery/retention.ts'

/** How long events and their deliveries are kept, and the entries of the audit log. */
export type Retention = { keepEventsMs: number; keepAuditMs?: number }

/** All recurring work. */
export const recurringWork = ({
  keepEventsMs,
  keepAuditMs = USUAL_RETENTION_DAYS * DAY_MS,
}: Retention): Recurring[] => [
  { name: 'forget idempotent answers', everyMs: MINUTE_MS, frees: true, run: deleteExpiredAnswers },
  { name: 'forget ended sessions', everyMs: HOUR_MS, frees: true, run: purgeSessions },
  { name: 'forget expired links', everyMs: HOUR_MS, frees: true, run: purgeLinks },
  { name: 'forget files of drafts', everyMs: HOUR_MS, frees: true, run: purgeDraftFiles },
  { name: 'forget originals of mails', everyMs: HOUR_MS, frees: true, run: purgeOriginals },
  { name: 'purge events', everyMs: HOUR_MS, frees: true, run: (store) => purgeEvents(store, keepEventsMs) },
  { name: 'purge deliveries', everyMs: HOUR_MS, frees: true, run: (store) => purgeDeliveries(store, keepEventsMs) },
  { name: 'purge audit log', everyMs: HOUR_MS, frees: true, run: (store) => purgeAuditLog(store, keepAuditMs) },
]

/** What has to be corrected after the clock was wrong. */
export const afterJump: readonly AfterJump[] = [scheduleAfterJump, linksAfterJump]
