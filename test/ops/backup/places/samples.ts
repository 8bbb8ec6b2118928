import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** A folder for the tests of a file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-places-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes bytes that look random, the same for the same word, and returns the path. */
export function sample(folder: string, word: string, bytes: number): string {
  const block = Buffer.concat(
    Array.from({ length: 2048 }, (_, index) => createHash('sha256').update(`${word} ${index}`).digest()),
  )
  const whole = Buffer.alloc(bytes, block)
  const path = join(folder, `${word}-${bytes}`)
  writeFileSync(path, whole)
  return path
}

export const isEqual = (a: string, b: string): boolean => readFileSync(a).equals(readFileSync(b))

/** The name of the backup of that day in 2026. */
export const nameOf = (day: number): string => `dealbox-202611${String(day).padStart(2, '0')}T031500Z.tar`
