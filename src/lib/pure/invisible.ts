/** Zero-width characters, direction marks, soft hyphens and the like: nobody sees them, and programs add them. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|(?![\t\n\r])\p{Cc}/gu
const SPACES = /[\p{Zs}\t]/gu

/** For what has no use for them: an address, a number or an id. In names of some scripts they join or part letters. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')

/** One line of visible characters: exotic spaces are spaces, and full-width letters, digits and signs are the usual ones. */
export const plain = (text: string): string =>
  withoutInvisible(text.normalize('NFKC')).replace(SPACES, ' ').replace(/\r\n?/g, '\n').trim()

/** For an address or an id: without what nobody sees, and with usual spaces, but none of the exotic ones at its ends. */
export function tidy(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  return withoutInvisible(text)
    .replace(/^(?! )\p{Zs}+|(?! )\p{Zs}+$/gu, '')
    .replace(/\p{Zs}/gu, ' ')
}

/** Letters that join with their neighbours, or form signs with them: joiners between them change what is seen. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Balinese}\p{Script=Javanese}]/u
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}#*0-9]|[\u{1f3f4}]|\ufe0f|\u20e3/u

/** Whether what cannot be seen has a use between these signs. */
function isOfUse(mark: string, before: string, after: string): boolean {
  if (mark === '\u200d' && EMOJI.test(before)) return /\p{Extended_Pictographic}/u.test(after)
  if (mark === '\u200c' || mark === '\u200d') return JOINING.test(before) && (mark === '\u200d' || JOINING.test(after))
  if (mark === '\ufe0e' || mark === '\ufe0f') return EMOJI.test(before)
  if (/[\u{e0100}-\u{e01ef}]/u.test(mark)) return /\p{Script=Han}/u.test(before)
  if (/[\u{e0020}-\u{e007f}]/u.test(mark)) return /[\u{1f3f4}\u{e0020}-\u{e007f}]/u.test(before)
  if (/[\u180b-\u180f]/.test(mark)) return JOINING.test(before)
  return /\u034f|[\u115f\u1160\u17b4\u17b5]/.test(mark) // parts of Korean syllables and of other letters
}

/**
 * A name as it is seen: without what nobody sees, but for joiners and signs that a script or an emoji needs, and with usual
 * spaces.
 */
export function seen(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text
  const signs = [...text.replace(/\p{Zs}/gu, ' ').replace(/(?![\t\n\r])\p{Cc}/gu, '')]
  return signs
    .filter(
      (sign, at) =>
        !/\p{Default_Ignorable_Code_Point}/u.test(sign) || isOfUse(sign, signs[at - 1] ?? '', signs[at + 1] ?? ''),
    )
    .join('')
}
