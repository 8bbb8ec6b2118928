import type { Connection } from './driver.ts'
import { addMoves } from './schema-5-moves.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 4: more than one server. */
export function addServers(db: Connection): void {
  db.exec(CHANGES)
  addMoves(db)
  db.exec(ENDING_TOKENS)
}

// Which primary a database is of, its heartbeat, and indexes of the jobs that were given up and of closed deals.

const CHANGES = `
CREATE TABLE replication (
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  epoch INTEGER NOT NULL CHECK (epoch >= 1),
  promoted_at INTEGER,
  primary_url TEXT,
  is_replicated INTEGER NOT NULL CHECK (is_replicated IN (0, 1)),
  beat INTEGER NOT NULL CHECK (beat >= 0),
  beat_at INTEGER
) STRICT;
INSERT INTO replication VALUES (1, 1, NULL, NULL, 0, 0, NULL);

CREATE INDEX jobs_failed ON jobs (org_id, kind, failed_at) WHERE failed_at IS NOT NULL;
CREATE INDEX deals_closed ON deals (org_id, closed_at, stage_id) WHERE closed_at IS NOT NULL;
`

// Members get notices of tokens that end.

const ENDING_TOKENS = `
ALTER TABLE tokens ADD COLUMN ending_noticed INTEGER;
CREATE INDEX tokens_ending ON tokens (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

ALTER TABLE notifications RENAME TO notifications_4;
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
INSERT INTO notifications SELECT * FROM notifications_4;
DROP TABLE notifications_4;
CREATE INDEX notifications_unread ON notifications (org_id, member_id) WHERE read_at IS NULL;
`
