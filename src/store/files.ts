import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from './open.ts'

/** The sizes of the database and of its write-ahead log, and what is free on their disk, in bytes. */
export type StorageSizes = { database: number; log: number; free: number }

export function storageSizes(dataDir: string): StorageSizes {
  const { bavail, bsize } = statfsSync(dataDir)
  const file = join(dataDir, DATABASE)
  return { database: sizeOf(file), log: sizeOf(`${file}-wal`), free: bavail * bsize }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0
