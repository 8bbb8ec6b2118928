import { foldWhole } from '../../pure/fold.ts'
import { plainText } from '../characters.ts'
import { readFigure } from '../figures/figures.ts'
import { type Context, type Reading, readingOf, unread } from '../reading.ts'

// Durations in seconds: `1:30:00`, `1h 30m`, `1,5 Std.`, `90 min`, `PT1H30M`.

const [MINUTE, HOUR, DAY, WEEK] = [60, 3600, 86_400, 604_800]

const UNITS = new Map(
  Object.entries({
    1: 's sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos seg secondo secondi sekund sekundy sekunda sekunder sn saniye сек с секунд секунды 秒 秒間 초',
    [MINUTE]:
      'm min mins minute minutes minuten minuto minutos minuti minut minuty minuta minuuttia minuter minutter perc dk dakika мин минут минуты хв 分 分間 分钟 分鐘 분',
    [HOUR]:
      'h hr hrs hour hours std stunde stunden heure heures hora horas ora ore godz godzina godziny godzin uur tim timme timmar time timer tunti tuntia hod hodin hodiny ora sa saat ч час часа часов год 時間 小时 小時 시간',
    [DAY]:
      'd day days tag tage tagen jour jours j dia dias giorno giorni gg dzien dni dag dagen dagar dage den nap gun дн день дня дней 日 日間 天 일',
    [WEEK]:
      'w wk wks week weeks woche wochen wo semaine semaines sem semana semanas settimana settimane tydzien tygodnie tygodni tyg weken vecka veckor uge uger hafta нед неделя недели недель 週間 周 週 주',
  }).flatMap(([seconds, words]) => words.split(' ').map((word) => [foldWhole(word), Number(seconds)] as const)),
)

const MAX_LENGTH = 60
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d+))?S)?)?$/i
const CLOCK = /^(\d{1,4}):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?$/
const PART = /(\d+(?:[.,]\d+)?) ?([\p{L}\p{M}]+)\.?(?:,? (?:and |und |et |y |e |i )?|(?=\d)|$)/gu

/** Whether the cells of a column write hours as a third part, so that the others have minutes and seconds. */
export const isMinutes = (texts: readonly string[]): boolean => texts.some((text) => CLOCK.exec(text.trim())?.[3])

/**
 * Reads a duration in seconds. 1:30 is minutes and seconds, or hours and minutes, unless the column shows which. Looks at
 * the signs that the column has shown, and the locale.
 */
export function readDuration(text: string, context: Context = {}): Reading<number> {
  const plain = text.length > 4 * MAX_LENGTH ? '' : plainText(text)
  if (plain === '' || plain.length > MAX_LENGTH) return unread(text.slice(0, MAX_LENGTH), 'not_one')
  const iso = ISO.exec(plain)
  if (iso && /\d/.test(plain)) {
    const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = iso.slice(1).map((each) => Number(each ?? 0))
    return { value: weeks * WEEK + days * DAY + hours * HOUR + minutes * MINUTE + seconds }
  }
  const clock = CLOCK.exec(plain)
  if (clock) return ofClock(clock, text, context)
  if (/^[\d.,]+$/.test(plain)) return unread(text, 'incomplete')
  return ofParts(plain, text, context)
}

function ofClock(
  [, first = '', second = '', third]: RegExpExecArray,
  text: string,
  { isMinutes }: Context,
): Reading<number> {
  if (Number(second) > 59 || Number(third ?? 0) > 59) return unread(text, 'no_such')
  if (third !== undefined) return { value: Number(first) * HOUR + Number(second) * MINUTE + Number(third) }
  const short = Number(first) * MINUTE + Number(second)
  return readingOf(isMinutes ? [short] : [short, short * 60], text)
}

/** Parts from the largest unit to the smallest; a last one without a unit is of the next smaller: "1h30". */
function ofParts(plain: string, text: string, context: Context): Reading<number> {
  const folded = foldWhole(plain).replace(/(?<=\d ?h(?:r|rs)?) ?(\d{1,2})$/, ' $1 min')
  let sums = [0]
  let before = Number.POSITIVE_INFINITY
  let end = 0
  for (const match of folded.matchAll(PART)) {
    const [all, figure = '', word = ''] = match
    const unit = UNITS.get(word)
    if (match.index !== end || unit === undefined || unit >= before) return unread(word, 'rest')
    const { readings } = readFigure(figure, context)
    sums = sums.flatMap((sum) => readings.map((each) => sum + Number(each) * unit))
    before = unit
    end = match.index + all.length
  }
  if (end !== folded.length || end === 0) return unread(text, end === 0 ? 'not_one' : 'rest')
  return readingOf(
    sums.map((sum) => Math.round(sum * 1000) / 1000),
    text,
  )
}
