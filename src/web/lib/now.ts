import { type ReadonlySignal, signal } from '@preact/signals'

const MINUTE_MS = 60_000
let timer: ReturnType<typeof setInterval> | undefined

const time = signal(Date.now(), {
  watched() {
    time.value = Date.now()
    timer = setInterval(() => {
      time.value = Date.now()
    }, MINUTE_MS)
  },
  unwatched: () => clearInterval(timer),
})

/** Milliseconds, new each minute while something on the page reads it: for what says how late or how old something is. */
export const now: ReadonlySignal<number> = time
