import { type Ended, kill, type Run } from './program.ts'

/**
 * A command that runs beside the server, again and again. `start` says what runs next; `onEnd` is told what became of one
 * that was not killed, and throws if that is wrong.
 */
export function beside(start: () => Run | undefined, onEnd: (ended: Ended) => void) {
  let running: (Run & { checked: Promise<void> }) | undefined
  let killed = 0

  return {
    /** Starts the next one if none runs. */
    begin: (): void => {
      const run = running ? undefined : start()
      if (!run) return
      const checked = run.ended.then((ended) => {
        running = undefined
        if (ended.signal === 'SIGKILL') killed++
        else onEnd(ended)
      })
      checked.catch(() => undefined) // whoever waits for it hears of it
      running = { ...run, checked }
    },
    isRunning: (): boolean => running !== undefined,
    kill: async (): Promise<void> => {
      const run = running
      if (run) await kill(run).then(() => run.checked)
    },
    /** Resolves when none runs. */
    ended: async (): Promise<void> => running?.checked,
    killed: () => killed,
  }
}
