import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { keyFileNames, keyPath, readKeyFile } from '../../store/folder/key-file.ts'
import { SETTINGS } from './manifest.ts'

/** A small file of a data folder. */
export type SmallFile = { name: string; mode: number; content: Buffer }

/**
 * The keys and settings of a data folder: what a restored server needs beside the database. Its lock, its reserve and what
 * arrives at the moment belong to the server that runs.
 */
export function smallFiles(dataDir: string): SmallFile[] {
  const keys = keyFileNames(dataDir).flatMap((name) => {
    const content = readKeyFile(dataDir, name)
    return content ? [{ name: `keys/${name}`, mode: modeOf(keyPath(dataDir, name)), content }] : []
  })
  const settings = join(dataDir, SETTINGS)
  if (!statSync(settings, { throwIfNoEntry: false })?.isFile()) return keys
  return [...keys, { name: SETTINGS, mode: modeOf(settings), content: readFileSync(settings) }]
}

/** Changes with any of the files. */
export function digestOf(files: readonly SmallFile[]): string {
  const hash = createHash('sha256')
  for (const { name, mode, content } of files) hash.update(`${name} ${mode} ${content.length}\n`).update(content)
  return hash.digest('hex')
}

/**
 * The files from before and after the copy of the database: a key is there before the commit that needs it, and a key that
 * was retired meanwhile is still in use in the copy.
 */
export function united(before: readonly SmallFile[], after: readonly SmallFile[]): SmallFile[] {
  const names = new Set(after.map(({ name }) => name))
  return [...after, ...before.filter(({ name }) => name.startsWith('keys/') && !names.has(name))]
}

const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777
