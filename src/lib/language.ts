/** The languages that are told apart, by ISO 639-1. */
export const LANGUAGES = [
  ...['am', 'ar', 'az', 'be', 'bg', 'bn', 'ca', 'cs', 'da', 'de', 'el', 'en', 'es', 'et', 'eu', 'fa', 'fi', 'fr', 'gu'],
  ...['he', 'hi', 'hr', 'hu', 'hy', 'is', 'it', 'ja', 'ka', 'kn', 'ko', 'ku', 'lo', 'lt', 'lv', 'ml', 'mr', 'ms', 'nl'],
  ...['no', 'or', 'pa', 'pl', 'pt', 'ro', 'ru', 'sk', 'sl', 'sq', 'sr', 'sv', 'ta', 'te', 'th', 'tl', 'tr', 'uk', 'ur'],
  ...['vi', 'yo', 'zh'],
] as const
export type Language = (typeof LANGUAGES)[number]

/** What a long mail is written in shows at its beginning; the rest of it costs nothing. */
const MOST_READ = 4000
const MOST_LETTERS = 1000
/** "Thanks!" and "OK" are written in every language. */
const FEWEST_LETTERS = 20
const ENOUGH = 40
/** What firms put below every mail, in whatever language it is. */
const NOTICE = /confidential|vertraulich|confidentiel|confidencial|riservat|vertrouwelijk|poufn|fortrolig|konfidenti/i
/** One letter of these says as much as a few of an alphabet. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

let detector: typeof import('eld/extrasmall').eld | undefined

/** Loads what languages are told by: 30 MB of memory, so only where somebody asks. Call it before `languageOf`. */
export async function loadLanguages(): Promise<void> {
  detector ??= (await import('eld/extrasmall')).eld
}

/**
 * The language that a text is written in; null if it is short or cannot be told. Quoted lines, addresses and numbers do not
 * count. Takes well below a millisecond, whatever the length of the text.
 */
export function languageOf(text: string): Language | null {
  if (!detector) return null
  const words = wordsOf(text)
  if (weightOf(words) < FEWEST_LETTERS) return null
  const found = detector.detect(words)
  return found.isReliable() ? (found.language as Language) : null
}

/** Of the first paragraphs, until they are enough: what stands below may be a notice of the firm, in another language. */
function wordsOf(text: string): string {
  let words = ''
  for (const paragraph of ownOf(text).split(/\n\s*\n/)) {
    if (weightOf(words) >= ENOUGH || (words !== '' && NOTICE.test(paragraph))) break
    const said = paragraph.split(/\s+/).filter((word) => !/[@\d]|:\/\/|^www\./.test(word))
    words = `${words} ${said.join(' ')}`
  }
  return words.slice(0, MOST_LETTERS)
}

/** Without what is quoted, and what stands below a signature or a line that mail programs put above an original. */
function ownOf(text: string): string {
  const lines = text.slice(0, MOST_READ).split('\n')
  const own = lines.filter((line) => !line.startsWith('>'))
  const end = own.findIndex((line, at) => at > 0 && /^(?:-- ?\r?$|-{4,}|_{8,})/.test(line))
  return own.slice(0, end < 0 ? undefined : end).join('\n')
}

const weightOf = (words: string): number =>
  (words.match(/\p{L}/gu)?.length ?? 0) + 2 * (words.match(DENSE)?.length ?? 0)
