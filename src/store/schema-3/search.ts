import type { Connection } from '../driver.ts'

/** Ends merges of the search index within commits. */
export function addSearch(db: Connection): void {
  for (const [option, value] of Object.entries({ automerge: 0, usermerge: 16, crisismerge: 1000 })) {
    db.exec(`INSERT INTO search (search, rank) VALUES ('${option}', ${value})`)
  }
}
