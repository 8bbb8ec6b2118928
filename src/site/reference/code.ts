import { type Content, type Html, html } from '../html.ts'

// Simple syntax highlighting: strings, names and numbers are enough.

const TOKENS: Record<string, RegExp> = {
  json: /(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|(?<value>\b(?:true|false|null|-?\d[\d.]*)\b)/g,
  sh: /(?<comment>#.*$)|(?<value>\$[A-Z_]+)|(?<name>(?<=\s)--?[a-zA-Z][a-z-]*)|(?<string>'[^']*')/gm,
  http: /(?<name>^[A-Z]+(?= ))|(?<value>(?<=[?&])[a-z_]+(?:\[[a-z]+\])?(?==))/gm,
}

const NAMES: Record<string, string> = { json: 'JSON', sh: 'Shell', http: 'HTTP' }

/** Renders a block of code; unknown languages are not highlighted. */
export function codeBlock(language: string, text: string, title = NAMES[language] ?? language): Html {
  return html`<figure class="code"><figcaption>${title}</figcaption><pre><code>${colored(language, text)}</code></pre></figure>`
}

function colored(language: string, text: string): Content {
  const tokens = TOKENS[language]
  if (!tokens) return text
  const pieces: Content[] = []
  let end = 0
  for (const match of text.matchAll(tokens)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0]
    pieces.push(text.slice(end, match.index), html`<span class="${kind}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return [...pieces, text.slice(end)]
}
