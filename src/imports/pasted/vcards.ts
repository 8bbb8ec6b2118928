import type { CardRow } from '../csv/file/vcard/cells.ts'

// vCards in a pasted text, by the reader of files: as phones and mail programs copy them, or as a QR code holds them.

/** What a text has of cards, as rows with the columns of a file, and the lines around them. */
export type PastedCards = { rows: Record<string, string>[]; rest: string; isTooLong: boolean }

const BEGINS = /^\s*BEGIN:VCARD\s*$/im
const CARD = /^[^\S\n]*BEGIN:VCARD[^\S\n]*$[\s\S]*?(?:^[^\S\n]*END:VCARD[^\S\n]*$|(?![\s\S]))/gim

/** What says nothing of a person, or nothing that is kept. */
const SILENT = new Set(['UID', 'PHOTO', 'LOGO', 'SOUND', 'KEY'])

/** Undefined for a text without cards. A card whose end was not copied is read as far as it goes. */
export async function cardsInText(given: unknown, longest: number): Promise<PastedCards | undefined> {
  if (typeof given !== 'string' || given.length > longest || !BEGINS.test(given)) return undefined
  const { cardsOf } = await import('../csv/file/vcard/cards.ts') // loads ical.js
  const { rowOf } = await import('../csv/file/vcard/cells.ts')
  const text = given.replace(/\r\n?/g, '\n')
  const cards = text.match(CARD) ?? []
  const found: PastedCards = { rows: [], rest: text.replace(CARD, '\n').trim(), isTooLong: false }
  for await (const card of cardsOf('the text', bytesOf(cards.map(bare).join('\n')), 'utf-8')) {
    const row = rowOf(card)
    const isWhole = Object.keys(row.cells).length > 0
    found.isTooLong ||= !isWhole && row.error !== undefined
    // A group is a list of cards, and no person.
    if (isWhole && row.kind !== 'group') found.rows.push(cellsOf(row))
  }
  return found
}

/** Lines of a card that are all set in, as in a quoted mail, would be folds of the one before. */
function bare(card: string): string {
  const [indent = ''] = /^[^\S\n]*/.exec(card) ?? []
  const lines = card.split('\n')
  return (lines.every((line) => line.startsWith(indent)) ? lines.map((line) => line.slice(indent.length)) : lines).join(
    '\n',
  )
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

/** A card of a company is somebody there, whoever that is. */
const cellsOf = ({ cells }: CardRow): Record<string, string> =>
  Object.fromEntries(
    Object.entries(cells)
      .filter(([column]) => !SILENT.has(column))
      .map(([column, text]) => [column === 'Company name' ? 'Organization Name' : column, text]),
  )
