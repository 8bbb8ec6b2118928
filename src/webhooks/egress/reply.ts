/** How much of a reply is read; then the connection is ended, and its status counts. */
export const READ_BYTES = 64 * 1024

/** How much of it is kept. */
const KEPT_BYTES = 2 * 1024

export type ReplyReader = ReturnType<typeof replyReader>

/** Gathers the start of a reply. */
export function replyReader() {
  const chunks: Buffer[] = []
  let size = 0

  /** Says whether there may be more. */
  function take(chunk: Buffer): boolean {
    if (size < KEPT_BYTES) chunks.push(chunk.subarray(0, KEPT_BYTES - size))
    size += chunk.length
    return size < READ_BYTES
  }

  /** At most 2 KiB of UTF-8 without NUL; bytes that are no text are replaced, and no character is cut. */
  function text(): string {
    const start = decode(Buffer.concat(chunks), size > KEPT_BYTES).replaceAll('\0', '')
    const bytes = Buffer.from(start)
    // A byte that was replaced takes three.
    return bytes.length > KEPT_BYTES ? decode(bytes.subarray(0, KEPT_BYTES), true) : start
  }

  return { take, text }
}

/** Where the bytes are cut, a character that is not whole at the end is left out. */
function decode(bytes: Buffer, isCut: boolean): string {
  return isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
}
