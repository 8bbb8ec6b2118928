import { firstIdAt } from '../lib/id.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte'

/** A filter that a list offers: how its value is read from the query, and where it stands in the store. */
export type Filter = {
  type: 'id' | 'text' | 'choice' | 'amount' | 'date' | 'time' | 'flag'
  /** Its own name where left out. `created_at` stands in the id. */
  column?: string
  /** Matches rows of a link table instead of a column: `key` is the record's id there. */
  link?: { table: string; key: string; column: string }
  nullable?: boolean
  choices?: readonly string[]
  /** Brings a text into the form in which the column keeps it. */
  normal?: (text: string) => string
  /** A flag that lifts a condition instead of being one: `include_inactive`. */
  lifts?: string
  /** False for columns of settings tables, which are small. */
  indexed?: boolean
  description?: string
}

export type Condition = {
  column: string
  link?: Filter['link']
  operator: Operator
  /** One for each ? of the comparison; null is IS NULL. */
  values: (string | number | bigint | null)[]
  indexed: boolean
  /** Rows of one value stand in the index in the order of their ids. */
  keepsIdOrder: boolean
}

export type SqlPart = { sql: string; values: unknown[] }

/** The condition of a filter, with a value that the query reader has already brought into the column's form. */
export function condition(name: string, filter: Filter, operator: Operator, values: Condition['values']): Condition {
  const column = filter.column ?? name
  return {
    column,
    link: filter.link,
    operator,
    values,
    indexed: filter.indexed !== false && operator !== 'ne' && column !== 'id',
    keepsIdOrder: operator === 'eq' && !filter.link,
  }
}

/** Of a time on `created_at`: the ids carry it, so no column and no index of its own is needed. */
export function createdCondition(operator: Operator, ms: number): Condition[] {
  const on = (op: Operator, at: number): Condition => ({
    column: 'id',
    operator: op,
    values: [firstIdAt(at)],
    indexed: false,
    keepsIdOrder: true,
  })
  if (operator === 'gte') return [on('gte', ms)]
  if (operator === 'gt') return [on('gte', ms + 1)]
  if (operator === 'lt') return [on('lt', ms)]
  if (operator === 'lte') return [on('lt', ms + 1)]
  return [on('gte', ms), on('lt', ms + 1)]
}

const COMPARE = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function compare(column: string, { operator, values }: Condition): SqlPart {
  if (operator === 'in') return { sql: `${column} IN (${values.map(() => '?').join(', ')})`, values }
  if (values[0] === null) return { sql: `${column} IS ${operator === 'ne' ? 'NOT ' : ''}NULL`, values: [] }
  if (operator === 'ne') return { sql: `${column} IS DISTINCT FROM ?`, values }
  return { sql: `${column} ${COMPARE[operator]} ?`, values }
}

/** The condition as SQL; without `byIndex` it is only tested on the rows that another index gives. */
export function sqlOf(table: string, condition: Condition, byIndex: boolean): SqlPart {
  const { link } = condition
  if (!link) return compare(`${byIndex ? '' : '+'}${table}.${condition.column}`, condition)
  const { sql, values } = compare(`${link.table}.${link.column}`, condition)
  const rows = `FROM ${link.table} WHERE ${link.table}.org_id = ${table}.org_id AND ${sql}`
  if (byIndex) return { sql: `${table}.id IN (SELECT ${link.table}.${link.key} ${rows})`, values }
  return { sql: `EXISTS (SELECT 1 ${rows} AND ${link.table}.${link.key} = ${table}.id)`, values }
}

/** Counts the rows of a condition in its index, up to `most`. */
export function probeSql(table: string, condition: Condition, most: number): SqlPart {
  const source = condition.link?.table ?? table
  const { sql, values } = compare(`${source}.${condition.link?.column ?? condition.column}`, condition)
  return {
    sql: `SELECT count(*) FROM (SELECT 1 FROM ${source} WHERE ${source}.org_id = ? AND ${sql} LIMIT ${most})`,
    values,
  }
}
