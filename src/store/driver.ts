import BetterSqlite from 'better-sqlite3'

export type Database = BetterSqlite.Database
export type Statement = BetterSqlite.Statement

export function openSqlite(file: string): Database {
  return new BetterSqlite(file)
}
