import type { Connection } from '../sqlite/driver.ts'

/** Changes of many records can be hand-overs of a member's records, of several kinds and to several others. */
export function addHandOvers(db: Connection): void {
  db.exec(`
CREATE TABLE bulk_changes_6 (
  org_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  member_id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('deals', 'contacts', 'companies', 'tasks', 'conversations', 'members')),
  change TEXT NOT NULL CHECK (json_valid(change)),
  total INTEGER NOT NULL,
  done INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  undo_started_at INTEGER,
  undone_at INTEGER,
  last_seq INTEGER,
  from_id TEXT,
  returns_on TEXT,
  PRIMARY KEY (org_id, id),
  FOREIGN KEY (org_id, member_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  FOREIGN KEY (org_id, from_id) REFERENCES members (org_id, id) ON DELETE CASCADE,
  CHECK ((object = 'members') = (from_id IS NOT NULL)),
  CHECK (returns_on IS NULL OR from_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
INSERT INTO bulk_changes_6 SELECT *, NULL, NULL FROM bulk_changes;
DROP TABLE bulk_changes;
ALTER TABLE bulk_changes_6 RENAME TO bulk_changes;
CREATE INDEX bulk_changes_member ON bulk_changes (org_id, member_id);
CREATE INDEX bulk_changes_from ON bulk_changes (org_id, from_id) WHERE from_id IS NOT NULL;

ALTER TABLE bulk_rows ADD COLUMN kind TEXT;
ALTER TABLE bulk_rows ADD COLUMN to_id TEXT;
CREATE INDEX bulk_rows_handed ON bulk_rows (org_id, record_id) WHERE to_id IS NOT NULL;
`)
}
