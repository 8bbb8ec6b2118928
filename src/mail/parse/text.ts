// Text as the interface takes it (lib/fields.ts): NFC, without NUL and halves of surrogate pairs, and bounded.

/** To normalize a longer run of marks takes time by its square. */
const LONG_RUN = /(\p{M}{30})\p{M}+/gu

/** Normalizing may make two marks of one, which is why it is looked at before and after. */
const normalized = (text: string): string =>
  text.toWellFormed().replaceAll('\0', '').replace(LONG_RUN, '$1').normalize('NFC').replace(LONG_RUN, '$1')

/** Lines that end with LF, whether they came with CR LF, CR CR LF or CR. */
export const withLineFeeds = (text: string): string =>
  text.replace(/\r+\n?/g, (run) => (run.endsWith('\n') ? '\n' : '\n'.repeat(run.length)))

/** Text of many lines. */
export const plainText = (text: string): string => normalized(withLineFeeds(text))

/** One line without control characters, at most so many characters long. */
export function oneLine(text: string, longest = 255): string {
  const line = normalized(text.slice(0, 65_536).replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')).trim()
  return line.length <= longest ? line : [...line.slice(0, longest * 2)].slice(0, longest).join('').trim()
}

/**
 * HTML. Each run between tags for itself, since a long slash behind ">" and that sign are one character, which ends no
 * tag.
 */
export const htmlText = (html: string): string =>
  html
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(LONG_RUN, '$1')
    .replace(/[^<>]+/g, (run) => run.normalize('NFC'))
    .replace(LONG_RUN, '$1')
    .replace(/([<>])\u0338/g, '$1&#824;')

/** So many bytes of UTF-8 at most, cut between two characters. */
export function cutBytes(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  const bytes = Buffer.from(text.slice(0, most))
  let end = Math.min(most, bytes.length)
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end).toWellFormed()
}
