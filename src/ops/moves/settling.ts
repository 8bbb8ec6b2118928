import type { Log } from '../../lib/log.ts'
import { tryLockMove } from '../../store/folder/lock.ts'
import type { Store } from '../../store/open.ts'
import { departureStore } from './departures.ts'
import { settle } from './settle.ts'

const EVERY_MS = 3000

type Options = { store: Store; dataDir: string; log: Log }

/** Ends moves whose command was interrupted: asks the other server until it answers. Returns what stops it. */
export function startSettling({ store, dataDir, log }: Options): () => Promise<void> {
  const departures = departureStore(store)
  let running: Promise<void> | undefined
  let isStopped = false

  async function look(): Promise<void> {
    if (isStopped || departures.all().length === 0) return
    const release = tryLockMove(dataDir)
    if (!release) return // the command is at work
    try {
      for (const departure of departures.all()) {
        const outcome = await settle({ store, departure, actor: { type: 'server' }, tries: 1 })
        const { public_id, url } = departure
        log.warn({ org: public_id, url, outcome }, 'the move of an organisation was interrupted')
      }
    } finally {
      release()
    }
  }

  function start(): void {
    running ??= look()
      .catch((error) => {
        if (!isStopped && !store.health.note(error)) log.error({ err: error }, 'an interrupted move was not settled')
      })
      .finally(() => {
        running = undefined
      })
  }

  const timer = setInterval(start, EVERY_MS).unref()
  start()
  return async () => {
    isStopped = true
    clearInterval(timer)
    await running
  }
}
