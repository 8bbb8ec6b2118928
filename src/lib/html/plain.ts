import { textOfHtml } from './sanitize.ts'

// Texts of other programs that may be HTML, where only text is kept.

const HTML =
  /<(?:\/(?:a|b|i|u|p|li|ul|ol|div|span|html|body|table|strong|em|font)|(?:br|hr|p|html|body|div|ul|ol|li)\b[^<>]*|(?:a|span|font|table)\s[^<>]*|html-blob|[biu]|strong|em)>/i

const isHtml = (text: string): boolean => HTML.test(text)

/** Google and others write HTML into a field of plain text. */
export const plainOf = (text: string): string => (isHtml(text) ? textOfHtml(withoutFalseTags(text)).trim() : text)

/** "Ana <ana@example.com>", "<https://example.com>" and "<your name>" are text, also between tags. */
const withoutFalseTags = (text: string): string =>
  text.replace(/<(?!!--)(\/?[^<>\s/]+)([^<>"'=]*)>/g, (tag, name: string, rest: string) =>
    TAGS.test(name) ? tag : `&lt;${name}${rest}&gt;`,
  )

/** The elements of HTML, and what Word and Google put between them. */
const TAGS = new RegExp(
  `^/?(?:${`a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote body br button canvas
  caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure
  font footer form frame frameset h[1-6] head header hgroup hr html html-blob i iframe img input ins kbd label legend li link main
  map mark math menu meta meter nav noframes noscript object ol optgroup option output p param picture pre progress q rp rt ruby s
  samp script section select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot
  th thead time title tr track tt u ul var video wbr xml \\w+:[\\w.-]+ !doctype \\?xml`
    .split(/\s+/)
    .join('|')})$`,
  'i',
)

const ENTITY = /&(?:amp|lt|gt|quot|nbsp|#\d{1,6}|#x[\da-f]{1,5});/i
const BLOCK = /<(?:br|p|div|li|tr|h[1-6]|table|body)\b/i
/** In HTML a line break is a space, but not in text with a few tags. */
const withBreaks = (text: string): string => (BLOCK.test(text) ? text : text.replace(/\r\n?|\n/g, '<br>'))

/** The text of a note, with the addresses of its links and pictures: they are in the tags only. */
export function proseOf(text: string): string {
  if (!isHtml(text) && !ENTITY.test(text)) return text
  return textOfHtml(withLinks(withBreaks(withoutFalseTags(text)))).trim()
}

const TAG = /<a\b([^<>]*)>|<\/a\s*>|<img\b([^<>]*)>/gi
const ADDRESS = /\b(?:href|src)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+))/i

function withLinks(html: string): string {
  let open: { address: string; from: number } | undefined
  return html.replace(TAG, (tag: string, link: string | undefined, image: string | undefined, at: number) => {
    if (image !== undefined) return `${tag} ${[wordsIn(image), addressIn(image)].filter(Boolean).join(' ')} `
    if (link !== undefined) {
      open = { address: addressIn(link), from: at + tag.length }
      return tag
    }
    const { address = '', from = at } = open ?? {}
    open = undefined
    return address === '' || html.slice(from, at).includes(address.replace(/^mailto:/i, ''))
      ? tag
      : `${tag} (${address})`
  })
}

/** What stands in the place of a picture. */
const wordsIn = (attributes: string): string => {
  const [, one, two] = /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes) ?? []
  return (one ?? two ?? '').trim()
}

/** Pictures in the text itself are too long for one. */
function addressIn(attributes: string): string {
  const [, one, two, three] = ADDRESS.exec(attributes) ?? []
  const address = (one ?? two ?? three ?? '').trim()
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(address) ? address : ''
}
