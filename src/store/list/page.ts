import type { RawRow, Readable } from '../rows/columns.ts'
import { completed, type MarkedRows, renderedBy } from '../rows/rendered.ts'
import type { Database } from '../sqlite/driver.ts'
import { statements } from '../sqlite/statements.ts'
import { bounded } from '../sqlite/work.ts'
import { isByReference, references } from './by-reference.ts'
import { conditionSql, type Group, grouped, isOneValue, ownerIn, withOwner } from './condition-sql.ts'
import {
  type Comparison,
  type Condition,
  columnOf,
  type Filter,
  isSearch,
  type Link,
  type SearchIn,
} from './conditions.ts'
import { counting } from './cost.ts'
import { indexColumns, indexes } from './indexes.ts'
import { positionCheck } from './position.ts'
import { hasEachOnce, isOf, parts } from './progress.ts'
import type { ListQuery, Position, Sort } from './query.ts'
import { all, type Lead, only, type Take, walks, wireKey } from './walk.ts'
import { walksByReference } from './walks-by-reference.ts'

export type Listing = {
  table: string
  /** The FROM clause if it continues after the table. */
  from?: string
  columns: Readable
  filters: Record<string, Filter>
  /** By the name on the wire; `created_at` is the id. */
  sorts: Record<string, Sort>
  /** The order without `sort=`; newest first by default. */
  order?: { sort: Sort; descending: boolean }
}

type End = { next: Position | null; total?: number }
export type Page = { rows: RawRow[] } & End
/** A page whose rows are JSON, separated by commas. */
export type RenderedPage = { json: Buffer } & End

/** A condition is narrow if fewer rows than this meet it. */
export const NARROW = 2000
/** The same for a search whose records are passed along a sort: testing a row for its words is slow. */
export const NARROW_SEARCH = 5 * NARROW
/** The same if the index of the sort has the owner, which leaves few rows to be tested. */
export const PASSED_OF_OWNER = 5000
/** Up to here, all that a search finds is read: each record is on pages of its own. */
export const READ_OF_SEARCH = 700

/**
 * Keyset pagination over one table. A list is walked along the index of its sort, and the conditions are tested on the
 * way, which is fast if many rows meet them. If one is narrow, which is found by counting in its index, the ids of its
 * rows come from there instead, and SQLite sorts the few rows. Every statement names its index, so that plans do not
 * depend on statistics. docs/decisions/002-lists.md has the reasons and the figures.
 */
