import { fileName } from '../../lib/file-name.ts'
import type { MailFile } from '../mail.ts'
import { isBody, MAX_TEXT_BYTES, nameOf, textOf, within } from './body.ts'
import { bodyOf, type Leaf } from './mime.ts'
import { oneLine } from './text.ts'

// The files of a mail. The result satisfies the rules for attachments (resources/inbox/attachments.ts).

export const MAX_FILES = 100
export const MAX_FILE_BYTES = 10 * 1_048_576
/** Each of this many left-out files gets its own note; the rest share one. */
const MAX_NOTES = 20

export type Files = { files: MailFile[]; notes: string[] }

/** Alternative forms of the body that few mail programs can show. */
const OTHER_FORMS = new Set(['text/x-amp-html', 'text/watch-html', 'text/enriched', 'text/richtext'])

export function isFile(leaf: Leaf, isFirst: boolean): boolean {
  if (isBody(leaf, isFirst)) return false
  return !(OTHER_FORMS.has(leaf.type) && within(leaf, 'alternative'))
}

/**
 * Returns the contents of these parts while they fit. A file that does not fit does not exclude smaller ones after it.
 */
export function readFiles(source: Buffer, leaves: readonly Leaf[], charset: string | undefined): Files {
  const files: MailFile[] = []
  const left: { name: string; isLarge: boolean }[] = []
  let room = MAX_FILE_BYTES
  for (const leaf of leaves) {
    const contentType = leaf.type.length <= 127 ? leaf.type : 'application/octet-stream'
    const name = nameOfFile(nameOf(leaf, charset), leaf)
    const bytes = files.length < MAX_FILES ? bytesOf(source, leaf, room) : undefined
    if (bytes === undefined) {
      left.push({ name, isLarge: files.length < MAX_FILES })
      continue
    }
    // Some programs send an invitation twice: as a form of the body and as a file.
    if (name.endsWith('.ics') && files.some((file) => file.name.endsWith('.ics') && file.bytes.equals(bytes))) continue
    files.push({ name, content_type: contentType, bytes })
    room -= bytes.length
  }
  return { files, notes: notesOf(left) }
}

/** Returns undefined if the part has more than `most` bytes; a part that is far too large is not decoded at all. */
function bytesOf(source: Buffer, leaf: Leaf, most: number): Buffer | undefined {
  const encoded = leaf.end - leaf.start
  // Four characters of base64 are three bytes; three of quoted-printable are at least one.
  if (encoded > most * 3 + 4096) return undefined
  const bytes = isCalendar(leaf) && encoded <= MAX_TEXT_BYTES ? calendarOf(source, leaf) : bodyOf(source, leaf)
  // A copy: the bytes may be a view of the whole mail, which they would keep in memory.
  return bytes.length > most ? undefined : Buffer.from(bytes)
}

const isCalendar = (leaf: Leaf): boolean => leaf.type === 'text/calendar' || leaf.type === 'application/ics'

/** Converts a calendar to UTF-8, as RFC 5545 requires. */
const calendarOf = (source: Buffer, leaf: Leaf): Buffer =>
  Buffer.from(`${textOf(source, leaf).toWellFormed().trim().replaceAll('\n', '\r\n')}\r\n`)

function notesOf(left: { name: string; isLarge: boolean }[]): string[] {
  const notes = left
    .slice(0, MAX_NOTES)
    .map(({ name, isLarge }) =>
      isLarge
        ? `The file "${name}" was left out because the files of a mail can have 10 MiB in total.`
        : `The file "${name}" was left out because a mail can have ${MAX_FILES} files.`,
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
