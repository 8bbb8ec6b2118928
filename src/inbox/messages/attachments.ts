import * as v from 'valibot'
import { type Deps, once } from '../../deps.ts'
import type { Streamed } from '../../http/answer.ts'
import type { UploadedFile } from '../../http/body/form-parts.ts'
import type { Route, StoredFile, WriteRoute } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { fileName } from '../../lib/file-name.ts'
import { field, invalid, notFound } from '../../lib/problem.ts'
import { MIB } from '../../lib/size.ts'
import * as c from '../../store/rows/columns.ts'
import { type Content, contentOf, contentStore } from './contents.ts'
import { contentIn, isBase64, sizeIn, whileDecoded } from './decoding.ts'
import { largeFiles } from './large-files.ts'

// Files of messages. They have a separate table, so that their data is read only on request.

export const MAX_FILES = 100
/** As of a received mail. Who receives it may take less: then their server refuses it, with a reason. */
export const MAX_BYTES = 36 * MIB
/** The size of a body with files of that size in base64, a text and HTML. */
export const MAX_BODY_BYTES = 54 * MIB

const name = v.pipe(
  f.title,
  v.check((text) => !/[/\\\p{Cc}]/u.test(text), 'invalid_name|must be a file name without a path'),
  v.transform((text) => fileName(text)),
)
const contentType = v.pipe(
  f.line(127),
  v.regex(
    /^[A-Za-z0-9!#$&^_.+-]+\/[A-Za-z0-9!#$&^_.+-]+$/,
    'invalid_media_type|must be a media type, such as "application/pdf"',
  ),
)
/** As in Content-ID (RFC 2392), without its angle brackets. */
const cid = v.pipe(
  f.line(998),
  v.minLength(1, 'empty|must not be empty'),
  v.regex(/^[^<>\s\p{Cc}]+$/u, 'invalid_cid|must be a Content-ID without spaces and angle brackets'),
)
const base64 = v.pipe(v.string(), v.metadata({ contentEncoding: 'base64' }))
const data = v.pipe(base64, v.check(isBase64, 'invalid_base64|must be base64 (RFC 4648, section 4)'))

export const AttachmentGiven = f.named(
  'AttachmentInput',
  f.object({
    name: f.doc(
      name,
      'For example "invoice.pdf". Unsafe parts are removed: leading and trailing dots and spaces, invisible characters, characters that change the text direction, and colons. A device name such as "CON.txt" is prefixed with "_". If nothing is left, the name is "attachment".',
    ),
    content_type: f.optional(f.doc(contentType, '`application/octet-stream` by default.')),
    cid: f.optional(
      f.doc(
        f.nullable(cid),
        'The name by which `body_html` shows the file: an image with `src="cid:logo"` has "logo".',
      ),
    ),
    data: f.doc(data, 'Content in base64.'),
  }),
)
export type AttachmentGiven = v.InferOutput<typeof AttachmentGiven>

export const AttachmentShown = f.named(
  'Attachment',
  f.object({
    id: f.id,
    name: f.title,
    content_type: f.line(127),
    size_bytes: f.count(),
    cid: f.optional(
      f.doc(
        f.line(998),
        'The Content-ID of the file, if it has one: an image of `body_html` with `src="cid:…"` and this id, perhaps percent-encoded, shows this file.',
      ),
    ),
    data: f.optional(f.doc(base64, 'Content in base64; only with `include=attachments`.')),
  }),
)
export type AttachmentShown = v.InferOutput<typeof AttachmentShown>

/** The row: the message itself stores the name, type and size of its files, and contents.ts their bytes. */
export const columns = c.columns<{ id: string; message_id: string; sha256: string }>({
  id: c.plain('id'),
  message_id: c.plain('message_id'),
  sha256: c.plain('sha256'),
})

/** What of a message stands around its files in the JSON. */
type WithFiles = { attachments: readonly AttachmentShown[]; created_at: string; updated_at: string; version: number }

/** A file of a message: what the message shows of it, and its content. */
export type Attachment = { shown: AttachmentShown; content: Content }

type Named = { name: string; content_type?: string | undefined; cid?: string | null | undefined }

export const attachmentStore = once(({ db, clock }: Deps) => {
  const insert = db.prepare('INSERT INTO attachments (org_id, id, message_id, sha256) VALUES (?, ?, ?, ?)')
  const sha256Of = db.prepare('SELECT sha256 FROM attachments WHERE org_id = ? AND id = ?').pluck()
  const filesOf = db.prepare('SELECT attachments FROM messages WHERE org_id = ? AND id = ?').pluck()
  const contents = contentStore(db)

  /** Files in base64, and those of a form. Throws 422. */
  function read(given: readonly AttachmentGiven[], uploaded: readonly UploadedFile[]): Attachment[] {
    if (given.length + uploaded.length > MAX_FILES)
      throw invalid(field('/attachments', 'too_many', `must have at most ${MAX_FILES} items`))
    const sizes = [...given.map(({ data }) => sizeIn(data)), ...uploaded.map(({ size_bytes }) => size_bytes)]
    if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES)
      throw invalid(field('/attachments', 'too_large', `must be at most ${MAX_BYTES} bytes in total`))
    return [
      ...given.map(({ data, ...file }) => attachmentOf(file, contentIn(data))),
      ...uploaded.map((file) => attachmentOf(file, file)),
    ]
  }

  function attachmentOf({ name, content_type = 'application/octet-stream', cid }: Named, content: Content): Attachment {
    const shown = { id: clock.id(), name, content_type, size_bytes: content.size_bytes, ...(cid && { cid }) }
    return { shown, content }
  }

  function add(org: number, message: string, { shown, content }: Attachment): void {
    contents.put(org, content)
    insert.run(org, shown.id, message, content.sha256)
  }

  /** Restores a row of an export. Older ones have its data in the row. */
  function restore(org: number, row: { id: string; message_id: string; sha256: string; data?: string | null }): void {
    const old = row.data ?? undefined
    const content = old === undefined ? undefined : contentOf(Buffer.from(old, 'base64'))
    if (content) contents.put(org, content)
    insert.run(org, row.id, row.message_id, content?.sha256 ?? row.sha256)
  }

  /** Reads the bytes of a file from `start` on, before `end`, one chunk at a time. */
  function* bytesOf(org: number, id: string, start: number, end: number): Generator<Buffer> {
    yield* contents.read(org, hashOf(org, id), start, end)
  }

  const hashOf = (org: number, id: string): string => sha256Of.get(org, id) as string

  /** Throws 404. */
  function file({ org }: Caller, message: string, id: string): StoredFile {
    const shown = JSON.parse((filesOf.get(org, message) as string | undefined) ?? '[]') as AttachmentShown[]
    const found = shown.find((one) => one.id === id)
    if (!found) throw notFound()
    const { name, content_type, size_bytes } = found
    const sha256 = hashOf(org, id)
    return { name, content_type, size_bytes, sha256, read: (start, end) => contents.read(org, sha256, start, end) }
  }

  /** Streams the message as JSON with the data of its files, one chunk of which at a time is in memory. */
  function withData(org: number, message: WithFiles): Streamed {
    const { attachments, created_at, updated_at, version, ...head } = message
    const start = `${JSON.stringify(head).slice(0, -1)},"attachments":[`
    const end = `],${JSON.stringify({ created_at, updated_at, version }).slice(1)}`
    const opened = attachments.map(
      (one, index) => `${index > 0 ? ',' : ''}${JSON.stringify(one).slice(0, -1)},"data":"`,
    )
    const fixed = [start, end, ...opened, '"}'.repeat(opened.length)]
    const files = attachments.map(({ size_bytes }) => 4 * Math.ceil(size_bytes / 3))

    function* parts(): Generator<string> {
      yield start
      for (const [index, { id, size_bytes }] of attachments.entries()) {
        yield opened[index] as string
        for (const bytes of bytesOf(org, id, 0, size_bytes)) yield bytes.toString('base64')
        yield '"}'
      }
      yield end
    }

    const lengths = [...fixed.map((text) => Buffer.byteLength(text)), ...files]
    return { bytes: lengths.reduce((sum, length) => sum + length, 0), parts }
  }

  return { read, attachmentOf, add, restore, file, hashOf, bytesOf, withData }
})

