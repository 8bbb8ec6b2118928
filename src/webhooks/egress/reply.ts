/** How much of a reply is read; then the connection is closed, and the status counts. */
export const READ_BYTES = 64 * 1024

/** How much of it is stored. */
const STORED_BYTES = 2 * 1024

export type ReplyReader = ReturnType<typeof replyReader>

/** Collects the start of a reply. */
export function replyReader() {
  const chunks: Buffer[] = []
  let size = 0

  /** Adds a chunk; returns whether to continue reading. */
  function take(chunk: Buffer): boolean {
    if (size < STORED_BYTES) chunks.push(chunk.subarray(0, STORED_BYTES - size))
    size += chunk.length
    return size < READ_BYTES
  }

  /** Returns at most 2 KiB of UTF-8 without NUL; invalid bytes are replaced, and no character is cut. */
  function text(): string {
    const start = decode(Buffer.concat(chunks), size > STORED_BYTES).replaceAll('\0', '')
    const bytes = Buffer.from(start)
    // The replacement of one byte takes three.
    return bytes.length > STORED_BYTES ? decode(bytes.subarray(0, STORED_BYTES), true) : start
  }

  return { take, text }
}

/** Drops an incomplete character at the end of cut bytes. */
function decode(bytes: Buffer, isCut: boolean): string {
  return isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString()
}
