import { foldWhole } from '../../pure/fold.ts'
import type { Context } from '../reading.ts'

// Words and signs behind a figure that multiply it: k, Mio., mln, crore, 万. Each is a power of ten.

const table = (text: string): Map<string, number> =>
  new Map(
    text
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [power = '', words = ''] = line.trim().split(/: ?/)
        return words.split(' ').map((word) => [foldWhole(word), Number(power)] as const)
      }),
  )

/** In lower case, without accents and without points at the end. */
const POWERS = table(`
  3: k tsd tausend thousand thousands thsd mille millier milliers mila tys tysiac tysiace tysiecy duizend tusen tusind tis tisic ezer mii tuhat tuhatta bin хил χιλ χιλιαδες тыс тысяча тысяч тысячи тисяч тис 千 천 ألف
  4: 万 萬 만
  5: lakh lakhs lac lacs लाख
  6: mio mn mln million millions millionen millionnen millon millones milhao milhoes milion miliony milionow milionu milioni milione milioane miljoen miljoon miljoonaa milj miljoner miljon millioner milyon mi mm млн миллион миллиона миллионов миллионы мільйон εκ εκατ 百万 백만 مليون
  7: crore crores cr करोड़
  8: 億 亿 억
  9: bn mrd mrds mld md mdr mia milliarde milliarden milliard milliards millardo miliard miliardy miliardow miliarda miliardi miliardo miljard miljarder miljardia milliarder milliarder milyar miliarde milliardo bi bilhao bilhoes млрд миллиард миллиарда миллиардов δισ مليار
  12: tn trillion trillions trn bio 兆 조
`)

/** A word that means one thing in some languages and another elsewhere: languages, power there, powers elsewhere. */
const DIVIDED: Record<string, [languages: string, power: number, elsewhere: readonly number[]]> = {
  mil: ['es pt gl ca', 3, [3, 6]],
  billion: ['en', 9, [9, 12]],
  billions: ['en', 9, [9, 12]],
  billionen: ['de', 12, [12]],
  billon: ['es', 12, [12]],
  billones: ['es', 12, [12]],
}

/** Other languages in which a divided word is certain. */
const SURE: Record<string, Record<string, number>> = {
  mil: { en: 6, ro: 6, cs: 6, sk: 6, sl: 6, da: 6, sv: 6, nb: 6, nl: 6, hr: 6 },
  billion: { de: 12, fr: 12, da: 12, nb: 12 },
  billions: { fr: 12 },
}

/** Beside a figure without a currency these are miles, millimetres, tonnes and the like. */
const OF_MONEY = new Set('m b mm mi md bi cr tn bin'.split(' '))

/** Single letters, which mean a number only beside a currency or in capitals. */
const LETTERS: Record<string, number> = { K: 3, M: 6, B: 9, T: 12 }

/** Returns the powers of ten that a word may stand for; none for another word. */
export function powersOf(word: string, key: string, isMoney: boolean, { locale }: Context): readonly number[] {
  const letter = LETTERS[word]
  // "T€" and "TEUR" are thousands, as German accounts write them; a T behind a figure may be the English trillion.
  if (letter !== undefined) return word === 'T' ? [] : [letter]
  if (!isMoney && OF_MONEY.has(key)) return []
  if (key === 'm' || key === 'b') return [key === 'm' ? 6 : 9]
  const divided = DIVIDED[key]
  if (divided) {
    const [languages, power, elsewhere] = divided
    const language = locale?.split('-')[0] ?? ''
    if (languages.split(' ').includes(language)) return [power]
    const sure = SURE[key]?.[language]
    return sure === undefined ? elsewhere : [sure]
  }
  const power = POWERS.get(key)
  return power === undefined ? [] : [power]
}

/** Moves the point of a decimal text to the right: 1.5 and 3 are 1500. */
export function shifted(decimal: string, power: number): string {
  const [whole = '', fraction = ''] = decimal.split('.')
  const digits = fraction.padEnd(power, '0')
  const left = (whole + digits.slice(0, power)).replace(/^0+(?=\d)/, '')
  const right = digits.slice(power).replace(/0+$/, '')
  return right === '' ? left : `${left}.${right}`
}
