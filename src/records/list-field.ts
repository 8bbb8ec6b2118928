// A field that smart lists can filter by. filters/catalog.ts has the operators of each kind.

export type Kind =
  | 'text'
  | 'texts'
  | 'choice'
  | 'choices'
  | 'id'
  | 'ids'
  | 'flag'
  | 'number'
  | 'amount'
  | 'date'
  | 'time'

/** A field, and its column or the link table that has a row for each of its values. */
export type ListField = {
  kind: Kind
  column: string
  link?: { table: string; key: string; column: string; only?: { column: string; value: string }; single?: boolean }
  /** The member of a JSON column, or with `each`, of each item of its array. */
  json?: { path: string; each?: boolean }
  /** Converts a text into the form in which it is compared. */
  normal?: (text: string) => string
  /** The column is not stored in that form: each comparison folds it. */
  folded?: boolean
  choices?: readonly string[]
  /** The kind of record that ids refer to. */
  target?: string
  indexed?: boolean
}
