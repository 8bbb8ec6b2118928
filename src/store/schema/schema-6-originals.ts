import type { Connection } from '../sqlite/driver.ts'

// Frozen once released.

/** From schema 5: mails are kept as they came in. */
export const addOriginals = (db: Connection): void => void db.exec(ORIGINALS)

const ORIGINALS = `
ALTER TABLE orgs ADD COLUMN keep_originals_days INTEGER CHECK (keep_originals_days >= 0);
ALTER TABLE orgs ADD COLUMN keep_originals_mib INTEGER CHECK (keep_originals_mib > 0);
CREATE TABLE mail_originals (
  org_id INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  kept_bytes INTEGER NOT NULL CHECK (kept_bytes BETWEEN 0 AND size_bytes),
  stored_at INTEGER NOT NULL,
  sum_bytes INTEGER NOT NULL CHECK (sum_bytes > 0),
  PRIMARY KEY (org_id, message_id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX mail_originals_order ON mail_originals (org_id, sum_bytes);
CREATE INDEX mail_originals_content ON mail_originals (org_id, sha256);

DROP TRIGGER attachments_gone;
DROP TRIGGER draft_files_gone;
CREATE TRIGGER attachments_gone AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
CREATE TRIGGER draft_files_gone AFTER DELETE ON draft_files
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
CREATE TRIGGER mail_originals_gone AFTER DELETE ON mail_originals
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM draft_files WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
  AND NOT EXISTS (SELECT 1 FROM mail_originals WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
`
