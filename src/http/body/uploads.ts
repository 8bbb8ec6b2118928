import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { problemOf } from '../../store/sqlite/failures.ts'
import type { Bodies, Body } from './bodies.ts'
import { formParts, type UploadedFile, type UploadForm } from './form-parts.ts'
import { boundaryOf, type PartHead, type PartSink, splitForm } from './multipart.ts'
import { newSpool, type Spool } from './spool.ts'

// Forms with files. While one arrives its parts are in one file of the data folder, since they may be large; that file
// is deleted with the response. What a server leaves behind that is killed, the next one deletes.

export type Uploads = ReturnType<typeof uploads>

/** A form that has arrived. Call `discard` when its bytes are no longer needed. */
export type Upload = { json: Buffer | undefined; files: UploadedFile[]; discard: () => Promise<void> }

const folderOf = (dataDir: string): string => join(dataDir, 'uploads')

/** Deletes what a server has left behind that was killed. Call it before a server listens. */
export function deleteOldUploads(dataDir: string): void {
  rmSync(folderOf(dataDir), { recursive: true, force: true })
}

/** Whether there are such files, if no server runs. */
export const hasOldUploads = (dataDir: string): boolean =>
  existsSync(folderOf(dataDir)) && readdirSync(folderOf(dataDir)).length > 0

export function uploads(dataDir: string, bodies: Bodies) {
  const folder = folderOf(dataDir)

  /** Reads a form into a file. Throws Problem 4xx or 503, and then leaves nothing. */
  async function receive(
    req: IncomingMessage,
    res: ServerResponse,
    form: UploadForm,
    maxBytes: number | undefined,
  ): Promise<Upload> {
    boundaryOf(req)
    const share = { held: 0 }
    const text: Body = { bytes: Buffer.alloc(0), held: 0 }
    let spool: Spool | undefined

    async function discard(): Promise<void> {
      bodies.release(text)
      await spool?.remove().catch(() => undefined) // the next start deletes it
      bodies.releaseFile(share)
    }

    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      spool = await newSpool(join(folder, randomUUID()))
      const parts = formParts(form, spool)
      await readInto(parts.begin, (take) => bodies.pass(req, res, maxBytes, share, take), req, spool)
      const { json, files } = parts
      if (json) {
        bodies.reserve(text, json.size_bytes)
        text.bytes = json.slice(0, json.size_bytes)
      }
      return { json: json && text.bytes, files, discard }
    } catch (error) {
      await discard()
      throw isFull(error) ? problemOf('full', 'write') : error
    }
  }

  return { receive }
}

const isFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Splits a body into parts and writes them; waits for the file where it is slower than the network. */
async function readInto(
  onPart: (head: PartHead) => PartSink,
  pass: (take: (chunk: Buffer) => Promise<unknown> | undefined) => ReturnType<Bodies['pass']>,
  req: IncomingMessage,
  spool: Spool,
): Promise<void> {
  const boundary = boundaryOf(req)
  let wake: () => void = () => undefined
  const source = new Readable({ read: () => wake() })
  source.on('error', () => undefined) // `body.done` rejects with it
  const body = pass((chunk) => {
    const mayGoOn = source.push(chunk)
    if (spool.isFull()) return spool.written().catch(() => undefined) // thrown below
    return mayGoOn ? undefined : new Promise<void>((resolve) => (wake = resolve))
  })
  const whole = body.done.then(
    () => source.push(null),
    (error) => {
      source.destroy(error)
      throw error
    },
  )
  try {
    await Promise.all([whole, splitForm(source, req.headers, boundary, onPart)])
  } catch (error) {
    body.abandon()
    source.destroy()
    throw error
  }
  await spool.written()
}
