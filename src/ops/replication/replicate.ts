import type { Log } from '../../lib/log.ts'
import { endLeftBehind, startChild } from './child.ts'

type Options = { program: string; database: string; url: string; log: Log }

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000
const STEADY_MS = 60_000

const noteOf = (database: string): string => `${database}-replicator`
const argvOf = ({ database, url }: Pick<Options, 'database' | 'url'>): string[] => ['replicate', database, url]

/** Ends the Litestream of a server that was killed, which would still have the database open. */
export const endOldReplication = (options: Pick<Options, 'database' | 'url'>): void =>
  endLeftBehind(noteOf(options.database), argvOf(options))

/**
 * Replicates the database of a standby that was promoted, with the Litestream by which it followed before, so that nobody has
 * to configure one at that moment. It is started again whenever it ends.
 */
export function startReplicating({ program, database, url, log }: Options): () => Promise<void> {
  const argv = argvOf({ database, url })
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let pauseMs = FIRST_PAUSE_MS
  let child = start()

  function start() {
    const startedAt = performance.now()
    const own = startChild(program, argv, noteOf(database), () => undefined)
    void own.ended.then(({ code, said }) => {
      if (isStopped) return
      if (performance.now() - startedAt > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      log.error({ code, litestream: said.at(-1), pause_ms: pauseMs }, 'Litestream has ended, and is started again')
      timer = setTimeout(() => {
        child = start()
      }, pauseMs)
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    })
    return own
  }

  return async () => {
    isStopped = true
    clearTimeout(timer)
    await child.stop()
  }
}
