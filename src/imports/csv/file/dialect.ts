// The dialect of a CSV file: its separator and the names of its columns.

export const SEPARATORS = [',', ';', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]

/** Records to sample. */
const SAMPLE = 50

/** Returns the separator from Excel's first line `sep=;`, if any. */
export function separatorLine(text: string): { separator: Separator; length: number } | undefined {
  const [line, separator] = /^"?sep=([,;|\t])"?(?:\n|$)/i.exec(text) ?? []
  return line === undefined ? undefined : { separator: separator as Separator, length: line.length }
}

/** The most lines above a header. */
const MAX_PREAMBLE = 20

/**
 * Returns the lines above the header, to skip: LinkedIn's file begins with `Notes:`, a text and a blank line. A heading
 * ends with a colon and has no cell beside it, and the header below it has several.
 */
export function preamble(text: string): string {
  const lines = text.split('\n', MAX_PREAMBLE)
  if (!/^"?[^",;|\t]+:"?[,;|\t]*$/.test(lines[0] ?? '')) return ''
  const blank = lines.findIndex((line) => /^[,;|\t ]*$/.test(line))
  if (blank < 0 || !/[^,;|\t ][,;|\t]/.test(lines[blank + 1] ?? '')) return ''
  return `${lines.slice(0, blank + 1).join('\n')}\n`
}

/**
 * Returns the separator that occurs in the header and equally often in most records after it, outside of quotes; in a
 * tie the one that gives more columns. A comma if there is only one column.
 */
export function separatorOf(text: string): Separator {
  const all = separatorsByRecord(text)
  const [header, ...records] = all.slice(titlesAbove(all))
  let best: { separator: Separator; steady: number; columns: number } | undefined
  for (const separator of SEPARATORS) {
    const columns = header?.get(separator) ?? 0
    if (columns === 0) continue
    const equal = records.filter((counts) => counts.get(separator) === columns).length
    const steady = records.length === 0 ? 1 : equal / records.length
    if (!best || steady > best.steady || (steady === best.steady && columns > best.columns)) {
      best = { separator, steady, columns }
    }
  }
  return best?.separator ?? ','
}

/** Returns how many records are above a table: the first of it has as many of a separator as most of those below. */
function titlesAbove(all: readonly ReadonlyMap<string, number>[]): number {
  const found = all.slice(0, MAX_PREAMBLE).findIndex((counts, index) => {
    const below = all.slice(index + 1)
    return [...counts].some(
      ([separator, count]) => below.filter((each) => each.get(separator) === count).length * 2 > below.length,
    )
  })
  return Math.max(0, found)
}

/** Counts each separator outside of quotes, by record. The last record may be cut off, and is left out. */
function separatorsByRecord(text: string): Map<string, number>[] {
  const records: Map<string, number>[] = []
  let counts = new Map<string, number>()
  let quoted = false
  let startsCell = true
  let isBlank = true
  for (let at = 0; at < text.length && records.length <= SAMPLE; at++) {
    const char = text[at] as string
    if (char === '"' && (quoted || startsCell)) {
      quoted = !quoted
      startsCell = quoted || text[at + 1] === '"' // the second quote of a doubled one reopens the cell
      isBlank = false
      continue
    }
    if (quoted) continue
    const separates = (SEPARATORS as readonly string[]).includes(char)
    startsCell = separates || char === '\n'
    if (char === '\n') {
      if (!isBlank) records.push(counts)
      counts = new Map()
      isBlank = true
    } else isBlank = false
    if (separates) counts.set(char, (counts.get(char) ?? 0) + 1)
  }
  if (records.length === 0 && !isBlank) records.push(counts)
  return records
}

/** Returns unique column names: an empty one is named after its position, a repeated one is numbered. */
export function columnNames(header: readonly string[]): string[] {
  const names = new Set<string>()
  const numbers = new Map<string, number>()
  for (const [index, cell] of header.entries()) {
    const name = cell.trim().replace(/\s+/g, ' ') || `Column ${index + 1}`
    let unique = name
    while (names.has(unique)) {
      const number = (numbers.get(name) ?? 1) + 1
      numbers.set(name, number)
      unique = `${name} (${number})`
    }
    names.add(unique)
  }
  return [...names]
}
