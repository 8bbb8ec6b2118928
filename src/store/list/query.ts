import type { Condition, Link } from './conditions.ts'

// What is asked of a list.

/**
 * A sort: the column of its key, in the record's own table or in one row of another. `big` marks integers beyond 2^53,
 * which are encoded as text. `by` is the order of the records that the column refers to.
 */
export type Sort = { column: string; link?: Link; nullable?: boolean; big?: boolean; by?: Reference }

/**
 * The table that the column refers to, and what its rows are ordered by: a column with its index, or an expression over the
 * few rows of a table. `meaning` is for the API reference.
 */
export type Reference = { table: string; key: string; index?: string; meaning: string }

/** The end of a page: the sort key and the id of its last row. The key is null if the row, or the sort, has none. */
export type Position = { key: string | number | null; id: string }

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
