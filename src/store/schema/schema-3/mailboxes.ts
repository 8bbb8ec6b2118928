import type { Connection } from '../../sqlite/driver.ts'

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

/** Mailboxes that log in with tokens instead of passwords. */
export function addGrants(db: Connection): void {
  db.exec(`
    ALTER TABLE mailboxes ADD COLUMN oauth TEXT CHECK (oauth IS NULL OR json_valid(oauth));
    ALTER TABLE mailboxes ADD COLUMN oauth_secret TEXT;
    CREATE TABLE mailbox_grants (
      org_id INTEGER NOT NULL,
      mailbox_id TEXT NOT NULL,
      refresh_token TEXT NOT NULL,
      access_token TEXT,
      issued_at INTEGER NOT NULL,
      ends_at INTEGER NOT NULL,
      generation INTEGER NOT NULL,
      renewing_until INTEGER,
      refusal TEXT,
      PRIMARY KEY (org_id, mailbox_id),
      FOREIGN KEY (org_id, mailbox_id) REFERENCES mailboxes (org_id, id) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID;`)
}

/** Whether a server offered STARTTLS to a connection in plain text. */
export function addOffers(db: Connection): void {
  db.exec(`
    ALTER TABLE mailbox_states ADD COLUMN smtp_offers_tls INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE mailbox_states ADD COLUMN imap_offers_tls INTEGER NOT NULL DEFAULT 0;`)
}
