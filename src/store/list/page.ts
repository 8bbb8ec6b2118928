import type { RawRow, Readable } from '../columns.ts'
import type { Database } from '../driver.ts'
import { statements } from '../statements.ts'
import { conditionSql, type Group, grouped, isOneValue, isSearch, type Search, type SqlPart } from './condition-sql.ts'
import { type Comparison, type Condition, columnOf, type Filter, type Link } from './conditions.ts'
import { indexes } from './indexes.ts'
import { type Position, positionCheck } from './position.ts'
import { hasEachOnce, isBound, isOf, isPassed, isScattered, parts } from './progress.ts'
import { searchWalk, type WalkBound } from './search.ts'

/**
 * A sort: the column of its key, in the record's own table or in one row of another. `big` marks integers beyond 2^53,
 * which are encoded as text.
 */
export type Sort = { column: string; link?: Link; nullable?: boolean; big?: boolean }

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

export type ListQuery = {
  limit: number
  sort: Sort
  descending: boolean
  conditions: Condition[]
  after?: Position | undefined
  /** The number of records to leave out at the beginning, instead of `after`. */
  skip?: number | undefined
  count: boolean
}

export type Page = { rows: RawRow[]; next: Position | null; total?: number }

/** A condition is narrow if fewer rows than this meet it. */
export const NARROW = 2000
/** The same for a search that is not walked: testing a row for its words is slow. */
export const NARROW_SEARCH = 5 * NARROW

/** What selects the rows of a page: the few rows that meet a condition, the search index, or the index of an order. */
type Lead = { narrow: Group } | { search: Search } | { index: string } | { link: Link }

