import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MIB } from '../size.ts'

// Large files, written and removed in steps. A file system such as ext4 makes the commits of a server wait while it writes
// or frees hundreds of megabytes at once, even if those belong to other files: 300 ms were measured.

const STEP = 8 * MIB
/** Between two steps of a removal. */
const PAUSE_MS = 10

/** Writes into an open file, and flushes it as it grows. Returns a function that writes the next bytes. */
export function steadyWriter(file: number): (bytes: Buffer) => void {
  let unsynced = 0
  return (bytes) => {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
    unsynced += bytes.length
    if (unsynced < STEP) return
    fdatasyncSync(file)
    unsynced = 0
  }
}

/** Removes a file, or a folder with all that is in it; nothing if it does not exist. Each step is taken when it is asked for. */
export function* removal(path: string): Generator<void> {
  for (const file of filesIn(path)) yield* shrink(file)
  rmSync(path, { recursive: true, force: true })
}

/** Takes steps of a removal, and waits between them, so it belongs into a thread or a command. */
export function gently(steps: Iterable<void>): void {
  for (const _ of steps) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
}

/** The same for a server: its event loop turns between the steps. */
export async function inTurns(steps: Iterable<void>): Promise<void> {
  for (const _ of steps) await pause(PAUSE_MS)
}

export const removeGently = (path: string): void => gently(removal(path))

function filesIn(path: string): string[] {
  try {
    const found = readdirSync(path, { recursive: true, withFileTypes: true })
    return found.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR' ? [path] : []
  }
}

function* shrink(path: string): Generator<void> {
  let file: number | undefined
  try {
    file = openSync(path, 'r+')
    for (let size = fstatSync(file).size - STEP; size > 0; size -= STEP) {
      ftruncateSync(file, size)
      yield
    }
  } catch {
    // One that cannot be written may still be removed.
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
