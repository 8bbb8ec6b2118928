import { nameHere } from '../lib/kept.ts'
import { workerUrl } from '../lib/trusted.ts'
import { type FromHub, hubStream } from './stream-hub.ts'
import type { Stream, StreamHandlers } from './stream-types.ts'
import { realTimers } from './timers.ts'

const timers = realTimers
const RETRY_MS = 3000

/** The stream of this tab: that of the worker all tabs share, or its own where there are no shared workers. */
export function browserStream(member: string): (on: StreamHandlers) => Stream {
  return (on) => lasting(on, (failed) => shared(member, on, failed) ?? own(on, failed))
}

/** A stream whose code has to come from the server, too: if something else answers in its place, it is asked for again. */
function lasting(on: StreamHandlers, make: (failed: () => void) => Stream): Stream {
  let from: number | undefined
  let stream = make(failed)

  function failed(): void {
    stream.close()
    on.down(timers.now())
    timers.after(RETRY_MS, () => {
      stream = make(failed)
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

/** Undefined where there are no shared workers, or none are allowed. */
function shared(member: string, on: StreamHandlers, failed: () => void): Stream | undefined {
  try {
    const worker = new SharedWorker(workerUrl(), { name: nameHere('stream') })
    const { port } = worker
    const stream = hubStream({ post: (message) => port.postMessage(message), member, timers }, on)
    port.onmessage = ({ data }: MessageEvent<FromHub>) => stream.receive(data)
    worker.onerror = failed
    return stream
  } catch {
    return undefined
  }
}

function own(on: StreamHandlers, failed: () => void): Stream {
  const loading = import('./own-stream.ts').then(({ ownStream }) => ownStream(on))
  loading.catch(failed)
  const then = (run: (stream: Stream) => void) => void loading.then(run, () => undefined)
  return {
    open: (after) => then((stream) => stream.open(after)),
    wake: (isNetworkNew) => then((stream) => stream.wake(isNetworkNew)),
    close: () => then((stream) => stream.close()),
  }
}
