import type { RawRow, Readable } from './columns.ts'
import {
  admitsNull,
  type Condition,
  columnOf,
  type Filter,
  type Group,
  grouped,
  idsOf,
  type SqlPart,
  test,
} from './conditions.ts'
import type { Database, Statement } from './driver.ts'
import { indexes } from './indexes.ts'

/** A sort: the column that holds its key. `big` marks integers past 2^53, which travel as text. */
export type Sort = { column: string; nullable?: boolean; big?: boolean }

export type Listing = {
  table: string
  /** The FROM clause, where it goes on behind the table. */
  from?: string
  columns: Readable
  filters: Record<string, Filter>
  /** By the name on the wire; `created_at` is the id. */
  sorts: Record<string, Sort>
  /** The order without `sort=`; newest first where it is left out. */
  order?: { sort: Sort; descending: boolean }
}

/** Where a page ends: the sort key and the id of its last row. The key is null where the row, or the sort, has none. */
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

/** Conditions that fewer rows than this meet are narrow. */
export const NARROW = 2000

/** The one index that leads to the rows of a page, and the conditions that it answers for if the way is narrow. */
type Way = { index: string; narrow?: Group }

/**
 * Keyset paging over one table. A list is walked along the index of its sort, and the conditions are tested on the
 * way, which is fast while many rows meet them. Where one is narrow, found by counting in its index, the ids of its
 * rows come from there instead, and SQLite sorts the few rows. Every statement names its index, so that plans do not
 * depend on statistics. docs/decisions/002-lists.md has the reasons and the figures.
 */
