import { Problem } from '../../../lib/problem.ts'

// What Dealbox reads of the files that Litestream writes. Each has the changed pages of some transactions, and is named by
// the numbers that Litestream gives to the first and the last of them. Files of level 0 are new, those of higher levels
// are put together from them, and those of the last level have all pages of the database.

/** Files of changes as they were made, and those from which a restore begins. */
export const NEW_FILES = 0
export const SNAPSHOTS = 9

/** As many bytes as say when a file was made. */
export const HEADER_BYTES = 100

const NAME = /^([0-9a-f]{16})-([0-9a-f]{16})\.ltx$/
const MAGIC = 'LTX1'
const TIME_AT = 32

export const isChangesFile = (name: string): boolean => NAME.test(name)

/** The first and the last number of a file; undefined for one of another name. */
export function numbersOf(name: string): [number, number] | undefined {
  const [, first, last] = NAME.exec(name) ?? []
  return first === undefined || last === undefined ? undefined : [Number.parseInt(first, 16), Number.parseInt(last, 16)]
}

/** Whether a file has everything since the beginning, so that a restore can begin with it. */
export const isFirst = (name: string): boolean => Number.parseInt(NAME.exec(name)?.[1] ?? '', 16) === 1

/** The last of these names, which sort by the number of their first transaction. */
export const newestOf = (names: readonly string[]): string | undefined =>
  names.reduce<string | undefined>((last, name) => (last === undefined || name > last ? name : last), undefined)

/** When Litestream read the changes of a file from the log, in epoch milliseconds. Throws Problem 502. */
export function timeOf(header: Buffer, place: string): number {
  if (header.length < HEADER_BYTES || header.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new Problem(502, 'copy_damaged', `The newest file at ${place} is none of Litestream 0.5.`)
  return Number(header.readBigInt64BE(TIME_AT))
}
