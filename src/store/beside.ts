import { connection, type Database, openSqlite } from './sqlite/driver.ts'

// A second connection to the database that a server has open, for what only reads and takes long.

/** The name of the file of a database. */
export const fileOf = (db: Database): string => connection(db).name

/** Opens it for reading, in a thread of its own: it never waits for writers, and they never for it. */
export function openBeside(file: string): Database {
  const db = openSqlite(file, { readonly: true, fileMustExist: true })
  db.pragma('cache_size = -32768') // 32 MiB
  return db
}
