import { nameHere } from '../lib/kept.ts'
import { workerUrl } from '../lib/trusted.ts'
import { lastingStream } from './lasting-stream.ts'
import { type FromHub, hubStream } from './stream-hub.ts'
import type { Stream, StreamHandlers } from './stream-types.ts'
import { realTimers } from './timers.ts'

const timers = realTimers

/** The stream of this tab: that of the worker all tabs of a member share, or its own where there are no shared workers. */
export function browserStream(member: string): (on: StreamHandlers) => Stream {
  return (on) => lastingStream(on, (on, failed) => shared(member, on, failed) ?? own(member, on, failed), timers)
}

/** Undefined where there are no shared workers, or none are allowed. */
function shared(member: string, on: StreamHandlers, failed: () => void): Stream | undefined {
  try {
    // Another member who signs in in this browser has a worker of their own.
    const worker = new SharedWorker(workerUrl(), { name: nameHere(`stream/${member}`) })
    const { port } = worker
    const stream = hubStream({ post: (message) => port.postMessage(message), timers, onLost: failed }, on)
    port.onmessage = ({ data }: MessageEvent<FromHub>) => stream.receive(data)
    worker.onerror = failed
    return stream
  } catch {
    return undefined
  }
}

function own(member: string, on: StreamHandlers, failed: () => void): Stream {
  const loading = import('./own-stream.ts').then(({ ownStream }) => ownStream(member, on))
  loading.catch(failed)
  const then = (run: (stream: Stream) => void) => void loading.then(run, () => undefined)
  return {
    open: (after) => then((stream) => stream.open(after)),
    wake: (isNetworkNew) => then((stream) => stream.wake(isNetworkNew)),
    close: () => then((stream) => stream.close()),
  }
}
