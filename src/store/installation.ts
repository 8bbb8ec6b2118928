import { connection, type Database } from './driver.ts'

/** Reads the id of the data folder's database; throws where the database does not answer. */
export function installationId(db: Database): () => string {
  const id = db.prepare('SELECT id FROM installation').pluck()
  return () => id.get() as string
}

/** Whether no other process can read or write the database, see `openStore`. */
export const isHeldAlone = (db: Database): boolean =>
  connection(db).pragma('locking_mode', { simple: true }) === 'exclusive'
