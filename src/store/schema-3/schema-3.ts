import type { Connection } from '../driver.ts'
import { addOwnerWords } from './owners.ts'
import { addSearch } from './search.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form. Each part is a file of this
// folder.

/** From schema 2, in this order. */
const PARTS: readonly ((db: Connection) => void)[] = [addSearch, addOwnerWords]

export function addTools(db: Connection): void {
  for (const part of PARTS) part(db)
}
