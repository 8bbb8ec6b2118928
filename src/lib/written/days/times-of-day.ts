import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../time.ts'
import { withoutEnd } from '../characters.ts'

// Times of day at the end of a text, or in front of its day: `14:30`, `2:30 PM`, `14h30`, `14 Uhr`, `午後2:30`, `noon`.

/** A text in its parts: what is left for the day, the times in milliseconds after midnight, and the zone. */
export type Split = { day: string; times: readonly number[]; zone: string; named: string; isIso: boolean }

const HALF = '[ap]\\.? ?m\\.?|[ap](?![\\p{L}.])|π\\.?μ\\.?|μ\\.?μ\\.?|[صم](?!\\p{L})|午前|午後|上午|下午|오전|오후'
const CLOCK = `(?:(?<before>午前|午後|上午|下午|오전|오후) ?)?(?<h>\\d{1,2})[:.](?<m>\\d{2})(?:[:.](?<s>\\d{2})(?:[.,](?<f>\\d{1,9}))?)?(?: ?(?<half>${HALF}))?(?: ?(?:uhr|hrs?|h|godz|ч)\\.?(?!\\p{L}))?`
const HOUR = `(?<h>\\d{1,2}) ?(?<half>${HALF})`
const LETTER = '(?<h>\\d{1,2}) ?(?:h|hs|hrs|uhr|ч)\\.?(?: ?(?<m>\\d{2}) ?(?:min|m)?)?(?![\\d\\p{L}])'
const ASIAN =
  '(?:(?<before>午前|午後|上午|下午|오전|오후) ?)?(?<h>\\d{1,2}) ?[時时点點시] ?(?:(?<m>\\d{1,2}) ?[分분]? ?)?(?:(?<s>\\d{1,2}) ?[秒초])?'
const NOON = '(?:12 )?(?<noon>noon|midday|midi|mittags?|mediod[ií]a|meio[- ]dia|mezzogiorno|po[łl]udnie|正午)'
const MIDNIGHT = '(?:12 )?(?<night>midnight|minuit|mitternachts?|medianoche|meia[- ]noite|mezzanotte|p[óo][łl]noc)'
const TIME = [CLOCK, HOUR, LETTER, ASIAN, NOON, MIDNIGHT]
const AT =
  '(?:(?<iso>T)|[ ,]*[ ,@](?:(?:at|um|à|a las|a la|às|as|o|godz\\.?|kl\\.?|om|alle ore|alle|ore|klo|em|de|@|-|–|в|о) ?)?|(?<=[日일]))'
/** A minus without UTC in front is an offset behind seconds or in ISO 8601 only: elsewhere 10:00-11:00 is a period. */
const ZONE =
  '(?: ?(?<zone>Z|(?:UTC|GMT) ?[+-]\\d{1,2}(?::?\\d{2})?|\\+\\d{1,2}(?::?\\d{2})?|-\\d{2}(?::?\\d{2})?|[A-Z]{1,5}|[A-Z][A-Za-z]+(?:/[A-Za-z][A-Za-z_+-]*)+))?(?<named>\\[[^\\]]+\\])?(?<long> ?\\([\\p{L} .-]{3,60}\\))?'

const atEnd = (time: string) => new RegExp(`^(?<day>.+?)${AT}${time}${ZONE}$`, 'iu')
const inFront = (time: string) => new RegExp(`^${time}${ZONE},? (?:on |am |den |, )?(?<day>\\S.+)$`, 'iu')
const PATTERNS = [...TIME.map(atEnd), ...TIME.map(inFront)]
const COMPACT =
  /^(?<day>\d{8})(?<iso>T)(?<h>\d{2})(?<m>\d{2})(?<s>\d{2})?(?:[.,](?<f>\d{1,9}))?(?<zone>Z|[+-]\d{2}:?(?:\d{2})?)?$/i
/** The year behind the time, as Unix writes it. */
const UNIX = /^(\p{L}{3} \p{L}{3} \d{1,2}) (\d{2}:\d{2}:\d{2})(?: ([A-Z]{3,5}))? (\d{4})$/u

const ALONE = TIME.map((time) => new RegExp(`^(?:(?:at|um|à|a las|às|om|kl\\.?|o|@) ?)?${time}$`, 'iu'))

/** Returns the milliseconds after midnight of a text that is a time of day and nothing else; a bare number is none. */
export function timeOfDay(text: string): number | undefined {
  for (const pattern of ALONE) {
    const groups = pattern.exec(text)?.groups as Record<string, string | undefined> | undefined
    const [time, other] = groups ? timesOf(groups) : []
    if (time !== undefined && other === undefined && time < DAY_MS) return time
  }
  return undefined
}

/**
 * Returns the ways to split a text into a day and a time of day; none if it has no time. A time that no clock shows has no
 * `times`.
 */
export function splitsOf(text: string): Split[] {
  const plain = text
    .replaceAll('−', '-')
    .replace(UNIX, (_, day: string, time: string, zone: string | undefined, year: string) =>
      [day, year, time, zone].filter(Boolean).join(' '),
    )
  return [COMPACT, ...PATTERNS].flatMap((pattern) => {
    const groups = pattern.exec(plain)?.groups as Record<string, string | undefined> | undefined
    if (!groups) return []
    const { day = '', zone = '', named = '', long, iso, s } = groups
    // An abbreviation may be the mark of the half of the day, or a word.
    if (long !== undefined && zone === '') return []
    const isPeriod = /^-/.test(zone) && iso === undefined && s === undefined
    if (isPeriod || (/^[a-z]/i.test(zone) && zone !== zone.toUpperCase() && !zone.includes('/'))) return []
    return [
      {
        day: withoutEnd(day, ' ,'),
        times: timesOf(groups),
        zone,
        named: named.slice(1, -1),
        isIso: iso !== undefined,
      },
    ]
  })
}

/** Milliseconds after midnight; midnight itself begins the day or ends it. */
function timesOf(groups: Record<string, string | undefined>): number[] {
  const { h = '', m = '0', s = '0', f = '', noon, night } = groups
  if (noon !== undefined) return [12 * HOUR_MS]
  if (night !== undefined) return [0, DAY_MS]
  const half = groups.half ?? groups.before
  const [hour, minute, second] = [Number(h), Number(m), Number(s)]
  if (hour > 24 || minute > 59 || second > 59) return []
  const rest = minute * MINUTE_MS + second * SECOND_MS + Number(f.padEnd(3, '0').slice(0, 3))
  if (half === undefined) return hour === 24 && rest > 0 ? [] : [hour * HOUR_MS + rest]
  const isAfternoon = /^(?:p|μ|م|午後|下午|오후)/iu.test(half) && !/^π/u.test(half)
  // "15:30 PM" says it twice, and "15:30 AM" contradicts itself.
  if (hour > 12 ? !isAfternoon || hour === 24 : hour === 0 && isAfternoon) return []
  const hours = hour > 12 ? hour : (hour % 12) + (isAfternoon ? 12 : 0)
  return [hours * HOUR_MS + rest]
}
