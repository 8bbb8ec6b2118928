import type { Connection } from '../sqlite/driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 1: sign-in, and what else belongs to the screens. */
export function addScreens(db: Connection): void {
  db.exec(TABLES)
  db.exec('ALTER TABLE events ADD COLUMN request_key TEXT')
  db.exec('DROP INDEX events_seq')
  db.exec('CREATE UNIQUE INDEX events_seq ON events (org_id, seq, object_id)')
  // A session may send an Idempotency-Key, too, so its owner no longer refers to the tokens.
  db.exec('ALTER TABLE idempotency RENAME TO idempotency_1')
  db.exec('DROP INDEX idempotency_created')
  db.exec(IDEMPOTENCY)
  db.exec('INSERT INTO idempotency SELECT * FROM idempotency_1')
  db.exec('DROP TABLE idempotency_1')
}

const TABLES = `
CREATE TABLE setup_link (
  singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE credentials (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  password TEXT,
  password_set_at INTEGER,
  totp TEXT,
  totp_confirmed_at INTEGER,
  totp_step INTEGER,
  recovery_codes TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recovery_codes)),
  failures INTEGER NOT NULL DEFAULT 0,
  failed_at INTEGER,
  PRIMARY KEY (org_id, member_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  member_id TEXT NOT NULL,
  user_agent TEXT,
  address TEXT,
  created_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sessions_hash ON sessions (hash);
CREATE INDEX sessions_member ON sessions (org_id, member_id);

CREATE TABLE sign_in_links (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  hash TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('invite', 'sign_in')),
  member_id TEXT,
  email TEXT,
  role TEXT CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  invited_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, invited_by) REFERENCES members (org_id, id) ON DELETE CASCADE,
  CHECK ((kind = 'invite') = (role IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX sign_in_links_hash ON sign_in_links (hash);
CREATE INDEX sign_in_links_member ON sign_in_links (org_id, member_id);
CREATE INDEX sign_in_links_inviter ON sign_in_links (org_id, invited_by);

CREATE TABLE preferences (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, member_id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE views (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks')),
  name TEXT NOT NULL,
  shape TEXT NOT NULL CHECK (shape IN ('table', 'board')),
  is_shared INTEGER NOT NULL CHECK (is_shared IN (0, 1)),
  owner_id TEXT NOT NULL,
  query TEXT NOT NULL CHECK (json_valid(query)),
  position INTEGER NOT NULL CHECK (position >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, owner_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX views_owner ON views (org_id, owner_id);

CREATE TABLE drafts (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL CHECK (json_valid(body)),
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, member_id, key),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE notifications (
  org_id INTEGER NOT NULL,
  member_id TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('assigned', 'mentioned', 'due')),
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'task', 'note', 'conversation')),
  record_id TEXT NOT NULL,
  title TEXT NOT NULL,
  actor_id TEXT,
  at INTEGER NOT NULL,
  read_at INTEGER,
  PRIMARY KEY (org_id, member_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (org_id, member_id) WHERE read_at IS NULL;

CREATE TABLE bulk_changes (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks')),
  change TEXT NOT NULL CHECK (json_valid(change)),
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  undo_started_at INTEGER,
  undone_at INTEGER,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX bulk_changes_member ON bulk_changes (org_id, member_id);

CREATE TABLE bulk_rows (
  org_id INTEGER NOT NULL,
  bulk_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  record_id TEXT NOT NULL,
  seq INTEGER,
  is_listed INTEGER NOT NULL DEFAULT 0 CHECK (is_listed IN (0, 1)),
  error TEXT,
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone IN (0, 1)),
  PRIMARY KEY (org_id, bulk_id, position),
  FOREIGN KEY (org_id, bulk_id) REFERENCES bulk_changes (org_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE bin (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  event_id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task', 'meeting')),
  record_id TEXT NOT NULL,
  title TEXT NOT NULL,
  member_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL CHECK (json_valid(record)),
  kept TEXT NOT NULL CHECK (json_valid(kept)),
  PRIMARY KEY (org_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX bin_record ON bin (org_id, record_id);

CREATE TABLE sample_records (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  object TEXT NOT NULL,
  record_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (org_id, object, record_id)
) STRICT, WITHOUT ROWID;
`

const IDEMPOTENCY = `
CREATE TABLE idempotency (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  caller TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers TEXT NOT NULL CHECK (json_valid(headers)),
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (org_id, caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_created ON idempotency (created_at);
`
