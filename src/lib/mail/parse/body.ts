import { decodeText } from './charset.ts'
import { bodyOf, type Leaf, type Multipart } from './mime.ts'
import { paramText } from './params.ts'
import { cutBytes, htmlText, plainText, withLineFeeds } from './text.ts'

// The readable text of a mail: its bodies in order, each as text, HTML or both.

export const MAX_TEXT_BYTES = 1_048_576
/** The size of a text of that length in the most wasteful of the usual encodings. */
const MAX_RAW_BYTES = 6 * MAX_TEXT_BYTES

export type Reading = { text: string; html: string | null; isCut: boolean }

type Body = { plain: string | undefined; html: string | undefined }

/**
 * Whether a text part belongs to the body rather than to the files. A part marked as an attachment is a file. A part
 * with a name is a file unless it comes first or is an alternative form of the body, since programs send attached notes
 * this way.
 */
export function isBody(leaf: Leaf, isFirst: boolean): boolean {
  if (leaf.disposition.value === 'attachment') return false
  if (leaf.type !== 'text/plain' && leaf.type !== 'text/html') return false
  return isFirst || within(leaf, 'alternative') !== null || nameOf(leaf) === undefined
}

/** Whether the part may contain a calendar with invitations. */
export const isCalendar = (leaf: Leaf): boolean =>
  leaf.type === 'text/calendar' ||
  leaf.type === 'application/ics' ||
  (/^(?:application\/octet-stream|text\/plain)$/.test(leaf.type) && /\.ics$/i.test(nameOf(leaf) ?? ''))

export const nameOf = (leaf: Leaf, charset?: string): string | undefined =>
  paramText(leaf.disposition, 'filename', charset) || paramText(leaf.contentType, 'name', charset)

/** Returns the nearest enclosing multipart of this kind. */
export function within(leaf: Leaf, kind: string): Multipart | null {
  for (let multipart = leaf.parent; multipart; multipart = multipart.parent)
    if (multipart.kind === kind) return multipart
  return null
}

export const textOf = (source: Buffer, leaf: Leaf, maxRaw = MAX_RAW_BYTES): string => {
  const bytes = bodyOf(source, leaf, maxRaw)
  const text = withLineFeeds(decodeText(bytes, charsetOf(leaf, bytes)).replace(/^\ufeff/, ''))
  return leaf.type === 'text/plain' && /^flowed$/i.test(leaf.contentType.params.get('format') ?? '')
    ? unflowed(text, /^yes$/i.test(leaf.contentType.params.get('delsp') ?? ''))
    : text
}

function charsetOf(leaf: Leaf, bytes: Buffer): string | undefined {
  const named = leaf.contentType.params.get('charset')
  if (named || leaf.type !== 'text/html') return named
  return /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(bytes.toString('latin1', 0, 2048))?.[1]
}

/** RFC 3676: a line that ends with a space continues on the next line. */
function unflowed(text: string, dropsSpace: boolean): string {
  let written = ''
  let depth = 0
  let flows = false
  for (const line of text.split('\n')) {
    const quotes = /^>*/.exec(line)?.[0].length ?? 0
    const content = line.slice(quotes).replace(/^ /, '')
    const isJoined = flows && quotes === depth && content !== '-- '
    if (!isJoined) written += `${written && '\n'}${'>'.repeat(quotes)}${quotes > 0 && content ? ' ' : ''}`
    depth = quotes
    flows = content.endsWith(' ') && content !== '-- '
    // Of the line: cutting what was written so far would copy it for each line.
    written += flows && dropsSpace ? content.slice(0, -1) : content
  }
  return written
}

/**
 * Joins the bodies. Text is returned only if every body has a text form. HTML is returned if at least one body has it,
 * with the text-only bodies converted, so that neither form omits what the other contains.
 */
export function readBodies(source: Buffer, leaves: readonly Leaf[]): Reading {
  const bodies = new Map<Multipart | Leaf, Body>()
  let bytes = 0
  let isCut = false
  for (const leaf of leaves) {
    // Each of the two forms may reach MAX_TEXT_BYTES.
    if (bytes > 4 * MAX_TEXT_BYTES) {
      isCut = true
      break
    }
    const text = textOf(source, leaf)
    isCut ||= leaf.end - leaf.start > MAX_RAW_BYTES
    bytes += text.length
    const key = within(leaf, 'alternative') ?? leaf
    const body = bodies.get(key) ?? { plain: undefined, html: undefined }
    bodies.set(key, body)
    const form = leaf.type === 'text/html' ? 'html' : 'plain'
    body[form] = body[form] === undefined ? text : `${body[form]}\n${text}`
  }
  const all = [...bodies.values()].map(withoutBlank)
  const hasHtml = all.some(({ html }) => html !== undefined)
  const plain = all.every((body) => body.plain !== undefined) ? all.map((body) => body.plain).join('\n') : ''
  const text = plainText(bounded(plain)).trim()
  const html = hasHtml ? htmlText(bounded(all.map(asHtml).join('\n'))).trim() : ''
  const [textCut, htmlCut] = [text, html].map((form) => cutBytes(form, MAX_TEXT_BYTES)) as [string, string]
  isCut ||= textCut !== text || htmlCut !== html || plain.length > MAX_TEXT_BYTES
  return { text: textCut, html: htmlCut === '' ? null : htmlCut, isCut }
}

/** A text of this many characters has at least as many bytes; the rest need not be normalized. */
const bounded = (text: string): string => text.slice(0, MAX_TEXT_BYTES + 1)

/** Ignores a blank text next to HTML: some programs send one because they need a text part. */
const withoutBlank = ({ plain, html }: Body): Body =>
  html !== undefined && plain?.trim() === '' ? { plain: undefined, html } : { plain, html }

const asHtml = ({ plain, html }: Body): string =>
  html ?? `<pre style="white-space:pre-wrap">${escaped(plain ?? '')}</pre>`

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
