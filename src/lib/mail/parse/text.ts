// Text as the API requires it (lib/fields.ts): NFC, without NUL and lone surrogates, and bounded.

/** Normalizing a longer run of combining marks takes quadratic time. */
const LONG_RUN = /(\p{M}{30})\p{M}+/gu

/** Normalizing can lengthen a run of marks, so runs are cut before and after it. */
const normalized = (text: string): string =>
  text.toWellFormed().replaceAll('\0', '').replace(LONG_RUN, '$1').normalize('NFC').replace(LONG_RUN, '$1')

/** Converts CR LF, CR CR LF and CR to LF. */
export const withLineFeeds = (text: string): string =>
  text.replace(/\r+\n?/g, (run) => (run.endsWith('\n') ? '\n' : '\n'.repeat(run.length)))

/** Cleans text of many lines. */
export const plainText = (text: string): string => normalized(withLineFeeds(text))

/** Returns one line without control characters, of at most `longest` characters. */
export function oneLine(text: string, longest = 255): string {
  const line = normalized(text.slice(0, 65_536).replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')).trim()
  return line.length <= longest ? line : [...line.slice(0, longest * 2)].slice(0, longest).join('').trim()
}

/**
 * Cleans HTML. Each run between tags is normalized separately: NFC would combine ">" with a following U+0338 into one
 * character, which does not end the tag.
 */
export const htmlText = (html: string): string =>
  html
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(LONG_RUN, '$1')
    .replace(/[^<>]+/g, (run) => run.normalize('NFC'))
    .replace(LONG_RUN, '$1')
    .replace(/([<>])\u0338/g, '$1&#824;')

/** Cuts text to at most `most` bytes of UTF-8, between two characters. */
export function cutBytes(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text.slice(0, most))
  let end = Math.min(most, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end).toWellFormed()
}
