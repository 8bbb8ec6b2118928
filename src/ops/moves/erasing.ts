import type { Actor } from '../../events/audit/entry.ts'
import { auditLog } from '../../events/audit/log.ts'
import { batches } from '../../store/batches.ts'
import { lockMove } from '../../store/folder/lock.ts'
import type { CommandStore } from '../../store/open.ts'
import { rowEraser } from '../../store/orgs/erase.ts'
import type { Org } from '../../store/orgs/orgs.ts'
import { suspendForeignKeys } from '../../store/schema/foreign-keys.ts'
import { hasRows } from '../../store/schema/tables.ts'
import { drain } from './departing.ts'
import { departureStore } from './departures.ts'

/** Erases what is left here of an organisation that has moved, but for where it is: requests are still told. */
export function eraseMoved(store: CommandStore, org: number): void {
  const { db, transaction } = store
  const batch = batches(store)
  const resumeForeignKeys = suspendForeignKeys(db)
  // The tokens and links of those requests are verified by these.
  const erase = rowEraser(db, org, ['former_token_keys', 'former_signing_keys'])
  try {
    transaction(() => db.prepare('DELETE FROM members WHERE org_id = ?').run(org)) // first: see isErased
    while (!batch(erase));
  } finally {
    resumeForeignKeys()
  }
}

/** Whether erasing has begun: every organisation has a member. */
export const isErased = ({ db }: Pick<CommandStore, 'db'>, org: number): boolean => !hasRows(db, 'members', org)

type Declared = { dataDir: string; org: Org; address: string; actor: Actor }

/**
 * Notes that another server has an organisation that is open here, since this folder is a copy from before its move. Ends
 * once nothing is sent for it any more. Throws Problem 409.
 */
export async function declareMoved(store: CommandStore, { dataDir, org, address, actor }: Declared): Promise<void> {
  const release = lockMove(dataDir)
  const departures = departureStore(store)
  try {
    departures.markMoved(org.id, address, () =>
      auditLog(store).record({ org: null, actor, action: 'org.moved', record: org.public_id, detail: { address } }),
    )
    await drain({ dataDir, org }, departures)
  } finally {
    release()
  }
}
