import type { Columns } from './columns.ts'
import type { Database } from './driver.ts'

/** Writes whole rows of a table of records: a PATCH reads, merges and writes all columns, so one UPDATE serves all. */
export function rows<Shape extends { id: string }>(db: Database, table: string, { names, values }: Columns<Shape>) {
  const marks = names.map(() => '?').join(', ')
  const insertion = db.prepare(`INSERT INTO ${table} (org_id, id, ${names.join(', ')}) VALUES (?, ?, ${marks})`)
  const update = db.prepare(
    `UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE org_id = ? AND id = ?`,
  )
  const removal = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND id = ?`)

  return {
    insert: (org: number, record: Shape): void => void insertion.run(org, record.id, ...values(record)),
    update: (org: number, record: Shape): void => void update.run(...values(record), org, record.id),
    remove: (org: number, id: string): void => void removal.run(org, id),
  }
}
