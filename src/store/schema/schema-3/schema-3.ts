import type { Connection } from '../../sqlite/driver.ts'
import { splitAttachments } from './attachments.ts'
import { addImports } from './imports.ts'
import { addInvitations } from './invitations.ts'
import { addGrants, addLanes, addOffers } from './mailboxes.ts'
import { addOwnerWords } from './owners.ts'
import { addSearch } from './search.ts'
import { addPendingStageChanges } from './stage-changes.ts'

// Frozen once released: schema.sql has the comments of these tables, and their newest form. Each part is a file of this
// folder.

/** From schema 2, in this order. */
const PARTS: readonly ((db: Connection) => void)[] = [
  addSearch,
  addOwnerWords,
  addPendingStageChanges,
  splitAttachments,
  addImports,
  addLanes,
  addGrants,
  addOffers,
  addInvitations,
]

export function addTools(db: Connection): void {
  for (const part of PARTS) part(db)
}
