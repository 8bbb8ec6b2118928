import { connectionOf } from './browser-connection.ts'
import { eventStream } from './event-stream.ts'
import { streamHub, type Tab, type ToHub } from './stream-hub.ts'
import { realTimers } from './timers.ts'

// The SharedWorker: it holds the stream of all tabs of a member, with whose id its name ends. The build makes a file of its
// own of it.

const timers = realTimers
const { name } = globalThis as unknown as { name: string }
// Its own file is in the folder assets of the server.
const openConnection = connectionOf(name.slice(name.lastIndexOf('/') + 1), '..')
const hub = streamHub({
  timers,
  stream: (on) => eventStream({ openConnection, timers, random: Math.random }, on),
})

globalThis.addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports
  if (!port) return
  const tab: Tab = { send: (message) => port.postMessage(message) }
  port.onmessage = ({ data }: MessageEvent<ToHub>) => hub.receive(tab, data)
})
