import type { Connection } from '../sqlite/driver.ts'
import { addMoves } from './schema-5-moves.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 4: more than one server. */
export function addServers(db: Connection): void {
  db.exec(CHANGES)
  addMoves(db)
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
