import { writeRfc3339 } from '../../lib/time-bytes.ts'

// Pages that SQLite renders. One value for a whole page costs half as much as its columns, row by row: each value that
// leaves SQLite becomes an object, and their texts have to be joined and encoded again. SQLite writes everything but
// times, which take it longer than all the rest. It marks where they belong, and also where rows begin.

/** A control character, which JSON escapes: it is nowhere else in a page. */
const MARK = '\u0001'
const MARK_BYTE = 1
/** The time after a mark has 13 digits and is filled up to the length of the text that will replace them. */
const DIGITS = 13
const LENGTH = 24
const FILLER = '-'.repeat(LENGTH - MARK.length - DIGITS)
const [ZERO, COMMA, BRACE] = [...Buffer.from('0,{')] as [number, number, number]
/** Where the id is in a row: it is the first field. */
const ID_FROM = '{"id":"'.length
const ID_TO = ID_FROM + 36

/** JSON of a time in milliseconds as an SQL expression. Times outside of 2001 to 2286 are rare. */
export const markedTime = (sql: string): string =>
  `CASE WHEN ${sql} BETWEEN 1000000000000 AND 9999999999999 THEN '"${MARK}' || ${sql} || '${FILLER}"'
   WHEN ${sql} IS NULL THEN 'null' ELSE strftime('"%Y-%m-%dT%H:%M:%fZ"', ${sql} / 1000.0, 'unixepoch') END`

/** A statement for the rows of another, rendered by `row`: all of them as bytes, and how many they are. */
export const renderedBy = (row: string, walk: string): string =>
  // The aggregate keeps the order of its subquery, as it does wherever the order makes a difference.
  `SELECT CAST(group_concat(row, '${MARK}') AS BLOB), count(*) FROM (SELECT ${row} AS row ${walk})`

/** What `renderedBy` returns; no bytes if there are no rows. */
export type MarkedRows = [Buffer | null, number]

/** Rows as JSON, separated by commas, and the id of the last one. */
export type RenderedRows = { json: Buffer; lastId: string }

const mark = Buffer.from(MARK)

/** Puts times and commas where the marks are, in place. `withoutLast` leaves out the last row. */
export function completed(parts: readonly Buffer[], withoutLast: boolean): RenderedRows {
  const json =
    parts.length === 1
      ? (parts[0] as Buffer)
      : Buffer.concat(parts.flatMap((part, at) => (at > 0 ? [mark, part] : [part])))
  let before = 0
  let last = 0
  for (let at = json.indexOf(MARK_BYTE); at >= 0; at = json.indexOf(MARK_BYTE, at + 1)) {
    if (json[at + 1] === BRACE) {
      json[at] = COMMA
      before = last
      last = at + 1
    } else writeRfc3339(digitsAt(json, at + 1), json, at)
  }
  const [start, end] = withoutLast ? [before, Math.max(last - 1, 0)] : [last, json.length]
  return { json: json.subarray(0, end), lastId: json.toString('latin1', start + ID_FROM, start + ID_TO) }
}

/** In two parts that are small integers, which are several times as fast as one that is not. */
const digitsAt = (bytes: Buffer, at: number): number =>
  numberAt(bytes, at, DIGITS - 6) * 1_000_000 + numberAt(bytes, at + DIGITS - 6, 6)

function numberAt(bytes: Buffer, at: number, digits: number): number {
  let number = 0
  for (let index = at; index < at + digits; index++) number = (number * 10 + (bytes[index] as number) - ZERO) | 0
  return number
}
