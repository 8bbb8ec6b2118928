import type { Conditions, Group } from './condition-sql.ts'
import type { Comparison, Condition, Link, SearchIn, SqlPart } from './conditions.ts'
import { counting } from './cost.ts'
import { isBound, isOf, isPassed, isScattered } from './progress.ts'
import type { ListQuery, Position, Sort } from './query.ts'
import { searchWalk, type WalkBound } from './search.ts'

/**
 * What selects the rows of a page: the few rows that meet a condition, the search index, or the index of an order;
 * `among`, of what a search finds.
 */
export type Lead =
  | { narrow: Group }
  | { search: SearchIn }
  | { index: string; among?: SearchIn | undefined; owner?: Comparison | undefined }
  | { link: Link; among?: SearchIn | undefined }

/** The rows of a list in order, from its FROM clause on, and the key of their position. */
export type Walk = { sql: string; key: string; values: unknown[] }

/** Reads up to so many rows of a walk. Returns how many there are so far. */
export type Take = (walk: Walk, limit: number) => number

/**
 * The FROM clause of a lead with its values and conditions, and its columns for ORDER BY. `sorted` is the key if it is
 * not a column of the list's own table.
 */
type AccessPath = {
  from: string
  given?: unknown[]
  where: SqlPart[]
  key: string | undefined
  id: string
  sorted?: string
}

type Options = {
  table: string
  /** The FROM clause after the table. */
  joined: string
  sql: Conditions
  indexOf: (table: string, column: string, only?: string) => string
}

/** Makes the SQL that reads the rows of a lead in order, after those of the previous pages. */
export function walks({ table, joined, sql, indexOf }: Options) {
  const key = indexOf(table, 'id')

  function walkOf(org: number, ask: ListQuery, lead: Lead, nulls: boolean): Walk {
    const { descending, conditions } = ask
    const path = accessPathOf(org, ask, lead, nulls)
    const narrow = 'narrow' in lead ? lead.narrow : undefined
    const isMet = (condition: Condition) =>
      (narrow?.includes(condition) && sql.isExact(narrow)) ||
      ('search' in lead && lead.search === condition) ||
      isPassed(ask, condition)
    const isTestedOnly = narrow !== undefined || 'search' in lead || path.sorted !== undefined
    const where = all([
      { sql: `${table}.org_id = ?`, values: [org] },
      ...path.where,
      ...conditions
        .filter((each) => !isMet(each))
        .map((each) =>
          'link' in lead && !nulls && isOf(ask.sort, each)
            ? sql.compare(each as Comparison, isScattered(ask, each))
            : path.sorted && isOf(ask.sort, each)
              ? sql.compareAt(path.sorted, each as Comparison)
              : counting(each, sql.test(org, each, isTestedOnly || isScattered(ask, each))),
        ),
      ...afterPrevious(ask, path, 'search' in lead, nulls),
    ])
    const direction = descending ? ' DESC' : ''
    const by = `${path.key ? `${path.key}${direction}, ` : ''}${path.id}${direction}`
    return {
      sql: `FROM ${path.from}${joined} WHERE ${where.sql} ORDER BY ${by}`,
      key: path.key === undefined ? 'NULL' : wireKey(path.key, ask.sort.big),
      values: [...(path.given ?? []), ...where.values],
    }
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
      const search = sql.search(org, lead.search)
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
    if ('index' in lead) {
      const { index, among, owner } = lead
      if (!among && !owner) return { from: `${table} INDEXED BY ${index}`, where: [], ...own }
      // The index has all that the walk looks at. By itself, SQLite would fetch each row before the test of its id.
      return {
        from: `(SELECT org_id AS walked_org, ${sort.column} AS walked_key, id AS walked_id${owner ? ', owner_id AS walked_owner' : ''} FROM ${table} INDEXED BY ${index}) AS walked CROSS JOIN ${table} ON ${table}.org_id = walked_org AND ${table}.id = walked_id`,
        where: [
          { sql: 'walked_org = ?', values: [org] },
          ...(owner ? [sql.compareAt('walked_owner', owner)] : []),
          ...(among ? [sql.among(org, among, 'walked_id')] : []),
        ],
        key: nulls ? undefined : 'walked_key',
        id: 'walked_id',
        sorted: 'walked_key',
      }
    }
    const { link } = lead
    if (nulls) return { from: `${table} INDEXED BY ${key}`, where: [without(link)], ...own }
    const index = indexOf(link.table, link.column, link.only?.column)
    return {
      from: `${link.table} INDEXED BY ${index} CROSS JOIN ${table} ON ${belongs(link)}`,
      where: [
        { sql: `${link.table}.org_id = ?`, values: [org] },
        only(link),
        ...(lead.among ? [sql.among(org, lead.among, `${link.table}.${link.key}`)] : []),
      ],
      key: `${link.table}.${link.column}`,
      id: `${link.table}.${link.key}`,
    }
  }

  const belongs = (link: Link): string =>
    `${link.table}.org_id = ${table}.org_id AND ${link.table}.${link.key} = ${table}.id`

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
      found.push({ sql: `${path.sorted ?? `${table}.${sort.column}`} IS ${nulls ? '' : 'NOT '}NULL`, values: [] })
    if (!after) return found
    if (isSearched) return [{ sql: `${table}.id ${beyond} ?`, values: [after.id] }]
    const oneKey =
      sort.column === 'id' || conditions.some((each) => isOf(sort, each) && (each as Comparison).operator === 'eq')
    if (oneKey || (nulls && after.key === null)) found.push({ sql: `${path.id} ${beyond} ?`, values: [after.id] })
    else if (!nulls)
      found.push({ sql: `(${path.key}, ${path.id}) ${beyond} (?, ?)`, values: [keyValue(sort, after), after.id] })
    return found
  }

  return walkOf
}

/** The rows of a link table that belong to the link. */
export const only = ({ table: source, only: fixed }: Link): SqlPart =>
  fixed ? { sql: `${source}.${fixed.column} = ?`, values: [fixed.value] } : { sql: '1', values: [] }

export function all(found: SqlPart[]): SqlPart {
  return { sql: found.map(({ sql }) => sql).join(' AND '), values: found.flatMap(({ values }) => values) }
}

/** A key as it is in a position. */
export const wireKey = (key: string, big: boolean | undefined): string => (big ? `CAST(${key} AS TEXT)` : key)

const keyValue = ({ big }: Sort, { key }: Position): unknown => (big ? BigInt(key as string) : key)
