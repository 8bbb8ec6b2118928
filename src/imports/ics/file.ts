import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type CalendarText, calendarsIn } from '../../lib/icalendar/lines.ts'
import { Problem } from '../../lib/problem.ts'

export type CalendarFile = { fingerprint: string; calendars: CalendarText[] }

const MAX_BYTES = 256 * 1_048_576

/** Throws Problem 404 if the file cannot be read, 422 if it is not iCalendar in UTF-8. */
export async function readCalendars(file: string): Promise<CalendarFile> {
  const bytes = await bytesOf(file)
  return { fingerprint: createHash('sha256').update(bytes).digest('hex'), calendars: calendarsIn(file, bytes) }
}

async function bytesOf(file: string): Promise<Buffer> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw new Problem(404, 'cannot_read', `${file} cannot be read: ${(error as Error).message}.`)
  }
  if (bytes.length > MAX_BYTES) throw new Problem(422, 'too_large', `${file} has more than 256 MiB. Split it first.`)
  return bytes
}
