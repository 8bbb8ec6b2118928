import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { removeGently } from '../lib/large-files.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { lockFolder } from '../store/lock.ts'

const PREFIX = 'dealbox.part-'

/** Runs the job with a workspace. */
export function inWorkspace<T>(folder: string, job: (workspace: string) => T): T {
  const { path, close } = openWorkspace(folder)
  try {
    return job(path)
  } finally {
    close()
  }
}

/**
 * Makes a temporary folder beside what is made in it, so that a rename can put the result into its place. `close` removes
 * it. Those that killed processes have left are removed before.
 */
export function openWorkspace(folder: string): { path: string; close: () => void } {
  removeAbandoned(folder)
  const path = mkdtempSync(join(folder, PREFIX))
  const release = lockFolder(path)
  return {
    path,
    close: () => {
      release?.()
      removeGently(path)
    },
  }
}

function removeAbandoned(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => each.startsWith(PREFIX))) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || Math.abs(Date.now() - found.mtimeMs) < MINUTE_MS) continue // its process may not have locked it yet
    try {
      const release = lockFolder(path)
      if (!release) continue
      release()
      removeGently(path)
    } catch {
      // That of another user, in a folder that several share.
    }
  }
}
