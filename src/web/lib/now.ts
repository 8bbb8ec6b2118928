import { type ReadonlySignal, signal } from '@preact/signals'
import { serverNow } from './server-time.ts'

const MINUTE_MS = 60_000
let timer: ReturnType<typeof setTimeout> | undefined

const time = signal(serverNow(), { watched: tick, unwatched: () => clearTimeout(timer) })

function tick(): void {
  clearTimeout(timer)
  time.value = serverNow()
  timer = setTimeout(tick, MINUTE_MS - (time.value % MINUTE_MS))
}

/**
 * Milliseconds of the server's time, new with each of its minutes while something on the page reads it: for what says how
 * late or how old something is, or what "tomorrow" is. Where nothing reads it, `serverNow` says what it would be.
 */
export const now: ReadonlySignal<number> = time
