// Blocks of cells as spreadsheets copy them: tabs between cells, line ends between rows, and quotes around cells that
// contain one of these, with quotes inside doubled.

export function parseTsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let cell = ''
  let at = 0
  const endCell = (): void => {
    rows.at(-1)?.push(cell)
    cell = ''
  }
  while (at < text.length) {
    const sign = text.charAt(at)
    const end = sign === '"' && cell === '' ? endOfQuoted(text, at) : -1
    if (end >= 0) {
      cell = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
      continue
    }
    at++
    if (sign === '\t') endCell()
    else if (sign === '\n' || sign === '\r') {
      if (sign === '\r' && text.charAt(at) === '\n') at++
      endCell()
      rows.push([])
    } else cell += sign
  }
  // The line end after the last row does not begin another one.
  if (cell !== '' || rows.at(-1)?.length) endCell()
  else if (rows.length > 1) rows.pop()
  return rows
}

/** The place of the closing quote; -1 if there is none before the end of the cell: then the quote is a letter of it. */
function endOfQuoted(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) !== '"') continue
    const next = text.charAt(at + 1)
    if (next !== '"') return next === '' || /[\t\n\r]/.test(next) ? at : -1
    at++
  }
  return -1
}

export const formatTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map(quoted).join('\t')).join('\n')

const quoted = (cell: string): string => (/["\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
