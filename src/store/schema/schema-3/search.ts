import type { Connection } from '../../sqlite/driver.ts'

/** Moves the search index behind the commits of the records, and its merges out of all commits. */
export function addSearch(db: Connection): void {
  db.exec(`CREATE TABLE search_pending (
    docid INTEGER NOT NULL PRIMARY KEY, org_id INTEGER NOT NULL REFERENCES orgs (id), words TEXT NOT NULL
  ) STRICT`)
  for (const [option, value] of Object.entries({ automerge: 0, usermerge: 16, crisismerge: 1000 })) {
    db.exec(`INSERT INTO search (search, rank) VALUES ('${option}', ${value})`)
  }
}
