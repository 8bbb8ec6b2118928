import { workerUrl } from '../lib/trusted.ts'
import { openConnection } from './browser-connection.ts'
import { eventStream, type PausableStream } from './event-stream.ts'
import { type FromHub, hubStream } from './stream-hub.ts'
import type { Stream, StreamHandlers } from './stream-types.ts'
import { realTimers } from './timers.ts'

const timers = realTimers
/** A tab without SharedWorker gives its connection back when it has been hidden for this long. */
const HIDDEN_MS = 60_000

/** The stream of this tab: that of the worker all tabs share, or its own where there are no shared workers. */
export function browserStream(member: string): (on: StreamHandlers) => Stream {
  return (on) => shared(member, on) ?? ownWhileVisible(eventStream({ openConnection, timers, random: Math.random }, on))
}

function shared(member: string, on: StreamHandlers): Stream | undefined {
  try {
    const { port } = new SharedWorker(workerUrl(), { name: 'dealbox-stream' })
    const stream = hubStream({ post: (message) => port.postMessage(message), member, timers }, on)
    port.onmessage = ({ data }: MessageEvent<FromHub>) => stream.receive(data)
    return stream
  } catch {
    return undefined
  }
}

function ownWhileVisible(stream: PausableStream): Stream {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(stream.pause, HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', look)
  look() // it may have been opened in the background
  return stream
}
