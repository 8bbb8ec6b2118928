import type { ComponentChildren } from 'preact'
import type { Field } from '../../components/fields/field.ts'
import type { Rec } from '../../data/types.ts'
import { valueAt } from '../../data/values.ts'
import { patchOf } from './paste.ts'

/** A column of a table: a field of the records, and what can be done with it. */
export type TableColumn = {
  /** Its key is the path of the field, such as `custom_fields.channel`. `off` says why it cannot be edited. */
  field: Field
  width: number
  /** The first one, with the name of the record. */
  fixed?: boolean | undefined
  /** The name of its sort in the API, or why there is none. */
  sort: { by: string } | { off: string }
  /** The field of the filter bar; undefined: it cannot be filtered by. */
  filter?: string | undefined
  /** "Custom field · date", over its menu. */
  caption?: string | undefined
  /** Its numbers are added up in the foot. */
  isSummed?: boolean | undefined
  /** Its part of the width that is left. */
  grows?: number | undefined
  /** Quieter than the others. */
  dim?: boolean | undefined
  /** Where the value is not at the path of the field. */
  valueIn?: ((record: Rec) => unknown) | undefined
  patchWith?: ((value: unknown, record: Rec) => Record<string, unknown>) | undefined
  /** Instead of how the type is shown. */
  show?: ((record: Rec) => ComponentChildren) | undefined
}

export const keyOf = ({ field }: TableColumn): string => field.key

export const readValue = (column: TableColumn, record: Rec): unknown =>
  column.valueIn ? column.valueIn(record) : valueAt(record, column.field.key)

export const patchFor = (column: TableColumn, value: unknown, record: Rec): Record<string, unknown> =>
  column.patchWith ? column.patchWith(value, record) : patchOf({ [column.field.key]: value })

/** For the layout of columns. */
export const kindsOf = (columns: readonly TableColumn[]) =>
  columns.map(({ field, width, fixed }) => ({ key: field.key, width, fixed }))
