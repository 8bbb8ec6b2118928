import { readSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'

/** Further bytes should wait until these are written. */
const MAX_QUEUED_BYTES = 131_072

export type Spool = Awaited<ReturnType<typeof newSpool>>

/** Makes a file that only its owner can read, for the bytes of one request. */
export async function newSpool(path: string) {
  const file = await open(path, 'wx+', 0o600)
  let size = 0
  let queued = 0
  let failure: { error: unknown } | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** Adds bytes, which must not change afterwards. An error is thrown by `written`. */
  function append(bytes: Buffer): void {
    const at = size
    size += bytes.length
    queued += bytes.length
    last = last
      .then(() => (failure ? undefined : writeAll(file, bytes, at)))
      .catch((error: unknown) => {
        failure = { error }
      })
      .then(() => {
        queued -= bytes.length
      })
  }

  /** Resolves when all bytes are in the file. Throws what an earlier write threw. */
  async function written(): Promise<void> {
    await last
    if (failure) throw failure.error
  }

  /** Reads the bytes from `start` on, before `end`. Synchronous, since transactions call it. */
  function slice(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start)
    for (let at = 0; at < bytes.length; ) {
      const read = readSync(file.fd, bytes, at, bytes.length - at, start + at)
      if (read === 0) throw new Error('The file of an upload is shorter than it was written.')
      at += read
    }
    return bytes
  }

  async function remove(): Promise<void> {
    await last
    await file.close()
    await rm(path, { force: true })
  }

  return { size: () => size, isFull: () => queued > MAX_QUEUED_BYTES, append, written, slice, remove }
}

async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at)
    at += bytesWritten
  }
}
