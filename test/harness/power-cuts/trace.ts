import { basename } from 'node:path'
import { callsIn, textsIn } from './calls.ts'

// Reads what strace has written: what a server did to the files of its database, and what it acknowledged, in that order.

/** The files that hold data. The index of the log is not one of them: SQLite makes it anew. */
export const FILES = ['dealbox.db', 'dealbox.db-wal'] as const
export type File = (typeof FILES)[number]

export type Op =
  | { type: 'write'; file: File; offset: number; data: Buffer }
  | { type: 'truncate'; file: File; size: number }
  | { type: 'remove'; file: File }
  | { type: 'sync'; file: File }
  /** A response that says that a record has this version. */
  | { type: 'acknowledged'; id: string; version: number }

/** The system calls to record. */
export const CALLS = 'openat,close,write,writev,pwrite64,ftruncate,unlink,fsync,fdatasync'

const RESPONSE = /HTTP\/1\.1 20[01] [\s\S]*?\r\n\r\n(\{[^\r\n]*?\})(?=HTTP\/1\.1|$)/g

/** Reads a recording. Throws if it has a write to the database that this does not understand. */
export async function readTrace(path: string): Promise<Op[]> {
  const ops: Op[] = []
  const names = new Map<number, string>()

  function take(name: string, args: string, result: number): void {
    if (name === 'openat') {
      if (result >= 0) names.set(result, basename(textsIn(args)[0]?.toString() ?? ''))
      return
    }
    const fd = Number(/^\d+/.exec(args)?.[0])
    if (name === 'close') return void names.delete(fd)
    if (name === 'unlink') {
      const file = fileOf(basename(textsIn(args)[0]?.toString() ?? ''))
      if (file && result === 0) ops.push({ type: 'remove', file })
      return
    }
    const file = fileOf(names.get(fd))
    if (file) takeFile(file, name, args, result)
    else if (!names.has(fd) && (name === 'write' || name === 'writev'))
      for (const [, body = ''] of Buffer.concat(textsIn(args)).toString().matchAll(RESPONSE)) acknowledge(body)
  }

  function takeFile(file: File, name: string, args: string, result: number): void {
    if (result < 0) throw new Error(`${name} of ${file} failed`)
    const offset = Number(/, (\d+)$/.exec(args)?.[1])
    if (name === 'fsync' || name === 'fdatasync') ops.push({ type: 'sync', file })
    else if (name === 'ftruncate') ops.push({ type: 'truncate', file, size: offset })
    else if (name === 'pwrite64') {
      const [data = Buffer.alloc(0)] = textsIn(args)
      if (data.length !== result)
        throw new Error(`a write to ${file} of ${result} bytes was recorded with ${data.length}`)
      ops.push({ type: 'write', file, offset, data })
    } else throw new Error(`${name} writes to ${file}, which is not expected`)
  }

  function acknowledge(body: string): void {
    const { id, version } = JSON.parse(body)
    if (typeof id === 'string' && typeof version === 'number') ops.push({ type: 'acknowledged', id, version })
  }

  for await (const { name, args, result } of callsIn(path)) take(name, args, result)
  return ops
}

const fileOf = (name: string | undefined): File | undefined => FILES.find((each) => each === name)
