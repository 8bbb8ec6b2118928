import { type Connection, openSqlite } from '../../../store/sqlite/driver.ts'
import { failureOf, reasonOf } from '../../../store/sqlite/failures.ts'

/** What is wrong with a copy, such as "is damaged (...)"; undefined if it is whole, and every reference holds. */
export function faultOf(file: string): string | undefined {
  const db = openSqlite(file, { fileMustExist: true, timeout: 5000 })
  try {
    db.pragma('locking_mode = EXCLUSIVE') // one that only reads would leave files behind
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
    for (const table of ['sqlite_schema', ...tables]) {
      const fault = faultOfTable(db, table)
      if (fault !== undefined) return fault
    }
    return undefined
  } catch (error) {
    if (failureOf(error) === 'damaged') return `is damaged (${reasonOf(error)})`
    throw error
  } finally {
    db.close()
  }
}

function faultOfTable(db: Connection, table: string): string | undefined {
  const damage = db.pragma(`quick_check("${table}")`, { simple: true })
  if (damage !== 'ok') return `is damaged (${damage})`
  const [reference] = db.pragma(`foreign_key_check("${table}")`) as { parent: string }[]
  return reference && `has a row of ${table} without its row of ${reference.parent}`
}
