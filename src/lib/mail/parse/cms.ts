import { constants, inflateSync } from 'node:zlib'

// The content of a file in the Cryptographic Message Syntax (RFC 5652), as S/MIME uses it (RFC 8551). Only the wrapper is
// read, and no signature is checked: the libraries for it bring much cryptography, and refuse what is cut.

/** `content` of what is signed or compressed; null if it has none, as a list of certificates. */
export type Wrapped = { kind: 'content'; content: Buffer | null } | { kind: 'encrypted' }

type Element = { tag: number; start: number; end: number; next: number }

const OID = 0x06
const OCTETS = 0x04
const OCTETS_IN_PARTS = 0x24
const SEQUENCE = 0x30
const EXPLICIT_0 = 0xa0

/** The parts of a string are nested once; elements of indefinite length a few times. */
const MAX_DEPTH = 32
/** Parts of a string in all: programs write a thousand bytes into each, and some a few hundred. */
const mostPartsOf = (bytes: Buffer): number => 1000 + bytes.length / 200

const KINDS = new Map([
  ['2a864886f70d010702', 'signed'],
  ['2a864886f70d010703', 'encrypted'],
  ['2a864886f70d0109100117', 'encrypted'], // with its authentication
  ['2a864886f70d0109100109', 'compressed'],
])

/**
 * Returns undefined for bytes that are no such file, have too many parts for their size, or unpack to more than `most`
 * bytes; accepts a file that is cut. Never throws.
 */
export function unwrapCms(bytes: Buffer, most: number): Wrapped | undefined {
  const [type, content] = childrenOf(bytes, elementAt(bytes, 0, bytes.length), SEQUENCE)
  const kind = type?.tag === OID ? KINDS.get(bytes.toString('hex', type.start, type.end)) : undefined
  const [inside] = childrenOf(bytes, content, EXPLICIT_0)
  if (kind === undefined || inside === undefined) return undefined
  if (kind === 'encrypted') return { kind }
  // Both begin with a version, an algorithm or several, and the type of the content beside the content itself.
  const [, , encapsulated] = childrenOf(bytes, inside, SEQUENCE)
  const [, explicit] = childrenOf(bytes, encapsulated, SEQUENCE)
  const [string] = childrenOf(bytes, explicit, EXPLICIT_0)
  if (string === undefined) return { kind: 'content', content: null }
  const budget = { left: mostPartsOf(bytes) }
  const octets = Buffer.concat([...octetsOf(bytes, string, budget, 0)])
  if (budget.left < 0) return undefined
  const whole = kind === 'compressed' ? inflated(octets, most) : octets
  return whole && { kind: 'content', content: whole }
}

/** The first three elements inside of one with this tag. */
const childrenOf = (bytes: Buffer, parent: Element | undefined, tag: number): Element[] =>
  parent?.tag === tag ? [...elementsIn(bytes, parent, 3)] : []

function* elementsIn(bytes: Buffer, { start, end }: Element, most: number): Generator<Element> {
  for (let at = start, count = 0; at < end && count < most; count++) {
    const element = elementAt(bytes, at, end)
    if (!element) return
    yield element
    at = element.next
  }
}

function* octetsOf(bytes: Buffer, string: Element, budget: { left: number }, depth: number): Generator<Buffer> {
  if (string.tag === OCTETS) yield bytes.subarray(string.start, string.end)
  if (string.tag !== OCTETS_IN_PARTS || depth === 4) return
  for (const part of elementsIn(bytes, string, Number.POSITIVE_INFINITY)) {
    if (budget.left-- < 1) return
    yield* octetsOf(bytes, part, budget, depth + 1)
  }
}

/** Reads the tag and length at a position. */
function elementAt(bytes: Buffer, at: number, limit: number, depth = 0): Element | undefined {
  if (at + 2 > limit) return undefined
  const tag = bytes[at] as number
  const first = bytes[at + 1] as number
  const isLongTag = (tag & 0x1f) === 0x1f
  if (isLongTag) return undefined
  if (first === 0x80) return indefiniteAt(bytes, at, limit, depth)
  const size = first < 0x80 ? 0 : first & 0x7f
  const start = at + 2 + size
  if (size > 6 || start > limit) return undefined
  const end = Math.min(start + (size === 0 ? first : bytes.readUIntBE(at + 2, size)), limit)
  return { tag, start, end, next: end }
}

/** An element that goes on up to two zeros, as Outlook and programs that stream write them (BER). */
function indefiniteAt(bytes: Buffer, at: number, limit: number, depth: number): Element | undefined {
  const tag = bytes[at] as number
  const isConstructed = (tag & 0x20) !== 0
  if (!isConstructed || depth === MAX_DEPTH) return undefined
  let end = at + 2
  while (end < limit && !(bytes[end] === 0 && bytes[end + 1] === 0))
    end = elementAt(bytes, end, limit, depth + 1)?.next ?? limit
  return { tag, start: at + 2, end, next: Math.min(end + 2, limit) }
}

function inflated(octets: Buffer, most: number): Buffer | undefined {
  try {
    return inflateSync(octets, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
}
