/** Formats rows of text as columns, two spaces apart. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = []
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  }
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Returns untrusted text as one line for a terminal, without control characters that could move the cursor or change
 * colours.
 */
export function oneLine(text: string, longest = 1000): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  const characters = [...line]
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join('')}…`
}
