import { UUID } from '../../lib/id.ts'
import { OWNED } from '../search/search.ts'
import type { Database } from '../sqlite/driver.ts'
import {
  type Comparison,
  type Condition,
  isComparison,
  isSearch,
  type Link,
  type SearchIn,
  type SqlPart,
} from './conditions.ts'
import { indexes } from './indexes.ts'
import { entriesOfSearch, idsOfSearch, isAmong, searches, startsOfSearch, testOfSearch, testOfWords } from './search.ts'

/** Conditions served by one index together: comparisons of one column, or one of any other kind. */
export type Group = [Condition, ...Condition[]]

const COMPARE = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function compare(place: string, { operator, values, folded, phone, start }: Comparison): SqlPart {
  if (values[0] === null) return { sql: `${place} IS ${operator === 'ne' ? 'NOT ' : ''}NULL`, values: [] }
  if (phone) return { sql: `has_phone(${place}, ?, ?)`, values: [phone.country, JSON.stringify(values)] }
  const column = folded ? `fold(${place})` : start ? `substr(${place}, 1, ${start})` : place
  if (operator === 'in') return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, values }
  if (operator === 'contains') return { sql: `instr(${column}, ?) > 0`, values }
  if (operator === 'starts_with') return { sql: `substr(${column}, 1, length(?)) = ?`, values: [values[0], values[0]] }
  if (operator === 'ne') return { sql: `${column} IS DISTINCT FROM ?`, values }
  return { sql: `${column} ${COMPARE[operator]} ?`, values }
}

/** Whether one of the rows linked to a record meets the condition or, with `every`, one row for each value. */
function rowsMeet(condition: Comparison, place: string, rows: string): SqlPart {
  const { sql, values } = compare(place, condition)
  if (!condition.every) return { sql: `EXISTS (SELECT 1 FROM ${rows} AND ${sql})`, values }
  const column = condition.folded ? `fold(${place})` : place
  return { sql: `(SELECT count(DISTINCT ${column}) FROM ${rows} AND ${sql}) = ${new Set(values).size}`, values }
}

export type Conditions = ReturnType<typeof conditionSql>

/** Conditions as SQL for a table: as a test of one row, or as the ids of the matching rows. */
export function conditionSql(db: Database, table: string) {
  const indexOf = indexes(db)
  const search = searches(db)

  /** The condition as a test of one row; with `only` it is just a test, because another condition selects the rows. */
  function test(org: number, condition: Condition, only = false, on = table): SqlPart {
    if (isComparison(condition)) return testOne(condition, only, on)
    if ('any' in condition)
      return joined(
        condition.any.map((each) => test(org, each, only, on)),
        ' OR ',
        '0',
      )
    if ('all' in condition)
      return joined(
        condition.all.map((each) => test(org, each, only, on)),
        ' AND ',
        '1',
      )
    if ('not' in condition) {
      const { sql, values } = test(org, condition.not, only, on)
      return { sql: `NOT coalesce(${sql}, 0)`, values }
    }
    if ('meets' in condition) {
      const { of } = condition
      const { sql, values } = test(org, condition.meets, false, of.table)
      const row = `SELECT 1 FROM ${of.table} WHERE ${of.table}.org_id = ${on}.org_id AND ${of.table}.id = ${on}.${of.column}`
      return { sql: `EXISTS (${row} AND ${sql})`, values }
    }
    if (isSearch(condition)) return testOfSearch(on, search(org, condition))
    return testOfWords(on, condition.search as readonly string[], condition.text)
  }

  function testOne(condition: Comparison, only: boolean, on: string): SqlPart {
    const { link, json } = condition
    const place = `${on}.${condition.column}`
    if (json?.each) {
      return rowsMeet(condition, `(item.value ->> '${json.path}')`, `json_each(${place}) AS item WHERE 1`)
    }
    if (json) return compare(`(${place} ->> '${json.path}')`, condition)
    if (!link) return compare(`${only ? '+' : ''}${place}`, condition)
    const fixed = onlyPart(link)
    const rows = `${link.table} WHERE ${link.table}.org_id = ${on}.org_id AND ${link.table}.${link.key} = ${on}.id`
    const { sql, values } = rowsMeet(condition, `${link.table}.${link.column}`, `${rows}${fixed.sql}`)
    return { sql, values: [...fixed.values, ...values] }
  }

  /** Whether an index finds the rows that meet the condition. */
  function isIndexed(condition: Condition): boolean {
    if (isComparison(condition)) return condition.indexed
    if ('any' in condition) return condition.any.every(isIndexed)
    if ('all' in condition) return condition.all.some(isIndexed)
    if ('meets' in condition) return isIndexed(condition.meets)
    return isSearch(condition)
  }

  /** Whether all rows of `ids` meet the conditions: with conditions on several columns, only one selects the rows. */
  function isExact([first]: Group): boolean {
    if ('any' in first) return first.any.every((each) => isExact([each]))
    if ('all' in first) {
      const [group, ...others] = grouped(first.all)
      return group !== undefined && others.length === 0 && isExact(group)
    }
    return !('meets' in first) || isExact([first.meets])
  }

  /** The ids of the rows that may meet the conditions, read from indexes only; requires `isIndexed`. */
  function ids(org: number, [first, ...others]: Group, on = table): SqlPart {
    if (isComparison(first)) return idsOfColumn(org, [first, ...(others as Comparison[])], on)
    if ('any' in first) return united(first.any.map((each) => ids(org, [each], on)))
    if ('all' in first) return ids(org, narrowest(first.all), on)
    if ('meets' in first) {
      const { sql, values } = ids(org, [first.meets], first.of.table)
      const index = indexOf(on, first.of.column)
      return {
        sql: `SELECT id FROM ${on} INDEXED BY ${index} WHERE org_id = ? AND ${first.of.column} IN (${sql})`,
        values: [org, ...values],
      }
    }
    return idsOfSearch(search(org, first as SearchIn))
  }

  /** The same number of rows as `ids`, for counting. */
  function entries(org: number, group: Group): SqlPart {
    const [first] = group
    return isSearch(first) ? entriesOfSearch(search(org, first)) : ids(org, group)
  }

  /** Usually fewer rows match one value than a range. */
  function narrowest(conditions: Condition[]): Group {
    const able = grouped(conditions).filter((group) => group.some(isIndexed))
    return (able.find(([first]) => isOneValue(first)) ?? able[0]) as Group
  }

  function idsOfColumn(org: number, group: [Comparison, ...Comparison[]], on: string): SqlPart {
    const [{ column, link }] = group
    const source = link ?? { table: on, key: 'id', column }
    const fixed = link ? onlyPart(link) : { sql: '', values: [] }
    const index = indexOf(source.table, source.column, link?.only?.column)
    const tests = group.map((condition) => compare(source.column, condition))
    return {
      sql: `SELECT ${source.key} FROM ${source.table} INDEXED BY ${index} WHERE org_id = ?${fixed.sql} AND ${tests.map(({ sql }) => sql).join(' AND ')}`,
      values: [org, ...fixed.values, ...tests.flatMap(({ values }) => values)],
    }
  }

  /** The comparison itself, for walking the rows of its link table; with `only` it is just a test. */
  const compareHere = (condition: Comparison, only = false): SqlPart =>
    compare(`${only ? '+' : ''}${condition.link?.table ?? table}.${condition.column}`, condition)

  /** Whether an id may be one of those that a search finds. */
  const among = (org: number, condition: SearchIn, id: string): SqlPart =>
    isAmong(id, startsOfSearch(search(org, condition)))

  return { test, ids, among, entries, isIndexed, isExact, search, compare: compareHere, compareAt: compare }
}

