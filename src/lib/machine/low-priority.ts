import { constants, setPriority } from 'node:os'

/**
 * For a thread: on a busy machine, requests take precedence over its work. On Linux this applies to the thread that calls
 * it alone. A sandbox may forbid it, which is no reason to leave the work undone.
 */
export function giveWay(set: typeof setPriority = setPriority): void {
  if (process.platform !== 'linux') return
  try {
    set(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The thread goes on with the priority that it has.
  }
}
