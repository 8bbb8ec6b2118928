// Days and times in workbooks are numbers of days, which only the format of their cell tells from other numbers.

/** The numbers of the formats for days and times that every workbook has; those from 27 on are of East Asia. */
const DAYS = [14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]
const BUILT_IN: ReadonlySet<number> = new Set([...DAYS, 18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56])

/** Whether cells of a format show a day or a time. `[h]:mm` counts hours, and is a number. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return BUILT_IN.has(id)
  const bare = code.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi, '').split(';')[0] as string
  return !/\[(?:h+|m+|s+)\]/i.test(bare) && !/general/i.test(bare) && /[ymdhs]/i.test(bare)
}

const DAY_S = 86_400

/** Returns `2026-11-20`, `2026-11-20 08:36:05`, or `08:36:05` for a time alone. Without a zone, as the cell shows it. */
export function dateOf(serial: number, is1904: boolean): string {
  const seconds = Math.round(serial * DAY_S)
  const [days, rest] = [Math.floor(seconds / DAY_S), ((seconds % DAY_S) + DAY_S) % DAY_S]
  const time = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60, rest % 60].map(twoDigits).join(':')
  if (days === 0 && !is1904) return time
  // 1900 has a 29 February in workbooks.
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30)
  const day = new Date(first + days * DAY_S * 1000).toISOString().slice(0, 10)
  return rest === 0 ? day : `${day} ${time}`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
