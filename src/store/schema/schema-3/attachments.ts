import { hash } from 'node:crypto'
import type { Connection } from '../../sqlite/driver.ts'

// Frozen once released.

const CHUNK_BYTES = 786_432

/** Keeps the contents of attachments once per organisation, in chunks. Reads one at a time, of at most 10 MiB. */
export function splitAttachments(db: Connection): void {
  db.exec('ALTER TABLE attachments RENAME TO attachments_2')
  db.exec('DROP INDEX attachments_id; DROP INDEX attachments_message')
  db.exec(TABLES)
  const rowIds = db.prepare('SELECT row_id FROM attachments_2 ORDER BY row_id').pluck().all() as number[]
  const byId = db.prepare('SELECT org_id, id, message_id, data FROM attachments_2 WHERE row_id = ?')
  const content = db.prepare('INSERT INTO file_contents VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING')
  const chunk = db.prepare('INSERT INTO file_chunks (org_id, sha256, position, data) VALUES (?, ?, ?, ?)')
  const attachment = db.prepare('INSERT INTO attachments VALUES (?, ?, ?, ?)')
  for (const rowId of rowIds) {
    const { org_id, id, message_id, data } = byId.get(rowId) as Row
    const sha256 = hash('sha256', data)
    if (content.run(org_id, sha256, data.length).changes > 0)
      for (let at = 0, position = 0; at < data.length; at += CHUNK_BYTES)
        chunk.run(org_id, sha256, position++, data.subarray(at, at + CHUNK_BYTES))
    attachment.run(org_id, id, message_id, sha256)
  }
  db.exec('DROP TABLE attachments_2')
}

type Row = { org_id: number; id: string; message_id: string; data: Buffer }

const TABLES = `
CREATE TABLE file_contents (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  sha256 TEXT NOT NULL,
  size_bytes INTEGER NOT NULL CHECK (size_bytes >= 0),
  is_staged INTEGER NOT NULL DEFAULT 0 CHECK (is_staged IN (0, 1)),
  PRIMARY KEY (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_contents_staged ON file_contents (is_staged) WHERE is_staged = 1;

CREATE TABLE file_chunks (
  row_id INTEGER NOT NULL PRIMARY KEY,
  org_id INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  data BLOB NOT NULL,
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX file_chunks_content ON file_chunks (org_id, sha256, position);

CREATE TABLE attachments (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, message_id) REFERENCES messages (org_id, id),
  FOREIGN KEY (org_id, sha256) REFERENCES file_contents (org_id, sha256)
) STRICT, WITHOUT ROWID;
CREATE INDEX attachments_message ON attachments (org_id, message_id);
CREATE INDEX attachments_content ON attachments (org_id, sha256);

CREATE TRIGGER attachments_gone AFTER DELETE ON attachments
WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE org_id = OLD.org_id AND sha256 = OLD.sha256)
BEGIN
  DELETE FROM file_contents WHERE org_id = OLD.org_id AND sha256 = OLD.sha256;
END;
`
