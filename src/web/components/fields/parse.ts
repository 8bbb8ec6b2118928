import { fold } from '../../lib/fold.ts'
import type { Format } from '../../lib/format.ts'
import type { Like } from '../../lib/texts/like.ts'
import type { en } from './en.ts'
import type { Parsed } from './field.ts'

// What people type and paste, read after their language. An empty text is null. Figures, days, addresses and phones are read
// by parse-figures.ts and parse-contacts.ts.

/** What reading needs to know: how numbers and days are written, and the sentences for what cannot be read. */
export type Reading = {
  format: Format
  texts: Like<typeof en>
  now: number
  /** How the reader writes days in digits, where that differs from their language: "en-US". */
  dayLocale?: string | undefined
  /** The browser's own format, which may count years by another calendar. */
  browserLocale?: string | undefined
}

export function parseText(text: string): Parsed {
  return { value: text.trim() === '' ? null : text }
}

type Choices = readonly { value: string; label: string }[]

/** The value of a choice by its value or label, without case and accents. */
export function choiceOf(name: string, options: Choices): string | undefined {
  const wanted = fold(name.trim())
  return options.find(({ value, label }) => fold(label) === wanted || fold(value) === wanted)?.value
}

export function parseOption(text: string, options: Choices, { texts }: Reading): Parsed {
  if (text.trim() === '') return { value: null }
  const value = choiceOf(text, options)
  return value === undefined ? { error: texts.unknownChoice(text.trim()) } : { value }
}
