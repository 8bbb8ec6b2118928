import { Problem } from '../../../../lib/problem.ts'
import { type Line, MAX_LINE, unfolded } from './lines.ts'
import { type Property, propertyOf, type Version } from './property.ts'

// The cards of a file. A broken one does not affect others.

/** A card, with `error` if it cannot be read. `line` is its first line; `unread` are lines that hold no property. */
export type Card = { line: number; properties: Property[]; unread: string[]; error?: string }

/** Properties whose values are files; they are only counted. */
const FILES = /^(?:[\w-]+\.)?(?:PHOTO|LOGO|SOUND|KEY)[;:]/i

/** The most lines of a card; without its files, it may be as long as a line. */
const MAX_PROPERTIES = 1000

/** The lines of a card so far; `size` counts their characters. */
type Open = { line: number; lines: string[]; size: number; isTooLong: boolean }

/** Yields the cards of a file; `encoding` is that of what is not UTF-8. Throws Problem 422 if it has none. */
export async function* cardsOf(file: string, chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Card> {
  let open: Open | undefined
  let depth = 0 // a card of 2.1 can contain another one, that of an agent
  let isEmpty = true
  for await (const line of unfolded(chunks, encoding)) {
    const mark = /^(BEGIN|END):VCARD\s*$/i.exec(line.text)?.[1]?.toUpperCase()
    if (mark === 'BEGIN' && !(open && /^AGENT/i.test(open.lines.at(-1) ?? ''))) {
      if (open) yield { ...cardOf(open, encoding), error: 'has no END:VCARD' }
      open = { line: line.line, lines: [], size: 0, isTooLong: false }
      depth = 1
      isEmpty = false
    } else if (mark === 'BEGIN') depth++
    else if (mark === undefined && open) keep(open, line)
    else if (open && --depth === 0) {
      yield cardOf(open, encoding)
      open = undefined
    }
  }
  if (open) yield { ...cardOf(open, encoding), error: 'has no END:VCARD' }
  if (isEmpty) throw new Problem(422, 'not_vcard', `${file} has no vCards: no line is BEGIN:VCARD.`)
}

/** Adds a line to a card; of a file only its beginning, and nothing to a card that is too long. */
function keep(open: Open, { text, isCut }: Line): void {
  const isFile = FILES.test(text)
  const held = isFile ? text.slice(0, 80) : text
  open.size += held.length
  open.isTooLong ||= (isCut && !isFile) || open.size > MAX_LINE || open.lines.length === MAX_PROPERTIES
  if (open.isTooLong) open.lines = []
  else open.lines.push(held)
}

function cardOf({ line, lines, isTooLong }: Open, encoding: string): Card {
  const card: Card = { line, properties: [], unread: [] }
  if (isTooLong) return { ...card, error: `is longer than 1 MiB, or has more than ${MAX_PROPERTIES} lines` }
  const version = versionOf(lines)
  for (const text of lines) {
    const property = FILES.test(text) ? fileOf(text) : propertyOf(text, version, encoding)
    if (property) card.properties.push(property)
    else card.unread.push(text)
  }
  return card
}

function versionOf(lines: readonly string[]): Version {
  const [, version] = lines.map((text) => /^VERSION:\s*(\d\.\d)/i.exec(text)).find((found) => found !== null) ?? []
  return version === '2.1' || version === '4.0' ? version : '3.0'
}

const fileOf = (text: string): Property => ({
  name: (/^(?:[\w-]+\.)?([\w-]+)/.exec(text)?.[1] ?? '').toLowerCase(),
  group: undefined,
  types: [],
  pref: 1,
  values: ['a file'],
})
