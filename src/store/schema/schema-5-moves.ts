import type { Connection } from '../sqlite/driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 4: organisations that move from one server to another. */
export function addMoves(db: Connection): void {
  db.exec(COLUMNS)
  db.exec(TABLES)
  db.exec("UPDATE orgs SET state = 'staged' WHERE public_id LIKE 'staged %'")
}

const COLUMNS = `
ALTER TABLE orgs ADD COLUMN state TEXT NOT NULL DEFAULT 'open'
  CHECK (state IN ('staged', 'open', 'leaving', 'paused', 'moved'));
ALTER TABLE orgs ADD COLUMN moved_to TEXT;
ALTER TABLE orgs ADD COLUMN host TEXT CHECK ((state = 'moved') = (moved_to IS NOT NULL));
CREATE UNIQUE INDEX orgs_host ON orgs (host) WHERE host IS NOT NULL;
`

const TABLES = `
CREATE TABLE departures (
  org INTEGER NOT NULL PRIMARY KEY,
  id TEXT NOT NULL,
  url TEXT NOT NULL,
  address TEXT NOT NULL,
  ca TEXT,
  key TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  asked_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE departing_changes (
  n INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  k1 ANY,
  k2 ANY,
  k3 ANY
) STRICT;

CREATE TABLE arrivals (
  id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'receiving', 'prepared', 'committed')),
  move TEXT,
  public_id TEXT,
  org INTEGER,
  prepared TEXT CHECK (prepared IS NULL OR json_valid(prepared))
) STRICT, WITHOUT ROWID;

CREATE TABLE arriving_audit (
  arrival TEXT NOT NULL,
  seq INTEGER NOT NULL,
  entry TEXT NOT NULL CHECK (json_valid(entry)),
  PRIMARY KEY (arrival, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_token_keys (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  kid TEXT NOT NULL,
  installation TEXT NOT NULL,
  key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, kid)
) STRICT, WITHOUT ROWID;

CREATE TABLE former_signing_keys (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  installation TEXT NOT NULL,
  purpose TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (org_id, installation, purpose)
) STRICT, WITHOUT ROWID;
`
