import type { Connection } from '../../sqlite/driver.ts'

/**
 * Deals have the id of another system, as contacts and companies do; all three have the date from there. Imports make
 * stages, and list the values that they left out.
 */
export function addImports(db: Connection): void {
  for (const table of ['contacts', 'companies', 'deals'])
    db.exec(`ALTER TABLE ${table} ADD COLUMN originally_created_at INTEGER`)
  db.exec(`
    ALTER TABLE deals ADD COLUMN external_id TEXT;
    CREATE UNIQUE INDEX deals_external ON deals (org_id, external_id) WHERE external_id IS NOT NULL;
    ALTER TABLE import_rows RENAME TO import_rows_2;
    CREATE TABLE import_rows (
      org_id INTEGER NOT NULL,
      import_id TEXT NOT NULL,
      record_id TEXT NOT NULL,
      row_number INTEGER NOT NULL,
      object TEXT NOT NULL CHECK (object IN ('contact', 'company', 'deal', 'meeting', 'tag', 'note', 'pipeline', 'stage', 'custom_field')),
      action TEXT NOT NULL CHECK (action IN ('created', 'updated')),
      version INTEGER NOT NULL,
      previous TEXT CHECK (previous IS NULL OR json_valid(previous)),
      is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone IN (0, 1)),
      PRIMARY KEY (org_id, import_id, record_id, row_number),
      FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO import_rows SELECT * FROM import_rows_2;
    DROP TABLE import_rows_2;
    CREATE TABLE import_omissions (
      org_id INTEGER NOT NULL,
      import_id TEXT NOT NULL,
      row_number INTEGER NOT NULL,
      position INTEGER NOT NULL,
      column_name TEXT NOT NULL,
      reason TEXT NOT NULL,
      PRIMARY KEY (org_id, import_id, row_number, position),
      FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
    ) STRICT, WITHOUT ROWID;
  `)
}
