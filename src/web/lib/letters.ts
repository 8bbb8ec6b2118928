/** The longest title or name that the API takes, in letters, and the longest text, in bytes. */
export const LONGEST_LINE = 255
const LONGEST_TEXT = 65_536

/** How many letters a text has, if that are too many, and how many would fit. */
export type Over = { letters: number; fit: number }

/** Letters are counted as the server counts them: Unicode characters, in their composed form. */
function lettersIn(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** For titles and names. Short ones, which most are, are not counted. */
export function overLine(text: string): Over | undefined {
  if (text.length <= LONGEST_LINE) return undefined
  const letters = lettersIn(text.normalize('NFC'))
  return letters > LONGEST_LINE ? { letters, fit: LONGEST_LINE } : undefined
}

/** For notes and other texts of several lines. */
export function overText(given: string): Over | undefined {
  if (given.length * 3 <= LONGEST_TEXT) return undefined
  const text = given.normalize('NFC')
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(LONGEST_TEXT))
  return read < text.length ? { letters: lettersIn(text), fit: lettersIn(text.slice(0, read)) } : undefined
}
