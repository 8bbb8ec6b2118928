// Plain text as HTML, for mail programs that show nothing else.

const LINK = /https?:\/\/[^\s<>"]+/g
/** Signs behind a link that belong to the sentence. */
const BEHIND = /[.,;:!?'*_]+$/

/** Paragraphs where there are empty lines, line breaks where there are lines, and links where there are addresses. */
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
  for (const { 0: found, index } of line.matchAll(LINK)) {
    const link = withoutEnd(found)
    html += escaped(line.slice(from, index))
    html += URL.canParse(link) ? `<a href="${escaped(link)}">${escaped(link)}</a>` : escaped(link)
    from = index + link.length
  }
  return html + escaped(line.slice(from))
}

/** A bracket behind a link is part of it only where it was opened there. */
function withoutEnd(link: string): string {
  const plain = link.replace(BEHIND, '')
  const isOpened = plain.split('(').length >= plain.split(')').length
  return plain.endsWith(')') && !isOpened ? withoutEnd(plain.slice(0, -1)) : plain
}

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