/** The FROM clause of a lead with its values and conditions, and its columns for ORDER BY. */
type AccessPath = { from: string; given?: unknown[]; where: SqlPart[]; key: string | undefined; id: string }

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
  const sql = conditionSql(db, table)
  const key = indexOf(table, 'id')
  const prepare = statements(db)
  const checkPosition = positionCheck(db, table)

  // A filter or a sort without its index stops the server before it listens.
  for (const [name, filter] of Object.entries(filters)) {
    if (filter.disablesDefault || filter.search || filter.resolve || filter.indexed === false) continue
    indexOf(filter.link?.table ?? table, filter.link?.column ?? columnOf(name, filter), filter.link?.only?.column)
  }
  for (const { column } of [...Object.values(sorts), ...(order ? [order.sort] : [])]) indexOf(table, column)

  /** Throws Problem 400 if the position does not belong to this sort. */
  function list(org: number, ask: ListQuery): Page {
    if (ask.after) checkPosition(ask.sort, ask.after)
    const lead = leadOf(org, ask)
    if (ask.skip) {
      const after = skipped(org, ask, lead, ask.skip)
      if (after) return list(org, { ...ask, after, skip: undefined })
      return { rows: [], next: null, ...(ask.count ? { total: count(org, ask.conditions) } : {}) }
    }
    const rows: RawRow[] = []
    for (const nulls of parts(ask)) {
      if (rows.length <= ask.limit) rows.push(...read(org, ask, lead, nulls, ask.limit + 1 - rows.length))
    }
    const more = rows.length > ask.limit
    if (more) rows.pop()
    const last = rows.at(-1)
    const page: Page = { rows, next: more && last ? positionOf(last) : null }
    if (ask.count) page.total = more || ask.after ? count(org, ask.conditions) : rows.length
    return page
  }

  function leadOf(org: number, { sort, conditions }: ListQuery): Lead {
    const others = grouped(conditions).filter(([first]) => !isOf(sort, first))
    const indexed = others.filter((group) => group.some(sql.isIndexed))
    // An index contains the rows of one value in the order of their ids, and so does the search index.
    const inOrder =
      sort.column === 'id'
        ? (indexed.find(([first]) => isSearch(first)) ?? indexed.find((group) => group.some(isOneValue)))
        : undefined
    const narrow = inOrder && others.length === 1 ? undefined : narrowOf(org, indexed, !inOrder)
    if (narrow) return { narrow }
    if (!inOrder) return sort.link ? { link: sort.link } : { index: indexOf(table, sort.column) }
    const [first] = inOrder
    return isSearch(first) ? { search: first } : { index: indexOf(table, (first as Comparison).column) }
  }

  function narrowOf(org: number, groups: Group[], isTested: boolean): Group | undefined {
    const hasFewer = (group: Group, most: number): boolean => {
      const entries = sql.entries(org, group)
      return one(`SELECT count(*) FROM (${entries.sql} LIMIT ${most})`, entries.values) < most
    }
    const narrow = groups.find((group) => hasFewer(group, NARROW))
    if (narrow || !isTested) return narrow
    return groups.find((group) => isSearch(group[0]) && hasFewer(group, NARROW_SEARCH))
  }

  function read(org: number, ask: ListQuery, lead: Lead, nulls: boolean, limit: number): RawRow[] {
    const { text, values } = walkOf(org, ask, lead, nulls, `${columns.select}, `)
    return prepare(`${text} LIMIT ?`).all(...values, limit) as RawRow[]
  }

  /** The position of the last record that is skipped. Most indexes contain what this reads, and no record is fetched. */
  function skipped(org: number, ask: ListQuery, lead: Lead, skip: number): Position | undefined {
    let left = skip
    for (const nulls of parts(ask)) {
      const { text, values } = walkOf(org, ask, lead, nulls, '')
      const row = prepare(`${text} LIMIT 1 OFFSET ?`).get(...values, left - 1) as RawRow | undefined
      if (row) return positionOf(row)
      left -= one(`SELECT count(*) FROM (${text})`, values)
    }
    return undefined
  }

  /** The rows of a list in order, each with its position as its last two columns. */
  function walkOf(org: number, ask: ListQuery, lead: Lead, nulls: boolean, select: string) {
    const { descending, conditions } = ask
    const path = accessPathOf(org, ask, lead, nulls)
    const narrow = 'narrow' in lead ? lead.narrow : undefined
    const isMet = (condition: Condition) =>
      (narrow?.includes(condition) && sql.isExact(narrow)) ||
      ('search' in lead && lead.search === condition) ||
      isPassed(ask, condition)
    const where = all([
      { sql: `${table}.org_id = ?`, values: [org] },
      ...path.where,
      ...conditions
        .filter((each) => !isMet(each))
        .map((each) =>
          'link' in lead && !nulls && isOf(ask.sort, each)
            ? sql.compare(each as Comparison, isScattered(ask, each))
            : sql.test(org, each, narrow !== undefined || 'search' in lead || isScattered(ask, each)),
        ),
      ...afterPrevious(ask, path, 'search' in lead, nulls),
    ])
    const direction = descending ? ' DESC' : ''
    const by = `${path.key ? `${path.key}${direction}, ` : ''}${path.id}${direction}`
    const wireKey = path.key === undefined ? 'NULL' : ask.sort.big ? `CAST(${path.key} AS TEXT)` : path.key
    const text = `SELECT ${select}${wireKey}, ${table}.id FROM ${path.from}${joined} WHERE ${where.sql} ORDER BY ${by}`
    return { text, values: [...(path.given ?? []), ...where.values] }
  }

  function accessPathOf(org: number, ask: ListQuery, lead: Lead, nulls: boolean): AccessPath {
    const { sort, conditions, after, descending } = ask
    const isKeyed = sort.column !== 'id' && !nulls
    const own = { key: isKeyed && !sort.link ? `${table}.${sort.column}` : undefined, id: `${table}.id` }
    if ('search' in lead) {
      const bounds = conditions.filter(
        (each) => isOf(sort, each) && isBound(each) && !isPassed(ask, each),
      ) as Comparison[]
      const between: WalkBound[] = bounds.map(({ operator, values }) => ({ operator, id: values[0] as string }))
      if (after) between.push({ operator: descending ? 'lt' : 'gt', id: after.id })
      const search = sql.search(org, lead.search.search, lead.search.text)
      return { ...searchWalk(table, search, between, descending), where: [], key: undefined }
    }
    if ('narrow' in lead) {
      const { link } = sort
      const ids = sql.ids(org, lead.narrow)
      const where = [{ sql: `${table}.id IN (${ids.sql})`, values: ids.values }]
      const from = `${table} INDEXED BY ${key}`
      if (!link) return { from, where, ...own }
      if (nulls) return { from, where: [...where, without(link)], ...own }
      return {
        from: `${from} CROSS JOIN ${link.table} ON ${belongs(link)}`,
        where: [...where, only(link)],
        key: `${link.table}.${link.column}`,
        id: `${table}.id`,
      }
    }
    if ('index' in lead) return { from: `${table} INDEXED BY ${lead.index}`, where: [], ...own }
    const { link } = lead
    if (nulls) return { from: `${table} INDEXED BY ${key}`, where: [without(link)], ...own }
    const index = indexOf(link.table, link.column, link.only?.column)
    return {
      from: `${link.table} INDEXED BY ${index} CROSS JOIN ${table} ON ${belongs(link)}`,
      where: [{ sql: `${link.table}.org_id = ?`, values: [org] }, only(link)],
      key: `${link.table}.${link.column}`,
      id: `${link.table}.${link.key}`,
    }
  }

  const belongs = (link: Link): string =>
    `${link.table}.org_id = ${table}.org_id AND ${link.table}.${link.key} = ${table}.id`

  const only = ({ table: source, only: fixed }: Link): SqlPart =>
    fixed ? { sql: `${source}.${fixed.column} = ?`, values: [fixed.value] } : { sql: '1', values: [] }

  function without(link: Link): SqlPart {
    const rows = only(link)
    return {
      sql: `NOT EXISTS (SELECT 1 FROM ${link.table} WHERE ${belongs(link)} AND ${rows.sql})`,
      values: rows.values,
    }
  }

  /** The conditions that exclude the previous pages. */
  function afterPrevious(
    { sort, descending, conditions, after }: ListQuery,
    path: AccessPath,
    isSearched: boolean,
    nulls: boolean,
  ): SqlPart[] {
    const beyond = descending ? '<' : '>'
    const found: SqlPart[] = []
    if (sort.nullable && !sort.link)
      found.push({ sql: `${table}.${sort.column} IS ${nulls ? '' : 'NOT '}NULL`, values: [] })
    if (!after) return found
    if (isSearched) return [{ sql: `${table}.id ${beyond} ?`, values: [after.id] }]
    const oneKey =
      sort.column === 'id' || conditions.some((each) => isOf(sort, each) && (each as Comparison).operator === 'eq')
    if (oneKey || (nulls && after.key === null)) found.push({ sql: `${path.id} ${beyond} ?`, values: [after.id] })
    else if (!nulls)
      found.push({ sql: `(${path.key}, ${path.id}) ${beyond} (?, ?)`, values: [keyValue(sort, after), after.id] })
    return found
  }

  /** The number of records that meet the conditions. */
  function count(org: number, conditions: Condition[]): number {
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
    const narrow = narrowOf(org, indexed, true) ?? group
    const ids = narrow && sql.ids(org, narrow)
    const where = all([
      { sql: `${table}.org_id = ?`, values: [org] },
      ...(ids ? [{ sql: `${table}.id IN (${ids.sql})`, values: ids.values }] : []),
      ...conditions
        .filter((condition) => !narrow?.includes(condition) || !sql.isExact(narrow))
        .map((condition) => sql.test(org, condition, narrow !== undefined)),
    ])
    return one(`SELECT count(*) FROM ${table}${narrow ? ` INDEXED BY ${key}` : ''} WHERE ${where.sql}`, where.values)
  }

  const one = (text: string, values: unknown[]): number => (prepare(text).get(...values) as [number])[0]

  return { list, count }
}

function all(found: SqlPart[]): SqlPart {
  return { sql: found.map(({ sql }) => sql).join(' AND '), values: found.flatMap(({ values }) => values) }
}

function positionOf(row: RawRow): Position {
  return { key: row.at(-2) as Position['key'], id: row.at(-1) as string }
}

const keyValue = ({ big }: Sort, { key }: Position): unknown => (big ? BigInt(key as string) : key)
