export type Duration = {
  short(ms: number): string
  late(ms: number): string
  lateInFull(ms: number): string
  ago(ms: number): string
}

type Unit = 'minute' | 'hour' | 'day'
type Words = {
  units: Record<Unit, string>
  late: (duration: string) => string
  justNow: string
  oneAgo: Partial<Record<Unit, string>>
}

// The units of tables and clocks, which Intl has no short enough form for.
const WORDS: Record<string, Words> = {
  en: {
    units: { minute: 'min', hour: 'h', day: 'd' },
    late: (duration) => `${duration} late`,
    justNow: 'just now',
    oneAgo: { minute: 'a minute ago', hour: 'an hour ago' },
  },
  de: {
    units: { minute: 'min', hour: 'h', day: 'T' },
    late: (duration) => `${duration} zu spät`,
    justNow: 'gerade eben',
    oneAgo: {},
  },
}
const SIZES: Record<Unit, number> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }
const SPACE = '\u00a0'

/** Durations in a language: two units at most, the time of a day in minutes, from a day on in days. */
export function durations(language: string): Duration {
  const tag = WORDS[language] ? language : 'en'
  const { units, late, justNow, oneAgo } = WORDS[tag] as Words
  const inWords = (count: number, unit: Unit): string =>
    new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  const short = (ms: number): string => {
    const { count, unit, minutes } = largest(ms)
    const rest = minutes === 0 ? '' : `${SPACE}${String(minutes).padStart(2, '0')}`
    return `${count}${SPACE}${units[unit]}${rest}`
  }
  return {
    short,
    late: (ms) => late(short(ms)),
    lateInFull(ms) {
      const { count, unit, minutes } = largest(ms)
      return late(minutes === 0 ? inWords(count, unit) : `${inWords(count, unit)} ${inWords(minutes, 'minute')}`)
    },
    ago(ms) {
      const { count, unit } = largest(ms)
      if (count === 0) return justNow
      const alone = count === 1 ? oneAgo[unit] : undefined
      return alone ?? new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(-count, unit)
    },
  }
}

/** The largest unit that fits, and beside hours the minutes that are left. */
function largest(ms: number): { count: number; unit: Unit; minutes: number } {
  const whole = Math.max(0, ms)
  const unit = whole >= SIZES.day ? 'day' : whole >= SIZES.hour ? 'hour' : 'minute'
  const minutes = unit === 'hour' ? Math.floor((whole % SIZES.hour) / SIZES.minute) : 0
  return { count: Math.floor(whole / SIZES[unit]), unit, minutes }
}
