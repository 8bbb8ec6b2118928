import { chmodSync, lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Finding, fail, pass, some, together, warn } from '../finding.ts'
import type { Patient } from '../patient.ts'

type Entry = { path: string; mode: number; uid: number; gid: number; isFolder: boolean }

/** Only these: a folder that was named by mistake may have millions. */
const MAX_ENTRIES = 10_000
const OTHERS = 0o077
const WRITE = 0o022
const ENTER = 0o011
/** Locks are empty. */
const HARMLESS = /\.lock(-journal)?$/

/** Who may read and write the data folder, and whom its files belong to. */
export function permissions({ dataDir }: Patient): Finding {
  const all = entriesBelow(dataDir)
  const [folder] = all
  if (!folder) return fail(`${dataDir} does not exist.`, 'Name the data folder with --data.')
  if (process.platform === 'win32') return pass('On Windows permissions are not checked.')
  const shown = (entries: readonly Entry[]) => some(entries.map(({ path }) => relative(dataDir, path) || dataDir))
  const uid = process.getuid?.() ?? folder.uid
  const isMine = uid === 0 || uid === folder.uid
  const open = all.filter(({ path, mode }) => (mode & OTHERS) !== 0 && !HARMLESS.test(path))
  const strange = all.filter((entry) => entry.uid !== folder.uid)
  const findings: Finding[] = []
  if (open.length > 0) {
    const isReachable = (folder.mode & ENTER) !== 0
    const isWritable = open.some(({ mode }) => (mode & WRITE) !== 0)
    findings.push(
      (isReachable && isWritable ? fail : warn)(
        `Other users of this machine may ${isWritable ? 'read and change' : 'read'} ${shown(open)}${isReachable ? '' : ', once the folder is opened to them'}.`,
        isMine ? 'Use "dealbox doctor --fix".' : 'Use "dealbox doctor --fix" as the user of the server, or as root.',
        { run: () => closed(open.filter((entry) => isMine && entry.uid === folder.uid)) },
      ),
    )
  }
  if (strange.length > 0)
    findings.push(
      fail(
        `${shown(strange)} belong to another user than the data folder (${folder.uid}), so that the server may not be able to write them.`,
        // Not for --fix: whoever takes over the server could make root give away other files meanwhile.
        `Stop the server, and use "sudo chown -hR ${folder.uid}:${folder.gid} ${dataDir}". Run commands as the user of the server.`,
      ),
    )
  if (!isMine)
    findings.push(
      warn(
        `This command runs as another user (${uid}) than the one whom the data folder belongs to (${folder.uid}).`,
        'Run commands as the user of the server, since the files that they make belong to whoever runs them.',
      ),
    )
  return together(findings, `Only the user ${folder.uid} may read the data folder, and all files are theirs.`)
}

/** The folder first. Links are not followed. */
function entriesBelow(folder: string): Entry[] {
  const found: Entry[] = []
  const waiting = [folder]
  for (let path = waiting.shift(); path !== undefined && found.length < MAX_ENTRIES; path = waiting.shift()) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || stats.isSymbolicLink()) continue // gone meanwhile, as temporary files are
    const isFolder = stats.isDirectory()
    found.push({ path, mode: stats.mode & 0o777, uid: stats.uid, gid: stats.gid, isFolder })
    if (isFolder) for (const name of namesIn(path).slice(0, MAX_ENTRIES)) waiting.push(join(path, name))
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // of another user, which the check says
  }
}

function closed(entries: readonly Entry[]): string | undefined {
  if (entries.length === 0) return undefined
  for (const { path, mode } of entries) chmodSync(path, mode & ~OTHERS)
  return `Took the permissions of other users from ${some(entries.map(({ path }) => path))}.`
}
