import { setImmediate as turn } from 'node:timers/promises'
import { type Content, contentOf } from './contents.ts'

// Files in base64, in the JSON of a message: up to 54 MiB of text. Each is decoded once. Those of a large body are decoded before
// its transaction, with a turn of the event loop between them, and are found by their text until the request is answered.

const NOT_BASE64 = 'not base64'
/** The request is refused for something else. */
const NOT_NEEDED = 'not needed'

/** `requests` are those that have the text. What one of them finds out holds for all. */
type Decoded = { known: Content | typeof NOT_BASE64 | typeof NOT_NEEDED; requests: number }

const decoded = new Map<string, Decoded>()

/**
 * Buffer ignores what is not base64, and also accepts base64url. For several megabytes, a pattern of groups of four
 * overflows the stack, and one by characters takes a hundred times as long.
 */
function bytesIn(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === sizeIn(text) ? bytes : undefined
}

/** How many bytes a text stands for, if it is base64. */
export const sizeIn = (text: string): number =>
  (text.length / 4) * 3 - (text.endsWith('==') ? 2 : Number(text.endsWith('=')))

export function isBase64(text: string): boolean {
  const known = decoded.get(text)?.known
  return known === undefined ? bytesIn(text) !== undefined : known !== NOT_BASE64
}

/** The content of a text that is base64. */
export function contentIn(text: string): Content {
  const known = decoded.get(text)?.known
  return typeof known === 'object' ? known : contentOf(Buffer.from(text, 'base64'))
}

/** Decodes texts for as long as `take` runs; it gets no contents if one of them is not base64, or none is needed. */
export async function whileDecoded<T>(
  texts: readonly string[],
  isNeeded: boolean,
  take: (contents: readonly Content[]) => Promise<T>,
): Promise<T> {
  const all = [...new Set(texts)].map((text) => ({ text, entry: begin(text) }))
  let isFit = isNeeded
  try {
    for (const { text, entry } of all) {
      if (!isFit) break
      if (entry.known === NOT_NEEDED) {
        const bytes = bytesIn(text)
        entry.known = bytes ? contentOf(bytes) : NOT_BASE64
        await turn()
      }
      isFit = entry.known !== NOT_BASE64
    }
    return await take(isFit ? all.flatMap(({ entry: { known } }) => (typeof known === 'object' ? known : [])) : [])
  } finally {
    for (const { text, entry } of all) if (--entry.requests === 0) decoded.delete(text)
  }
}

function begin(text: string): Decoded {
  const entry = decoded.get(text) ?? { known: NOT_NEEDED, requests: 0 }
  entry.requests++
  decoded.set(text, entry)
  return entry
}
