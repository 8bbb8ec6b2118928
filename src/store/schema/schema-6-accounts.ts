import type { Connection } from '../sqlite/driver.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form.

/** From schema 5: accounts of several products in one organisation, with their notes and tasks. */
export function addAccounts(db: Connection): void {
  db.exec(ACCOUNTS)
}

const ACCOUNTS = `
${['companies', 'contacts', 'deals']
  .map(
    (table) => `
DROP INDEX ${table}_external;
CREATE INDEX ${table}_external ON ${table} (org_id, external_id) WHERE external_id IS NOT NULL;`,
  )
  .join('')}
CREATE INDEX merges_external ON merges (org_id, object, undo ->> '$.merged.external_id') WHERE undone_at IS NULL;
CREATE INDEX merges_name ON merges (org_id, object, undo ->> '$.merged.name') WHERE undone_at IS NULL;

CREATE TABLE imports_6 (
  org_id INTEGER NOT NULL REFERENCES orgs (id),
  id TEXT NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task', 'meeting')),
  file_name TEXT NOT NULL,
  content TEXT NOT NULL,
  options TEXT NOT NULL CHECK (json_valid(options)),
  position INTEGER NOT NULL CHECK (position >= 0),
  created INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  undo_started_at INTEGER,
  undone_at INTEGER,
  PRIMARY KEY (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO imports_6 SELECT * FROM imports;
DROP TABLE imports;
ALTER TABLE imports_6 RENAME TO imports;
CREATE INDEX imports_content ON imports (org_id, content);

ALTER TABLE import_rows RENAME TO import_rows_5;
CREATE TABLE import_rows (
  org_id INTEGER NOT NULL,
  import_id TEXT NOT NULL,
  record_id TEXT NOT NULL,
  row_number INTEGER NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'meeting', 'tag', 'note', 'task', 'pipeline', 'stage', 'custom_field')),
  action TEXT NOT NULL CHECK (action IN ('created', 'updated')),
  version INTEGER NOT NULL,
  previous TEXT CHECK (previous IS NULL OR json_valid(previous)),
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone IN (0, 1)),
  PRIMARY KEY (org_id, import_id, record_id, row_number),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO import_rows SELECT * FROM import_rows_5;
DROP TABLE import_rows_5;

CREATE TABLE external_ids (
  org_id INTEGER NOT NULL,
  object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'note', 'task')),
  external_id TEXT NOT NULL,
  source TEXT NOT NULL,
  record_id TEXT NOT NULL,
  import_id TEXT NOT NULL,
  PRIMARY KEY (org_id, object, external_id, source),
  FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_ids_record ON external_ids (org_id, record_id);
CREATE INDEX external_ids_import ON external_ids (org_id, import_id);
`
