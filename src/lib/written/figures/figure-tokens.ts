import { oneDash, plainText, withoutEnd } from '../characters.ts'
import type { Context } from '../reading.ts'
import { currenciesOf, keyOf } from './currencies.ts'
import { DECIMAL_ONLY } from './figures.ts'
import { powersOf } from './magnitudes.ts'

// A text with a figure, in pieces: the figure, a minus or brackets, words such as "Mio.", a currency, a percent sign.

/** A piece; `mark` is its letter in the shape of the text: F figure, M multiplying word, C currency, % percent, - + ( ). */
export type Piece = {
  mark: string
  text: string
  /** Of a figure: "2½" is 2 and ½, "1,5E+03" 1,5 and E+03. */
  figure: string
  exponent: string
  fraction: string
  powers: readonly number[]
}

/** Longer texts are no figure. */
export const MAX_LENGTH = 60
const MAX_WORDS = 3

const HALVES = '½¼¾⅛⅜⅝⅞⅕⅖⅗⅘'
const PIECE = new RegExp(
  `(?<figure>\\d[\\d.,' ${DECIMAL_ONLY}]*\\d|\\d|[.,${DECIMAL_ONLY}]\\d+)(?<exponent>e[+-]?\\d{1,3}(?![\\d\\p{L}]))?(?: ?(?<fraction>[${HALVES}]))?|(?<half>[${HALVES}])|(?<mark>[-+()%])|(?<word>[\\p{L}\\p{M}\\p{Sc}](?:[\\p{L}\\p{M}\\p{Sc}.]|(?<=s)/)*)|(?<space> )`,
  'giuy',
)
const PERCENT = new Set(
  'prozent percent pct proc procent procento por_ciento por_cento pour_cent per_cent パーセント'.split(' '),
)

/** One sign for each that there are several of. */
const cleaned = (text: string): string =>
  oneDash(plainText(text))
    .replace(/[’`´‘٬]/g, "'")
    .replace(/٫/g, DECIMAL_ONLY)
    .replace(/٪/g, '%')
    // "250,– €" has no cents, and "12€50" has them behind the sign.
    .replace(/(?<=\d)([.,]) ?[-—]{1,2}(?!\d)/, '$100')
    .replace(/^(\d+) ?([€$£]) ?(\d\d)$/, `$1${DECIMAL_ONLY}$3 $2`)
    .replace(/(?<=\p{L}) (?:de |di |d')(?=\p{L})/giu, ' ')

/**
 * Returns the pieces of a text in their order; undefined if a sign is none. Words that mean nothing here are pieces with the
 * mark "?". Looks at the currency and the locale.
 */
export function piecesOf(text: string, context: Context, isMoney: boolean): Piece[] | undefined {
  if (text.length > 4 * MAX_LENGTH) return undefined
  const plain = cleaned(text)
  if (plain.length > MAX_LENGTH) return undefined
  const pieces: Piece[] = []
  let words: string[] = []
  let end = 0
  const endWords = () => {
    pieces.push(...ofWords(words, context, isMoney))
    words = []
  }
  for (const match of plain.matchAll(PIECE)) {
    end = match.index + match[0].length
    const { figure, exponent, fraction, half, mark, word } = match.groups as Record<string, string | undefined>
    if (word !== undefined) words.push(word)
    if (figure !== undefined || half !== undefined) {
      endWords()
      pieces.push(piece('F', match[0], { figure: figure ?? '0', exponent, fraction: half ?? fraction }))
    } else if (mark !== undefined) {
      endWords()
      pieces.push(piece(mark, mark))
    }
  }
  endWords()
  return end === plain.length ? pieces : undefined
}

type Given = {
  figure?: string
  exponent?: string | undefined
  fraction?: string | undefined
  powers?: readonly number[]
}

const piece = (mark: string, text: string, given: Given = {}): Piece => ({
  mark,
  text,
  figure: given.figure ?? '',
  exponent: given.exponent ?? '',
  fraction: given.fraction ?? '',
  powers: given.powers ?? [],
})

/** The longest run of words that means something is one piece: "US dollars". */
function ofWords(words: readonly string[], context: Context, isMoney: boolean): Piece[] {
  const [first] = words
  if (first === undefined) return []
  for (let count = Math.min(MAX_WORDS, words.length); count > 0; count--) {
    const found = ofWord(words.slice(0, count).join(' '), context, isMoney)
    if (found) return [...found, ...ofWords(words.slice(count), context, isMoney)]
  }
  return [piece('?', first), ...ofWords(words.slice(1), context, isMoney)]
}

/** What stands glued to a currency: "25 k€", "25 TEUR", "€m". */
const GLUED: Record<string, number> = {
  k: 3,
  t: 3,
  tsd: 3,
  m: 6,
  mio: 6,
  mn: 6,
  mln: 6,
  mm: 6,
  md: 9,
  mrd: 9,
  bn: 9,
  b: 9,
}

function ofWord(word: string, context: Context, isMoney: boolean): Piece[] | undefined {
  const key = keyOf(word)
  if (PERCENT.has(key.replaceAll(' ', '_'))) return [piece('%', word)]
  const own = powersOf(withoutEnd(word, '.'), key, isMoney, context)
  const isCurrency = currenciesOf(word, context).length > 0
  // "5 mil" is no currency, and MRD is none either; a code is one also where it could be glued.
  if (isCurrency) return [piece('C', word)]
  if (own.length > 0) return [piece('M', word, { powers: own })]
  const plain = word.replaceAll('.', '')
  const glued = (part: string): readonly number[] => {
    const power = GLUED[part.toLowerCase()]
    return power === undefined ? powersOf(part, keyOf(part), true, context) : [power]
  }
  for (let at = 1; at < plain.length; at++) {
    const [front, back] = [plain.slice(0, at), plain.slice(at)]
    const [before, behind] = [glued(front), glued(back)]
    if (before.length > 0 && currenciesOf(back, context).length > 0)
      return [piece('M', front, { powers: before }), piece('C', back)]
    if (behind.length > 0 && currenciesOf(front, context).length > 0)
      return [piece('C', front), piece('M', back, { powers: behind })]
  }
  return undefined
}
