import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gently, inTurns, removal } from '../../lib/machine/large-files.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { lockFolder } from '../../store/folder/lock.ts'

const PREFIX = 'dealbox.part-'

/** Runs the job with a workspace, in a thread or a command. */
export function inWorkspace<T>(folder: string, job: (workspace: string) => T): T {
  const { path, close } = openWorkspace(folder)
  try {
    return job(path)
  } finally {
    close()
  }
}

/** The same in a server, whose event loop turns while large files are removed. */
export async function inWorkspaceOfServer<T>(folder: string, job: (workspace: string) => Promise<T>): Promise<T> {
  await inTurns(abandoned(folder))
  const { path, release } = newWorkspace(folder)
  try {
    return await job(path)
  } finally {
    release()
    await inTurns(removal(path))
  }
}

/**
 * Makes a temporary folder beside what is made in it, so that a rename can put the result into its place. `close` removes
 * it. Those that killed processes have left are removed before.
 */
export function openWorkspace(folder: string): { path: string; close: () => void } {
  gently(abandoned(folder))
  const { path, release } = newWorkspace(folder)
  return {
    path,
    close: () => {
      release()
      gently(removal(path))
    },
  }
}

function newWorkspace(folder: string): { path: string; release: () => void } {
  const path = mkdtempSync(join(folder, PREFIX))
  const release = lockFolder(path)
  return { path, release: () => release?.() }
}

/** Removes what killed processes have left, as in a server that makes nothing more. */
export const removeAbandoned = (folder: string): Promise<void> =>
  existsSync(folder) ? inTurns(abandoned(folder)) : Promise.resolve()

/** The steps that remove what killed processes have left. */
function* abandoned(folder: string): Generator<void> {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || Math.abs(Date.now() - found.mtimeMs) < MINUTE_MS) continue // its process may not have locked it yet
    try {
      const release = lockFolder(path)
      if (!release) continue
      release()
      yield* removal(path)
    } catch {
      // That of another user, in a folder that several share.
    }
  }
}
