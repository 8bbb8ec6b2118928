import type { Database, Statement } from '../sqlite/driver.ts'
import type { Columns } from './columns.ts'

/** Clients can change many different subsets of columns; in practice they use few. */
const MAX_STATEMENTS = 200

/**
 * Writes the rows of a table of records. An update sets only the columns that differ: SQLite rewrites the entries of
 * every index of a column that is set, equal or not, which made a stage change of a deal five times slower.
 */
export function rows<Shape extends { id: string }>(
  db: Database,
  table: string,
  { names, values }: Pick<Columns<Shape>, 'names' | 'values'>,
) {
  const marks = names.map(() => '?').join(', ')
  const insertion = db.prepare(`INSERT INTO ${table} (org_id, id, ${names.join(', ')}) VALUES (?, ?, ${marks})`)
  const removal = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND id = ?`)
  const updates = new Map<string, Statement>()

  function updateOf(changed: readonly string[]): Statement {
    const key = changed.join()
    let statement = updates.get(key)
    if (!statement) {
      if (updates.size >= MAX_STATEMENTS) updates.clear()
      const assignments = changed.map((name) => `${name} = ?`).join(', ')
      statement = db.prepare(`UPDATE ${table} SET ${assignments} WHERE org_id = ? AND id = ?`)
      updates.set(key, statement)
    }
    return statement
  }

  function update(org: number, before: Shape, after: Shape): void {
    const old = values(before)
    const fresh = values(after)
    const changed = names.filter((_, index) => old[index] !== fresh[index])
    if (changed.length === 0) return
    updateOf(changed).run(...fresh.filter((value, index) => old[index] !== value), org, after.id)
  }

  updateOf(names) // a wrong column stops the server before it listens
  return {
    insert: (org: number, record: Shape): void => void insertion.run(org, record.id, ...values(record)),
    update,
    remove: (org: number, id: string): void => void removal.run(org, id),
  }
}
