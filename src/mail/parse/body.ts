import { decodeText } from './charset.ts'
import { bodyOf, type Leaf, type Multipart } from './mime.ts'
import { paramText } from './params.ts'
import { cutBytes, htmlText, plainText, withLineFeeds } from './text.ts'

// What there is to read in a mail: one body after the other, each as text, as HTML, or as both.

export const MAX_TEXT_BYTES = 1_048_576
/** What text of that length takes as it is sent, in the most wasteful of the usual ways. */
const MAX_RAW_BYTES = 6 * MAX_TEXT_BYTES

export type Reading = { text: string; html: string | null; isCut: boolean }

type Body = { plain: string | undefined; html: string | undefined }

/**
 * A text is of the body, and no file, unless it says that it is one. One with a name is a file where it does not stand
 * first and is no other form of the body: so do programs send the notes that somebody attached.
 */
export function isBody(leaf: Leaf, isFirst: boolean): boolean {
  if (leaf.disposition.value === 'attachment') return false
  if (leaf.type !== 'text/plain' && leaf.type !== 'text/html') return false
  return isFirst || within(leaf, 'alternative') !== null || nameOf(leaf) === undefined
}

export const nameOf = (leaf: Leaf, charset?: string): string | undefined =>
  paramText(leaf.disposition, 'filename', charset) || paramText(leaf.contentType, 'name', charset)

/** The nearest of such multiparts that the leaf is in. */
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

/** RFC 3676: a line that ends with a space goes on in the next one. */
function unflowed(text: string, dropsSpace: boolean): string {
  let written = ''
  let depth = 0
  let flows = false
  for (const line of text.split('\n')) {
    const quotes = /^>*/.exec(line)?.[0].length ?? 0
    const content = line.slice(quotes).replace(/^ /, '')
    if (flows && quotes === depth && content !== '-- ') written += content
    else written += `${written && '\n'}${'>'.repeat(quotes)}${quotes > 0 && content ? ' ' : ''}${content}`
    depth = quotes
    flows = content.endsWith(' ') && content !== '-- '
    if (flows && dropsSpace) written = written.slice(0, -1)
  }
  return written
}

/**
 * Text is given only where each of the bodies has some, and HTML where at least one has it: what has text alone is put
 * between the others. So neither form leaves out what the other has.
 */
export function readBodies(source: Buffer, leaves: readonly Leaf[]): Reading {
  const bodies = new Map<Multipart | Leaf, Body>()
  let bytes = 0
  let isCut = false
  for (const leaf of leaves) {
    // Each form may come to as much.
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

/** Text of so many characters has at least as many bytes; the rest need not be normalized. */
const bounded = (text: string): string => text.slice(0, MAX_TEXT_BYTES + 1)

/** A blank text beside HTML is none: some programs send it because there has to be one. */
const withoutBlank = ({ plain, html }: Body): Body =>
  html !== undefined && plain?.trim() === '' ? { plain: undefined, html } : { plain, html }

const asHtml = ({ plain, html }: Body): string =>
  html ?? `<pre style="white-space:pre-wrap">${escaped(plain ?? '')}</pre>`

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
