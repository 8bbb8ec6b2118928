import { type Present, presentAfter } from './present-after.ts'
import type { Hello, Notice, Stream, StreamEvent, StreamHandlers } from './stream-types.ts'
import type { Timers } from './timers.ts'

// One stream for all tabs of a member in a browser: HTTP/1.1 gives a browser six connections to an address, and each tab
// needs some of them for its requests. The hub runs in a SharedWorker; each tab talks to it through a port.

export type ToHub =
  | { type: 'open'; after: number }
  | { type: 'wake'; isNetworkNew: boolean }
  | { type: 'alive' }
  | { type: 'close' }

export type FromHub =
  | { type: 'hello'; hello: Hello }
  | { type: 'events'; events: readonly StreamEvent[] }
  | { type: 'notice'; notice: Notice }
  | { type: 'reset' }
  | { type: 'signedOut' }
  | { type: 'up' }
  | { type: 'down'; heardAt: number; front: number | undefined }
  /** The answer to a tab that says it is alive. */
  | { type: 'here' }
  /** The tab is not known (any more): it has to open again. */
  | { type: 'again' }

export type Tab = { send(message: FromHub): void }
/** `at` is the last event that the tab has. */
type Known = { tab: Tab; heardAt: number; at: number }

/** Kept for tabs that come later, whose page was read before the newest event. */
const MAX_KEPT = 5000
/** A tab that crashed does not say so. Hidden tabs run their timers once a minute. */
const TAB_SILENCE_MS = 180_000

export function streamHub({ stream, timers }: { stream: (on: StreamHandlers) => Stream; timers: Timers }) {
  const tabs = new Map<Tab, Known>()
  let hello: Hello | undefined
  /** Who looks at what: the server says it once to the stream, and then what changes. */
  let present: ReadonlyMap<string, Present> = new Map()
  let isUp = false
  let lost: Extract<FromHub, { type: 'down' }> = { type: 'down', heardAt: timers.now(), front: undefined }
  let kept: StreamEvent[] = []
  /** `kept` has all events after this. */
  let keptFrom = 0
  let isRunning = false
  let heardAt = timers.now()

  const source = stream({
    up() {
      isUp = true
      tell({ type: 'up' })
    },
    down(heardAt, front) {
      isUp = false
      lost = { type: 'down', heardAt, front }
      tell(lost)
    },
    hello(given) {
      hello = given
      tell({ type: 'hello', hello: given })
    },
    events(events) {
      kept.push(...events)
      if (kept.length > 2 * MAX_KEPT) {
        kept = kept.slice(-MAX_KEPT)
        keptFrom = (kept[0] as StreamEvent).seq - 1
      }
      for (const known of tabs.values()) bring(known, events)
    },
    notice(notice) {
      if (notice.kind === 'presence') present = presentAfter(present, notice)
      tell({ type: 'notice', notice })
    },
    reset() {
      isRunning = false
      // Each reads everything anew, and then opens again.
      for (const known of tabs.values()) known.at = Number.POSITIVE_INFINITY
      tell({ type: 'reset' })
    },
    signedOut() {
      isRunning = false
      tell({ type: 'signedOut' })
    },
  })

  function tell(message: FromHub): void {
    for (const { tab } of tabs.values()) tab.send(message)
  }

  /** The stream may begin at an earlier event, for the sake of another tab. */
  function bring(known: Known, events: readonly StreamEvent[]): void {
    const missed = events.filter(({ seq }) => seq > known.at)
    if (missed.length === 0) return
    known.at = (missed.at(-1) as StreamEvent).seq
    known.tab.send({ type: 'events', events: missed })
  }

  function receive(tab: Tab, message: ToHub): void {
    const now = timers.now()
    // After a sleep of the computer nobody can have been heard.
    if (now - heardAt > TAB_SILENCE_MS) for (const known of tabs.values()) known.heardAt = now
    heardAt = now
    if (message.type === 'close') leave(tab)
    else if (message.type === 'open') open({ tab, heardAt: now, at: message.after })
    else answer(tabs.get(tab), tab, message)
    for (const { tab, heardAt } of tabs.values()) if (now - heardAt > TAB_SILENCE_MS) leave(tab)
  }

  function answer(known: Known | undefined, tab: Tab, message: ToHub): void {
    if (!known) {
      tab.send({ type: 'again' })
      return
    }
    known.heardAt = heardAt
    if (message.type === 'wake') source.wake(message.isNetworkNew)
    else tab.send({ type: 'here' })
  }

  function open(known: Known): void {
    tabs.set(known.tab, known)
    if (!isRunning || known.at < keptFrom) {
      run()
      return
    }
    known.tab.send(isUp ? { type: 'up' } : lost)
    bring(known, kept)
    // It says the time, which has passed since.
    if (hello) known.tab.send({ type: 'hello', hello: { ...hello, now: new Date(timers.now()).toISOString() } })
    known.tab.send({ type: 'notice', notice: { kind: 'presence', present: [...present.values()] } })
  }

  /** From the earliest event that one of them does not have: a session may have ended under tabs that wait for the next. */
  function run(): void {
    const after = Math.min(...[...tabs.values()].map(({ at }) => at))
    isRunning = true
    kept = []
    keptFrom = after
    source.open(after)
  }

  function stop(): void {
    isRunning = false
    isUp = false
    hello = undefined
    present = new Map()
    kept = []
    source.close()
  }

  function leave(tab: Tab): void {
    tabs.delete(tab)
    if (tabs.size === 0) stop()
  }

  return { receive, size: () => tabs.size }
}

type HubParts = {
  post: (message: ToHub) => void
  timers: Timers
  /** Nothing is heard of the hub: browsers may end a worker. */
  onLost: () => void
}

/** The hub as a stream of one tab. */
export function hubStream(
  { post, timers, onLost }: HubParts,
  on: StreamHandlers,
): Stream & { receive(message: FromHub): void } {
  let stopTimer: (() => void) | undefined
  /** The last event that this tab has. */
  let at = 0
  let isHeard = false

  function receive(message: FromHub): void {
    if (stopTimer === undefined) return
    isHeard = true
    if (message.type === 'events') {
      at = message.events.at(-1)?.seq ?? at
      on.events(message.events)
    } else if (message.type === 'hello') on.hello(message.hello)
    else if (message.type === 'notice') on.notice(message.notice)
    else if (message.type === 'down') on.down(message.heardAt, message.front)
    else if (message.type === 'again') open(at)
    else if (message.type !== 'here') on[message.type]()
  }

  function stayAlive(): void {
    if (!isHeard) {
      onLost()
      return
    }
    isHeard = false
    post({ type: 'alive' })
    stopTimer = timers.after(ALIVE_MS, stayAlive)
  }

  function open(after: number): void {
    at = after
    isHeard = true
    stopTimer?.()
    stopTimer = timers.after(ALIVE_MS, stayAlive)
    post({ type: 'open', after })
  }

  function close(): void {
    stopTimer?.()
    stopTimer = undefined
    post({ type: 'close' })
  }

  return { receive, open, wake: (isNetworkNew) => post({ type: 'wake', isNetworkNew }), close }
}

const ALIVE_MS = 20_000
