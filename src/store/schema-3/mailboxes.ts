import type { Connection } from '../driver.ts'

/** The lanes of jobs, which keep the mails of one slow mailbox from taking all places. */
export function addLanes(db: Connection): void {
  db.exec(`
    ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT '';
    UPDATE jobs SET lane = coalesce(
      (SELECT mailbox_id FROM message_headers WHERE org_id = jobs.org_id AND message_id = jobs.key), 'none')
    WHERE kind = 'message.send';
    CREATE INDEX jobs_lanes ON jobs (kind, lane, due_at, id)
      WHERE lane <> '' AND failed_at IS NULL AND leased_until IS NULL;`)
}
