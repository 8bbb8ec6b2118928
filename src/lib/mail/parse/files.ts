import { hash } from 'node:crypto'
import { fileName } from '../../file-name.ts'
import { MIB, sizeText } from '../../size.ts'
import type { ReceivedFile } from '../mail.ts'
import { isBody, isCalendar, MAX_TEXT_BYTES, nameOf, textOf, within } from './body.ts'
import { decodeField, rawField } from './head.ts'
import { bodyOf, decodedSize, type Leaf } from './mime.ts'
import { oneLine } from './text.ts'

// The files of a mail. The result satisfies the rules for attachments (resources/inbox/attachments.ts).

export const MAX_FILES = 100
/** The size of all files of a mail, unless the server is started with another one. */
export const MAX_FILE_BYTES = 36 * MIB
/** Each of this many left-out files gets its own note; the rest share one. */
const MAX_NOTES = 20

export type Files = { files: ReceivedFile[]; notes: string[] }

/** How much of a mail is read: its files in base64, in lines of 76 characters, and its texts. */
export const mailBytesFor = (maxFileBytes: number): number => Math.ceil(maxFileBytes * (4 / 3) * (78 / 76)) + 6 * MIB

/** Alternative forms of the body that few mail programs can show. */
const OTHER_FORMS = new Set(['text/x-amp-html', 'text/watch-html', 'text/enriched', 'text/richtext'])

export function isFile(leaf: Leaf, isFirst: boolean): boolean {
  if (isBody(leaf, isFirst)) return false
  return !(OTHER_FORMS.has(leaf.type) && within(leaf, 'alternative'))
}

/** A file that is not stored. `size` is about what it has; `isCut` if its end was not read. */
type LeftFile = { name: string; isLarge: boolean; size: string }

/**
 * Returns the contents of these parts while they fit. A file that does not fit does not exclude smaller ones after it.
 * `isCut`: the mail continues after the source, so the part at its end is not whole.
 */
export function readFiles(
  source: Buffer,
  leaves: readonly Leaf[],
  charset: string | undefined,
  { maxFileBytes, isCut }: { maxFileBytes: number; isCut: boolean },
): Files {
  const files: ReceivedFile[] = []
  const left: LeftFile[] = []
  let room = maxFileBytes
  for (const leaf of leaves) {
    const contentType = leaf.type.length <= 127 ? leaf.type : 'application/octet-stream'
    const name = nameOfFile(nameOf(leaf, charset), leaf)
    const isWhole = !isCut || !leaf.isLast
    const read = isWhole && files.length < MAX_FILES ? bytesOf(source, leaf, room) : decodedSize(leaf)
    if (typeof read === 'number') {
      const size = `${isWhole ? '' : 'at least '}${sizeText(read)}`
      left.push({ name, isLarge: files.length < MAX_FILES, size })
      continue
    }
    // Some programs send an invitation twice: as a form of the body and as a file.
    if (name.endsWith('.ics') && files.some((file) => file.name.endsWith('.ics') && file.bytes.equals(read))) continue
    const cid = cidOf(leaf, charset)
    files.push({ name, content_type: contentType, cid, bytes: read, sha256: hash('sha256', read) })
    room -= read.length
  }
  return { files, notes: notesOf(left, maxFileBytes) }
}

/** The Content-ID of a part, without its brackets, which some programs leave out. */
function cidOf({ head }: Leaf, charset: string | undefined): string | null {
  const field = decodeField((rawField(head, 'content-id') ?? '').slice(0, 4096), charset)
  const [, inside = field] = /<([^<>]*)>?/.exec(field) ?? []
  const cid = oneLine(inside, 998)
  return cid === '' || cid.includes('>') ? null : cid
}

/** Returns the size if the part has more than `most` bytes; a part that is far too large is not decoded at all. */
function bytesOf(source: Buffer, leaf: Leaf, most: number): Buffer | number {
  const encoded = leaf.end - leaf.start
  // Four characters of base64 are three bytes; three of quoted-printable are at least one.
  if (encoded > most * 3 + 4096) return decodedSize(leaf)
  const bytes = isCalendar(leaf) && encoded <= MAX_TEXT_BYTES ? calendarOf(source, leaf) : bodyOf(source, leaf)
  // A copy: the bytes may be a view of the whole mail, which they would keep in memory.
  return bytes.length > most ? bytes.length : Buffer.from(bytes)
}

/** Converts a calendar to UTF-8, as RFC 5545 requires. */
const calendarOf = (source: Buffer, leaf: Leaf): Buffer =>
  Buffer.from(`${textOf(source, leaf).toWellFormed().trim().replaceAll('\n', '\r\n')}\r\n`)

function notesOf(left: readonly LeftFile[], maxFileBytes: number): string[] {
  const notes = left
    .slice(0, MAX_NOTES)
    .map(({ name, isLarge, size }) =>
      isLarge
        ? `The file "${name}" (${size}) was left out because the files of a mail can have ${sizeText(maxFileBytes)} in total.`
        : `The file "${name}" (${size}) was left out because a mail can have ${MAX_FILES} files.`,
    )
  if (left.length > MAX_NOTES) notes.push(`${left.length - MAX_NOTES} more files were left out for the same reason.`)
  return notes
}

/** Names for files without one, by media type. */
const BY_TYPE = new Map([
  ['message/rfc822', 'message.eml'],
  ['message/global', 'message.eml'],
  ['text/rfc822-headers', 'headers.txt'],
  ['message/delivery-status', 'delivery-status.txt'],
  ['message/global-delivery-status', 'delivery-status.txt'],
  ['message/disposition-notification', 'disposition-notification.txt'],
  ['message/feedback-report', 'feedback-report.txt'],
  ['text/calendar', 'invite.ics'],
  ['application/ics', 'invite.ics'],
  ['text/plain', 'attachment.txt'],
  ['text/html', 'attachment.html'],
  ['text/csv', 'attachment.csv'],
  ['text/vcard', 'contact.vcf'],
  ['text/x-vcard', 'contact.vcf'],
  ['image/png', 'image.png'],
  ['image/jpeg', 'image.jpg'],
  ['image/jpg', 'image.jpg'],
  ['image/gif', 'image.gif'],
  ['image/webp', 'image.webp'],
  ['image/svg+xml', 'image.svg'],
  ['application/pdf', 'attachment.pdf'],
  ['application/zip', 'attachment.zip'],
  ['application/json', 'attachment.json'],
  ['application/ms-tnef', 'winmail.dat'],
  ['application/pgp-signature', 'signature.asc'],
  ['application/pgp-encrypted', 'version.asc'],
  ['application/pgp-keys', 'key.asc'],
  ['application/pkcs7-signature', 'smime.p7s'],
  ['application/x-pkcs7-signature', 'smime.p7s'],
  ['application/pkcs7-mime', 'smime.p7m'],
  ['application/x-pkcs7-mime', 'smime.p7m'],
  ['audio/mpeg', 'audio.mp3'],
  ['audio/ogg', 'audio.ogg'],
  ['video/mp4', 'video.mp4'],
])

function nameOfFile(original: string | undefined, leaf: Leaf): string {
  const otherwise = BY_TYPE.get(leaf.type) ?? 'attachment'
  const name = fileName(oneLine((original ?? '').slice(-4096), 4096), otherwise)
  return leaf.type === 'message/rfc822' && !name.toLowerCase().endsWith('.eml') ? 'message.eml' : name
}
