import { emailKey } from '../../lib/email.ts'
import { fold } from '../../lib/pure/fold.ts'
import { matches, type Query, wordsOf } from '../../lib/words.ts'
import { phoneKeys } from '../../lib/written/phone-countries.ts'
import { uniqueText } from '../../lib/written/unique.ts'
import { numbersOf } from '../search/search.ts'
import type { Connection } from './driver.ts'
import { affordable } from './work.ts'

/**
 * The SQL functions implemented in TypeScript. No index, trigger or CHECK uses them: other programs can read the file.
 */
export function defineFunctions(db: Connection): Connection {
  const pure = { deterministic: true, directOnly: true }
  let asked = ''
  let query: Query = []

  db.function('fold', pure, (text: unknown) => (typeof text === 'string' ? fold(text) : null))
  db.function('unique_text', pure, (type: unknown, text: unknown, country: unknown) =>
    typeof text === 'string' ? uniqueText(type as string, text, (country as string | null) ?? undefined) : null,
  )
  db.function('email_key', pure, (text: unknown) => (typeof text === 'string' ? emailKey(text) : null))
  db.function('number_of', pure, (id: unknown) => numbersOf(id as string)[0])
  db.function('words_of', { ...pure, varargs: true }, (...texts: unknown[]) =>
    wordsOf(texts as (string | null)[]).join(' '),
  )
  db.function('affordable', { directOnly: true }, affordable) // not deterministic: it is called for each row
  /** Whether a text has one of the numbers, given as a JSON array of `phoneKeys`. */
  db.function('has_phone', pure, (text: unknown, country: unknown, json: unknown) => {
    if (typeof text !== 'string') return 0
    const keys = phoneKeys(text, (country as string | null) ?? undefined)
    return (JSON.parse(json as string) as string[]).some((key) => keys.includes(key)) ? 1 : 0
  })
  /** Whether the words, separated by spaces, match a query given as JSON. */
  db.function('has_words', pure, (words: unknown, json: unknown) => {
    if (json !== asked) {
      asked = json as string
      query = JSON.parse(asked) as Query
    }
    return words !== null && matches(words as string, query) ? 1 : 0
  })
  return db
}
