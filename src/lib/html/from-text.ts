// Plain text as HTML, for mail programs that show only HTML.

const LINK = /https?:\/\/[^\s<>"]+/g
/** Punctuation after a link that belongs to the sentence. */
const TRAILING = ".,;:!?'*_"

/** Turns empty lines into paragraphs, line breaks into `<br />`, and addresses into links. */
export function textHtml(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .trim()
    .split(/\n(?:[ \t]*\n)+/)
    .map((paragraph) => `<p>${paragraph.split('\n').map(lineHtml).join('<br />')}</p>`)
    .join('\n')
}

function lineHtml(line: string): string {
  let html = ''
  let from = 0
  for (const { 0: match, index } of line.matchAll(LINK)) {
    const link = withoutEnd(match)
    html += escaped(line.slice(from, index))
    html += URL.canParse(link) ? `<a href="${escaped(link)}">${escaped(link)}</a>` : escaped(link)
    from = index + link.length
  }
  return html + escaped(line.slice(from))
}

/** A closing bracket belongs to a link only if it was opened there. */
function withoutEnd(link: string): string {
  let open = link.split('(').length - link.split(')').length
  let end = link.length
  for (; end > 0; end--) {
    const sign = link[end - 1] as string
    if (sign === ')' ? open >= 0 : !TRAILING.includes(sign)) break
    if (sign === ')') open++
  }
  return link.slice(0, end)
}

export const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
