import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { readText } from '../../lib/json.ts'
import { Problem } from '../../lib/problem.ts'

// Forms with files (RFC 7578), split by koa-body, which is loaded with the first of them. Of what it can do only its
// parser is used, by a plugin: its own one gathers headers without a limit, makes a stream for each part, and passes a
// file that is full of line breaks on in pieces of one byte, which took 15 s for 10 MB and takes 3 s here.

/** RFC 2046, section 5.1.1. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+./:=?-]{1,70}))\s*(?:;|$)/i
/** The headers of a part: a name of 255 characters has up to 3 KB as a file name in a browser's form. */
const MAX_HEAD_BYTES = 16_384

/** `filename` is undefined if the part is no file, and `contentType` is empty if it has none. */
export type PartHead = { name: string; filename: string | undefined; contentType: string }

/** What takes the bytes of a part. They are views that change afterwards. */
export type PartSink = { add: (bytes: Buffer) => void; end: () => void }

/** Throws Problem 400. */
export function boundaryOf({ headers }: IncomingMessage): string {
  const [, quoted, token] = BOUNDARY.exec(headers['content-type'] ?? '') ?? []
  const boundary = (quoted ?? token)?.trimEnd()
  if (!boundary) throw malformedForm('The header Content-Type has no boundary, or an invalid one.')
  if (headers['content-length'] === '0') throw malformedForm('It is empty.')
  return boundary
}

/** All that matter, since the executable has no defaults of koa-body: see build.config.mjs. */
const OPTIONS = {
  ...{ multipart: true, json: false, urlencoded: false, text: false, includeUnparsed: false },
  ...{ patchKoa: false, patchNode: false, multipartTypes: ['multipart'], parsedMethods: ['POST'] },
}

/** What this uses of formidable, the parser of koa-body. */
type Form = { _newParser: () => Parser; _parser: Parser; type: string; ended: boolean; _maybeEnd: () => void }
type Parser = Transform & { initWithBoundary: (boundary: string) => void }
type ParserEvent = { name: string; buffer: Buffer; start: number; end: number } | null

/**
 * Splits the bytes of a form into its parts. Resolves after the last delimiter. `onPart` may throw. Throws that,
 * Problem 400, or what the stream was destroyed with.
 */
export async function splitForm(
  source: Readable,
  headers: IncomingMessage['headers'],
  boundary: string,
  onPart: (head: PartHead) => PartSink,
): Promise<void> {
  const { koaBody } = await import('koa-body')
  const { promise: refused, reject } = Promise.withResolvers<never>()
  const take = partReader(onPart)

  function plugin(form: Form): void {
    const parser = form._newParser()
    const { push } = parser
    parser.initWithBoundary(boundary)
    // What it finds goes straight to the parts. Its stream would keep it for later, although the views change.
    parser.push = (event: ParserEvent): boolean => {
      if (event === null) return push.call(parser, null)
      try {
        if (!take(event)) return true
        form.ended = true
        form._maybeEnd()
      } catch (error) {
        reject(error)
      }
      return true
    }
    form.type = 'multipart'
    form._parser = parser
  }

  const split = koaBody({ ...OPTIONS, formidable: { enabledPlugins: [plugin] } } as never)
  const request = Object.assign(source, { headers })
  const is = (types: string[]): boolean => types.includes('multipart')
  const ctx = { method: 'POST', req: request, request: {}, is }
  try {
    await Promise.race([refused, split(ctx as never, async () => undefined)])
  } catch (error) {
    throw 'httpCode' in (error as object) ? malformedForm('Its parts do not begin and end with its boundary.') : error
  }
}

/** Reads what the parser finds. Returns whether it was the last delimiter. Throws what `onPart` throws, or 400. */
function partReader(onPart: (head: PartHead) => PartSink): (event: NonNullable<ParserEvent>) => boolean {
  let fields = new Map<string, string>()
  let field = ''
  let value = ''
  let headBytes = 0
  let sink: PartSink | undefined
  let isRefused = false

  function gather(text: string, more: Buffer): string {
    headBytes += more.length
    if (headBytes > MAX_HEAD_BYTES)
      throw malformedForm(`The headers of a part are longer than ${MAX_HEAD_BYTES} bytes.`)
    return text + more.toString('latin1')
  }

  function read({ name, buffer, start, end }: NonNullable<ParserEvent>): boolean {
    if (name === 'partData') sink?.add(buffer.subarray(start, end))
    else if (name === 'headerField') field = gather(field, buffer.subarray(start, end))
    else if (name === 'headerValue') value = gather(value, buffer.subarray(start, end))
    else if (name === 'headerEnd') {
      fields.set(field.toLowerCase(), value)
      field = value = ''
    } else if (name === 'headersEnd') {
      sink = onPart(headOf(fields))
      fields = new Map()
      headBytes = 0
    } else if (name === 'partEnd') {
      sink?.end()
      sink = undefined
    }
    return name === 'end'
  }

  return (event) => {
    if (isRefused) return false
    try {
      return read(event)
    } catch (error) {
      isRefused = true
      throw error
    }
  }
}

/** The headers are in Latin-1, so that every byte is there. Throws Problem 400. */
function headOf(fields: ReadonlyMap<string, string>): PartHead {
  const of = (name: string): string => readText(Buffer.from(fields.get(name) ?? '', 'latin1')).trim()
  const disposition = of('content-disposition')
  const parameters = parametersOf(disposition)
  const name = parameters.get('name')
  if (!/^form-data\s*;/i.test(disposition) || !name) throw malformedForm('Each part needs a name.')
  if (!/^(?:7bit|8bit|binary)?$/i.test(of('content-transfer-encoding')))
    throw malformedForm('A part has a Content-Transfer-Encoding; send its bytes as they are.')
  return { name, filename: parameters.get('filename'), contentType: of('content-type') }
}

/** Browsers write a quotation mark as %22; other programs put a backslash before it. */
function parametersOf(disposition: string): Map<string, string> {
  const found = [...disposition.matchAll(/;\s*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/g)]
  return new Map(
    found.map(([, name = '', quoted, token = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(["\\])/g, '$1').replace(/%22/g, '"') ?? token,
    ]),
  )
}

export const malformedForm = (detail: string): Problem =>
  new Problem(400, 'malformed_form', `This is not a valid form (multipart/form-data): ${detail}`)
