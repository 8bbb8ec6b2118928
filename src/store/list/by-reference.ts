import { UUID } from '../../lib/id.ts'
import type { Database } from '../sqlite/driver.ts'
import { statements } from '../sqlite/statements.ts'
import type { Conditions, Group } from './condition-sql.ts'
import type { Condition, SqlPart } from './conditions.ts'
import { counting } from './cost.ts'
import type { ListQuery, Position, Reference, Sort } from './query.ts'
import { all, type Walk } from './walk.ts'

// Sorts by the record that a row refers to: deals by the name of their company, or by the place of their stage. The list is
// one walk for each of these records, in their order: docs/decisions/054-sorts-by-reference.md.

export type ReferenceSort = Sort & { by: Reference }
export const isByReference = (sort: Sort): sort is ReferenceSort => sort.by !== undefined

/** A record that rows refer to, with the key of its place. */
export type Referred = { key: string | number; id: string }

/** Parts the two in a position; an id has no such sign. */
const BETWEEN = '\u001f'

export const referredKey = ({ key, id }: Referred): string => `${key}${BETWEEN}${id}`

/** Undefined if the position belongs to another sort. */
export function readReferredKey(key: Position['key']): Referred | undefined {
  const at = typeof key === 'string' ? key.lastIndexOf(BETWEEN) : -1
  if (typeof key !== 'string' || at < 0) return undefined
  const id = key.slice(at + 1)
  return UUID.test(id) ? { key: key.slice(0, at), id } : undefined
}

/** The part of a list whose rows refer to one record, or to none, newest or oldest first. */
export const partOf = (ask: ListQuery, id: string | null, after: Position | undefined): ListQuery => ({
  ...ask,
  sort: { column: 'id' },
  conditions: [{ column: ask.sort.column, operator: 'eq', values: [id], indexed: true }, ...ask.conditions],
  after,
  skip: undefined,
})

type Parts = {
  table: string
  /** The FROM clause after the table. */
  joined: string
  sql: Conditions
  indexOf: (table: string, column: string) => string
}

export function references(db: Database, { table, joined, sql, indexOf }: Parts) {
  const prepare = statements(db)
  const from = ({ table: of, index = indexOf(of, 'id') }: Reference): string => `${of} AS r INDEXED BY ${index}`
  const waysOf = ({ descending }: ListQuery): [direction: string, beyond: string] =>
    descending ? [' DESC', '<'] : ['', '>']

  /** The rows that refer to `r` and meet the conditions. */
  function rowsOf(org: number, { sort, conditions }: ListQuery): SqlPart {
    const where = all([
      { sql: `${table}.org_id = r.org_id AND ${table}.${sort.column} = r.id`, values: [] },
      ...conditions.map((each) => counting(each, sql.test(org, each, true))),
    ])
    return { sql: `FROM ${table} INDEXED BY ${indexOf(table, sort.column)} WHERE ${where.sql}`, values: where.values }
  }

  /** The next records that rows of the list refer to, in order, behind one of them. */
  function next(org: number, ask: ListQuery, before: Referred | undefined): Referred[] {
    const { by } = ask.sort as ReferenceSort
    const [direction, beyond] = waysOf(ask)
    const rows = rowsOf(org, ask)
    const where = all([
      { sql: 'r.org_id = ?', values: [org] },
      ...(before ? [{ sql: `(${by.key}, r.id) ${beyond} (${cast(by)}, ?)`, values: [before.key, before.id] }] : []),
      { sql: `EXISTS (SELECT 1 ${rows.sql})`, values: rows.values },
    ])
    const text = `SELECT ${by.key}, r.id FROM ${from(by)} WHERE ${where.sql} ORDER BY ${by.key}${direction}, r.id${direction} LIMIT ?`
    const found = prepare(text).all(...where.values, ask.limit + 1) as [Referred['key'], string][]
    return found.map(([key, id]) => ({ key, id }))
  }

  /** All rows that refer to something, where few meet the condition `narrow`: these are sorted. */
  function few(org: number, { after, ...ask }: ListQuery, narrow: Group): Walk {
    const { by, column } = ask.sort as ReferenceSort
    const [direction, beyond] = waysOf(ask)
    const ids = sql.ids(org, narrow)
    const begun = after && readReferredKey(after.key)
    const isMet = (condition: Condition) => narrow.includes(condition) && sql.isExact(narrow)
    const where = all([
      { sql: `${table}.org_id = ?`, values: [org] },
      { sql: `${table}.id IN (${ids.sql})`, values: ids.values },
      ...ask.conditions.filter((each) => !isMet(each)).map((each) => counting(each, sql.test(org, each, true))),
      ...(begun && after
        ? [
            {
              sql: `(referred_key, referred_id, ${table}.id) ${beyond} (${cast(by)}, ?, ?)`,
              values: [begun.key, begun.id, after.id],
            },
          ]
        : []),
    ])
    const order = ['referred_key', 'referred_id', `${table}.id`].map((each) => `${each}${direction}`).join(', ')
    // Names of its own: the columns of a page are not those of a table.
    const other = `(SELECT org_id AS referred_org, id AS referred_id, ${by.key} AS referred_key FROM ${by.table} AS r)`
    const to = `referred_org = ${table}.org_id AND referred_id = ${table}.${column}`
    return {
      sql: `FROM ${table} INDEXED BY ${indexOf(table, 'id')} CROSS JOIN ${other} ON ${to}${joined} WHERE ${where.sql} ORDER BY ${order}`,
      key: 'NULL',
      values: where.values,
    }
  }

  /** Where the row at this place is, and how many rows stand before it; of those that refer to something. */
  function at(org: number, ask: ListQuery, place: number): { referred: Referred; before: number } | undefined {
    const { by } = ask.sort as ReferenceSort
    const [direction] = waysOf(ask)
    const rows = rowsOf(org, ask)
    const text = `SELECT key, id, until - rows FROM (
      SELECT key, id, rows, sum(rows) OVER (ORDER BY key${direction}, id${direction} ROWS UNBOUNDED PRECEDING) AS until FROM (
        SELECT ${by.key} AS key, r.id AS id, (SELECT count(*) ${rows.sql}) AS rows FROM ${from(by)} WHERE r.org_id = ?))
      WHERE until >= ? ORDER BY until LIMIT 1`
    const found = prepare(text).get(...rows.values, org, place) as [Referred['key'], string, number] | undefined
    return found && { referred: { key: found[0], id: found[1] }, before: found[2] }
  }

  /** How many rows of the list refer to something. */
  function count(org: number, ask: ListQuery): number {
    const { by } = ask.sort as ReferenceSort
    const rows = rowsOf(org, ask)
    const text = `SELECT coalesce(sum((SELECT count(*) ${rows.sql})), 0) FROM ${from(by)} WHERE r.org_id = ?`
    return (prepare(text).get(...rows.values, org) as [number])[0]
  }

  /** The key in the position of a row; null if it refers to nothing. */
  function keyAt(org: number, { column, by }: ReferenceSort, id: string): string | null {
    const text = `SELECT ${by.key}, r.id FROM ${table} CROSS JOIN ${by.table} AS r ON r.org_id = ${table}.org_id AND r.id = ${table}.${column}
      WHERE ${table}.org_id = ? AND ${table}.id = ?`
    const found = prepare(text).get(org, id) as [Referred['key'], string] | undefined
    return found ? referredKey({ key: found[0], id: found[1] }) : null
  }

  return { next, few, at, count, keyAt }
}

/** A key comes back from a position as text. */
const cast = ({ key }: Reference): string => (key === 'r.rank' ? 'CAST(? AS INTEGER)' : '?')
