import { createHash } from 'node:crypto'
import { fileName } from '../../lib/file-name.ts'
import type { Json } from '../../lib/json.ts'
import { field, invalid, Problem } from '../../lib/problem.ts'
import type { Write } from '../../store/commit.ts'
import { malformedForm, type PartHead, type PartSink } from './multipart.ts'
import type { Spool } from './spool.ts'

/**
 * A file that was sent in a form: its name is harmless. `slice` reads the bytes from `start` on, before `end`; it works
 * until the response.
 */
export type UploadedFile = FileBytes & { name: string; content_type: string; cid?: string }

export type FileBytes = { size_bytes: number; sha256: string; slice: (start: number, end: number) => Buffer }

/**
 * A form (multipart/form-data) that a route accepts: the name of its JSON part, what it calls the files, and how many
 * there can be. `read` makes the body of the JSON part and the files, and throws 4xx; without it, the JSON part is the
 * body. `ready` stores large files before `run`, and deletes what that does not use; `readyBody` does so with those in a body
 * that is JSON and no form, which is not checked yet.
 */
export type UploadForm = {
  part: string
  files: string
  maxFiles: number
  read?: (given: Json | undefined, files: readonly UploadedFile[]) => unknown
  ready?: <T>(write: Write, org: number, files: readonly FileBytes[], run: () => Promise<T>) => Promise<T>
  readyBody?: <T>(write: Write, org: number, body: unknown, run: () => Promise<T>) => Promise<T>
}

/** The types of the JSON part: programs that send it from a file may not know what it is. */
const JSON_PART = /^(?:(?:application\/json|text\/plain|application\/octet-stream)(?:\s*;\s*charset="?utf-8"?)?)?$/i
const MEDIA_TYPE = /^([a-z0-9!#$&^_.+-]{1,63}\/[a-z0-9!#$&^_.+-]{1,63})(?:\s*;|$)/i

/** Small pieces of a part are written together. */
const BLOCK_BYTES = 65_536

/** Puts the parts of a form in their places: the JSON, and the files. */
export function formParts(form: UploadForm, spool: Spool) {
  const files: UploadedFile[] = []
  let json: UploadedFile | undefined
  let begun = 0
  let hasJson = false

  /** Throws 400, 415 and 422 for a part that does not belong there. */
  function begin({ name, filename, contentType }: PartHead): PartSink {
    const isJson = name === form.part
    if (isJson && hasJson) throw malformedForm(`It has more than one part "${name}".`)
    if (isJson && !JSON_PART.test(contentType)) throw notJson(name)
    if (!isJson && filename === undefined) throw unknownPart(form, name)
    if (isJson) hasJson = true
    else if (++begun > form.maxFiles)
      throw invalid(field(`/${form.files}`, 'too_many', `must have at most ${form.maxFiles} items`))
    const { add, end } = pieceOf(spool)
    return {
      add,
      end: () => {
        const type = MEDIA_TYPE.exec(contentType)?.[1] ?? 'application/octet-stream'
        const file = end(fileName(filename ?? ''), type)
        if (isJson) json = file
        // A page sends a file without a name for an input in which none was chosen.
        else if (filename !== '' || file.size_bytes > 0) files.push(file)
      },
    }
  }

  return {
    begin,
    files,
    get json() {
      return json
    },
  }
}

/** Copies the bytes of a part into larger blocks: the parser passes on views of its buffers, some of one byte. */
function pieceOf(spool: Spool) {
  const start = spool.size()
  const sha256 = createHash('sha256')
  let block = Buffer.alloc(0)
  let filled = 0

  function flush(): void {
    const full = block.subarray(0, filled)
    sha256.update(full)
    spool.append(full)
    filled = 0
    block = Buffer.alloc(0)
  }
  function add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (block.length === 0) block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
      const copied = bytes.copy(block, filled, at)
      at += copied
      filled += copied
      if (filled === BLOCK_BYTES) flush()
    }
  }
  function end(name: string, content_type: string): UploadedFile {
    flush()
    const slice = (from: number, to: number) => spool.slice(start + from, start + to)
    return { name, content_type, size_bytes: spool.size() - start, sha256: sha256.digest('hex'), slice }
  }
  return { add, end }
}

const notJson = (name: string): Problem =>
  new Problem(
    415,
    'unsupported_media_type',
    `Send the part "${name}" as JSON in UTF-8, with the type application/json.`,
  )

const unknownPart = (form: UploadForm, name: string): Problem =>
  invalid(
    field(
      `/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`,
      'unknown_field',
      `is not a part of this form: it has a part "${form.part}" of JSON, and files`,
    ),
  )
