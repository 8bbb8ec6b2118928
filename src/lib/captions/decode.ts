import { Problem } from '../problem.ts'

/**
 * Decodes a file of captions: by its byte order mark, then by the charset that its sender states, otherwise as UTF-8. Throws
 * Problem 400 and 415.
 */
export function decodeCaptions(bytes: Uint8Array, charset?: string): string {
  const encoding = markOf(bytes) ?? charset ?? 'utf-8'
  try {
    return decoderOf(encoding).decode(bytes)
  } catch (error) {
    if (error instanceof Problem) throw error
    const advice = charset === undefined ? ' Save it as UTF-8, or state its charset in the Content-Type.' : ''
    throw new Problem(400, 'malformed_text', `The file is not valid ${encoding.toUpperCase()}.${advice}`)
  }
}

/** UTF-16 without a mark is only known by its label. */
function markOf([one, two, three]: Uint8Array): string | undefined {
  if (one === 0xff && two === 0xfe) return 'utf-16le'
  if (one === 0xfe && two === 0xff) return 'utf-16be'
  return one === 0xef && two === 0xbb && three === 0xbf ? 'utf-8' : undefined
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new Problem(415, 'unsupported_charset', `The charset "${encoding}" is unknown. Save the file as UTF-8.`)
  }
}
