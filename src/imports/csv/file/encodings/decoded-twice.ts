import { Problem } from '../../../../lib/problem.ts'
import { decoderOf } from './encodings.ts'

/** Programs that take UTF-8 for one of these and save what they see: `JÃ¶rg`. */
const TAKEN_FOR = ['windows-1252', 'macintosh', 'windows-1251', 'windows-1250', 'windows-1254', 'ibm850']

/** Throws Problem 422 if half of the words with letters beyond ASCII are UTF-8 that was read as another encoding. */
export function decodedTwice(file: string, words: readonly string[]): void {
  for (const encoding of TAKEN_FOR) {
    const found = words.flatMap((word) => undone(word, encoding) ?? [])
    if (found.length === 0 || found.length * 2 < words.length) continue
    const at = words.findIndex((word) => undone(word, encoding) !== undefined)
    throw new Problem(
      422,
      'decoded_twice',
      `${file} was read as ${encoding} by another program and saved again: it has "${words[at]}" for "${found[0]}". Export it once more, or import it as it is with --encoding utf-8.`,
    )
  }
}

const bytesBy = new Map<string, Map<string, number>>()

function bytesOf(encoding: string): Map<string, number> {
  const known = bytesBy.get(encoding)
  if (known) return known
  const decoder = decoderOf(encoding)
  const made = new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]))
  bytesBy.set(encoding, made)
  return made
}

/** The word before it was read wrongly; undefined if it was not. */
function undone(word: string, encoding: string): string | undefined {
  const table = bytesOf(encoding)
  const bytes = [...word].map((sign) => table.get(sign) ?? -1)
  if (bytes.includes(-1)) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes))
    return /[\p{L}\p{P}\p{Zs}]/u.test(text.replace(/[\0-\x7f]/g, '')) ? text : undefined
  } catch {
    return undefined
  }
}
