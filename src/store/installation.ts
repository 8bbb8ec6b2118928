import { connection, type Database } from './sqlite/driver.ts'

/** Reads the id of the data folder's database; throws if the database cannot be read. */
export function installationId(db: Database): () => string {
  const id = db.prepare('SELECT id FROM installation').pluck()
  return () => id.get() as string
}

/** Whether the database is locked for other processes, see `openStore`. */
export const isHeldAlone = (db: Database): boolean =>
  connection(db).pragma('locking_mode', { simple: true }) === 'exclusive'

/** When the database was made, in epoch milliseconds. */
export const installedAt = (db: Database): number =>
  db.prepare('SELECT created_at FROM installation').pluck().get() as number
