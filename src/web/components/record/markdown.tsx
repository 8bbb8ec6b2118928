import type { ComponentChildren } from 'preact'
import { memberName } from '../../data/boot.ts'

// Notes are Markdown that anybody may have written, imports and other programs too. What is read here becomes elements
// one by one, never HTML, so that nothing in a text is markup; what is not known stays as it was typed.

/** Paragraphs, lists, quotes, headings, code, emphasis, links and mentions. */
export function Markdown({ text }: { text: string }) {
  return <div class="markdown">{blocksOf(text).map((block, index) => Block(block, index))}</div>
}

type Block =
  | { is: 'text' | 'quote' | 'heading'; lines: string[] }
  | { is: 'list'; lines: string[]; isOrdered: boolean }
  | { is: 'code'; lines: string[] }

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let isCode = false
  let isNew = true
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const last = blocks.at(-1)
    if (/^\s*```/.test(line)) {
      isCode = !isCode
      if (isCode) blocks.push({ is: 'code', lines: [] })
      isNew = true
      continue
    }
    if (isCode && last) {
      last.lines.push(line)
      continue
    }
    if (line.trim() === '') {
      isNew = true
      continue
    }
    const block = blockOf(line)
    const isSame =
      !isNew && last?.is === block.is && (block.is !== 'list' || (last as typeof block).isOrdered === block.isOrdered)
    if (isSame && block.is !== 'heading') last?.lines.push(...block.lines)
    else blocks.push(block)
    isNew = false
  }
  return blocks
}

function blockOf(line: string): Block {
  const heading = /^#{1,6}\s+(.*)$/.exec(line)
  if (heading) return { is: 'heading', lines: [heading[1] ?? ''] }
  const quote = /^>\s?(.*)$/.exec(line)
  if (quote) return { is: 'quote', lines: [quote[1] ?? ''] }
  const item = /^\s*(?:([-*+])|\d{1,9}[.)])\s+(.*)$/.exec(line)
  if (item) return { is: 'list', lines: [item[2] ?? ''], isOrdered: item[1] === undefined }
  return { is: 'text', lines: [line] }
}

function Block(block: Block, key: number) {
  if (block.is === 'code') return <pre key={key}>{block.lines.join('\n')}</pre>
  if (block.is === 'list') {
    const items = block.lines.map((line, index) => <li key={index}>{inline(line)}</li>)
    return block.isOrdered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>
  }
  const lines = block.lines.flatMap((line, index) =>
    index === 0 ? [inline(line)] : [<br key={index} />, inline(line)],
  )
  if (block.is === 'quote') return <blockquote key={key}>{lines}</blockquote>
  // The headings of the page are those of the record.
  return block.is === 'heading' ? (
    <p key={key} class="strong">
      {lines}
    </p>
  ) : (
    <p key={key}>{lines}</p>
  )
}

/** One of: code, a mention, a link, strong, emphasis, struck, an address. */
const MARKS =
  /`([^`]+)`|@\[([^\]]+)\]\(member:([0-9a-f-]{36})\)|\[([^\]]+)\]\(((?:https?:\/\/|mailto:)[^\s)]+)\)|\*\*(.+?)\*\*|__(.+?)__|(?<![\w*])\*(?!\s)(.+?)\*(?![\w*])|(?<!\w)_(?!\s)(.+?)_(?!\w)|~~(.+?)~~|(https?:\/\/[^\s<>"]+[^\s<>".,;:!?')\]])/

function inline(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = []
  let rest = text
  for (let found = MARKS.exec(rest); found; found = MARKS.exec(rest)) {
    if (found.index > 0) parts.push(rest.slice(0, found.index))
    parts.push(<Mark key={parts.length} found={found} />)
    rest = rest.slice(found.index + found[0].length)
  }
  if (rest !== '') parts.push(rest)
  return parts
}

function Mark({ found }: { found: RegExpExecArray }) {
  const [, code, mention, member, label, href, strong, strong2, weak, weak2, gone, address] = found
  if (code !== undefined) return <code>{code}</code>
  if (mention !== undefined) return <b class="mention">@{memberName(member ?? '') ?? mention}</b>
  if (href !== undefined || address !== undefined) {
    return (
      <a class="link" href={href ?? address ?? ''} target="_blank" rel="noreferrer">
        {label ?? address}
      </a>
    )
  }
  if (gone !== undefined) return <s>{inline(gone)}</s>
  const loud = strong ?? strong2
  return loud === undefined ? <em>{inline(weak ?? weak2 ?? '')}</em> : <b>{inline(loud)}</b>
}
