import { Problem } from '../../../../lib/problem.ts'
import type { ImportObject } from '../../../writable.ts'
import { cardsOf } from './cards.ts'
import { type CardKind, rowOf } from './cells.ts'

// The cards of a file as the rows of an import: those of people are contacts, the others companies.

type CardLine = { line: number; cells: { [column: string]: string }; error?: string }

/** Yields the cards of people or of companies. */
export async function* rowsOfCards(
  file: string,
  object: ImportObject,
  chunks: AsyncIterable<Buffer>,
  encoding: string,
): AsyncGenerator<CardLine> {
  for await (const card of cardsOf(file, chunks, encoding)) {
    const { kind, ...row } = rowOf(card)
    if (kind === object) yield { line: card.line, ...row }
  }
}

/**
 * Returns the columns of all cards of people or companies, in the order of their appearance, and what else the file
 * contains. Throws Problem 422 for a file without such cards.
 */
export async function surveyCards(
  file: string,
  object: ImportObject,
  chunks: AsyncIterable<Buffer>,
  encoding: string,
): Promise<{ columns: string[]; remarks: string[] }> {
  if (object !== 'contact' && object !== 'company')
    throw new Problem(422, `not_${object}s`, `${file} has vCards, which are contacts and companies.`)
  const columns = new Set<string>()
  const counts: Record<CardKind, number> = { contact: 0, company: 0, group: 0 }
  for await (const card of cardsOf(file, chunks, encoding)) {
    const { kind, cells } = rowOf(card)
    counts[kind]++
    if (kind === object) for (const column of Object.keys(cells)) columns.add(column)
  }
  const other = object === 'contact' ? 'company' : 'contact'
  const command = `dealbox import ${object === 'contact' ? 'companies' : 'contacts'}`
  const others = `${said(counts[other], NOUNS[other])}. To import ${counts[other] === 1 ? 'it' : 'them'}, use "${command}".`
  if (counts[object] === 0)
    throw new Problem(422, 'no_such_cards', `${file} has no cards of ${NOUNS[object][1]}; ${others}`)
  const remarks = [
    ...(counts[other] > 0 ? [others] : []),
    ...(counts.group > 0 ? [`${said(counts.group, NOUNS.group)}, and not imported.`] : []),
  ]
  return { columns: [...columns], remarks }
}

const NOUNS: Record<CardKind, [one: string, many: string]> = {
  contact: ['a person', 'people'],
  company: ['a company', 'companies'],
  group: ['a group of others', 'groups of others'],
}

const said = (count: number, [one, many]: (typeof NOUNS)[CardKind]): string =>
  count === 1 ? `1 card is ${one}` : `${count} cards are ${many}`
