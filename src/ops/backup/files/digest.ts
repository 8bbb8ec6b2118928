import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** How much of a file is read at once, in bytes. */
export const READ_BYTES = 256 * 1024

/** A part of a file; `end` is not included. */
export type Range = { start: number; end: number }

/** The hashes of a part of a file by each algorithm, such as sha256. Rejects with the error of the file system. */
export async function digestsOf(
  file: string,
  { start, end }: Range,
  algorithms: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer[]> {
  const hashes = algorithms.map((algorithm) => createHash(algorithm))
  if (end > start) {
    const options = { start, end: end - 1, highWaterMark: READ_BYTES, ...(signal && { signal }) }
    for await (const chunk of createReadStream(file, options)) for (const hash of hashes) hash.update(chunk)
  }
  return hashes.map((hash) => hash.digest())
}

/** The SHA-256 of a whole file, in hexadecimal digits. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  const [digest] = await digestsOf(file, { start: 0, end: Number.POSITIVE_INFINITY }, ['sha256'], signal)
  return (digest as Buffer).toString('hex')
}
