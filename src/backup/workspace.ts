import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '../lib/time.ts'
import { lockFolder } from '../store/lock.ts'

const PREFIX = 'dealbox.part-'

/**
 * Runs the job with a temporary folder beside what it makes, so that a rename can put the result into its place. Removes
 * it afterwards, and those that killed processes have left.
 */
export function inWorkspace<T>(folder: string, job: (workspace: string) => T): T {
  removeAbandoned(folder)
  const workspace = mkdtempSync(join(folder, PREFIX))
  const release = lockFolder(workspace)
  try {
    return job(workspace)
  } finally {
    release?.()
    rmSync(workspace, { recursive: true, force: true })
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
      rmSync(path, { recursive: true, force: true })
    } catch {
      // That of another user, in a folder that several share.
    }
  }
}
