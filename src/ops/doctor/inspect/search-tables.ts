import { join } from 'node:path'
import { Problem } from '../../../lib/problem.ts'
import { type CommandStore, DATABASE } from '../../../store/open.ts'
import { emptyDatabase } from '../../../store/schema/memory.ts'
import { indexesOf, type Kind } from '../../../store/search/search.ts'
import { pendingWords } from '../../../store/search/search-index.ts'
import { type Connection, openSqlite } from '../../../store/sqlite/driver.ts'
import { pageErrors } from './inspect.ts'

// The tables of the search have nothing that the records do not have. So they can be emptied, whatever is wrong with them, and
// filled again from the records.

type Table = { name: string; sql: string; rows: unknown[][] }

let made: Table[] | undefined

/** The tables of a new database, with what FTS5 has put into its own ones. */
function freshTables(): Table[] {
  if (made) return made
  const fresh = emptyDatabase()
  const found = fresh
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name LIKE 'search\\_%' ESCAPE '\\'")
    .all() as Omit<Table, 'rows'>[]
  made = found.map((table) => ({
    ...table,
    rows: fresh.prepare(`SELECT * FROM ${table.name}`).safeIntegers().raw().all() as unknown[][],
  }))
  fresh.close()
  return made
}

/** Their names, without that of the virtual table itself, which has no pages. */
export const searchTables = (): string[] => freshTables().map(({ name }) => name)

/**
 * Empties the tables of the search. Where pages of theirs are damaged, nothing of them is read or given back, since they may
 * name pages of other tables: each table begins anew elsewhere, and nothing uses the old pages any more; see `compact`. Throws
 * Problem 409, and changes nothing, if anything else is damaged.
 */
export function emptySearch(dataDir: string, isDamaged: boolean): void {
  const db = openSqlite(join(dataDir, DATABASE), { fileMustExist: true }) // not by `openStore`, which reads them
  try {
    db.pragma('synchronous = FULL')
    emptyTables(db, isDamaged)
  } finally {
    db.close()
  }
}

export function emptyTables(opened: Connection, isDamaged: boolean): void {
  opened.unsafeMode?.(true) // FTS5 keeps its tables from others
  try {
    opened
      .transaction(() => {
        for (const table of freshTables()) {
          if (isDamaged) placeAnew(opened, table)
          else opened.exec(`DELETE FROM ${table.name}`)
          const values = table.rows[0]?.map(() => '?').join(', ')
          for (const row of table.rows) opened.prepare(`INSERT INTO ${table.name} VALUES (${values})`).run(...row)
        }
        if (!isDamaged) return
        opened.pragma('writable_schema = RESET') // FTS5 reads its settings again
        refuseOthers(opened)
      })
      .immediate()
  } finally {
    opened.unsafeMode?.(false)
  }
}

/** In the state that is not committed yet: also a list of free pages that is wrong, which would be written over others. */
function refuseOthers(db: Connection): void {
  const [first] = pageErrors(db, false).filter((error) => !/^Page \d+: never used$/.test(error))
  if (first === undefined) return
  throw new Problem(409, 'database_damaged', `more than the search is damaged (${first}); restore a backup.`)
}

/** Gives a table an empty tree of its own; its triggers stay. One that is missing is made. */
function placeAnew(db: Connection, { name, sql }: Table): void {
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(name)) {
    db.exec(sql)
    return
  }
  const other = `${name}_anew`
  db.exec(sql.replace(name, other))
  db.pragma('writable_schema = ON')
  db.prepare(
    "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = ?) WHERE type = 'table' AND name = ?",
  ).run(other, name)
  db.prepare('DELETE FROM sqlite_schema WHERE name = ?').run(other)
  db.pragma('writable_schema = RESET')
}

/** Documents that are written in one transaction. */
const AT_ONCE = 2000

/** Fills empty tables with the documents of these organisations; `wanted` makes those of one. Returns how many there are. */
export function fillSearch(
  { db, transaction }: Pick<CommandStore, 'db' | 'transaction'>,
  orgs: readonly number[],
  wanted: (org: number) => Iterable<{ kind: Kind; id: string; words: readonly string[] }>,
): number {
  const indexes = indexesOf(db)
  const pending = pendingWords(db)
  let count = 0
  for (const org of orgs) {
    const all = wanted(org)[Symbol.iterator]()
    for (let isOver = false; !isOver; )
      transaction(() => {
        for (let n = 0; n < AT_ONCE; n++) {
          const { value, done } = all.next()
          if (done) {
            isOver = true
            break
          }
          indexes[value.kind].put(org, value.id, value.words)
          count++
        }
        while (pending.index(AT_ONCE) > 0);
      })
  }
  transaction(() => void db.prepare("INSERT INTO search (search) VALUES ('optimize')").run())
  return count
}
