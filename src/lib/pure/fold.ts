/** A cursor contains the sort key of the last record of its page, and has to fit into a request line. */
const MAX_LENGTH = 255

/**
 * Lower case without accents and without what cannot be seen, for sorting and comparing names. `Łukasz` → `lukasz`,
 * `Søren` → `soren`. Up to 255 UTF-16 units, since one character can fold to eighteen.
 */
export function fold(text: string): string {
  return foldWhole(text).slice(0, MAX_LENGTH).toWellFormed()
}

/** The same without a limit, for search. */
export function foldWhole(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text
    .replace(/´/g, "'") // NFKD makes it a space
    .normalize('NFKD')
    .replace(UNSEEN, '')
    .toLowerCase()
    .replace(/[łøđðħıŧæœßþςکیىة‘’‛′ʹʻʼ‐]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
}

/** Lower case with accents, for unique texts. */
export const lowerCase = (text: string): string => text.normalize('NFC').toLowerCase()

/** Accents; what has no form of its own, such as zero-width and direction marks and soft hyphens; and the Arabic tatweel. */
const UNSEEN = /[\p{M}\p{DI}\u0640]+/gu

/** What two names have in common that are one: case and what cannot be seen do not count, accents do. `ß` equals `SS`. */
export const uniqueName = (name: string): string =>
  name
    .normalize('NFC')
    .replace(/\p{DI}+/gu, '')
    .trim()
    .toUpperCase()
    .toLowerCase()

// Letters that Unicode does not decompose, though people type them without their stroke; the final sigma; Arabic letters
// that keyboards exchange; and signs that are typed as the apostrophe or hyphen of a keyboard.
const UNDECOMPOSED: Record<string, string> = {
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  ς: 'σ',
  ک: 'ك',
  ی: 'ي',
  ى: 'ي',
  ة: 'ه',
  '‘': "'",
  '’': "'",
  '‛': "'",
  '′': "'",
  ʹ: "'",
  ʻ: "'",
  ʼ: "'",
  '‐': '-',
}
