import { sanitizeHtml, textOfHtml } from '../../lib/html/sanitize.ts'

// HTML writes any character as a reference, so what comes of it need not be text as the interface takes it.

/** As in every text. To normalize a long run takes time by its square: a minute of a mail of 1 MiB. */
const LONG_RUN = /(\p{M}{30})\p{M}+/gu

/**
 * The HTML of a message as it is stored. Tags stay apart from the marks behind them, also for whoever normalizes it: ">"
 * and a long slash are one character, which ends no tag.
 */
export function shownHtml(html: string): string {
  return sanitizeHtml(html)
    .replace(LONG_RUN, '$1')
    .replace(/[^<>]+/g, (run) => run.normalize('NFC'))
    .replaceAll('>\u0338', '>&#824;')
}

/** The text of such HTML. */
export const textIn = (html: string): string => textOfHtml(html).replace(LONG_RUN, '$1').normalize('NFC')
