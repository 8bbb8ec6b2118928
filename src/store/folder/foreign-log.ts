import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '../../lib/problem.ts'
import { SECOND_MS } from '../../lib/time.ts'

// A database that somebody has copied into the place of another one, beside whose log it is now: SQLite would write the
// pages of that log into it. Nothing in the files says to which database a log belongs, but some pairs cannot be right.

const LOG_HEADER = 32
const FRAME_HEADER = 24
const MAGIC = [0x377f0682, 0x377f0683]
/** In the first page of a database: how many pages are free. */
const FREE_PAGES_AT = 36
/** A copy takes the time of the moment at which it is made, if it does not keep that of the original. */
const LATER_MS = 5 * SECOND_MS

type Log = {
  pageSize: number
  /** The pages of the database after the last commit. */
  pages: number
  /** The content of each page in the log, by its number: where that is in the file. */
  at: ReadonlyMap<number, number>
}

/** Throws Problem 409 if the log beside a database is that of another one. Nobody may have it open. */
export function refuseForeignLog(file: string): void {
  const log = opened(`${file}-wal`)
  if (!log) return
  const database = opened(file)
  try {
    const found = database && read(log.descriptor, log.size)
    if (!found || !database || database.size === 0) return
    const isLater = database.mtimeMs > log.mtimeMs + LATER_MS
    if (
      lacksPages(found, log.descriptor, database.size) ||
      (isLater && !hasAny(found, log.descriptor, database.descriptor))
    )
      throw foreign(file)
  } finally {
    closeSync(log.descriptor)
    if (database) closeSync(database.descriptor)
  }
}

/**
 * Whether there are pages after the end of the database that are not in the log either: they are nowhere. Free pages may
 * be missing, since SQLite need not write them.
 */
function lacksPages({ at, pages, pageSize }: Log, log: number, size: number): boolean {
  const own = Math.floor(size / pageSize)
  const first = at.get(1)
  if (pages <= own) return false
  const free = Buffer.alloc(4)
  // A log without the first page has not made the database longer: that was so long when the log began.
  if (first !== undefined) readSync(log, free, 0, 4, first + FREE_PAGES_AT)
  const found = [...at.keys()].filter((page) => page > own && page <= pages).length
  return pages - own - found > free.readUInt32BE(0)
}

/** Whether the database has any page as it is in the log. A checkpoint that came after the last commit has written some. */
function hasAny({ at, pageSize }: Log, log: number, database: number): boolean {
  const [one, other] = [Buffer.alloc(pageSize), Buffer.alloc(pageSize)]
  for (const [page, position] of at) {
    readSync(log, one, 0, pageSize, position)
    if (readSync(database, other, 0, pageSize, (page - 1) * pageSize) === pageSize && one.equals(other)) return true
  }
  return false
}

/** Undefined if no commit is in there. */
function read(descriptor: number, size: number): Log | undefined {
  const header = Buffer.alloc(LOG_HEADER)
  if (readSync(descriptor, header, 0, LOG_HEADER, 0) < LOG_HEADER || !MAGIC.includes(header.readUInt32BE(0)))
    return undefined
  const pageSize = header.readUInt32BE(8)
  const salt = header.subarray(16, 24)
  const frame = Buffer.alloc(FRAME_HEADER)
  const [begun, committed] = [new Map<number, number>(), new Map<number, number>()]
  let pages = 0
  for (let position = LOG_HEADER; position + FRAME_HEADER + pageSize <= size; position += FRAME_HEADER + pageSize) {
    readSync(descriptor, frame, 0, FRAME_HEADER, position)
    if (!frame.subarray(8, 16).equals(salt)) break // of an earlier round
    begun.set(frame.readUInt32BE(0), position + FRAME_HEADER)
    if (frame.readUInt32BE(4) === 0) continue
    pages = frame.readUInt32BE(4)
    for (const [page, at] of begun) committed.set(page, at)
    begun.clear()
  }
  return pages === 0 ? undefined : { pageSize, pages, at: committed }
}

function opened(path: string): { descriptor: number; size: number; mtimeMs: number } | undefined {
  try {
    const descriptor = openSync(path, 'r')
    const { size, mtimeMs } = fstatSync(descriptor)
    return { descriptor, size, mtimeMs }
  } catch {
    return undefined // whoever opens it says what is wrong
  }
}

const foreign = (file: string): Problem =>
  new Problem(
    409,
    'foreign_log',
    `${file} and its log ${file}-wal do not belong together, as when an older copy of the database was put in its place. Nothing was changed. To go on with that copy, move ${file}-wal and ${file}-shm away; to go on with what was there, put that database back. If they do belong together, run: touch ${file}-wal`,
  )
