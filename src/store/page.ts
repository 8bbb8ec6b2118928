import type { RawRow, Readable } from './columns.ts'
import { type Condition, type Filter, probeSql, type SqlPart, sqlOf } from './conditions.ts'
import type { Database, Statement } from './driver.ts'

/** A sort: the column that holds its key. `big` marks integers past 2^53, which travel as text. */
export type Sort = { column: string; nullable?: boolean; big?: boolean }

export type Listing = {
  table: string
  /** The FROM clause, where it is more than the table. */
  from?: string
  columns: Readable
  filters: Record<string, Filter>
  /** By the name on the wire; `created_at` is the id. */
  sorts: Record<string, Sort>
  /** The order without `sort=`; newest first where it is left out. */
  order?: { sort: Sort; descending: boolean }
}

/** Where a page ends: the sort key and the id of its last row, and whether the rows without a key have begun. */
export type Position = { key: string | number | null; id: string }

export type Ask = {
  limit: number
  sort: Sort
  descending: boolean
  conditions: Condition[]
  after?: Position | undefined
  count: boolean
}

export type Page = { rows: RawRow[]; next: Position | null; total?: number }

/** A filter with fewer matches than this is narrow: its rows are read by its index and sorted. */
const NARROW = 1000

/**
 * Keyset paging over one table. A list is walked in the order of its sort by that sort's index, and the other
 * conditions are tested on the way, which is fast while many rows match. Where a condition matches few, found
 * by counting up to NARROW in its index, the walk goes through that index instead and SQLite's sorter keeps the
 * best `limit` of them. `+` before a column keeps an index out of the plan; so the plans are ours and do not
 * depend on statistics. docs/decisions/002-lists.md has the reasons and the figures.
 */
export function listing(db: Database, spec: Listing) {
  const { table, columns, from = table } = spec
  const statements = new Map<string, Statement>()

  function prepare(sql: string): Statement {
    let statement = statements.get(sql)
    if (!statement) {
      if (statements.size >= 1000) statements.clear()
      statement = db.prepare(sql).raw()
      statements.set(sql, statement)
    }
    return statement
  }

  function list(org: number, ask: Ask): Page {
    const chosen = choose(org, ask)
    const rows: RawRow[] = []
    if (ask.after?.key !== null || !ask.sort.nullable) rows.push(...read(org, ask, chosen, false, ask.limit + 1))
    if (ask.sort.nullable && rows.length <= ask.limit)
      rows.push(...read(org, ask, chosen, true, ask.limit + 1 - rows.length))
    const more = rows.length > ask.limit
    if (more) rows.pop()
    const last = rows.at(-1)
    const page: Page = { rows, next: more && last ? positionOf(last) : null }
    if (ask.count) page.total = total(org, ask)
    return page
  }

  /** The one condition that the plan may use an index for. */
  function choose(org: number, ask: Ask): Chosen {
    const able = ask.conditions.filter((condition) => condition.indexed)
    const inOrder = able.find((condition) => condition.keepsIdOrder && ask.sort.column === 'id')
    if (inOrder && ask.conditions.length === 1) return { condition: inOrder, sorts: false }
    for (const condition of able) {
      const probe = probeSql(table, condition, NARROW)
      const found = prepare(probe.sql).get(org, ...probe.values) as [number]
      if (found[0] < NARROW) return { condition, sorts: !(condition.keepsIdOrder && ask.sort.column === 'id') }
    }
    return { condition: inOrder, sorts: false }
  }

  function read(org: number, ask: Ask, chosen: Chosen, nulls: boolean, limit: number): RawRow[] {
    const parts = [...where(ask, chosen), ...orderParts(ask, chosen, nulls)]
    const sql = `SELECT ${columns.select}, ${keySql(ask.sort, nulls)}, ${table}.id FROM ${from} WHERE ${table}.org_id = ?${parts
      .map((part) => ` AND ${part.sql}`)
      .join('')} ORDER BY ${orderSql(ask, chosen, nulls)} LIMIT ?`
    return prepare(sql).all(org, ...parts.flatMap((part) => part.values), limit) as RawRow[]
  }

  function where(ask: Ask, chosen: Chosen): SqlPart[] {
    return ask.conditions.map((condition) =>
      sqlOf(
        table,
        condition,
        condition === chosen.condition || (condition.column === ask.sort.column && !chosen.sorts),
      ),
    )
  }

  function orderParts({ sort, descending, after }: Ask, { sorts }: Chosen, nulls: boolean): SqlPart[] {
    const [key, id] = orderKeys(sort, sorts)
    const beyond = descending ? '<' : '>'
    const parts: SqlPart[] = []
    if (sort.nullable) parts.push({ sql: `${key} IS ${nulls ? '' : 'NOT '}NULL`, values: [] })
    if (!after) return parts
    if (sort.column === 'id') parts.push({ sql: `${id} ${beyond} ?`, values: [after.id] })
    else if (!nulls)
      parts.push({ sql: `(${key}, ${id}) ${beyond} (?, ?)`, values: [keyValue(sort, after.key), after.id] })
    else if (after.key === null) parts.push({ sql: `${id} ${beyond} ?`, values: [after.id] })
    return parts
  }

  function orderSql({ sort, descending }: Ask, { sorts }: Chosen, nulls: boolean): string {
    const [key, id] = orderKeys(sort, sorts)
    const direction = descending ? ' DESC' : ''
    return sort.column === 'id' || nulls ? `${id}${direction}` : `${key}${direction}, ${id}${direction}`
  }

  function orderKeys(sort: Sort, sorts: boolean): [string, string] {
    const free = sorts ? '+' : ''
    return [`${free}${table}.${sort.column}`, `${free}${table}.id`]
  }

  function keySql(sort: Sort, nulls: boolean): string {
    if (nulls) return 'NULL'
    return sort.big ? `CAST(${table}.${sort.column} AS TEXT)` : `${table}.${sort.column}`
  }

  function total(org: number, ask: Ask): number {
    const chosen = choose(org, ask)
    const parts = ask.conditions.map((condition) => sqlOf(table, condition, condition === chosen.condition))
    const sql = `SELECT count(*) FROM ${from} WHERE ${table}.org_id = ?${parts.map((part) => ` AND ${part.sql}`).join('')}`
    return (prepare(sql).get(org, ...parts.flatMap((part) => part.values)) as [number])[0]
  }

  return { spec, list, explain: (org: number, ask: Ask) => explain(org, ask) }

  /** The query plans of a page, for the test that no list scans a table or sorts more than its page. */
  function explain(org: number, ask: Ask): string[] {
    list(org, ask)
    return [...statements.keys()].flatMap((sql) =>
      (
        db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(null)) as {
          detail: string
        }[]
      ).map((row) => row.detail),
    )
  }
}

type Chosen = { condition: Condition | undefined /** Whether its rows have to be sorted. */; sorts: boolean }

function positionOf(row: RawRow): Position {
  return { key: row.at(-2) as Position['key'], id: row.at(-1) as string }
}

const keyValue = (sort: Sort, key: Position['key']): unknown => (sort.big ? BigInt(key as string) : key)
