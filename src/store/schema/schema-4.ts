import type { Connection } from '../sqlite/driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 3: the audit log. */
export const addAuditLog = (db: Connection): void => void db.exec(TABLES)

const TABLES = `
CREATE TABLE audit_chains (
  org TEXT NOT NULL PRIMARY KEY,
  anchor_seq INTEGER NOT NULL DEFAULT 0,
  anchor_hash TEXT NOT NULL,
  last_seq INTEGER NOT NULL DEFAULT 0,
  last_hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log (
  org TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('member', 'command', 'server', 'stranger')),
  actor_id TEXT,
  actor_email TEXT,
  via TEXT,
  action TEXT NOT NULL,
  record_id TEXT,
  detail TEXT NOT NULL CHECK (json_valid(detail)),
  hash TEXT NOT NULL,
  PRIMARY KEY (org, seq)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER audit_log_next BEFORE INSERT ON audit_log
WHEN NEW.seq IS NOT (SELECT last_seq + 1 FROM audit_chains WHERE org = NEW.org)
BEGIN
  SELECT RAISE(ABORT, 'the audit log only takes the next entry');
END;
CREATE TRIGGER audit_log_end AFTER INSERT ON audit_log
BEGIN
  UPDATE audit_chains SET last_seq = NEW.seq, last_hash = NEW.hash WHERE org = NEW.org;
END;
CREATE TRIGGER audit_log_kept BEFORE UPDATE ON audit_log
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log do not change');
END;
CREATE TRIGGER audit_log_purged BEFORE DELETE ON audit_log
WHEN OLD.seq > (SELECT anchor_seq FROM audit_chains WHERE org = OLD.org)
BEGIN
  SELECT RAISE(ABORT, 'entries of the audit log are deleted only with those before them');
END;
CREATE TRIGGER audit_chains_forward BEFORE UPDATE ON audit_chains
WHEN NEW.org <> OLD.org OR NEW.anchor_seq < OLD.anchor_seq OR NEW.last_seq < OLD.last_seq
  OR NEW.anchor_seq > NEW.last_seq
BEGIN
  SELECT RAISE(ABORT, 'a chain of the audit log only grows');
END;
CREATE TRIGGER audit_chains_kept BEFORE DELETE ON audit_chains
BEGIN
  SELECT RAISE(ABORT, 'a chain of the audit log stays');
END;
`
