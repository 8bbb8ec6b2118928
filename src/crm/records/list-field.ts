// A field as the filters of smart lists see it. filters/catalog.ts has the operators of each kind.

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

/** A field with the column that holds it, or the link table that has a row for each of its values. */
export type ListField = {
  kind: Kind
  column: string
  link?: { table: string; key: string; column: string; only?: { column: string; value: string }; single?: boolean }
  /** The member of a JSON column; of each item of an array where `each` is set. */
  json?: { path: string; each?: boolean }
  /** Brings a text into the form in which it is compared. */
  normal?: (text: string) => string
  /** The column is not in that form yet: it is folded for each comparison. */
  folded?: boolean
  choices?: readonly string[]
  /** What ids refer to. */
  target?: string
  indexed?: boolean
}
