import type { Like, Texts } from './like.ts'

const ACCENTS: Record<string, string> = {
  a: 'á',
  e: 'ë',
  i: 'ï',
  o: 'ö',
  u: 'ü',
  A: 'Á',
  E: 'Ë',
  I: 'Ï',
  O: 'Ö',
  U: 'Ü',
}

/** Texts 40 % longer, with accents, in brackets: what is cut off or written into the code shows at once. */
export function pseudoOf<T extends Texts>(texts: T): Like<T> {
  const entries = Object.entries(texts).map(([key, text]) => [key, lengthened(text)])
  return Object.fromEntries(entries) as Like<T>
}

function lengthened(text: Texts[string]): Texts[string] {
  if (typeof text === 'string') return pseudo(text)
  if (typeof text === 'object') return pseudoOf(text)
  return (...values: never[]) => pseudo(text(...values))
}

export function pseudo(text: string): string {
  const more = Math.max(1, Math.ceil(text.length * 0.4) - 2)
  // In words that are no longer than those of people.
  const words = '~'.repeat(more).replaceAll(/~{9}(?=~)/g, '$& ')
  return `[${text.replace(/[aeiouAEIOU]/g, (letter) => ACCENTS[letter] ?? letter)}${words}]`
}
