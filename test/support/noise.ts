import { hash } from 'node:crypto'
import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '../../src/store/open.ts'

const PAGE_BYTES = 4096
const HASH_BYTES = 32

/** A generator of noise, the same for the same seed. */
export function noiseOf(seed: number) {
  let count = 0
  const next = (): Buffer => hash('sha256', `noise ${seed} ${count++}`, 'buffer')

  return {
    /** A page full of it. */
    page: (): Buffer => Buffer.concat(Array.from({ length: PAGE_BYTES / HASH_BYTES }, next)),
    /** A number from 0, below the limit. */
    below: (limit: number): number => next().readUInt32BE() % limit,
  }
}

export const pageCount = (dataDir: string): number => statSync(join(dataDir, DATABASE)).size / PAGE_BYTES

/** Lays bytes over pages of a database that nobody has open: closing the file gives up the locks of this process. */
export function overwritePages(dataDir: string, pages: readonly number[], noise: () => Buffer): void {
  const fd = openSync(join(dataDir, DATABASE), 'r+')
  for (const page of pages) writeSync(fd, noise(), 0, PAGE_BYTES, (page - 1) * PAGE_BYTES)
  closeSync(fd)
}
