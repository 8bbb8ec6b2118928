import { momentOf, zoned } from '../../lib/zoned.ts'

export type Preset = 'today' | 'tomorrow' | 'week'

/** When a snooze of this name ends, in the member's zone: in three hours, but not after six; at eight in the morning else. */
export function presetTime(preset: Preset, now: number, timezone: string): number | undefined {
  const here = zoned(now, timezone)
  const at = (days: number, hour: number) => {
    const day = new Date(Date.UTC(here.year, here.month - 1, here.day + days))
    const date = { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate() }
    return momentOf({ ...date, hour, minute: 0, second: 0 }, timezone)
  }
  if (preset === 'today') return here.hour >= 17 ? undefined : at(0, Math.min(18, here.hour + 3))
  if (preset === 'tomorrow') return at(1, 8)
  const weekday = new Date(Date.UTC(here.year, here.month - 1, here.day)).getUTCDay()
  return at((8 - weekday) % 7 || 7, 8)
}

export type Later = 'afternoon' | 'morning' | 'monday'

/** When a mail that is sent later leaves: today at two, tomorrow or on Monday at eight, in the member's zone. */
export function laterTime(later: Later, now: number, timezone: string): number | undefined {
  if (later !== 'afternoon') return presetTime(later === 'morning' ? 'tomorrow' : 'week', now, timezone)
  const { hour, year, month, day } = zoned(now, timezone)
  return hour >= 14 ? undefined : momentOf({ year, month, day, hour: 14, minute: 0, second: 0 }, timezone)
}
