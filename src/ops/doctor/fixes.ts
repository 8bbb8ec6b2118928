import { Problem } from '../../lib/problem.ts'
import { lockInstance } from '../../store/folder/lock.ts'
import { type CommandStore, openStore } from '../../store/open.ts'
import { failureOf } from '../../store/sqlite/failures.ts'
import type { Finding } from './finding.ts'
import { actAsOwnerOf } from './owner.ts'

/** What may be written of a database: nothing where it is damaged, and only its search where nothing else is. */
export type Writable = 'nothing' | 'search' | 'all'

/** Runs the fixes of all findings one after the other and returns what was done, in sentences. */
export function applyFixes(dataDir: string, findings: readonly Finding[], writable: Writable): string[] {
  let store: CommandStore | undefined
  const alone = whileAlone(dataDir)
  const actAsBefore = actAsOwnerOf(dataDir)
  try {
    return findings
      .flatMap(({ fixes }) => fixes ?? [])
      .flatMap((fix) => {
        if (fix.isAlone && !alone.holds()) return []
        if (fix.isOfSearch ? writable === 'nothing' : 'runOn' in fix && writable !== 'all') return []
        try {
          if ('run' in fix) return fix.run() ?? []
          store ??= openStore(dataDir)
          return fix.runOn(store) ?? []
        } catch (error) {
          return `This could not be fixed: ${(error as Error).message}`
        }
      })
  } finally {
    store?.close()
    alone.release()
    actAsBefore()
  }
}

/** Keeps a server from starting, from the first fix on that has to be alone. */
function whileAlone(dataDir: string) {
  let release: (() => void) | undefined
  let isRefused = false

  return {
    holds(): boolean {
      try {
        if (!isRefused) release ??= lockInstance(dataDir)
      } catch (error) {
        if (!(error instanceof Problem) && !failureOf(error)) throw error
        isRefused = true
      }
      return release !== undefined
    },
    release: () => release?.(),
  }
}
