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
  /** What a text has to look like. */
  pattern?: RegExp
  /** Brings a text into the form in which the column keeps it. */
  normal?: (text: string) => string
  /** A flag that lifts a condition instead of being one: `include_inactive`. */
  lifts?: string
  /** False for columns of settings tables, which are small. */
  indexed?: boolean
  description?: string
}

type Value = string | number | bigint | null

export type Condition = {
  column: string
  link?: Filter['link']
  operator: Operator
  /** One for each ? of the comparison; null is IS NULL. */
  values: Value[]
  /** Whether an index may lead to the rows that meet it. */
  indexed: boolean
}

export type SqlPart = { sql: string; values: unknown[] }

/** Where a filter of this name looks. Ids carry the time of creation, so it needs no index of its own. */
export const columnOf = (name: string, { column }: Filter): string => column ?? (name === 'created_at' ? 'id' : name)

/** The conditions of a filter, with values that the query reader has already brought into the column's form. */
export function conditionsOf(name: string, filter: Filter, operator: Operator, values: Value[]): Condition[] {
  const column = columnOf(name, filter)
  if (column === 'id') return createdConditions(operator, values[0] as number)
  const indexed = filter.indexed !== false && (operator !== 'ne' || values[0] === null)
  return [{ column, link: filter.link, operator, values, indexed }]
}

function createdConditions(operator: Operator, ms: number): Condition[] {
  const on = (bound: Operator, at: number): Condition => ({
    column: 'id',
    operator: bound,
    values: [firstIdAt(at)],
    indexed: true,
  })
  if (operator === 'gte') return [on('gte', ms)]
  if (operator === 'gt') return [on('gte', ms + 1)]
  if (operator === 'lt') return [on('lt', ms)]
  if (operator === 'lte') return [on('lt', ms + 1)]
  return [on('gte', ms), on('lt', ms + 1)]
}

/** Whether a row without a value can meet the condition. */
export function admitsNull({ operator, values }: Condition): boolean {
  return operator === 'ne' ? values[0] !== null : operator === 'eq' && values[0] === null
}

/**
 * Every parameter of a list is written `+?`. SQLite looks at the value of a bare one when it plans, and plans again at
 * each execution, since the value may be another: that took 6 to 15 µs of each list (see docs/decisions/002-lists.md).
 */
const COMPARE = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function compare(column: string, { operator, values }: Condition): SqlPart {
  if (operator === 'in') return { sql: `${column} IN (${values.map(() => '+?').join(', ')})`, values }
  if (values[0] === null) return { sql: `${column} IS ${operator === 'ne' ? 'NOT ' : ''}NULL`, values: [] }
  if (operator === 'ne') return { sql: `${column} IS DISTINCT FROM +?`, values }
  return { sql: `${column} ${COMPARE[operator]} +?`, values }
}

/** The condition as a test of one row; `only` a test, where another condition leads to the rows. */
export function test(table: string, condition: Condition, only = false): SqlPart {
  const { link } = condition
  if (!link) return compare(`${only ? '+' : ''}${table}.${condition.column}`, condition)
  const { sql, values } = compare(`${link.table}.${link.column}`, condition)
  const rows = `SELECT 1 FROM ${link.table} WHERE ${link.table}.org_id = ${table}.org_id AND ${link.table}.${link.key} = ${table}.id`
  return { sql: `EXISTS (${rows} AND ${sql})`, values }
}

/** Conditions that one index serves together: all on one column, or one on a link table. */
export type Group = [Condition, ...Condition[]]

export function grouped(conditions: Condition[]): Group[] {
  const groups: Group[] = []
  for (const condition of conditions) {
    const group = groups.find(([{ column, link }]) => !link && !condition.link && column === condition.column)
    if (group) group.push(condition)
    else groups.push([condition])
  }
  return groups
}

/** The ids of the rows that meet the conditions, read from their index alone. */
export function idsOf(
  org: number,
  table: string,
  group: Group,
  indexOf: (table: string, column: string) => string,
): SqlPart {
  const [{ column, link }] = group
  const source = link ?? { table, key: 'id', column }
  const tests = group.map((condition) => compare(source.column, condition))
  const where = ['org_id = +?', ...tests.map(({ sql }) => sql)].join(' AND ')
  return {
    sql: `SELECT ${source.key} FROM ${source.table} INDEXED BY ${indexOf(source.table, source.column)} WHERE ${where}`,
    values: [org, ...tests.flatMap(({ values }) => values)],
  }
}
