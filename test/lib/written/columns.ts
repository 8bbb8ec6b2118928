// Columns as people of six locales write them, beside what each cell means: an oracle for what reads files.

export type Random = (below: number) => number
export type Cell = { written: string; meant: number | string }

export type Writer = {
  locale: string
  decimal: '.' | ','
  /** Between thousands; "" if the writer writes none. */
  groups: readonly string[]
  /** Of days with slashes or hyphens, and with points. */
  order: 'dmy' | 'mdy' | 'ymd'
  separators: readonly string[]
  months: string
  currency: string
  signs: readonly string[]
  thousand: string
  million: string
}

const [SPACE, NARROW] = ['\u00a0', '\u202f']

export const WRITERS: readonly Writer[] = [
  {
    locale: 'en-US',
    decimal: '.',
    groups: [',', ''],
    order: 'mdy',
    separators: ['/', '-'],
    months: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
    currency: 'USD',
    signs: ['$#', '# USD', 'USD #', 'US$ #', '-'],
    thousand: 'k',
    million: 'M',
  },
  {
    locale: 'en-GB',
    decimal: '.',
    groups: [',', ''],
    order: 'dmy',
    separators: ['/', '-', '.'],
    months: 'January February March April May June July August September October November December',
    currency: 'GBP',
    signs: ['£#', 'GBP #', '# GBP', '-'],
    thousand: 'k',
    million: 'm',
  },
  {
    locale: 'de-DE',
    decimal: ',',
    groups: ['.', '', ' '],
    order: 'dmy',
    separators: ['.', '.', '/'],
    months: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember',
    currency: 'EUR',
    signs: ['# €', '#€', 'EUR #', '# Euro', '-'],
    thousand: ' Tsd.',
    million: ' Mio.',
  },
  {
    locale: 'de-CH',
    decimal: '.',
    groups: ["'", '’', ''],
    order: 'dmy',
    separators: ['.'],
    months: 'Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.',
    currency: 'CHF',
    signs: ['CHF #', 'Fr. #', '# CHF', '-'],
    thousand: 'k',
    million: ' Mio.',
  },
  {
    locale: 'fr-FR',
    decimal: ',',
    groups: [SPACE, NARROW, ' ', ''],
    order: 'dmy',
    separators: ['/', '-'],
    months: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
    currency: 'EUR',
    signs: ['# €', `#${SPACE}€`, '# EUR', '-'],
    thousand: ' k',
    million: ' M',
  },
  {
    locale: 'pl-PL',
    decimal: ',',
    groups: [SPACE, ' ', ''],
    order: 'dmy',
    separators: ['.', '-'],
    months: 'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
    currency: 'PLN',
    signs: ['# zł', 'PLN #', '# PLN', '-'],
    thousand: ' tys.',
    million: ' mln',
  },
]

const pick = <T>(random: Random, all: readonly T[]): T => all[random(all.length)] as T

function grouped(whole: string, group: string): string {
  return whole.replace(/\B(?=(?:\d{3})+$)/g, group)
}

/** A number as one hand writes all numbers of a column: with the same places, or with as many as it has. */
function figure(random: Random, writer: Writer, group: string, places: number): { written: string; meant: string } {
  const whole = String(random(10 ** (1 + random(7))))
  const fraction = places === 0 ? '' : String(random(10 ** places)).padStart(places, '0')
  const written = `${grouped(whole, group)}${fraction && writer.decimal}${fraction}`
  return { written, meant: `${whole}${fraction && '.'}${fraction}` }
}

/** Cells of one writer, some with a minus, a word or a sign of a currency. */
export function numbersOf(random: Random, writer: Writer): Cell[] {
  const group = pick(random, writer.groups)
  const places = pick(random, [0, 0, 1, 2, 2, 3])
  return Array.from({ length: 1 + random(8) }, () => {
    const { written, meant } = figure(random, writer, group, random(4) === 0 ? 0 : places)
    const minus = pick(random, ['', '', '', '-', '−', '()'])
    const unit = random(6)
    const [word, power] = unit === 0 ? [writer.thousand, 3] : unit === 1 ? [writer.million, 6] : ['', 0]
    const plain = word && Number(meant) < 1e6 ? `${written}${word}` : written
    const value = Number(`${meant}e${plain === written ? 0 : power}`)
    const signed = minus === '()' ? `(${plain})` : `${minus}${plain}`
    return { written: signed, meant: minus === '' || value === 0 ? value : -value }
  })
}

export function amountsOf(random: Random, writer: Writer): Cell[] {
  const group = pick(random, writer.groups)
  const places = pick(random, [0, 2, 2])
  const sign = pick(random, writer.signs)
  return Array.from({ length: 1 + random(8) }, () => {
    const { written, meant } = figure(random, writer, group, places)
    const isBare = sign === '-' || random(5) === 0
    const text = isBare ? written : sign.replace('#', written)
    return { written: text, meant: `${Number(meant)} ${isBare ? '' : writer.currency}`.trim() }
  })
}

const two = (number: number) => String(number).padStart(2, '0')

export function daysOf(random: Random, writer: Writer): Cell[] {
  const separator = pick(random, writer.separators)
  const style = pick(random, ['digits', 'digits', 'digits', 'padded', 'short', 'named', 'iso'])
  const time = pick(random, ['', '', '', ' 14:30', ' 08:05:10'])
  const months = writer.months.split(' ')
  return Array.from({ length: 1 + random(8) }, () => {
    const [year, month, day] = [2024 + random(6), 1 + random(12), 1 + random(28)]
    const [d, m] = style === 'digits' ? [String(day), String(month)] : [two(day), two(month)]
    const y = style === 'short' ? String(year).slice(2) : String(year)
    const named =
      writer.locale === 'en-US'
        ? `${months[month - 1]} ${day}, ${year}`
        : `${day}${writer.locale.startsWith('de') ? '.' : ''} ${months[month - 1]} ${year}`
    const parts = writer.order === 'mdy' ? [m, d, y] : [d, m, y]
    const iso = `${year}-${two(month)}-${two(day)}`
    const written = style === 'named' ? named : style === 'iso' ? iso : parts.join(separator)
    return { written: written + time, meant: iso }
  })
}
