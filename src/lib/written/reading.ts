/**
 * What a text means that a person wrote. The whole text is read or nothing is: a reader never takes what it recognises at
 * the beginning and drops the rest.
 *   value    it means this, and nothing else
 *   either   it means one of these; who reads a file lists it, and who edits a field lets the reader's own format decide
 *   unread   it means none that is known; `part` is what of the text was not understood, and `why` a key of sentences
 */
export type Reading<T> = { value: T } | { either: readonly [T, T, ...T[]] } | { unread: Unread }

export type Unread = { part: string; why: Why }

/**
 *   not_one      the text is none of the kind
 *   rest         a part of it is, and the rest would be lost
 *   several      it is more than one, where one is wanted
 *   incomplete   a part is missing: the year of a day, or the day of a month
 *   no_such      the calendar or the clock has no such day or time
 *   spreadsheet  a spreadsheet has destroyed it: digits are missing, and can be had from the original only
 *   too_large, too_precise   it is one, but not one that can be stored
 *   contradicts  it says something else than its column does, as another currency
 */
export type Why =
  | 'not_one'
  | 'rest'
  | 'several'
  | 'incomplete'
  | 'no_such'
  | 'spreadsheet'
  | 'too_large'
  | 'too_precise'
  | 'contradicts'

export type Sign = '.' | ','
export type Order = 'dmy' | 'mdy' | 'ymd'

/** What is known where the text stands. Each reader says in its docstring which of them it looks at. */
export type Context = {
  /** The format of who wrote it, such as "de-DE". */
  locale?: string | undefined
  /** By which calendar they count years, where that is known apart from the format. */
  calendar?: 'buddhist' | 'persian' | 'islamic' | undefined
  /** The decimal sign that the whole column has shown, or that was set by hand. */
  decimal?: Sign | undefined
  /** The sign between thousands that the whole column has shown, where it has shown no decimal sign for certain. */
  group?: Sign | undefined
  /** The order of day, month and year that the whole column or file has shown, or that was set by hand. */
  order?: Order | undefined
  /** The same for days with points, which have the day in front everywhere else. */
  orderOfPoints?: Order | undefined
  /** What the plain numbers of a column of days are: days since 1900 as spreadsheets count them, or time since 1970. */
  counted?: 'days' | 's' | 'ms' | undefined
  /** All moments of a column of days are midnight in UTC: programs write days so. */
  isMidnightUtc?: boolean | undefined
  /** The parts of a percentage column are shares of one; those of a column of durations minutes and seconds. */
  isShare?: boolean | undefined
  isMinutes?: boolean | undefined
  /** Where days lie by the purpose of their field: a birthday is past, the close date of a deal mostly ahead. */
  lies?: 'past' | 'ahead' | undefined
  /** Whether the numbers of the whole column have kept the 0 in front of them, or a spreadsheet has dropped it. */
  trunk?: 'kept' | 'lost' | undefined
  /** Whether the names of the whole column begin with the surname. */
  isSurnameFirst?: boolean | undefined
  /** The time zone of the organisation, and the moment of the reading in milliseconds. */
  zone?: string | undefined
  now?: number | undefined
  /** ISO 3166 alpha-2, and ISO 4217. */
  country?: string | undefined
  currency?: string | undefined
  /** The currency that another cell of the row has. */
  rowCurrency?: string | undefined
  /** A person looks at what was read before it is kept: their own format decides what would be unsure in a file. */
  isSeen?: boolean | undefined
}

export const isValue = <T>(reading: Reading<T>): reading is { value: T } => 'value' in reading

/** The reading of one of several possible meanings; `part` is the text that has none. */
export function readingOf<T>(meanings: readonly T[], part: string, why: Why = 'not_one'): Reading<T> {
  const [one, other, ...more] = meanings
  if (one === undefined) return unread(part, why)
  return other === undefined ? { value: one } : { either: [one, other, ...more] }
}

export const unread = (part: string, why: Why): { unread: Unread } => ({ unread: { part, why } })

/** Applies a function to what a text means. */
export function mapped<T, U>(reading: Reading<T>, to: (value: T) => U): Reading<U> {
  if ('unread' in reading) return reading
  if ('value' in reading) return { value: to(reading.value) }
  const [one, other, ...more] = reading.either
  return { either: [to(one), to(other), ...more.map(to)] }
}
