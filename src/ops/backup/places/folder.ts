import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Problem } from '../../../lib/problem.ts'
import { sizeText } from '../../../lib/size.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { READ_BYTES, sha256Of } from '../files/digest.ts'
import { localProblem } from '../files/full-disk.ts'
import { isTemporary, wholeFile } from '../files/whole-file.ts'
import { patience } from './patience.ts'
import {
  type BackupCopy,
  type BackupPlace,
  byName,
  copyDiffers,
  isBackupName,
  noSuchCopy,
  requireBackupName,
} from './place.ts'

/** With this file in it, a folder may be on the disk of the data folder. A person makes it, Dealbox never does. */
export const MARKER = 'dealbox-copies-here'

/** Younger temporary files may belong to a process that is still copying. */
const STALE_AFTER_MS = DAY_MS

export type FolderOptions = {
  folder: string
  dataDir: string
  /** How long the folder may take to answer at all, and on top of that for each MiB. */
  patience_ms?: number
}

/** A folder of another disk, usually a mounted share. It is never created: see docs/decisions/032-backup-places.md. */
export function folderPlace({ folder, dataDir, patience_ms }: FolderOptions): BackupPlace {
  const within = patience(folder, patience_ms)

  async function put(file: string, name: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    const { size } = await stat(file)
    await within(size, signal, async (cut) => {
      await refuseUnlessThere(folder, dataDir)
      await removeStale(folder)
      await refuseIfFull(folder, size)
      await wholeFile(join(folder, name), async (temporary) => {
        const sent = await copy(file, temporary, cut)
        // The system may answer from its memory, but not with anything that it has not flushed.
        if ((await sha256Of(temporary, cut)) !== sent) throw copyDiffers(folder, name)
      })
    })
  }

  async function list(signal?: AbortSignal): Promise<BackupCopy[]> {
    return within(0, signal, async () => {
      await refuseUnlessThere(folder, dataDir)
      const names = (await readdir(folder)).filter(isBackupName)
      const copies = names.map(async (name): Promise<BackupCopy> => {
        const { size, mtimeMs } = await stat(join(folder, name))
        return { name, bytes: size, time: Math.floor(mtimeMs) }
      })
      return (await Promise.all(copies)).sort(byName)
    })
  }

  async function get(name: string, toFile: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    const from = join(folder, name)
    const found = await within(0, signal, async () => {
      await refuseUnlessThere(folder, dataDir)
      return await stat(from).catch((error) => {
        throw error.code === 'ENOENT' ? noSuchCopy(folder, name) : error
      })
    })
    await within(found.size, signal, (cut) =>
      wholeFile(toFile, async (temporary) => void (await copy(from, temporary, cut))).catch((error) => {
        throw localProblem(error, toFile)
      }),
    )
  }

  async function remove(name: string, signal?: AbortSignal): Promise<void> {
    requireBackupName(name)
    await within(0, signal, async () => {
      await refuseUnlessThere(folder, dataDir)
      await rm(join(folder, name), { force: true })
    })
  }

  return { name: folder, kind: 'folder', put, list, get, remove }
}

/** Returns the SHA-256 of what was read. */
async function copy(from: string, to: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const source = createReadStream(from, { highWaterMark: READ_BYTES })
  source.on('data', (chunk) => hash.update(chunk))
  await pipeline(source, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }), { signal })
  return hash.digest('hex')
}

/**
 * A share that is not mounted is usually an empty folder of the disk that it is mounted on, or no folder: either must not
 * be filled with copies that are lost with that disk.
 */
async function refuseUnlessThere(folder: string, dataDir: string): Promise<void> {
  const found = await stat(folder).catch((error) => {
    if (!['ENOENT', 'ENOTDIR'].includes(error.code)) throw error
  })
  if (!found?.isDirectory()) throw missing(`There is no folder ${folder}. If it is on a share, mount the share`)
  if (found.dev !== (await stat(dataDir)).dev) return
  const marker = await stat(join(folder, MARKER)).catch(() => undefined)
  if (!marker)
    throw missing(
      `${folder} is on the same disk as the data folder. If it is a share, it is not mounted; if it is meant so, create an empty file "${MARKER}" in it`,
    )
}

const missing = (sentence: string): Problem => new Problem(502, 'place_missing', `${sentence}.`)

async function refuseIfFull(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  // Some file systems of networks do not say.
  if (bavail === 0 || bavail * bsize >= needed) return
  throw new Problem(
    502,
    'place_full',
    `${folder} has ${sizeText(bavail * bsize)} free, and the copy needs ${sizeText(needed)}.`,
  )
}

/** Removes temporary files that interrupted processes have left. */
async function removeStale(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter(isTemporary)) {
    const found = await stat(join(folder, name)).catch(() => undefined)
    if (found && found.mtimeMs < Date.now() - STALE_AFTER_MS) await rm(join(folder, name), { force: true })
  }
}
