import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import type { Streamed } from '../../http/answer.ts'
import * as f from '../../lib/fields.ts'
import { fileName } from '../../lib/file-name.ts'
import { type FieldError, field, invalid } from '../../lib/problem.ts'
import * as c from '../../store/columns.ts'
import type { Message } from './message.ts'

// Files of messages. They have a separate table, so that their data is read only on request.

export const MAX_BYTES = 10 * 1_048_576
/** The size of a body with files of that size in base64, a text and HTML. */
export const MAX_BODY_BYTES = 18 * 1_048_576

/**
 * Buffer ignores what is not base64, and also accepts base64url. For several megabytes, a pattern of groups of four
 * overflows the stack, and one by characters takes a hundred times as long.
 */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return false
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='))
  return Buffer.from(text, 'base64').length === (text.length / 4) * 3 - padding
}

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
    data: f.optional(f.doc(base64, 'Content in base64; only with `include=attachments`.')),
  }),
)
export type AttachmentShown = v.InferOutput<typeof AttachmentShown>

/** The row: the message itself stores the name, type and size of its files. */
export const columns = c.columns<{ id: string; message_id: string; data: string }>({
  id: c.plain('id'),
  message_id: c.plain('message_id'),
  data: c.bytes('data'),
})

/** A multiple of three bytes, so that slices encode without padding. */
const SLICE_BYTES = 3 * 65_536

export function attachmentStore({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  const insert = db.prepare('INSERT INTO attachments (org_id, id, message_id, data) VALUES (?, ?, ?, ?)')
  const byId = db.prepare('SELECT data FROM attachments WHERE org_id = ? AND id = ?').pluck()

  /** Returns what to store beside a message, and what the message shows of it. Throws 422. */
  function read(given: readonly AttachmentGiven[]): { shown: AttachmentShown; bytes: Buffer }[] {
    const all = given.map(({ name, content_type = 'application/octet-stream', data }) => {
      const bytes = Buffer.from(data, 'base64')
      return { shown: { id: clock.id(), name, content_type, size_bytes: bytes.length }, bytes }
    })
    const errors: FieldError[] = []
    if (all.reduce((sum, { bytes }) => sum + bytes.length, 0) > MAX_BYTES)
      errors.push(field('/attachments', 'too_large', `must be at most ${MAX_BYTES} bytes in total`))
    if (errors.length > 0) throw invalid(...errors)
    return all
  }

  function add(org: number, message: string, id: string, bytes: Buffer): void {
    insert.run(org, id, message, bytes)
  }

  /** Streams the message as JSON with the data of its files, one of which at a time is in memory. */
  function withData(org: number, message: Message): Streamed {
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
      for (const [index, { id }] of attachments.entries()) {
        yield opened[index] as string
        const bytes = byId.get(org, id) as Buffer
        for (let at = 0; at < bytes.length; at += SLICE_BYTES)
          yield bytes.subarray(at, at + SLICE_BYTES).toString('base64')
        yield '"}'
      }
      yield end
    }

    const lengths = [...fixed.map((text) => Buffer.byteLength(text)), ...files]
    return { bytes: lengths.reduce((sum, length) => sum + length, 0), parts }
  }

  return { read, add, withData }
}