const onlyPart = ({ table, only }: Link): SqlPart =>
  only ? { sql: ` AND ${table}.${only.column} = ?`, values: [only.value] } : { sql: '', values: [] }

function joined(parts: SqlPart[], word: string, none: string): SqlPart {
  if (parts.length === 0) return { sql: none, values: [] }
  return { sql: `(${parts.map(({ sql }) => sql).join(word)})`, values: parts.flatMap(({ values }) => values) }
}

function united(parts: SqlPart[]): SqlPart {
  if (parts.length === 0) return { sql: 'SELECT NULL WHERE 0', values: [] }
  return { sql: parts.map(({ sql }) => sql).join(' UNION ALL '), values: parts.flatMap(({ values }) => values) }
}

/** Whether an index contains the rows that meet the condition in the order of their ids. */
export const isOneValue = (condition: Condition): boolean =>
  isComparison(condition) && condition.operator === 'eq' && !condition.link && !condition.json && !condition.folded

export function grouped(conditions: Condition[]): Group[] {
  const groups: Group[] = []
  for (const condition of conditions) {
    const group = groups.find(([first]) => isSameColumn(first, condition))
    if (group) group.push(condition)
    else groups.push([condition])
  }
  return groups
}

function isSameColumn(first: Condition, other: Condition): boolean {
  if (!isComparison(first) || !isComparison(other) || first.column !== other.column) return false
  if (first.json || other.json) return false
  const [link, otherLink] = [first.link, other.link]
  if (!link || !otherLink) return link === otherLink
  return link.single === true && link.table === otherLink.table && link.only?.value === otherLink.only?.value
}

/** The conditions with the owner that is asked for as one more word of the search, so that the index finds its records. */
export function withOwner(conditions: Condition[]): Condition[] {
  const [id] = ownerIn(conditions)?.values ?? []
  if (typeof id !== 'string' || !UUID.test(id)) return conditions
  return conditions.map((each) => (isSearch(each) && OWNED.includes(each.search) ? { ...each, owner: id } : each))
}

/** The condition that records have this owner. */
export const ownerIn = (conditions: Condition[]): Comparison | undefined =>
  conditions.find((each) => isOneValue(each) && (each as Comparison).column === 'owner_id') as Comparison | undefined
