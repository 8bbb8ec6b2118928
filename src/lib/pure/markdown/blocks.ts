// The blocks of a note in Markdown, as CommonMark has them, apart from what people do not mean by it: a line after a quote
// is no part of the quote, two spaces below a number are enough for a list in a list, lines stay lines, and four spaces are
// no code. Each level looks at each line once, and there are few levels, so that the time grows as the text does.

export type Block =
  | { is: 'text' | 'heading' | 'code'; lines: string[] }
  | { is: 'quote'; blocks: Block[] }
  /** In a mail: what somebody else wrote is no markup of ours. */
  | { is: 'quoted'; lines: string[] }
  | { is: 'list'; items: Block[][]; first: number | undefined }
  | { is: 'rule' }

/** Quotes and lists inside of each other; what is deeper is text. */
const MAX_LEVELS = 20

const FENCE = /^ {0,3}(`{3,}|~{3,})([^`]*)$/
const HEADING = /^ {0,3}#{1,6}(?:[ \t](.*))?$/
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const QUOTE = /^ {0,3}> ?/
const ITEM = /^(\s*)([-*+]|(\d{1,9})[.)])(?:[ \t]+|$)/

/** In a mail, quotes are lines, and a line of dashes is no heading of what stands above: a signature or a sum does. */
export const blocksOf = (text: string, isMail = false): Block[] =>
  blocksIn(text.replace(/\r\n?/g, '\n').split('\n'), 0, isMail)

function blocksIn(lines: readonly string[], level: number, isMail: boolean): Block[] {
  const blocks: Block[] = []
  const begins = (line: string) => !(isMail && RULE.test(line)) && beginsBlock(line, level)
  let at = 0

  function code(fence: RegExpExecArray): Block {
    const [mark = '', signs = ''] = [fence[1]?.[0], fence[1]]
    const isEnd = (line: string) => line.trim().startsWith(signs) && line.trim().replaceAll(mark, '') === ''
    const inside: string[] = []
    for (at++; at < lines.length && !isEnd(lines[at] as string); at++) inside.push(lines[at] as string)
    at++
    return { is: 'code', lines: inside }
  }

  function quote(): Block {
    const inside: string[] = []
    for (; at < lines.length && QUOTE.test(lines[at] as string); at++)
      inside.push((lines[at] as string).replace(QUOTE, ''))
    return isMail ? { is: 'quoted', lines: inside } : { is: 'quote', blocks: blocksIn(inside, level + 1, isMail) }
  }

  function list(item: RegExpExecArray): Block {
    const items: Block[][] = []
    const isOrdered = item[3] !== undefined
    for (let next: RegExpExecArray | null = item; next; next = itemLike(item, lines[at] ?? '')) {
      items.push(blocksIn(linesOfItem(next), level + 1, isMail))
    }
    return { is: 'list', items, first: isOrdered ? Number(item[3]) : undefined }
  }

  /** The lines of an item: its own, those that are indented below it, and those that go on with its text. */
  function linesOfItem([start, indent = '']: RegExpExecArray): string[] {
    const inside = [(lines[at] as string).slice(start.length)]
    let blank = 0
    let next = at + 1
    for (; next < lines.length; next++) {
      const line = lines[next] as string
      if (line.trim() === '') blank++
      else {
        const isInside = widthOf(line) >= indent.length + 2
        if (!isInside && (blank > 0 || inside.at(-1) === '' || begins(line) || ITEM.test(line))) break
        inside.push(...Array<string>(blank).fill(''), isInside ? outdented(line, start.length) : line)
        blank = 0
      }
    }
    // Blank lines between two items are between them.
    at = next
    return inside
  }

  function text(): Block {
    const inside: string[] = []
    for (; at < lines.length; at++) {
      const line = lines[at] as string
      if (!isMail && inside.length > 0 && UNDERLINE.test(line)) {
        at++
        return { is: 'heading', lines: inside }
      }
      if (line.trim() === '' || (inside.length > 0 && begins(line))) break
      inside.push(line)
    }
    return { is: 'text', lines: inside }
  }

  while (at < lines.length) {
    const line = lines[at] as string
    const [fence, heading] = [FENCE.exec(line), HEADING.exec(line)]
    const item = level < MAX_LEVELS ? ITEM.exec(line) : null
    if (line.trim() === '') at++
    else if (fence) blocks.push(code(fence))
    else if (heading) at = blocks.push({ is: 'heading', lines: [withoutHashes(heading[1] ?? '')] }) && at + 1
    else if (RULE.test(line)) at = blocks.push({ is: 'rule' }) && at + 1
    else if (level < MAX_LEVELS && QUOTE.test(line)) blocks.push(quote())
    else if (item) blocks.push(list(item))
    else blocks.push(text())
  }
  return blocks
}

/** The next item of a list, which has the same mark; another mark is another list. */
function itemLike(first: RegExpExecArray, line: string): RegExpExecArray | null {
  const item = RULE.test(line) ? null : ITEM.exec(line)
  return item?.[2]?.at(-1) === first[2]?.at(-1) ? item : null
}

/** Whether a line ends the text before it. A number in a sentence may come to stand at the start of a line: only 1 is a list. */
function beginsBlock(line: string, level: number): boolean {
  if (FENCE.test(line) || HEADING.test(line) || RULE.test(line)) return true
  if (level >= MAX_LEVELS) return false
  const item = ITEM.exec(line)
  return QUOTE.test(line) || (item !== null && item[0].length < line.length && (item[3] ?? '1') === '1')
}

/** A tab stands for up to four columns. */
function widthOf(line: string): number {
  let width = 0
  for (const sign of line) {
    if (sign === ' ') width++
    else if (sign === '\t') width += 4 - (width % 4)
    else break
  }
  return width
}

function outdented(line: string, most: number): string {
  const width = widthOf(line)
  return ' '.repeat(Math.max(0, width - most)) + line.trimStart()
}

/** A heading may end with hashes after a space. */
function withoutHashes(text: string): string {
  const trimmed = text.trim()
  let end = trimmed.length
  while (trimmed[end - 1] === '#') end--
  return end === 0 || /\s/.test(trimmed[end - 1] as string) ? trimmed.slice(0, end).trim() : trimmed
}
