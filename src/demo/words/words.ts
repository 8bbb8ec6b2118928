/** Splits a text into words at commas and line breaks. */
export function list(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Splits a text into lines, and each line into fields at semicolons. */
export function table(text: string): string[][] {
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').map((line) => line.split(';').map((field) => field.trim()))
}

const LETTERS: Record<string, string> = { ø: 'o', æ: 'ae', ß: 'ss', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }
const GERMAN: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/**
 * Returns lower-case letters and digits with `gap` between the words, as in addresses: "O'Brien & Søn" is "obrien-son".
 */
export function plain(text: string, gap: string, culture = ''): string {
  let lower = text.normalize('NFC').toLowerCase().replace(/['’.]/g, '')
  if (culture === 'de') lower = lower.replace(/[äöü]/g, (letter) => GERMAN[letter] as string)
  const base = lower
    .replace(/[øæßłđðþı]/g, (letter) => LETTERS[letter] as string)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
  return base
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(gap)
}
