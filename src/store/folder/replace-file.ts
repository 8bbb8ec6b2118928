import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncFolder } from './key-file.ts'

/** Puts a small file in the place of another: it is complete at every moment, and survives a power cut. */
export function replaceFile(path: string, content: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(temporary, path)
    syncFolder(dirname(path))
  } finally {
    rmSync(temporary, { force: true })
  }
}
