import { escaped } from '../../lib/html/from-text.ts'
import { type Block, blocksOf } from '../../lib/pure/markdown/blocks.ts'
import { type Node, nodesOf } from '../../lib/pure/markdown/inline.ts'

// What is written in the inbox is Markdown, as notes are. A mail in which something is marked leaves in HTML, too; any other leaves as
// the plain text that it is.

/** The `cid` of the file with this name, for pictures in the text. */
type CidOf = (file: string) => string | undefined

/** A longer text, which nobody has typed, leaves as it is: others would wait while it is read. */
const MAX_MARKED = 65_536

/** The HTML of a text in Markdown; null where that would say no more than the text, and for one of more than 64 Ki characters. */
export function writtenHtml(text: string, cidOf: CidOf = () => undefined): string | null {
  if (text.length > MAX_MARKED) return null
  const blocks = blocksOf(text, true)
  return blocks.some(isMarked) ? blocks.map((block) => blockHtml(block, cidOf)).join('\n') : null
}

/** Quotes alone are said by the text as well. */
const isMarked = (block: Block): boolean =>
  block.is === 'text' ? nodesIn(block.lines).some(isMark) : block.is !== 'quoted'

/** An address is a link in every mail program. */
const isMark = (node: Node): boolean =>
  typeof node !== 'string' && !(node.is === 'link' && node.children.length === 1 && node.children[0] === node.href)

const nodesIn = (lines: readonly string[]): Node[] => nodesOf(lines.map((line) => line.trim()).join('\n'))

function blockHtml(block: Block, cidOf: CidOf): string {
  switch (block.is) {
    case 'code':
      return `<pre>${escaped(block.lines.join('\n'))}</pre>`
    case 'rule':
      return '<hr>'
    case 'quote':
      return `<blockquote>${block.blocks.map((each) => blockHtml(each, cidOf)).join('\n')}</blockquote>`
    case 'quoted':
      return `<blockquote><p>${block.lines.map(escaped).join('<br>')}</p></blockquote>`
    case 'list': {
      const items = block.items.map((blocks) => `<li>${itemHtml(blocks, cidOf)}</li>`).join('\n')
      if (block.first === undefined) return `<ul>\n${items}\n</ul>`
      return `<ol${block.first === 1 ? '' : ` start="${block.first}"`}>\n${items}\n</ol>`
    }
    case 'heading':
      return `<p><strong>${linesHtml(block.lines, cidOf)}</strong></p>`
    case 'text':
      return `<p>${linesHtml(block.lines, cidOf)}</p>`
  }
}

/** The first text of an item stands beside its mark. */
const itemHtml = (blocks: readonly Block[], cidOf: CidOf): string =>
  blocks
    .map((block, at) => (block.is === 'text' && at === 0 ? linesHtml(block.lines, cidOf) : blockHtml(block, cidOf)))
    .join('\n')

const linesHtml = (lines: readonly string[], cidOf: CidOf): string =>
  nodesIn(lines)
    .map((node) => nodeHtml(node, cidOf))
    .join('')

function nodeHtml(node: Node, cidOf: CidOf): string {
  if (typeof node === 'string') return escaped(node).replaceAll('\n', '<br>')
  if (node.is === 'code') return `<code>${escaped(node.text)}</code>`
  const children = node.children.map((each) => nodeHtml(each, cidOf)).join('')
  if (node.is === 'link') return `<a href="${escaped(node.href)}">${children}</a>`
  if (node.is === 'picture') {
    const cid = cidOf(node.file)
    return cid === undefined ? `[${children}]` : `<img src="cid:${escaped(cid)}" alt="${escaped(node.file)}">`
  }
  if (node.is === 'mention') return children
  const tag = { strong: 'strong', weak: 'em', gone: 's' }[node.is]
  return `<${tag}>${children}</${tag}>`
}
