import type { Moment } from './moment.ts'

/** When a series takes place: its start, and what was added by name. */
type Times = { starts: Moment; extra: readonly Moment[] }

/**
 * Programs name an occurrence in another form than the series: as a day, without a zone, in UTC, in another zone or at
 * midnight. Returns the time at which the series has it.
 */
export function inFormOf(at: Moment, { starts, extra }: Times): Moment {
  if (extra.some(({ ms }) => ms === at.ms)) return at
  if (starts.isDay) return at.isDay ? at : on(starts, dayOf(at, starts))
  if (at.isDay) return on(starts, at.local)
  if (isAtStart(starts.zone.toLocal(at.ms), starts)) return at
  if ((at.isFloating || starts.isFloating) && isAtStart(at.local, starts)) return on(starts, at.local)
  return isMidnight(at.local) ? on(starts, at.local) : at
}

/** A day in UTC is that of the series: its midnight is another one than that of Greenwich. */
const dayOf = (at: Moment, { zone }: Moment): Temporal.PlainDateTime =>
  at.isFloating || isMidnight(at.local) ? at.local : zone.toLocal(at.ms)

function on(starts: Moment, day: Temporal.PlainDateTime): Moment {
  const local = day.toPlainDate().toPlainDateTime(starts.local.toPlainTime())
  return { ...starts, local, ms: starts.zone.toMs(local) }
}

const isAtStart = (local: Temporal.PlainDateTime, starts: Moment): boolean =>
  local.toPlainTime().equals(starts.local.toPlainTime())

const isMidnight = (local: Temporal.PlainDateTime): boolean => local.toPlainTime().equals(MIDNIGHT)

const MIDNIGHT = Temporal.PlainTime.from('00:00')
