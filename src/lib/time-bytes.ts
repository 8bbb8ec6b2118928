import { DAY_MS, rfc3339 } from './time.ts'

// Times in bytes, for the serializers of lists.

const dateBytes = new Map<number, Uint8Array>()

/** Writes the 24 bytes of `rfc3339` for a time in the years 1 to 9999. A page of a list has 200 of them. */
export function writeRfc3339(ms: number, bytes: Uint8Array, at: number): void {
  const day = Math.floor(ms / DAY_MS)
  let date = dateBytes.get(day)
  if (date === undefined) {
    if (dateBytes.size > 10_000) dateBytes.clear()
    date = Uint8Array.from(Buffer.from(rfc3339(day * DAY_MS).slice(0, DATE_AND_T)))
    dateBytes.set(day, date)
  }
  for (let index = 0; index < DATE_AND_T; index++) bytes[at + index] = date[index] as number
  // The rest is a small integer: dividing it is faster than what rfc3339 does, and so are remainders by subtraction.
  let rest = (ms - day * DAY_MS) | 0
  const thousandths = rest % 1000
  rest = (rest / 1000) | 0
  const seconds = rest % 60
  rest = (rest / 60) | 0
  const hours = (rest / 60) | 0
  writeTwo(hours, bytes, at + 11)
  bytes[at + 13] = COLON
  writeTwo(rest - hours * 60, bytes, at + 14)
  bytes[at + 16] = COLON
  writeTwo(seconds, bytes, at + 17)
  bytes[at + 19] = DOT
  const tenths = (thousandths / 100) | 0
  bytes[at + 20] = ZERO + tenths
  writeTwo(thousandths - tenths * 100, bytes, at + 21)
  bytes[at + 23] = Z
}

const DATE_AND_T = '2026-11-20T'.length
const [ZERO, COLON, DOT, Z] = [...Buffer.from('0:.Z')] as [number, number, number, number]

function writeTwo(number: number, bytes: Uint8Array, at: number): void {
  const tens = (number / 10) | 0
  bytes[at] = ZERO + tens
  bytes[at + 1] = ZERO + number - tens * 10
}