/** The files in the JSON of a message that nobody has checked yet, as texts in base64. */
function filesIn(body: unknown): string[] {
  const { attachments } = (body ?? {}) as { attachments?: unknown }
  const given = Array.isArray(attachments) ? attachments : []
  return given.flatMap((each) => (typeof each?.data === 'string' ? [each.data as string] : []))
}

/** Whether a message is valid and not too large, apart from what only decoding its files shows. */
function isFit(schema: v.GenericSchema, body: unknown, files: readonly string[]): boolean {
  if (files.reduce((sum, text) => sum + sizeIn(text), 0) > MAX_BYTES) return false
  const { attachments } = body as { attachments: object[] }
  return v.is(schema, { ...(body as object), attachments: attachments.map((each) => ({ ...each, data: '' })) })
}

/** A form with a message and its files. Large files in the JSON of a message are decoded and stored before it, too. */
export function messageForm({ db }: Deps, schema: v.GenericSchema): NonNullable<WriteRoute['form']> {
  const { ready } = largeFiles(db)
  return {
    part: 'message',
    files: 'attachments',
    maxFiles: MAX_FILES,
    ready,
    readyBody: async (write, org, body, run) => {
      const files = filesIn(body)
      const isLarge = files.reduce((sum, { length }) => sum + length, 0) >= MIB
      if (!isLarge) return run()
      return whileDecoded(files, isFit(schema, body, files), (contents) => ready(write, org, contents, run))
    },
  }
}

export const downloadRoute = (deps: Deps): Route => ({
  kind: 'file',
  method: 'get',
  path: '/messages/:id/attachments/:attachment_id',
  scope: 'rest.inbox.messages.read',
  name: 'attachment',
  operation: 'getAttachmentOfMessage',
  summary: 'Download an attachment of a message',
  description:
    'Returns the bytes of the file, to be saved and not to be shown: common types of documents, pictures, sound and video are sent as what they are, any other, such as HTML, as `application/octet-stream`; the message has the type. An interrupted download can be continued with `Range`.',
  find: attachmentStore(deps).file,
})
