/** A cursor contains the sort key of the last record of its page, and has to fit into a request line. */
const MAX_LENGTH = 255

/**
 * Lower case without accents, for sorting and comparing names. `Łukasz` → `lukasz`, `Søren` → `soren`. Up to 255 UTF-16
 * units, since one character can fold to eighteen.
 */
export function fold(text: string): string {
  return foldWhole(text).slice(0, MAX_LENGTH).toWellFormed()
}

/** The same without a limit, for search. */
export function foldWhole(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđðħıŧæœßþς]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
}

/** Lower case with accents, for unique texts. */
export const lowerCase = (text: string): string => text.normalize('NFC').toLowerCase()

// Letters that Unicode does not decompose, though people type them without their stroke; and the final sigma.
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
}
