import { batches } from '../store/batches.ts'
import { rowEraser } from '../store/erase.ts'
import { suspendForeignKeys } from '../store/foreign-keys.ts'
import type { Store } from '../store/open.ts'

/** Erases what is left here of an organisation that has moved, but for where it is: requests are still told. */
export function eraseMoved(store: Store, org: number): void {
  const batch = batches(store)
  const resumeForeignKeys = suspendForeignKeys(store.db)
  const erase = rowEraser(store.db, org)
  try {
    while (!batch(erase));
  } finally {
    resumeForeignKeys()
  }
}
