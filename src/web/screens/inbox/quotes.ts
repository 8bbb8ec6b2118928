// What a mail quotes. Only what stands in the conversation word for word is folded; all else that somebody wrote is in view:
// above, between, below, and inside of a quote that was changed. Mail programs wrap quotes anew, so words are compared and not
// lines: three in a row, since a single one, such as a "no" in between, stands in many texts.

export type Part = { kind: 'text' | 'quote'; text: string; lines: number }

/** Whether three words in a row were said before. */
type IsKnown = (three: string) => boolean

const QUOTED = /^\s*(?:>\s?)+/
/** The address of an answer that a mail of ours asked for: it is nowhere in the conversation, as whoever has it can answer. */
const ANSWER = /^[<(]?https?:\/\/[^\s<>()]+\/rating\/[\w-]{64}\/(?:not-)?good[>)]?$/
const IN_A_ROW = 3

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '' && !ANSWER.test(word))
const threes = (words: readonly string[]): string[] =>
  words.slice(IN_A_ROW - 1).map((_, at) => words.slice(at, at + IN_A_ROW).join(' '))

/** For each of the texts, in their order: what was said in those before it. */
export function saidBefore(texts: readonly string[]): (at: number) => IsKnown {
  const first = new Map<string, number>()
  texts.forEach((text, at) => {
    const plain = text.replaceAll(/^\s*(?:>\s?)+/gm, '')
    for (const three of threes(wordsOf(plain))) if (!first.has(three)) first.set(three, at)
  })
  return (at) => (three) => (first.get(three) ?? at) < at
}

export function partsOf(text: string, isKnown: IsKnown): Part[] {
  const lines = text.split('\n')
  const folded = foldedLines(lines, isKnown)
  const parts: Part[] = []
  lines.forEach((line, at) => {
    const kind = folded.has(at) ? 'quote' : 'text'
    const last = parts.at(-1)
    if (last?.kind === kind) {
      last.text += `\n${line}`
      last.lines += 1
    } else parts.push({ kind, text: line, lines: 1 })
  })
  return parts.filter(({ kind, text }) => kind === 'quote' || text.trim() !== '').map(trimmed)
}

/** Of each run of quoted lines those whose words, with the ones before and behind, were all said before. */
function foldedLines(lines: readonly string[], isKnown: IsKnown): Set<number> {
  const folded = new Set<number>()
  for (let from = 0; from < lines.length; from += 1) {
    let to = from
    while (to < lines.length && QUOTED.test(lines[to] ?? '')) to += 1
    const words = lines
      .slice(from, to)
      .flatMap((line, index) => wordsOf(line.replace(QUOTED, '')).map((word) => ({ word, line: from + index })))
    const all = threes(words.map(({ word }) => word))
    const changed = new Set(
      all.flatMap((three, at) => (isKnown(three) ? [] : words.slice(at, at + IN_A_ROW).map(({ line }) => line))),
    )
    if (all.length > 0) for (let line = from; line < to; line += 1) if (!changed.has(line)) folded.add(line)
    from = Math.max(from, to)
  }
  return folded
}

const trimmed = (part: Part): Part => ({ ...part, text: part.text.replace(/^\n+|\s+$/g, '') })

/** Pictures that a mail would load from elsewhere. The server has sanitised it: attributes are in double quotes. */
export const remoteImages = (html: string): number => (html.match(/<img\b[^>]*\ssrc="https?:/gi) ?? []).length
