import { hash } from 'node:crypto'
import type { MailIn } from '../mail.ts'
import { addressesIn } from './addresses.ts'
import { automaticOf, isPassedOn, listsOf, senderNoted } from './automatic.ts'
import { isBody, isCalendar, readBodies } from './body.ts'
import { decodeText } from './charset.ts'
import { isFile, MAX_FILE_BYTES, mailBytesFor, readFiles } from './files.ts'
import { attachedIn } from './forwarded.ts'
import { decodeField, type Head, rawField } from './head.ts'
import { idsIn, timeIn } from './ids.ts'
import type { CalendarView, Invitations } from './invitations.ts'
import { type Leaf, MAX_LEAVES, splitMime } from './mime.ts'
import { isFromServer, reportOf } from './report.ts'
import { oneLine, plainText } from './text.ts'
import { traceOf } from './trace.ts'
import { isSmime, openMail } from './wrappers.ts'

export const UNREADABLE_BYTES = 65_536

/**
 * Parses a mail; its invitations only with a view of calendars. The caller cuts mails longer than `mailBytesFor` when it
 * fetches them. Never throws, whatever the mail contains.
 */
export async function readMail(
  source: Uint8Array,
  view?: CalendarView,
  maxFileBytes = MAX_FILE_BYTES,
): Promise<MailIn> {
  const most = mailBytesFor(maxFileBytes)
  const bytes = Buffer.from(source.buffer, source.byteOffset, Math.min(source.byteLength, most))
  try {
    return withDigest(await readParts(withLineFeeds(bytes), view, { maxFileBytes, isCut: bytes.length === most }))
  } catch {
    return unreadableMail(bytes)
  }
}

/**
 * Whether a mail takes long whatever its size: what is in S/MIME may be compressed or in many parts, the rules of a
 * recurring meeting take up to a second, and an attached mail may have either.
 */
export function isCostly(source: Buffer, view?: CalendarView): boolean {
  const isOne = (leaf: Leaf) =>
    isSmime(leaf) || /^message\/(?:rfc822|global)$/.test(leaf.type) || (view !== undefined && isCalendar(leaf))
  try {
    return splitMime(withLineFeeds(source)).leaves.some(isOne)
  } catch {
    return true
  }
}

/** Some programs end lines with CR alone. A mail that does so in its headers does so everywhere. */
function withLineFeeds(source: Buffer): Buffer {
  const first = source.indexOf(0x0d)
  if (first < 0 || source[first + 1] === 0x0a || source[first + 1] === 0x0d) return source
  const feed = source.indexOf(0x0a)
  if (feed >= 0 && feed < first) return source
  const bytes = Buffer.from(source)
  for (let at = first; at >= 0; at = bytes.indexOf(0x0d, at + 1)) if (bytes[at + 1] !== 0x0a) bytes[at] = 0x0a
  return bytes
}

type Undigested = Omit<MailIn, 'digest'>

async function readParts(
  bytes: Buffer,
  view: CalendarView | undefined,
  limits: Parameters<typeof readFiles>[3],
): Promise<Undigested> {
  const mime = openMail(bytes)
  const { head, leaves, source } = mime
  const charset = leaves.find(({ type }) => type.startsWith('text/'))?.contentType.params.get('charset')
  const reading = readBodies(
    source,
    leaves.filter((leaf, index) => isBody(leaf, index === 0)),
  )
  const { files, notes } = readFiles(
    source,
    leaves.filter((leaf, index) => isFile(leaf, index === 0)),
    charset,
    limits,
  )
  notes.unshift(...mime.notes)
  if (reading.isCut) notes.unshift('The text was truncated because a mail can have 1 MiB of text.')
  if (mime.isCut) notes.push(`The mail has more than ${MAX_LEAVES} parts; the rest was left out.`)
  const calendars = view ? await calendarsOf(source, leaves, view) : NO_CALENDARS
  notes.push(...calendars.notes)
  const subject = oneLine(decodeField((rawField(head, 'subject') ?? '').slice(0, 16_384), charset))
  const report = reportOf(source, mime, { ...reading, subject })
  const addresses = (name: string) => addressesIn(head, name, charset)
  const attached = report ? null : attachedIn(source, leaves)
  return {
    messageId: idsIn(rawField(head, 'message-id'))[0] ?? null,
    inReplyTo: idsIn(rawField(head, 'in-reply-to')),
    references: idsIn(rawField(head, 'references')),
    from: addresses('from')[0] ?? addresses('sender')[0] ?? null,
    replyTo: addresses('reply-to')[0] ?? null,
    to: addresses('to'),
    cc: addresses('cc'),
    deliveredTo: deliveredTo(head),
    subject: subject || null,
    date: timeIn(rawField(head, 'date')),
    text: reading.text,
    html: reading.html,
    files,
    automatic: automaticOf(mime, subject),
    lists: listsOf(head),
    isPassedOn: isPassedOn(head),
    report,
    hasNoSender: senderNoted(head) === null ? null : senderNoted(head) === '',
    forwarded: attached && { ...attached, remark: reading.text },
    isFromServer: isFromServer(head),
    invitations: calendars.invitations,
    trace: traceOf(head),
    notes,
  }
}

const NO_CALENDARS: Invitations = { invitations: [], notes: [] }

/** Loads the library for calendars with the first mail that contains one. */
async function calendarsOf(source: Buffer, leaves: readonly Leaf[], view: CalendarView): Promise<Invitations> {
  const calendars = leaves.filter(isCalendar)
  if (calendars.length === 0) return NO_CALENDARS
  const { readInvitations } = await import('./invitations.ts')
  return readInvitations(source, calendars, view)
}

const MAX_DELIVERED = 50

function deliveredTo(head: Head): string[] {
  const named = ['delivered-to', 'x-original-to', 'envelope-to'].flatMap((name) => addressesIn(head, name))
  return [...new Set(named.map(({ email }) => email.toLowerCase()))].slice(0, MAX_DELIVERED)
}

/** Returns the start of the raw source as text, for a mail that could not be parsed. */
export function unreadableMail(source: Buffer): MailIn {
  return withDigest({
    messageId: null,
    inReplyTo: [],
    references: [],
    from: null,
    replyTo: null,
    to: [],
    cc: [],
    deliveredTo: [],
    subject: null,
    date: null,
    text: plainText(decodeText(source.subarray(0, UNREADABLE_BYTES))),
    html: null,
    files: [],
    automatic: null,
    lists: [],
    isPassedOn: false,
    report: null,
    hasNoSender: null,
    forwarded: null,
    isFromServer: false,
    invitations: [],
    trace: [],
    notes: ['This could not be parsed as a mail. The text is the beginning of what was received.'],
  })
}

/** The digest covers only what does not change in transit, unlike the headers that each server adds. */
function withDigest(mail: Undigested): MailIn {
  const files = mail.files.map(({ name, bytes }) => [name, bytes.length])
  const content = JSON.stringify([mail.from?.email ?? null, mail.date, mail.subject, mail.text, mail.html, files])
  return { ...mail, digest: hash('sha256', content, 'base64url') }
}
