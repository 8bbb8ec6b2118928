import { usage } from '../lib/problem.ts'
import { HOUR_MS } from '../lib/time.ts'

/** Returns the milliseconds of `90d` or `12h`; null for `never`. Throws a usage Problem. */
export function parseLifetime(flag: string, text: string): number | null {
  if (text === 'never') return null
  const [, count, unit] = /^([1-9]\d{0,3})([dh])$/.exec(text) ?? []
  if (!count) throw usage(`${flag} ${text} is not a valid duration. Use days such as 90d, hours such as 12h, or never.`)
  return Number(count) * (unit === 'd' ? 24 : 1) * HOUR_MS
}
