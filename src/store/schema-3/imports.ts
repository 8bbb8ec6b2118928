import type { Connection } from '../driver.ts'

/** Deals have the id of another system, as contacts and companies do; all three have the date from there. */
export function addOrigins(db: Connection): void {
  for (const table of ['contacts', 'companies', 'deals'])
    db.exec(`ALTER TABLE ${table} ADD COLUMN originally_created_at INTEGER`)
  db.exec('ALTER TABLE deals ADD COLUMN external_id TEXT')
  db.exec('CREATE UNIQUE INDEX deals_external ON deals (org_id, external_id) WHERE external_id IS NOT NULL')
}
