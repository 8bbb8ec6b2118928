import type { Connection } from '../sqlite/driver.ts'

/** An organisation of a million records, with a hundred for each value of a column. */
const ROWS = 1_000_000
const ROWS_PER_VALUE = 100

/**
 * Gives SQLite's planner fixed statistics. Without any, it considers the primary key of a WITHOUT ROWID table as good
 * as any index, and walks the whole organisation to find the deals of one contact: also in foreign key checks, whose
 * SQL cannot be changed. Real statistics would make plans depend on the current data. So they are written once, with
 * the schema, and ANALYZE and PRAGMA optimize are never run.
 */
export function fixStatistics(db: Connection): void {
  db.exec('ANALYZE sqlite_schema') // makes the tables; without a name it would read the whole file
  db.exec('DELETE FROM sqlite_stat1')
  if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'").get()) db.exec('DELETE FROM sqlite_stat4')
  const insert = db.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)')
  for (const { table, index, isUnique, columns } of orgIndexes(db)) {
    const perPrefix = columns.map((_, at) =>
      isUnique && at === columns.length - 1 ? 1 : at === 0 ? ROWS : ROWS_PER_VALUE,
    )
    insert.run(table, index, [ROWS, ...perPrefix].join(' '))
  }
  db.exec('ANALYZE sqlite_schema') // reloads them
}

type OrgIndex = { table: string; index: string; isUnique: boolean; columns: string[] }

/** The indexes that start with org_id. The key of a table without rowid has the name of the table. */
function orgIndexes(db: Connection): OrgIndex[] {
  const rows = db
    .prepare(
      `SELECT t.name AS "table", iif(i.origin = 'pk', t.name, i.name) AS "index", i."unique" AS isUnique,
         (SELECT group_concat(name, ',') FROM (SELECT name FROM pragma_index_info(i.name) ORDER BY seqno)) AS columns
       FROM pragma_table_list AS t JOIN pragma_index_list(t.name) AS i WHERE t.schema = 'main' AND t.wr = 1`,
    )
    .all() as { table: string; index: string; isUnique: number; columns: string }[]
  return rows
    .map((row) => ({ ...row, isUnique: row.isUnique === 1, columns: row.columns.split(',') }))
    .filter(({ columns }) => columns[0] === 'org_id')
}
