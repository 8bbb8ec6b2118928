import { type Present, presentAfter } from './present-after.ts'
import type { Hello, Notice, Stream, StreamEvent, StreamHandlers } from './stream-types.ts'
import type { Timers } from './timers.ts'

// One stream for all tabs of a browser: HTTP/1.1 gives a browser six connections to an address, and each tab needs some of
// them for its requests. The hub runs in a SharedWorker; each tab talks to it through a port.

export type ToHub =
  | { type: 'open'; after: number; member: string }
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

export type Tab = { send(message: FromHub): void }
type Known = { tab: Tab; heardAt: number; isOpen: boolean }

/** Kept for tabs that come later, whose page was read before the newest event. */
const MAX_KEPT = 5000
/** A tab that crashed does not say so. Hidden tabs run their timers once a minute. */
const TAB_SILENCE_MS = 180_000

export function streamHub({ stream, timers }: { stream: (on: StreamHandlers) => Stream; timers: Timers }) {
  const tabs = new Map<Tab, Known>()
  let member: string | undefined
  let hello: Hello | undefined
  /** Who looks at what: the server says it once to the stream, and then what changes. */
  let present: ReadonlyMap<string, Present> = new Map()
  let isUp = false
  let lost: Extract<FromHub, { type: 'down' }> = { type: 'down', heardAt: timers.now(), front: undefined }
  let kept: StreamEvent[] = []
  /** `kept` has all events after this. */
  let keptFrom = 0
  let isRunning = false

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
      tell({ type: 'events', events })
    },
    notice(notice) {
      if (notice.kind === 'presence') present = presentAfter(present, notice)
      tell({ type: 'notice', notice })
    },
    reset() {
      isRunning = false
      tell({ type: 'reset' })
    },
    signedOut() {
      isRunning = false
      tell({ type: 'signedOut' })
    },
  })

  function tell(message: FromHub): void {
    for (const { tab, isOpen } of tabs.values()) if (isOpen) tab.send(message)
  }

  function receive(tab: Tab, message: ToHub): void {
    const known = tabs.get(tab) ?? { tab, heardAt: 0, isOpen: false }
    tabs.set(tab, known)
    known.heardAt = timers.now()
    if (message.type === 'open') open(known, message.after, message.member)
    if (message.type === 'wake') source.wake(message.isNetworkNew)
    if (message.type === 'close') leave(tab)
    forgetCrashed()
  }

  function open(known: Known, after: number, newMember: string): void {
    known.isOpen = true
    if (newMember !== member) stop() // somebody else has signed in
    member = newMember
    if (!isRunning || after < keptFrom) {
      run(after)
      return
    }
    known.tab.send(isUp ? { type: 'up' } : lost)
    const missed = kept.filter(({ seq }) => seq > after)
    if (missed.length > 0) known.tab.send({ type: 'events', events: missed })
    if (hello) known.tab.send({ type: 'hello', hello })
    known.tab.send({ type: 'notice', notice: { kind: 'presence', present: [...present.values()] } })
  }

  function run(after: number): void {
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

  function forgetCrashed(): void {
    for (const { tab, heardAt } of tabs.values()) if (timers.now() - heardAt > TAB_SILENCE_MS) leave(tab)
  }

  return { receive, size: () => tabs.size }
}

/** The hub as a stream of one tab. */
export function hubStream(
  { post, member, timers }: { post: (message: ToHub) => void; member: string; timers: Timers },
  on: StreamHandlers,
): Stream & { receive(message: FromHub): void } {
  let stopTimer: (() => void) | undefined

  function receive(message: FromHub): void {
    if (stopTimer === undefined) return
    if (message.type === 'events') on.events(message.events)
    else if (message.type === 'hello') on.hello(message.hello)
    else if (message.type === 'notice') on.notice(message.notice)
    else if (message.type === 'down') on.down(message.heardAt, message.front)
    else on[message.type]()
  }

  function stayAlive(): void {
    post({ type: 'alive' })
    stopTimer = timers.after(ALIVE_MS, stayAlive)
  }

  function open(after: number): void {
    stopTimer?.()
    stopTimer = timers.after(ALIVE_MS, stayAlive)
    post({ type: 'open', after, member })
  }

  function close(): void {
    stopTimer?.()
    stopTimer = undefined
    post({ type: 'close' })
  }

  return { receive, open, wake: (isNetworkNew) => post({ type: 'wake', isNetworkNew }), close }
}

const ALIVE_MS = 20_000
