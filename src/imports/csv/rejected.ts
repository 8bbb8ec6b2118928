import { createWriteStream, existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { guarded } from '../../lib/formula.ts'
import type { Json } from '../../lib/json.ts'
import { Problem, usage } from '../../lib/problem.ts'
import { rowsOf } from './file/read.ts'
import type { Source } from './file/source.ts'

type Part = 'rejected' | 'left-out'

/**
 * Returns a path beside the file: `people.csv` → `people.rejected.csv`, or -2 and so on. An existing file is kept,
 * since it may have been corrected.
 */
export function freePath(file: string, part: Part, extension = '.csv'): string {
  const stem = join(dirname(file), `${basename(file, extname(file))}.${part}`)
  let path = stem + extension
  for (let count = 2; existsSync(path); count++) path = `${stem}-${count}${extension}`
  return path
}

/** Returns where the list of left-out values is for a file of rejected rows: `bad.csv` → `bad.left-out.csv`. */
export const besides = (rejected: string): string =>
  join(dirname(rejected), `${basename(rejected, extname(rejected))}.left-out.csv`)

/** Throws a usage Problem if the rejected rows would overwrite the imported file. */
export function checkRejectedPath(file: string, path: string | undefined): void {
  if (path === undefined || !existsSync(path) || !existsSync(file)) return
  if (realpathSync(path) === realpathSync(file))
    throw usage('--rejected must name a different file than the imported one.')
}

/**
 * Writes the rejected rows unchanged, with the reason after each, so that they can be corrected and imported. Uses the
 * separator of the original, for the same spreadsheet. Throws Problem 409 if the file cannot be written.
 */
export const writeRejected = (
  path: string,
  source: Source,
  rejects: Iterable<{ row: number; error: string }>,
): Promise<void> => writeTexts(path, texts(source, rejects))

/** Writes texts to a file. Throws Problem 409 if it cannot be written. */
export async function writeTexts(path: string, texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  // Written atomically, and readable by its owner only, since it contains personal data.
  const part = `${path}.part`
  try {
    await pipeline(texts, createWriteStream(part, { mode: 0o600 }))
    renameSync(part, path)
  } catch (error) {
    rmSync(part, { force: true })
    if (!('syscall' in (error as object))) throw error
    throw new Problem(
      409,
      'cannot_write',
      `The rejected rows cannot be written to ${path} (${(error as NodeJS.ErrnoException).code}); run the same command again with --rejected PATH.`,
    )
  }
}

/** Writes the values that were left out of imported rows, one per line, with the reason. */
export const writeOmitted = (
  path: string,
  source: Source,
  omissions: Iterable<{ row: number; column: string; reason: string }>,
): Promise<void> => writeTexts(path, omittedTexts(source, omissions))

async function* texts(source: Source, rejects: Iterable<{ row: number; error: string }>) {
  const { columns, separator } = source
  yield `\ufeff${line([...columns, 'error'], separator)}`
  for await (const { cells, line: at, error } of withRows(source, rejects))
    yield line([...columns.map((column) => cells[column] ?? ''), `line ${at}: ${error}`], separator)
}

async function* omittedTexts(source: Source, omissions: Iterable<{ row: number; column: string; reason: string }>) {
  const { separator } = source
  yield `\ufeff${line(['line', 'column', 'value', 'reason'], separator)}`
  for await (const { cells, line: at, column, reason } of withRows(source, omissions))
    yield line([String(at), column, cells[column] ?? '', reason], separator)
}

/** Joins rows of the file, in order, with what is told about them. */
async function* withRows<Told extends { row: number }>(source: Source, told: Iterable<Told>) {
  const left = told[Symbol.iterator]()
  let next = left.next()
  let row = 0
  try {
    for await (const given of rowsOf(source)) {
      if (next.done) return
      for (; !next.done && next.value.row === row; next = left.next()) yield { ...given, ...next.value }
      row++
    }
  } finally {
    left.return?.()
  }
}

function line(cells: readonly Json[], delimiter: string): string {
  const texts = cells.map((cell) => guarded(typeof cell === 'string' ? cell : JSON.stringify(cell)))
  return stringify([texts], { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ })
}
