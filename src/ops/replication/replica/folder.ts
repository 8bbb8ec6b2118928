import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../../../lib/problem.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { syncFolder } from '../../../store/folder/key-file.ts'
import { isTemporary, wholeFile } from '../../backup/files/whole-file.ts'
import { patience } from '../../backup/places/patience.ts'
import { OWN_FOLDER, type ReplicaStorage } from './copy.ts'

const PATIENCE_MS = 20 * SECOND_MS

/** A folder, usually of a mounted share. */
export function folderCopy(folder: string, patience_ms = PATIENCE_MS): ReplicaStorage {
  const within = patience(folder, patience_ms)
  const levelOf = (level: number) => join(folder, 'ltx', String(level))
  const own = join(folder, OWN_FOLDER)

  const files = (level: number, signal?: AbortSignal): Promise<string[]> =>
    within(0, signal, async () => {
      const names = await unlessMissing(readdir(levelOf(level)))
      // A share that is not mounted is usually an empty folder, or none.
      if (!names && !(await unlessMissing(stat(folder)))) throw missing(folder)
      return names ?? []
    })

  const start = (level: number, name: string, bytes: number, signal?: AbortSignal): Promise<Buffer | undefined> =>
    within(0, signal, async () => {
      const file = await unlessMissing(open(join(levelOf(level), name), 'r'))
      if (!file) return undefined
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    })

  const list = (signal?: AbortSignal): Promise<string[]> =>
    within(0, signal, async () => {
      const names = (await unlessMissing(readdir(own))) ?? []
      return names.filter((name) => !isTemporary(name))
    })

  const get = (name: string, signal?: AbortSignal): Promise<Buffer | undefined> =>
    within(0, signal, () => unlessMissing(readFile(join(own, name))))

  const put = (name: string, content: Buffer, signal?: AbortSignal): Promise<void> =>
    within(content.length, signal, async () => {
      await makeFolder()
      await wholeFile(join(own, name), (temporary) => write(temporary, content))
    })

  const create = (name: string, content: Buffer, signal?: AbortSignal): Promise<boolean> =>
    within(content.length, signal, async () => {
      await makeFolder()
      const path = join(own, name)
      const temporary = join(own, `.${name}.${randomUUID()}.part`)
      try {
        await write(temporary, content)
        await link(temporary, path) // a rename would replace the file of somebody else
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      } finally {
        await rm(temporary, { force: true })
      }
      syncFolder(own)
      return (await readFile(path)).equals(content)
    })

  const identity = (name: string, signal?: AbortSignal): Promise<string | undefined> =>
    within(0, signal, async () => {
      const found = await unlessMissing(stat(join(own, name), { bigint: true }))
      return found && `${found.ino} ${found.ctimeNs}`
    })

  const putFile = (level: number, name: string, content: Buffer, signal?: AbortSignal): Promise<void> =>
    within(content.length, signal, async () => {
      await mkdir(levelOf(level), { recursive: true, mode: 0o700 })
      await wholeFile(join(levelOf(level), name), (temporary) => write(temporary, content))
    })

  /** Litestream makes the folder itself, and a share that is not mounted should not be filled by us. */
  async function makeFolder(): Promise<void> {
    if (!(await unlessMissing(stat(folder)))) throw missing(folder)
    await mkdir(own, { recursive: true, mode: 0o700 })
  }

  const copy: ReplicaStorage = { name: folder, files, start, own: list, get, put, create, identity, putFile, below }
  return copy

  function below(name: string): ReplicaStorage {
    const { name: place, files, start, putFile } = folderCopy(join(folder, name), patience_ms)
    return { ...copy, name: place, files, start, putFile }
  }
}

const write = (path: string, content: Buffer): Promise<void> =>
  writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true })

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error) => {
    if (['ENOENT', 'ENOTDIR'].includes(error.code)) return undefined
    throw error
  })
}

const missing = (folder: string): Problem =>
  new Problem(502, 'place_missing', `There is no folder ${folder}. If it is on a share, mount the share.`)
