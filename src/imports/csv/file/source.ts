import type { Json } from '../../../lib/json.ts'
import type { ImportObject } from '../../writable.ts'
import type { Separator } from './dialect.ts'

// A file, and its rows.

/** Cells by column name. */
export type Cells = { [column: string]: Json }

/** A row of the file, with `error` if it cannot be read. `line` is its first line. */
export type Row = { line: number; cells: Cells; error?: string }

/** A file with its detected format. `columns` of NDJSON are known only after all of it has been read. */
export type Source = {
  file: string
  format: 'csv' | 'xlsx' | 'ndjson' | 'vcard'
  /** What its rows become; a vCard file has people and companies. */
  object: ImportObject
  encoding: string
  /** Words that show how letters are read, if the encoding was recognised by them or set by hand. */
  sample: readonly string[]
  separator: Separator
  fingerprint: string
  bytes: number
  columns: string[]
  /** The encoding of its byte order mark. */
  mark?: string | undefined
  /** How many rows of a table stand above its header. */
  above?: number
  /** How many titles, headers, subitems and sums of a board were between its rows, once all of them were read. */
  between?: Between
  /** Sentences about parts of the file that become no records. */
  remarks: string[]
}

/** What stands between the items of a board. */
export type Between = { titles: number; headers: number; subitems: number; sums: number }

/** A row as it is in the file. */
export type RawRow = { line: number; cells: (string | number)[] }
