// Letters that Unicode does not decompose, though people type them without their stroke.
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

/** Lower case without accents, as the server compares texts (src/lib/fold.ts): `Łukasz` → `lukasz`. */
export function fold(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[łøđðħıŧæœßþς]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
}
