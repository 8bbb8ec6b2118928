import { sanitizeHtml, textOfHtml } from '../../lib/html/sanitize.ts'
import { field, invalid } from '../../lib/problem.ts'
import { MAX_STORED_HTML_BYTES } from './message.ts'

// HTML can contain any character as a reference, so the text made from it may contain characters that the API does not
// accept.

/** As in every text. Normalizing a long run takes quadratic time: a minute for a mail of 1 MiB. */
const LONG_RUN = /(\p{M}{30})\p{M}+/gu

/**
 * Returns the HTML of a message as stored. Tags stay separate from combining marks after them, even if a client
 * normalizes it: ">" and a combining long solidus become one character, which does not end a tag.
 */
export function shownHtml(html: string): string {
  return sanitizeHtml(html)
    .replace(LONG_RUN, '$1')
    .replace(/[^<>]+/g, (run) => run.normalize('NFC'))
    .replaceAll('>\u0338', '>&#824;')
}

/** Returns the text of such HTML. */
export const textIn = (html: string): string => textOfHtml(html).replace(LONG_RUN, '$1').normalize('NFC')

/** Sanitised HTML may be longer: every "&" becomes five characters. Throws 422. */
export function storedHtml(given: string): string {
  const html = shownHtml(given)
  if (Buffer.byteLength(html) <= MAX_STORED_HTML_BYTES) return html
  const message = `must be at most ${MAX_STORED_HTML_BYTES} bytes long after sanitising and escaping`
  throw invalid(field('/body_html', 'too_long', message))
}
