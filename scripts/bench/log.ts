import { readFileSync, statSync } from 'node:fs'

/** A frame of the write-ahead log is a page with a header. */
const FRAME = 24 + 4096
const HEADER = 32

/** The number of pages in a write-ahead log. */
export const pagesIn = (log: string): number => Math.floor(statSync(log).size / FRAME)

/** The page numbers of each commit in a write-ahead log that nobody has reset since it was emptied. */
export function commitsIn(log: string): number[][] {
  const bytes = readFileSync(log)
  const commits: number[][] = []
  let pages: number[] = []
  for (let at = HEADER; at + FRAME <= bytes.length; at += FRAME) {
    pages.push(bytes.readUInt32BE(at))
    const isLast = bytes.readUInt32BE(at + 4) !== 0 // the last one has the size of the database
    if (!isLast) continue
    commits.push(pages)
    pages = []
  }
  return commits
}