export function listing(db: Database, spec: Listing) {
  const { table, columns, filters, sorts, order } = spec
  const joined = (spec.from ?? table).slice(table.length)
  const indexOf = indexes(db)
  const key = indexOf(table, 'id')
  const statements = new Map<string, Statement>()

  // A filter or a sort without its index stops the server before it listens.
  for (const [name, filter] of Object.entries(filters)) {
    if (filter.lifts || filter.indexed === false) continue
    indexOf(filter.link?.table ?? table, filter.link?.column ?? columnOf(name, filter))
  }
  for (const { column } of [...Object.values(sorts), ...(order ? [order.sort] : [])]) indexOf(table, column)

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
    const way = wayOf(org, ask)
    const rows: RawRow[] = []
    for (const nulls of parts(ask)) {
      if (rows.length <= ask.limit) rows.push(...read(org, ask, way, nulls, ask.limit + 1 - rows.length))
    }
    const more = rows.length > ask.limit
    if (more) rows.pop()
    const last = rows.at(-1)
    const page: Page = { rows, next: more && last ? positionOf(last) : null }
    if (ask.count) page.total = more || ask.after ? total(org, ask) : rows.length
    return page
  }

  function wayOf(org: number, { sort, conditions }: Ask): Way {
    const others = grouped(conditions).filter(([{ column }]) => column !== sort.column)
    const able = others.filter(isIndexed)
    // The rows of one value stand in its index in the order of their ids.
    const inOrder = sort.column === 'id' ? able.find((group) => group.some(isOneValue)) : undefined
    const narrow = inOrder && others.length === 1 ? undefined : narrowOf(org, able)
    if (narrow) return { index: key, narrow }
    return { index: indexOf(table, inOrder?.[0].column ?? sort.column) }
  }

  function narrowOf(org: number, groups: Group[]): Group | undefined {
    return groups.find((group) => {
      const { sql, values } = idsOf(org, table, group, indexOf)
      return one(`SELECT count(*) FROM (${sql} LIMIT ${NARROW})`, values) < NARROW
    })
  }

  function read(org: number, ask: Ask, { index, narrow }: Way, nulls: boolean, limit: number): RawRow[] {
    const { sort, descending, conditions } = ask
    const tested = conditions.filter((condition) => !narrow?.includes(condition) && !isPassed(ask, condition))
    const where = all([
      { sql: `${table}.org_id = +?`, values: [org] },
      ...(narrow ? [idIn(org, narrow)] : []),
      ...tested.map((condition) => test(table, condition, narrow !== undefined)),
      ...behind(ask, nulls),
    ])
    const direction = descending ? ' DESC' : ''
    const keyed = sort.column !== 'id' && !nulls
    const by = `${keyed ? `${table}.${sort.column}${direction}, ` : ''}${table}.id${direction}`
    const sql = `SELECT ${columns.select}, ${keyed ? keySql(sort) : 'NULL'}, ${table}.id FROM ${table} INDEXED BY ${index}${joined} WHERE ${where.sql} ORDER BY ${by} LIMIT +?`
    return prepare(sql).all(...where.values, limit) as RawRow[]
  }

  function idIn(org: number, group: Group): SqlPart {
    const { sql, values } = idsOf(org, table, group, indexOf)
    return { sql: `${table}.id IN (${sql})`, values }
  }

  /** What keeps a page behind the one before it. */
  function behind({ sort, descending, conditions, after }: Ask, nulls: boolean): SqlPart[] {
    const column = `${table}.${sort.column}`
    const beyond = descending ? '<' : '>'
    const found: SqlPart[] = []
    if (sort.nullable) found.push({ sql: `${column} IS ${nulls ? '' : 'NOT '}NULL`, values: [] })
    if (!after) return found
    const oneKey = sort.column === 'id' || conditions.some((each) => each.column === sort.column && isOneValue(each))
    if (oneKey || (nulls && after.key === null)) found.push({ sql: `${table}.id ${beyond} +?`, values: [after.id] })
    else if (!nulls)
      found.push({ sql: `(${column}, ${table}.id) ${beyond} (+?, +?)`, values: [keyValue(sort, after), after.id] })
    return found
  }

  const keySql = ({ column, big }: Sort): string => (big ? `CAST(${table}.${column} AS TEXT)` : `${table}.${column}`)

  function total(org: number, { conditions }: Ask): number {
    const groups = grouped(conditions)
    const able = groups.filter(isIndexed)
    const [only] = able
    if (only && groups.length === 1 && !only[0].link) {
      const ids = idsOf(org, table, only, indexOf)
      return one(`SELECT count(*) FROM (${ids.sql})`, ids.values)
    }
    const narrow = narrowOf(org, able) ?? only
    const where = all([
      { sql: `${table}.org_id = +?`, values: [org] },
      ...(narrow ? [idIn(org, narrow)] : []),
      ...conditions
        .filter((condition) => !narrow?.includes(condition))
        .map((condition) => test(table, condition, narrow !== undefined)),
    ])
    return one(`SELECT count(*) FROM ${table}${narrow ? ` INDEXED BY ${key}` : ''} WHERE ${where.sql}`, where.values)
  }

  const one = (sql: string, values: unknown[]): number => (prepare(sql).get(...values) as [number])[0]

  return { list }
}

const isIndexed = (group: Group): boolean => group.some(({ indexed }) => indexed)
const isOneValue = ({ operator, link }: Condition): boolean => operator === 'eq' && !link

/** A bound that the page before this one was within already: left out, since SQLite would start from it again. */
function isPassed({ sort, descending, after }: Ask, { column, operator }: Condition): boolean {
  if (!after || column !== sort.column) return false
  return descending ? operator === 'lt' || operator === 'lte' : operator === 'gt' || operator === 'gte'
}

/** A key that can be null makes two parts of a list: the rows that have one, then those that have none. */
function parts({ sort, conditions, after }: Ask): boolean[] {
  if (!sort.nullable) return [false]
  const own = conditions.filter(({ column }) => column === sort.column)
  const keyed = after?.key !== null && !own.some(({ operator, values }) => operator === 'eq' && values[0] === null)
  return [...(keyed ? [false] : []), ...(own.every(admitsNull) ? [true] : [])]
}

function all(found: SqlPart[]): SqlPart {
  return { sql: found.map(({ sql }) => sql).join(' AND '), values: found.flatMap(({ values }) => values) }
}

function positionOf(row: RawRow): Position {
  return { key: row.at(-2) as Position['key'], id: row.at(-1) as string }
}

const keyValue = ({ big }: Sort, { key }: Position): unknown => (big ? BigInt(key as string) : key)
