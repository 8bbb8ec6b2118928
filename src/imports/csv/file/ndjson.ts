import { type Json, readJson } from '../../../lib/json.ts'
import { Problem } from '../../../lib/problem.ts'
import { chunksOf } from './decode.ts'
import type { Cells, Row, Source } from './source.ts'

type Progress = (bytes: number) => void

const MAX_RECORD = 1 << 20

/** Yields the rows of a file with an object on each line. */
export async function* ndjsonRows({ file }: Pick<Source, 'file'>, onBytes?: Progress): AsyncGenerator<Row> {
  let line = 0
  for await (const bytes of linesOf(file, onBytes)) {
    line++
    if (bytes && !bytes.some((byte) => byte > 0x20)) continue
    yield bytes ? ndjsonRow(line, bytes) : { line, cells: {}, error: 'is longer than 1 MiB' }
  }
}

function ndjsonRow(line: number, bytes: Buffer): Row {
  try {
    const value = readJson(bytes)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      return { line, cells: {}, error: 'is not a JSON object; each line must contain one object' }
    }
    return { line, cells: flat(value) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { line, cells: {}, error: error.message.replace(/^The body /, '').replace(/\.$/, '') }
  }
}

/** Turns the members of `address` and `custom_fields` into separate columns, as in CSV. */
function flat(value: { [member: string]: Json }): Cells {
  const cells: Cells = {}
  for (const [name, inner] of Object.entries(value)) {
    const isGroup = (name === 'address' || name === 'custom_fields') && inner !== null && typeof inner === 'object'
    if (!isGroup || Array.isArray(inner)) cells[name] = inner
    else for (const [member, cell] of Object.entries(inner as object)) cells[`${name}.${member}`] = cell
  }
  return cells
}

/** Yields the lines of a file as bytes; undefined for a line that is too long. */
async function* linesOf(file: string, onBytes?: Progress): AsyncGenerator<Buffer | undefined> {
  let chunks: Buffer[] = []
  let size = 0
  let isFirst = true
  function flush(): Buffer | undefined {
    const bytes = size > MAX_RECORD ? undefined : Buffer.concat(chunks)
    chunks = []
    size = 0
    const marked = isFirst && bytes?.[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
    isFirst = false
    return marked ? bytes?.subarray(3) : bytes
  }
  for await (const chunk of chunksOf(file)) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, end))
      yield flush()
      start = end + 1
    }
    add(chunk.subarray(start))
    onBytes?.(chunk.length)
  }
  if (size > 0) yield flush()

  function add(bytes: Buffer): void {
    size += bytes.length
    if (size <= MAX_RECORD) chunks.push(bytes)
    else chunks = []
  }
}
