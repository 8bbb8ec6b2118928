import { base } from '../lib/base.ts'
import { connectionOf } from './browser-connection.ts'
import { eventStream } from './event-stream.ts'
import type { Stream, StreamHandlers } from './stream-types.ts'
import { realTimers } from './timers.ts'

/** A tab gives its connection back when it has been hidden for this long. */
const HIDDEN_MS = 60_000

/** The stream of a tab that has no worker to share it with. */
export function ownStream(member: string, on: StreamHandlers): Stream {
  const stream = eventStream(
    { openConnection: connectionOf(member, base), timers: realTimers, random: Math.random },
    on,
  )
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = () => {
    clearTimeout(timer)
    if (document.hidden) timer = setTimeout(stream.pause, HIDDEN_MS)
  }
  document.addEventListener('visibilitychange', look)
  look() // it may have been opened in the background
  return stream
}
