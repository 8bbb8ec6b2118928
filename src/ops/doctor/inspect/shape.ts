import { emptyDatabase } from '../../../store/schema/memory.ts'
import { type Connection, connection, type Database } from '../../../store/sqlite/driver.ts'
import { DEPARTING } from '../../moves/changed-rows.ts'

type Row = Record<string, string | number | null>
type SchemaObject = { type: 'table' | 'index' | 'trigger' | 'view'; name: string; sql: string | null }

/** Litestream adds them to each database that it replicates; they have a number, and nothing. */
const OF_LITESTREAM = ['_litestream_seq', '_litestream_lock']

/**
 * Everything that matters about each table, index, trigger and view, by its name. The order of columns and the
 * formatting of SQL do not.
 */
export function shapeOf(db: Connection): Map<string, string> {
  const kinds = new Map(
    (db.pragma('main.table_list') as { name: string; type: string; strict: number; wr: number }[]).map(
      ({ name, type, strict, wr }) => [name, { type, strict, wr }],
    ),
  )
  const objects = db
    .prepare(
      "SELECT type, name, sql FROM main.sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name",
    )
    .all() as SchemaObject[]
  const isOfMove = ({ type, name }: SchemaObject) => type === 'trigger' && name.startsWith(DEPARTING)
  const isInner = ({ name }: SchemaObject) => kinds.get(name)?.type === 'shadow' // of FTS5
  const shown = objects.filter((each) => !isInner(each) && !isOfMove(each) && !OF_LITESTREAM.includes(each.name))
  return new Map(
    shown.map(({ type, name, sql }) => {
      const isTable = type === 'table' && kinds.get(name)?.type === 'table'
      const shape = isTable ? { ...kinds.get(name), ...tableShape(db, name, sql ?? '') } : plain(sql ?? '')
      return [`${type} ${name}`, JSON.stringify(shape)]
    }),
  )
}

function tableShape(db: Connection, name: string, sql: string): object {
  const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort()
  return {
    columns: sorted((db.pragma(`table_xinfo(${quoted(name)})`) as Row[]).map(({ cid, ...column }) => column)),
    references: sorted(
      (db.pragma(`foreign_key_list(${quoted(name)})`) as Row[]).map(({ id, ...reference }) => reference),
    ),
    checks: sorted(checksIn(sql)),
    keys: sorted(
      (db.pragma(`index_list(${quoted(name)})`) as Row[])
        .filter(({ origin }) => origin !== 'c') // the others are objects of their own
        .map(({ seq, name: key, ...index }) => [index, columnsOf(db, key as string)]),
    ),
  }
}

const columnsOf = (db: Connection, index: string): unknown[] =>
  (db.pragma(`index_info(${quoted(index)})`) as Row[]).map(({ name }) => name)

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** SQL without comments, white space and quotes around names, which a migration may write differently. */
const plain = (sql: string): string => sql.replace(/--.*$/gm, '').replace(/[\s"]+/g, '')

/** The CHECK constraints in the SQL of a table. */
function checksIn(sql: string): string[] {
  const text = plain(sql)
  return [...text.matchAll(/CHECK\(/g)].map(({ index }) => {
    let depth = 0
    for (let at = index; at < text.length; at++) {
      if (text[at] === '(') depth++
      if (text[at] === ')' && --depth === 0) return text.slice(index, at + 1)
    }
    return text.slice(index)
  })
}

type Statistic = { tbl: string; idx: string | null; stat: string }

const statisticsOf = (db: Database): Statistic[] =>
  db.prepare('SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY tbl, idx, stat').all() as Statistic[]

let made: { shape: Map<string, string>; statistics: Statistic[] } | undefined

/** What a new database of this version has; made once, since that takes a while. */
function expected() {
  if (made) return made
  const fresh = emptyDatabase()
  made = { shape: shapeOf(connection(fresh)), statistics: statisticsOf(fresh) }
  fresh.close()
  return made
}

/** In what the tables of a database differ from those that this version makes, such as "index deals_stage is missing". */
export function schemaDrift(db: Database): string[] {
  const { shape: should } = expected()
  const is = shapeOf(connection(db))
  const differing = [...should].flatMap(([name, shape]) => {
    const found = is.get(name)
    return found === shape ? [] : [`${name} ${found === undefined ? 'is missing' : 'was changed'}`]
  })
  const added = [...is.keys()].filter((name) => !should.has(name)).map((name) => `${name} was added`)
  return [...differing, ...added]
}

/** Whether SQLite plans queries with other statistics than the fixed ones of statistics.ts, as after ANALYZE. */
export const hasOtherStatistics = (db: Database): boolean =>
  JSON.stringify(statisticsOf(db)) !== JSON.stringify(expected().statistics)

/** Writes the fixed statistics again. For a transaction. */
export function resetStatistics(db: Database): void {
  db.prepare('DELETE FROM sqlite_stat1').run()
  const insert = db.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)')
  for (const { tbl, idx, stat } of expected().statistics) insert.run(tbl, idx, stat)
}
