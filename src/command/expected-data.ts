import { hash } from 'node:crypto'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { mountOf } from '../store/folder/mounts.ts'
import { CONFIG_FILE } from './config/file.ts'
import type { Options } from './config/options.ts'

// A data folder on a disk or share that is not mounted looks like a new one, and would get a new, empty server. So a server
// leaves a mark beside the mount point, where it stays when the disk is away.

export const expectOptions = {
  expectData: {
    type: 'boolean',
    help: 'do not begin anew in a data folder that is missing or empty, as where its disk is not mounted: for containers, after the first start',
  },
} as const satisfies Options

/** What a folder without a database may have: that of a new disk, and the configuration for the first start. */
const EXPECTED = ['lost+found', CONFIG_FILE]

export function isNewFolder(dataDir: string): boolean {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  return names.every((name) => EXPECTED.includes(name))
}

const nameOf = (dataDir: string): string => `.dealbox-${hash('sha256', resolve(dataDir)).slice(0, 16)}`

/** The mark of a folder, in whichever folder above it is; undefined if there is none. */
function markOf(dataDir: string): string | undefined {
  for (let folder = dirname(resolve(dataDir)); ; folder = dirname(folder)) {
    const mark = join(folder, nameOf(dataDir))
    if (existsSync(mark)) return mark
    if (folder === dirname(folder)) return undefined
  }
}

/** Throws Problem 409 if a folder is as a new one, and should not be. */
export function refuseMissing(dataDir: string, isExpected: boolean): void {
  const mark = markOf(dataDir)
  if (!(isExpected || mark) || !isNewFolder(dataDir)) return
  const why = mark ? 'a server ran on it before' : 'it should have data (--expect-data)'
  const anew = mark ? `delete ${mark}` : 'start once without --expect-data'
  throw new Problem(
    409,
    'data_missing',
    `${dataDir} is ${existsSync(dataDir) ? 'empty' : 'missing'}, although ${why}: mount its disk or share. To begin anew there, ${anew}.`,
  )
}

/** Leaves the mark where the folder is on a disk of its own, if this user may write there. */
export function markData(dataDir: string, mount = mountOf(dataDir)): void {
  if (!mount || mount.point === '' || mount.point === '/') return
  try {
    writeFileSync(join(dirname(mount.point), nameOf(dataDir)), `${resolve(dataDir)}\n${MARK}`, {
      mode: 0o644,
      flag: 'wx',
    })
  } catch {
    // It is there already, or the folder above belongs to others: "dealbox install" does it as root.
  }
}

const MARK =
  'has the data of a Dealbox server. Where it is missing or empty, the server does not start; delete this file to begin anew.\n'
