import { nameOf } from './body.ts'
import { unwrapCms } from './cms.ts'
import { readHead } from './head.ts'
import { bodyOf, type Leaf, type Mime, type Multipart, splitMime } from './mime.ts'

// Opens what a mail is wrapped in: S/MIME that is signed without clear text, as Outlook does, or compressed. Its parts take
// the place of the wrapper, so that whoever reads the mail knows nothing of it.

/** `source` has the content of each wrapper behind the mail itself, for the positions of its parts. */
export type Opened = Mime & { source: Buffer; notes: string[] }

/** Signed, compressed and signed again, and passed on so by somebody who signs, too. */
const MAX_DEPTH = 6
const MAX_WRAPPERS = 20
/** The content of all wrappers together: texts become a tenth by compression, and only what is hostile a hundredth. */
const mostIn = (mail: Buffer): number => Math.min(128 * MIB, MIB + 30 * mail.length)
const MIB = 1_048_576

/** Splits a mail into parts as splitMime does, and opens its wrappers. */
export function openMail(mail: Buffer): Opened {
  const { head, root, leaves, isCut } = splitMime(mail)
  const contents = [mail]
  const notes = new Set<string>()
  const opened = { head, root, isCut }
  let size = mail.length

  function open(source: Buffer, offset: number, leaf: Leaf, depth: number): Leaf[] {
    const canOpen = depth < MAX_DEPTH && contents.length <= MAX_WRAPPERS
    const { content, note } = canOpen ? wrappedIn(source, leaf, mail.length + mostIn(mail) - size) : NOTHING
    if (note) notes.add(note)
    if (!content) return [{ ...leaf, start: leaf.start + offset, end: leaf.end + offset }]
    const inner = splitMime(content)
    const at = size
    contents.push(content)
    size += content.length
    opened.isCut ||= inner.isCut
    if (leaf.parent === null) opened.root = inner.root
    for (const part of inner.leaves) {
      place(part, leaf.parent)
      part.isLast &&= leaf.isLast
    }
    return inner.leaves.flatMap((part) => open(content, at, part, depth + 1))
  }

  const all = leaves.flatMap((leaf) => open(mail, 0, leaf, 0))
  return { ...opened, leaves: all, source: contents.length > 1 ? Buffer.concat(contents) : mail, notes: [...notes] }
}

/** Puts a part of a wrapper into what the wrapper was in. */
function place(part: Leaf, into: Multipart | null): void {
  let outermost: Leaf | Multipart = part
  while (outermost.parent && outermost.parent !== into) outermost = outermost.parent
  outermost.parent = into
}

const NOTHING: { content?: Buffer; note?: string } = {}

function wrappedIn(source: Buffer, leaf: Leaf, most: number): typeof NOTHING {
  const name = nameOf(leaf) ?? ''
  if (leaf.type === 'application/pgp-encrypted' && leaf.parent?.kind === 'encrypted') return { note: ENCRYPTED }
  if (/^application\/(?:vnd\.)?ms-tnef$/.test(leaf.type) || /^winmail\.dat$/i.test(name)) return { note: TNEF }
  if (!isSmime(leaf)) return NOTHING
  const isWrapper = name === '' || NAMED_SO.test(name)
  // Documents are signed in the same way, such as "invoice.xml.p7m": they are files, not mails.
  if (!isWrapper && leaf.parent !== null) return NOTHING
  const found = unwrapCms(binaryOf(bodyOf(source, leaf)), most)
  const type = (leaf.contentType.params.get('smime-type') ?? '').toLowerCase()
  if (found?.kind === 'encrypted' || (!found && /enveloped-data$/.test(type))) return { note: ENCRYPTED }
  if (found?.content && (isWrapper || readHead(found.content, 0).fields.has('content-type')))
    return { content: found.content }
  return isWrapper && type !== 'certs-only' && found?.content !== null ? { note: UNREADABLE } : NOTHING
}

const NAMED_SO = /^smime\.p7[mz]$/i

/** Whether the part is in S/MIME, which costs much more to open than its size says. */
export const isSmime = (leaf: Leaf): boolean =>
  /^application\/(?:x-)?pkcs7-mime$/.test(leaf.type) ||
  (leaf.type === 'application/octet-stream' && NAMED_SO.test(nameOf(leaf) ?? ''))

/** Some programs do not say that it is base64. */
function binaryOf(bytes: Buffer): Buffer {
  const start = bytes.toString('latin1', 0, 100).replace(/^\s*-----BEGIN [A-Z0-9 ]+-----/, '')
  return /^\s*MI/.test(start) ? Buffer.from(bytes.toString('latin1').replace(/-----[^-]*-----/g, ''), 'base64') : bytes
}

const ENCRYPTED =
  'This mail is encrypted and cannot be read here; its file has all of it, for a program with the key. The sender can write again without encryption.'
const TNEF =
  'This mail has a winmail.dat, a format of Outlook (TNEF) that is not opened here: files or a formatted text may be inside. The sender can write again in HTML or as plain text.'
const UNREADABLE = 'The mail is in an S/MIME file that could not be opened; the file has all of it.'
