import { createWriteStream, existsSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify/sync'
import { usage } from '../../config.ts'
import { guarded } from '../../lib/formula.ts'
import type { Json } from '../../lib/json.ts'
import { Problem } from '../../lib/problem.ts'
import { rowsOf, type Source } from './read.ts'

/**
 * Returns a path beside the file: `people.csv` → `people.rejected.csv`, or -2 and so on. An existing file is kept,
 * since it may have been corrected.
 */
export function rejectedPath(file: string, extension = '.csv'): string {
  const stem = join(dirname(file), `${basename(file, extname(file))}.rejected`)
  let path = stem + extension
  for (let count = 2; existsSync(path); count++) path = `${stem}-${count}${extension}`
  return path
}

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

async function* texts(source: Source, rejects: Iterable<{ row: number; error: string }>) {
  const { columns, separator } = source
  const left = rejects[Symbol.iterator]()
  let next = left.next()
  let row = 0
  yield `\ufeff${line([...columns, 'error'], separator)}`
  try {
    for await (const { cells, line: at } of rowsOf(source)) {
      if (next.done) return
      if (next.value.row === row++) {
        yield line([...columns.map((column) => cells[column] ?? ''), `line ${at}: ${next.value.error}`], separator)
        next = left.next()
      }
    }
  } finally {
    left.return?.()
  }
}

function line(cells: readonly Json[], delimiter: string): string {
  const texts = cells.map((cell) => guarded(typeof cell === 'string' ? cell : JSON.stringify(cell)))
  return stringify([texts], { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ })
}
