import { tablesOfOrgs } from '../../store/schema/tables.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** What moves of a table: its columns, without org_id, and those that identify a row. */
export type MovedTable = {
  name: string
  /** Where the rows are read: a view for rows that are in two tables. */
  source: string
  columns: readonly string[]
  key: readonly string[]
  /** A condition on the rows. */
  where?: string
}

/** The search index is made anew of the words of each record, and these stage changes are read by the view. */
const DERIVED = ['search_docs', 'search_pending', 'search_words', 'deal_stage_changes_pending']

/** A file that is being written has no row that has it yet. */
const IS_WHOLE = 'is_staged = 0'
const CONTENT_IS_WHOLE = `EXISTS (SELECT 1 FROM file_contents AS whole WHERE whole.org_id = file_chunks.org_id
  AND whole.sha256 = file_chunks.sha256 AND whole.is_staged = 0)`
const WHERE: Record<string, string> = { file_contents: IS_WHOLE, file_chunks: CONTENT_IS_WHOLE }

type Column = { name: string; pk: number; hidden: number }

/** Every table with rows of organisations, read from the schema, so that no new one is forgotten. */
export function movedTables(db: Database): MovedTable[] {
  const columnsOf = db.prepare("SELECT name, pk, hidden FROM pragma_table_xinfo(?, 'main') ORDER BY cid")
  return tablesOfOrgs(db)
    .filter((name) => !DERIVED.includes(name))
    .sort()
    .map((name) => {
      const all = columnsOf.all(name) as Column[]
      const key = keyOf(db, name, all)
      const isRowid = (column: Column) => column.pk === 1 && !key.includes(column.name)
      const columns = all
        .filter((column) => column.hidden === 0 && column.name !== 'org_id' && !isRowid(column))
        .map((column) => column.name)
      const where = WHERE[name]
      const source = name === 'deal_stage_changes' ? 'deal_stage_history' : name
      return { name, source, columns, key, ...(where ? { where } : {}) }
    })
}

/** The key after org_id; of a table with a number of its own, that of its first unique index. */
function keyOf(db: Database, table: string, all: readonly Column[]): string[] {
  const key = all.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
  if (key[0]?.name === 'org_id') return key.slice(1).map(({ name }) => name)
  const [unique] = db
    .prepare(
      `SELECT group_concat(i.name, ',') FROM (SELECT name FROM pragma_index_list(?, 'main')
         WHERE "unique" = 1 AND partial = 0 ORDER BY seq DESC LIMIT 1) AS l, pragma_index_info(l.name, 'main') AS i`,
    )
    .pluck()
    .all(table) as string[]
  const [first, ...rest] = (unique ?? '').split(',')
  if (first !== 'org_id' || rest.length === 0) throw new Error(`${table} has no key of its organisation`)
  return rest
}
