import { isCurrency } from '../../money.ts'
import { foldWhole } from '../../pure/fold.ts'
import { withoutEnd } from '../characters.ts'
import type { Context } from '../reading.ts'

// Codes, signs and words of currencies, as people write them beside an amount.

const DOLLARS =
  'USD AUD CAD NZD HKD SGD MXN CLP COP ARS TWD BBD BMD BND BSD BZD CUP DOP FJD GYD JMD KYD LRD NAD SBD SRD TTD UYU XCD'
const PESOS = 'MXN ARS CLP COP PHP UYU DOP CUP'
const FRANCS = 'CHF XOF XAF XPF CDF DJF GNF RWF BIF KMF'
const RUPEES = 'INR PKR LKR NPR MUR'

/** Signs and words of one currency. */
const ONE = `
  AED: aed د.إ
  ARS: ar$
  AUD: a$ au$ australian_dollars australische_dollar
  AZN: ₼ manat
  BDT: ৳ tk taka
  BGN: лв лева leva lewa
  BOB: bs
  BRL: r$ real reais reales
  CAD: ca$ can$ canadian_dollars kanadische_dollar
  CHF: sfr fr franken schweizer_franken swiss_francs francs_suisses franchi_svizzeri
  CLP: clp$
  CNY: cn¥ rmb yuan yuans renminbi 人民币 人民幣
  COP: col$ cop$
  CRC: ₡ colones
  CZK: kc koruna koruny korun ceskych_korun
  DOP: rd$
  EUR: € euro euros eur ευρω евро euroa
  GBP: gb£ uk£ pfund pounds_sterling british_pounds sterling livres_sterling libras_esterlinas quid
  GEL: ₾ lari
  GHS: gh₵ gh¢ ₵ cedi cedis
  HKD: hk$
  HRK: kn kuna kune
  HUF: ft forint forints
  IDR: rp rupiah
  ILS: ₪ nis shekel shekels ש"ח
  INR: ₹ inr रु रुपये
  ISK: isk
  JPY: jp¥ yen yens 円 日本円
  KES: ksh kshs
  KHR: ៛
  KRW: ₩ won 원
  KZT: ₸ тенге
  LAK: ₭
  MNT: ₮
  MXN: mx$ mex$ mxn$
  MYR: rm ringgit
  NGN: ₦ naira
  NZD: nz$
  PEN: s/ s/. soles
  PHP: ₱
  PLN: zl zloty zlote zlotych zlotys
  PYG: ₲ guaranies
  RSD: din dinara динара
  RUB: ₽ rub rubel rubles rubli руб рублей рубля
  SAR: sr ر.س
  SGD: s$
  THB: ฿ baht บาท
  TRY: ₺ tl lira lirasi
  TWD: nt$ 新台幣 新台币
  UAH: ₴ грн гривень hryvnia
  USD: us$ u$s usd$ us_dollar us_dollars us-dollar us-dollars dolares_americanos dollars_americains dolarow
  VND: ₫ đong
  XPF: cfpf
  ZAR: r rand rands
  ZMW: zk
  AMD: ֏
  AOA: kz
`

/** Those of several: with a star where one is meant unless the organisation has another of them. */
const SEVERAL = `
  *${DOLLARS}: $ dollar dollars dolar dolares dollari dolary
  *GBP EGP FKP GIP SHP SSP SYP LBP: £ ₤ pound pounds livres libras funty
  *${FRANCS}: franc francs franchi francos
  *CAD NIO: c$
  *RON MDL: lei leu
  JPY CNY: ¥
  *CNY TWD HKD: 元 圓
  SEK NOK DKK ISK: kr kronen
  SEK ISK: krona kronor
  NOK DKK: krone kroner
  XOF XAF: fcfa cfa f_cfa francs_cfa
  ${RUPEES}: rs rupee rupees rupien roupies rupias
  ${PESOS}: peso pesos
  AED MAD: dh dhs dirham dirhams
  SAR QAR OMR YER: riyal riyals rial rials ﷼
`

type Meaning = { codes: readonly string[]; isFirst: boolean }

const MEANINGS = new Map<string, Meaning>(
  `${ONE}${SEVERAL}`.split('\n').flatMap((line) => {
    const [codes = '', words = ''] = line.trim().split(/: (.*)/s)
    const meaning = { codes: codes.replace('*', '').split(' '), isFirst: codes.startsWith('*') }
    return words.split(' ').map((word) => [keyOf(word.replaceAll('_', ' ')), meaning] as const)
  }),
)

/** Codes that are words: as codes only in capitals. */
const WORDS = new Set('all top try cup gel mop pen sos mad bob bam ron php std'.split(' '))

/** Lower case, without accents and points at the end. */
export function keyOf(word: string): string {
  const key = foldWhole(word)
  return key === 's/.' ? key : withoutEnd(key, '.')
}

/**
 * Returns the currencies that a code, a sign or a word may stand for: several if the row and the organisation have none of
 * them, none if it is no currency. Looks at `rowCurrency` and `currency`.
 */
export function currenciesOf(text: string, { rowCurrency, currency }: Context): readonly string[] {
  const word = text.trim()
  const key = keyOf(word)
  const code = key.toUpperCase()
  const isCode = code.length === 3 && isCurrency(code) && !(WORDS.has(key) && word !== code)
  if (isCode) return [code]
  const meaning = MEANINGS.get(key)
  if (!meaning) return []
  const { codes, isFirst } = meaning
  if (codes.length === 1) return codes
  const own = [rowCurrency, currency].find((each) => each !== undefined && codes.includes(each))
  return own !== undefined ? [own] : isFirst ? codes.slice(0, 1) : codes
}

/** Whether a sign or word may be of this currency: "$" is of CAD too, and "€" is not. */
export const mayMean = (text: string, code: string): boolean => currenciesOf(text, { rowCurrency: code }).includes(code)
