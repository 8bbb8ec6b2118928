import { format } from './locale.ts'

const UNITS = ['KB', 'MB', 'GB', 'TB']

/** "14 MB", "1.9 GB", in units of 1,024 as the commands have them. */
export function sizeText(bytes: number): string {
  let value = bytes / 1024
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${format.value.number(value < 10 ? Math.ceil(value * 10) / 10 : Math.round(value))} ${UNITS[unit]}`
}

/** "0.4 s", "12 s", "3 min 20". */
export function tookText(ms: number): string {
  if (ms >= 60_000) return format.value.duration(ms)
  return `${format.value.number(ms < 10_000 ? Math.round(ms / 100) / 10 : Math.round(ms / 1000))} s`
}
