import type { Database } from './driver.ts'

/** The tables that have rows of organisations, by name; never those of a temporary table in their place. */
export const tablesOfOrgs = (db: Database): string[] =>
  db
    .prepare(
      `SELECT m.name FROM main.sqlite_schema AS m JOIN pragma_table_info(m.name, 'main') AS c
       WHERE m.type = 'table' AND c.name = 'org_id'`,
    )
    .pluck()
    .all() as string[]
