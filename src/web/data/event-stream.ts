import { messageReader } from './sse.ts'
import type { Hello, Notice, Stream, StreamEvent, StreamHandlers } from './stream-types.ts'
import type { Timers } from './timers.ts'

// One connection to GET /app/stream, opened anew from the last event whenever it ends.

export type OpenConnection = (
  path: string,
  on: {
    /** The status of the answer, and whether it is the server's own: only such a 200 is a stream. */
    status(status: number, isOwn: boolean): void
    text(text: string): void
    /** Also when the connection could not be opened. Not called after `close`. */
    end(): void
  },
) => { close(): void }

/** The server writes a comment every 15 s: after this, it or the network is gone. */
const SILENCE_MS = 35_000
/** A page that was asleep does not wait that long: one comment has been missed. */
const DOUBTFUL_MS = 17_000
const FIRST_RETRY_MS = 500
/** Somebody else has signed in in this browser: for the member of this stream that is the same as nobody. */
const OTHER_MEMBER = 409
const LONGEST_RETRY_MS = 15_000

/** `pause` gives the connection back until `wake`. */
export type PausableStream = Stream & { pause(): void }

export function eventStream(
  { openConnection, timers, random }: { openConnection: OpenConnection; timers: Timers; random: () => number },
  on: StreamHandlers,
): PausableStream {
  let after = 0
  let connection: { close(): void } | undefined
  let stopTimer: (() => void) | undefined
  let heardAt = 0
  let failures = 0
  let isOpen = false

  function open(from: number): void {
    isOpen = true
    after = from
    failures = 0
    connect()
  }

  function connect(): void {
    disconnect()
    heardAt = timers.now()
    stopTimer = timers.after(SILENCE_MS, lose)
    let events: StreamEvent[] = []
    const read = messageReader(({ event, data }) => {
      if (connection !== mine) return
      if (event === 'message') add(JSON.parse(data) as StreamEvent)
      else {
        flush()
        handle(event, data)
      }
    })
    function add(event: StreamEvent): void {
      if (event.seq <= after) return
      after = event.seq
      events.push(event)
    }
    function flush(): void {
      const next = events
      events = []
      if (next.length > 0) on.events(next)
    }
    const mine = openConnection(`/app/stream?after=${after}`, {
      status(status, isOwn) {
        if (connection !== mine || (isOwn && status === 200)) return
        if (!isOwn) return lose(status)
        if (status !== 401 && status !== OTHER_MEMBER) return lose()
        close()
        on.signedOut()
      },
      text(text) {
        if (connection !== mine) return
        heardAt = timers.now()
        stopTimer?.()
        stopTimer = timers.after(SILENCE_MS, lose)
        read(text)
        flush()
      },
      end() {
        if (connection === mine) lose()
      },
    })
    connection = mine
  }

  function handle(event: string, data: string): void {
    if (event === 'hello') {
      const hello = JSON.parse(data) as Hello
      failures = 0
      timers.hear(hello.now)
      on.up()
      on.hello(hello)
    }
    if (event === 'notice') notice(JSON.parse(data) as Notice)
    if (event === 'reset') {
      close()
      on.reset()
    }
  }

  function notice(given: Notice): void {
    if (given.kind === 'signed_out') {
      close()
      on.signedOut()
    } else on.notice(given)
  }

  /** The connection is gone, or `front` is what something in front of the server answered: tries again, later each time. */
  function lose(front?: number): void {
    disconnect()
    on.down(heardAt, front)
    const backoff = Math.min(FIRST_RETRY_MS * 2 ** failures++, LONGEST_RETRY_MS)
    // Not all browsers at the same moment after a restart of the server.
    stopTimer = timers.after(backoff * (0.5 + random() / 2), connect)
  }

  function disconnect(): void {
    stopTimer?.()
    stopTimer = undefined
    const open = connection
    connection = undefined
    open?.close()
  }

  function wake(isNetworkNew: boolean): void {
    if (!isOpen) return
    const isDoubtful = connection === undefined || timers.now() - heardAt > DOUBTFUL_MS
    if (!isDoubtful && !isNetworkNew) return
    failures = 0
    connect()
  }

  function close(): void {
    isOpen = false
    disconnect()
  }

  return { open, wake, pause: disconnect, close }
}
