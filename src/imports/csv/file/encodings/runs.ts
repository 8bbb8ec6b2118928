import { decoderOf } from './encodings.ts'

// The parts of a file that tell its encoding: runs of bytes between spaces and separators that have one beyond ASCII.

/** So many different ones are enough, each of so many bytes. */
const MAX_RUNS = 1000
const MAX_BYTES = 120

/** Bytes that are never part of a longer character in any encoding: letters, digits and some signs may be its last one. */
const isBetween = (byte: number): boolean => byte < 0x30 || (byte >= 0x3a && byte <= 0x3f)

export function runCollector() {
  const runs = new Map<string, Uint8Array>()
  let carry: Uint8Array = new Uint8Array()

  function take(run: Uint8Array): void {
    const bytes = run.subarray(0, MAX_BYTES)
    const key = Buffer.from(bytes).toString('latin1')
    if (!runs.has(key)) runs.set(key, bytes.slice())
  }

  function found(): Uint8Array[] {
    if (carry.some((byte) => byte >= 0x80)) take(carry)
    return [...runs.values()]
  }

  return {
    add(chunk: Uint8Array): void {
      if (runs.size >= MAX_RUNS) return
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk
      let start = 0
      let isOther = false
      for (let at = 0; at < bytes.length; at++) {
        const byte = bytes[at] as number
        if (byte >= 0x80) isOther = true
        else if (isBetween(byte)) {
          if (isOther) take(bytes.subarray(start, at))
          if (runs.size >= MAX_RUNS) return
          start = at + 1
          isOther = false
        }
      }
      carry = bytes.slice(start, start + MAX_BYTES * 4)
    },
    runs: found,
    /** What the runs are in an encoding. */
    words: (encoding: string): string[] => {
      const decoder = decoderOf(encoding)
      return found().map((run) => decoder.decode(run))
    },
  }
}