export function listing(db: Database, spec: Listing) {
  const { table, columns, filters, sorts, order } = spec
  const joined = (spec.from ?? table).slice(table.length)
  const indexOf = indexes(db)
  const hasColumn = indexColumns(db)
  const sql = conditionSql(db, table)
  const key = indexOf(table, 'id')
  const walkOf = walks({ table, joined, sql, indexOf })
  const prepare = statements(db)
  const checkPosition = positionCheck(db, table)
  const referred = walksByReference(
    { table, references: references(db, { table, joined, sql, indexOf }), prepare, checkPosition },
    { leadOf, walkOf, skipped, narrowIn },
  )

  // A filter or a sort without its index stops the server before it listens.
  for (const [name, filter] of Object.entries(filters)) {
    if (filter.disablesDefault || filter.search || filter.resolve || filter.indexed === false) continue
    indexOf(filter.link?.table ?? table, filter.link?.column ?? columnOf(name, filter), filter.link?.only?.column)
  }
  for (const { column } of [...Object.values(sorts), ...(order ? [order.sort] : [])]) indexOf(table, column)

  /** Throws Problem 400 if the position does not belong to this sort, and 503 if too many rows have to be tested. */
  function list(org: number, asked: ListQuery): Page {
    const rows: RawRow[] = []
    const { ask, count } = read(org, asked, ({ sql, key, values }, limit) => {
      const text = `SELECT ${columns.select}, ${key}, ${table}.id ${sql} LIMIT ?`
      return rows.push(...(prepare(text).all(...values, limit) as RawRow[]))
    })
    const isFull = count > ask.limit
    if (isFull) rows.pop()
    const last = rows.at(-1) as RawRow
    const next = () => (ask.sort.by ? positionAt(org, ask.sort, last.at(-1) as string) : positionOf(last))
    return { rows, ...endOf(org, ask, count, isFull ? next() : null) }
  }

  /** The same page as JSON, rendered by SQLite. Throws Problem 400 and 503. */
  function render(row: string, org: number, asked: ListQuery): RenderedPage {
    const found: Buffer[] = []
    let sum = 0
    const { ask, count } = read(org, asked, ({ sql, values }, limit) => {
      const [marked, count] = prepare(renderedBy(row, `${sql} LIMIT ?`)).get(...values, limit) as MarkedRows
      if (marked) found.push(marked)
      return (sum += count)
    })
    const isFull = count > ask.limit
    const { json, lastId } = completed(found, isFull)
    return { json, ...endOf(org, ask, count, isFull ? positionAt(org, ask.sort, lastId) : null) }
  }

  /** Reads up to one row more than the page has. `take` returns how many there are so far. */
  function read(org: number, asked: ListQuery, take: Take): { ask: ListQuery; count: number } {
    if (asked.sort.by) return referred.read(org, { ...asked, conditions: withOwner(asked.conditions) }, take)
    const { ask, lead } = startOf(org, asked)
    let count = 0
    for (const nulls of lead ? parts(ask) : [])
      if (lead && count <= ask.limit) count = take(walkOf(org, ask, lead, nulls), ask.limit + 1 - count)
    return { ask, count }
  }

  /** What few rows meet, of all conditions. */
  function narrowIn(org: number, { conditions }: ListQuery): Group | undefined {
    const indexed = grouped(conditions).filter((group) => group.some(sql.isIndexed))
    return narrowOf(org, indexed) ?? narrowSearchOf(org, indexed)
  }

  /** The query from its first record on; without a lead if it skips all of them. */
  function startOf(org: number, asked: ListQuery): { ask: ListQuery; lead?: Lead } {
    const ask = { ...asked, conditions: withOwner(asked.conditions) }
    if (ask.after) checkPosition(ask.sort, ask.after)
    const lead = leadOf(org, ask)
    if (!ask.skip) return { ask, lead }
    const after = skipped(org, ask, lead, ask.skip)
    return after ? startOf(org, { ...ask, after, skip: undefined }) : { ask }
  }

  function endOf(
    org: number,
    { count: isCounted, after, skip, conditions }: ListQuery,
    rows: number,
    next: Position | null,
  ): End {
    if (!isCounted) return { next }
    return { next, total: next || after || skip ? count(org, conditions) : rows }
  }

  /** The position of a record in this order. */
  function positionAt(org: number, sort: Sort, id: string): Position {
    const { column, link, big } = sort
    if (isByReference(sort)) return { key: referred.keyAt(org, sort, id), id }
    if (column === 'id') return { key: null, id }
    const rows = link ? only(link) : { sql: '1', values: [] }
    const { table: source, key } = link ?? { table, key: 'id' }
    const text = `SELECT ${wireKey(column, big)} FROM ${source} WHERE org_id = ? AND ${key} = ? AND ${rows.sql}`
    const found = prepare(text).get(org, id, ...rows.values) as [Position['key']] | undefined
    return { key: found ? found[0] : null, id }
  }

  function leadOf(org: number, { sort, conditions }: ListQuery): Lead {
    const others = grouped(conditions).filter(([first]) => !isOf(sort, first))
    const owner = conditions.some((each) => isSearch(each) && each.owner) ? ownerIn(conditions) : undefined
    // With the owner as one of its words, the search finds less than the index of owners.
    const indexed = others.filter((group) => group.some(sql.isIndexed) && !(owner && group.includes(owner)))
    // An index contains the rows of one value in the order of their ids, and so does the search index.
    const inOrder =
      sort.column === 'id'
        ? (indexed.find(([first]) => isSearch(first)) ?? indexed.find((group) => group.some(isOneValue)))
        : undefined
    const counted = inOrder ? indexed : indexed.filter(([first]) => !isSearch(first))
    const narrow = inOrder && others.length === 1 ? undefined : narrowOf(org, counted)
    if (narrow) return { narrow }
    if (!inOrder) return alongSort(org, sort, conditions, indexed)
    const [first] = inOrder
    return isSearch(first) ? { search: first } : { index: indexOf(table, (first as Comparison).column) }
  }

  /** A search that finds few enough is read, and more of them are only passed on the way along the sort. */
  function alongSort(org: number, sort: Sort, conditions: Condition[], groups: Group[]): Lead {
    const index = sort.link ? undefined : indexOf(table, sort.column)
    const owner = index !== undefined && hasColumn(index, 'owner_id') ? ownerIn(conditions) : undefined
    const searched = groups.find(([first]) => isSearch(first))
    const most = owner ? PASSED_OF_OWNER : NARROW_SEARCH
    const found = searched ? entriesUpTo(org, searched, most) : most
    if (searched && found < READ_OF_SEARCH) return { narrow: searched }
    const among = found < most ? (searched?.[0] as SearchIn) : undefined
    return index === undefined ? { link: sort.link as Link, among } : { index, among, owner }
  }

  const narrowOf = (org: number, groups: Group[]): Group | undefined =>
    groups.find((group) => hasFewer(org, group, NARROW))

  const narrowSearchOf = (org: number, groups: Group[]): Group | undefined =>
    groups.find((group) => isSearch(group[0]) && hasFewer(org, group, NARROW_SEARCH))

  const hasFewer = (org: number, group: Group, most: number): boolean => entriesUpTo(org, group, most) < most

  function entriesUpTo(org: number, group: Group, most: number): number {
    const entries = sql.entries(org, group)
    return one(`SELECT count(*) FROM (${entries.sql} LIMIT ${most})`, entries.values)
  }

  /** The position of the last record that is skipped. Most indexes contain what this reads, and no record is fetched. */
  function skipped(org: number, ask: ListQuery, lead: Lead, skip: number): Position | undefined {
    let left = skip
    for (const nulls of parts(ask)) {
      const { key, sql, values } = walkOf(org, ask, lead, nulls)
      const text = `SELECT ${key}, ${table}.id ${sql}`
      const row = prepare(`${text} LIMIT 1 OFFSET ?`).get(...values, left - 1) as RawRow | undefined
      if (row) return positionOf(row)
      left -= one(`SELECT count(*) FROM (${text})`, values)
    }
    return undefined
  }

  /** The number of records that meet the conditions. Throws Problem 503. */
  function count(org: number, asked: Condition[]): number {
    const conditions = withOwner(asked)
    const groups = grouped(conditions)
    const [first] = groups[0] ?? []
    if (first && 'not' in first && groups.length === 1) return count(org, []) - count(org, [first.not])
    const indexed = groups.filter((group) => group.some(sql.isIndexed))
    const [group] = indexed
    if (group && groups.length === 1 && sql.isExact(group)) {
      const { sql: entries, values } = sql.entries(org, group)
      const records = hasEachOnce(group[0]) ? entries : `SELECT DISTINCT * FROM (${entries})`
      return one(`SELECT count(*) FROM (${records})`, values)
    }
    const narrow = narrowOf(org, indexed) ?? narrowSearchOf(org, indexed) ?? group
    const ids = narrow && sql.ids(org, narrow)
    const where = all([
      { sql: `${table}.org_id = ?`, values: [org] },
      ...(ids ? [{ sql: `${table}.id IN (${ids.sql})`, values: ids.values }] : []),
      ...conditions
        .filter((condition) => !narrow?.includes(condition) || !sql.isExact(narrow))
        .map((condition) => counting(condition, sql.test(org, condition, narrow !== undefined))),
    ])
    return one(`SELECT count(*) FROM ${table}${narrow ? ` INDEXED BY ${key}` : ''} WHERE ${where.sql}`, where.values)
  }

  const one = (text: string, values: unknown[]): number => (prepare(text).get(...values) as [number])[0]

  const { rendered } = columns
  return {
    list: (org: number, ask: ListQuery) => bounded(() => list(org, ask)),
    count: (org: number, conditions: Condition[]) => bounded(() => count(org, conditions)),
    /** Undefined if only TypeScript can render the columns. */
    render:
      rendered === undefined ? undefined : (org: number, ask: ListQuery) => bounded(() => render(rendered, org, ask)),
  }
}

function positionOf(row: RawRow): Position {
  return { key: row.at(-2) as Position['key'], id: row.at(-1) as string }
}
