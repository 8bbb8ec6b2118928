import type { Connection } from './driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 5: what can be trusted. */
export function addTrust(db: Connection): void {
  db.exec(ENDING_TOKENS)
  db.exec(USED_CODES)
}

// Members get notices of tokens that end.

const ENDING_TOKENS = `
ALTER TABLE tokens ADD COLUMN ending_noticed INTEGER;
CREATE INDEX tokens_ending ON tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

ALTER TABLE notifications RENAME TO notifications_5;
CREATE TABLE notifications (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('assigned', 'mentioned', 'due', 'ending')),
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'task', 'note', 'conversation', 'token')),
  record_id TEXT NOT NULL,
  title TEXT NOT NULL,
  actor_id TEXT,
  at INTEGER NOT NULL,
  read_at INTEGER,
  PRIMARY KEY (org_id, member_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO notifications SELECT * FROM notifications_5;
DROP TABLE notifications_5;
CREATE INDEX notifications_unread ON notifications (org_id, member_id) WHERE read_at IS NULL;
`

// The last codes of second factors, instead of the last one.

const USED_CODES = `
ALTER TABLE credentials ADD COLUMN totp_used TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(totp_used));
UPDATE credentials SET totp_used = json_array(totp_step) WHERE totp_step IS NOT NULL;
ALTER TABLE credentials DROP COLUMN totp_step;
`
