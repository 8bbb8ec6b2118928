export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

export const ANSWERS = ['good', 'not_good'] as const
export type Answer = (typeof ANSWERS)[number]

/** The question and its two answers, as they stand in a mail. */
export type Words = { language: Language; question: string } & Record<Answer, string>

export const WORDS: Record<Language, Omit<Words, 'language'>> = {
  en: { question: 'How was our answer?', good: 'Good', not_good: 'Not good' },
  de: { question: 'Wie war unsere Antwort?', good: 'Gut', not_good: 'Nicht gut' },
}
