import { type Content, type Html, html } from '../html.ts'
import { codeBlock } from './code.ts'

// The subset of Markdown that the document uses: headings of level 2, paragraphs, lists, fences, code and bold.

export type Section = { title: string; prose: Html[]; code: Html[] }

/**
 * Returns the text before the first heading, and the sections after it. Fences are separate, to be shown beside the
 * text.
 */
export function sections(text: string): [Section, ...Section[]] {
  const all: [Section, ...Section[]] = [{ title: '', prose: [], code: [] }]
  for (const block of blocks(text)) {
    const heading = /^## (.+)$/.exec(block)
    if (heading) {
      all.push({ title: heading[1] as string, prose: [], code: [] })
      continue
    }
    const section = all.at(-1) as Section
    const fence = /^```(\w*)\n([\s\S]*)\n```$/.exec(block)
    if (fence) section.code.push(codeBlock(fence[1] as string, fence[2] as string))
    else section.prose.push(block.startsWith('- ') ? list(block) : html`<p>${inline(block)}</p>`)
  }
  return all
}

/** Renders paragraphs and lists. */
export const prose = (text: string): Html[] => sections(text).flatMap((section) => section.prose)

// A fence may contain empty lines; all other blocks end with one.
function blocks(text: string): string[] {
  return text
    .split(/^(```[\s\S]*?^```$)/m)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/).map((block) => block.trim())))
    .filter((block) => block !== '')
}

function list(block: string): Html {
  return html`<ul>${block.split(/^- /m).map((item) => item.trim() && html`<li>${inline(item.trim())}</li>`)}</ul>`
}

/** Renders text with `code` and **bold**. */
export function inline(text: string): Content {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (/^`[^`]+`$/.test(piece)) return html`<code>${piece.slice(1, -1)}</code>`
    return /^\*\*[^*]+\*\*$/.test(piece) ? html`<strong>${piece.slice(2, -2)}</strong>` : piece
  })
}
