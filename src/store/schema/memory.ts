import { type Database, openSqlite } from '../sqlite/driver.ts'
import { migrate } from './migrations.ts'

const IN_MEMORY = ':memory:'

/** An in-memory database with all tables and no rows: for preparing statements without running them. */
export function emptyDatabase(): Database {
  const db = openSqlite(IN_MEMORY)
  migrate(db, IN_MEMORY)
  return db
}

/** Such as "3.50.4". */
export function sqliteVersion(): string {
  const db = openSqlite(IN_MEMORY)
  try {
    return db.prepare('SELECT sqlite_version()').pluck().get() as string
  } finally {
    db.close()
  }
}
