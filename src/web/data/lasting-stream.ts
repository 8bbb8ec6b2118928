import type { Stream, StreamEvent, StreamHandlers } from './stream-types.ts'
import type { Timers } from './timers.ts'

const RETRY_MS = 3000

/** Makes a stream; `failed` says that it will bring nothing more. */
export type MakeStream = (on: StreamHandlers, failed: () => void) => Stream

/** A stream whose code has to come from the server, too: if something else answers in its place, it is asked for again. */
export function lastingStream(on: StreamHandlers, make: MakeStream, timers: Timers): Stream {
  /** The last event that has come; undefined while it is closed. */
  let from: number | undefined
  const noting = {
    ...on,
    events(events: readonly StreamEvent[]) {
      if (from !== undefined) from = events.at(-1)?.seq ?? from
      on.events(events)
    },
  }
  let stream = make(noting, failed)

  function failed(): void {
    stream.close()
    on.down(timers.now())
    timers.after(RETRY_MS, () => {
      stream = make(noting, failed)
      if (from !== undefined) stream.open(from)
    })
  }

  return {
    open(after) {
      from = after
      stream.open(after)
    },
    wake: (isNetworkNew) => stream.wake(isNetworkNew),
    close() {
      from = undefined
      stream.close()
    },
  }
}
