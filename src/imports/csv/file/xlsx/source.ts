import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { Problem } from '../../../../lib/problem.ts'
import { type SheetRow, sheetRows } from './sheet.ts'
import { readWorkbook, type Workbook } from './workbook.ts'
import { type Archive, openArchive } from './zip.ts'

// A workbook as a file to import: the rows of its first sheet.

const MAX_BYTES = 256 * 1_048_576

export type WorkbookFile = { fingerprint: string; bytes: number; remarks: string[] }

/** Throws Problem 404 if the file cannot be read, 422 if it is no workbook. */
export async function surveyWorkbook(file: string): Promise<WorkbookFile> {
  const { bytes, workbook } = await open(file)
  const others = workbook.others.map((name) => `"${name}"`)
  return {
    fingerprint: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    remarks: others.length > 0 ? [`Only the first sheet is imported. The workbook also has ${others.join(', ')}.`] : [],
  }
}

export async function* rowsOfWorkbook(file: string): AsyncGenerator<SheetRow> {
  const { archive, workbook } = await open(file)
  yield* sheetRows(archive.read(workbook.sheet), workbook)
}

async function open(file: string): Promise<{ bytes: Buffer; archive: Archive; workbook: Workbook }> {
  const bytes = await bytesOf(file)
  const archive = openArchive(file, bytes)
  return { bytes, archive, workbook: await readWorkbook(file, archive) }
}

async function bytesOf(file: string): Promise<Buffer> {
  try {
    if ((await stat(file)).size > MAX_BYTES)
      throw new Problem(422, 'too_large', `${file} has more than 256 MiB. Save it as CSV.`)
    return await readFile(file)
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem(404, 'cannot_read', `${file} cannot be read: ${(error as Error).message}.`)
  }
}
