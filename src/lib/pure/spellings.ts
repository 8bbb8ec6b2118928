// How else a text is typed by those who search for it.

/** Between letters: they are left out as often as they are typed. The last two are Hebrew, where quotes stand for them. */
const APOSTROPHE = /([\p{L}\p{N}])['`´‘’‛′ʹʻʼ׳״](?=\p{L})/gu
const HEBREW_QUOTE = /(\p{Script=Hebrew})"(?=\p{Script=Hebrew})/gu

/** Letters that are spelled with two where a keyboard does not have them; others lose their accent alone. */
const IN_TWO: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const WITH_TWO = /[äöüøåÄÖÜØÅ]/g

/** Whether a text in NFC may have others. */
export const hasSpellings = (text: string): boolean => /['"`´‘’‛′ʹʻʼ׳״äöüøåÄÖÜØÅ]/.test(text)

/** Those of a text in NFC that are not its own: without apostrophes, with two letters for one, and both. */
export function otherSpellings(text: string): string[] {
  const joined = text.replace(APOSTROPHE, '$1').replace(HEBREW_QUOTE, '$1')
  const found = new Set([joined, inTwo(text), inTwo(joined)])
  found.delete(text)
  return [...found]
}

const inTwo = (text: string): string => text.replace(WITH_TWO, (letter) => IN_TWO[letter.toLowerCase()] ?? letter)

/**
 * Letters of scripts that put no spaces between words, or, as Korean, write several as one: a word may begin at any of
 * them. They are those of a folded text, where Korean syllables are taken apart.
 */
const SPACELESS =
  '\\p{scx=Hani}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Hang}\\p{scx=Yiii}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Lana}\\p{scx=Talu}\\p{scx=Tavt}'
/** Among letters and digits alone: a script has signs as well. */
export const isSpaceless = (letter: string): boolean => ONE.test(letter)
const ONE = new RegExp(`[${SPACELESS}]`, 'u')
/** Divides a word where such a script begins or ends. */
export const RUNS = new RegExp(`[${SPACELESS}]+|[^${SPACELESS}]+`, 'gu')
/** Of a run of such letters: a Korean syllable is one, whatever it is made of. */
export const LETTERS = /[\u1100-\u1112\u1113-\u115e\ua960-\ua97c][\u1161-\u11ff\ud7b0-\ud7fb]*|./gsu
