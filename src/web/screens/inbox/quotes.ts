// What a mail quotes. Only what stands in the conversation word for word is folded; all else that somebody wrote is in view:
// above, between, below, and inside of a quote that was changed.

export type Part = { kind: 'text' | 'quote'; text: string; lines: number }

const QUOTED = /^\s*(?:>\s?)+/
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** One text of all that was written before, to look for quotes in. */
export const knownOf = (texts: readonly string[]): string =>
  flat(texts.map((text) => text.replaceAll(/^\s*(?:>\s?)+/gm, '')).join('\n'))

export function partsOf(text: string, known: string): Part[] {
  const parts: Part[] = []
  for (const line of text.split('\n')) {
    const kind = isKnown(line, known) ? 'quote' : 'text'
    const last = parts.at(-1)
    if (last?.kind === kind) {
      last.text += `\n${line}`
      last.lines += 1
    } else parts.push({ kind, text: line, lines: 1 })
  }
  return parts.filter(({ kind, text }) => kind === 'quote' || text.trim() !== '').map(trimmed)
}

function isKnown(line: string, known: string): boolean {
  if (!QUOTED.test(line)) return false
  const said = flat(line.replace(QUOTED, ''))
  return said === '' || known.includes(said)
}

const trimmed = (part: Part): Part => ({ ...part, text: part.text.replace(/^\n+|\s+$/g, '') })

/** Pictures that a mail would load from elsewhere. The server has sanitised it: attributes are in double quotes. */
export const remoteImages = (html: string): number => (html.match(/<img\b[^>]*\ssrc="https?:/gi) ?? []).length
