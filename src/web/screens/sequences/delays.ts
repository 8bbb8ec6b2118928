import { texts } from './texts.ts'
import type { StepSettings } from './wire.ts'

/** Seconds of each unit that a delay is written in. */
export const UNITS = { min: 60, h: 3600, d: 86_400 } as const
export type Unit = keyof typeof UNITS

/** The largest unit in which the delay is a whole number. */
export function unitOf(delay_s: number): Unit {
  if (delay_s % UNITS.d === 0) return 'd'
  return delay_s % UNITS.h === 0 ? 'h' : 'min'
}

/** "3 business days", "2 hours, on business days" */
export function delayText({ delay_s, business_days_only }: StepSettings, isFirst: boolean): string {
  const words = texts()
  const unit = unitOf(delay_s)
  const number = Math.round(delay_s / UNITS[unit])
  const isBusiness = business_days_only === true
  if (delay_s > 0 && unit === 'd') return words.days(number, isBusiness)
  const text = delay_s === 0 ? words.atOnce(isFirst) : `${number} ${words.units[unit]}`
  return isBusiness ? `${text}, ${words.onBusinessDays}` : text
}
