import { signal } from '@preact/signals'
import { ApiProblem, api, type Send } from './api.ts'
import { eventApplier } from './apply-events.ts'
import { connectionState } from './connection-state.ts'
import type { LocalTexts } from './draft-store.ts'
import { frontWatch } from './front.ts'
import { keeping } from './keeping.ts'
import { seenIn } from './lanes.ts'
import { presenceState } from './presence-state.ts'
import { recordStore } from './record-store.ts'
import { isFinal, sending } from './sending.ts'
import { stepKeys } from './step-keys.ts'
import type { Hello, Notice, Stream, StreamHandlers } from './stream-types.ts'
import type { Timers } from './timers.ts'
import type { Fields, Kind, Rec, RecordOf, SignedIn } from './types.ts'
import { writeQueue } from './write-queue.ts'
import type { WriteStorage } from './write-storage.ts'

// All data of one signed-in page. Everything from outside is an argument: the browser gives its own (browser.ts), and
// tests give theirs, with a real server at the other end.

export type ClientParts = {
  send: Send
  stream: (on: StreamHandlers) => Stream
  timers: Timers
  storage: WriteStorage
  localTexts?: LocalTexts
  /** Whether nobody has touched the page for a while. */
  isIdle?: () => boolean
  explain?: (problem: ApiProblem) => Promise<void>
  /** Who is signed in, and the name of this tab: random, and new with every load of the page. */
  member: string
  tab: string
  /** The other tabs of this browser that are alive. */
  livingTabs?: () => Promise<ReadonlySet<string>>
  /** The page was read anew, because events are missing. */
  onBoot?: (boot: SignedIn) => void
  maxIdle?: number
}

export type Client = ReturnType<typeof dataClient>
type Job = () => Promise<unknown>

/** Events that were written before the stream began come right after its greeting. */
const CATCH_UP_MS = 1000
const RESET_RETRY_MS = 3000
const LONGEST_REFRESH_RETRY_MS = 60_000
const REFRESHES_AT_ONCE = 4

export function dataClient(parts: ClientParts) {
  const { send, timers, member, tab, livingTabs, maxIdle } = parts
  const { storage, localTexts, keepNoMore } = keeping(parts)
  const isSignedOut = signal(false)
  const build = signal<string | undefined>(undefined)
  let inFlight = 0
  const caller = api(
    (request) => {
      inFlight++
      return send(request).finally(() => inFlight--)
    },
    { member, isIdle: parts.isIdle, explain: parts.explain, signedOut, answered: (from) => front.answered(from) },
  )
  const store = recordStore(maxIdle === undefined ? {} : { maxIdle })
  const { newKey, asStep, inStep, isMine } = stepKeys(tab)
  const { connection, up, down, inFront } = connectionState(timers, () => queue.writes.value.length)
  const front = frontWatch({ ask, timers, onFront: inFront, onReached: () => queue.kick() })
  const { isRefused } = front
  const queue = writeQueue({ api: caller, store, storage, timers, newKey, member, tab, isRefused })
  const events = eventApplier({ store, queue, isReading: () => inFlight > 0 })
  const { fetchCurrent, fetchRecord } = sending({ api: caller, store, timers, member })
  const notices = new Set<(notice: Notice) => void>()
  /** What lists and boards do when events are missing. */
  const refreshers = new Set<() => Promise<void>>()
  /** Called when the server is reached again, and asked whether they hold what only this page has. */
  const onReached = new Set<() => void>()
  const keepers = new Set<() => boolean>()
  const loads = new Map<string, Promise<Rec>>()
  let seq = 0
  let stopTimer: (() => void) | undefined
  let isStopped = false
  /** Events are missing, and what there is has not been read anew yet. */
  let isOutdated = false

  const stream = parts.stream({
    up,
    down,
    hello,
    events(found) {
      seq = found.at(-1)?.seq ?? seq
      events.apply(found)
    },
    notice(notice) {
      for (const listener of notices) listener(notice)
    },
    reset: () => void readAnew(),
    signedOut() {
      down(timers.now())
      // It may have been refused, or told so, before somebody signed in again: what is asked afterwards counts.
      void ask().then(() => isSignedOut.peek() || timers.after(RESET_RETRY_MS, () => isStopped || stream.open(seq)))
    },
  })

  function signedOut(): void {
    isSignedOut.value = true
  }

  function ask(): Promise<boolean> {
    return caller.get('/app/preferences', { isBackground: true }).then(
      () => true,
      (error) => error instanceof ApiProblem,
    )
  }

  /** Begins to follow the events after `from`. Writes that an earlier page has left are sent. */
  function start(from: number): void {
    isStopped = false
    seq = from
    stream.open(from)
    void adoptWrites()
  }

  function hello(given: Hello): void {
    timers.hear(given.now)
    build.value = given.build
    const wasSignedOut = isSignedOut.peek()
    isSignedOut.value = false // the member has signed in again, on another page of this browser
    if (wasSignedOut) caller.signedIn()
    if (wasSignedOut && isOutdated) void readAnew() // the session ended before it was read
    stopTimer?.()
    // First what has happened: the event of a write whose answer was lost may be among it.
    stopTimer = timers.after(CATCH_UP_MS, () => {
      queue.kick()
      for (const each of onReached) each()
      void adoptWrites()
    })
  }

  /** Somebody has signed in again on this page: what waited goes on. */
  function signedIn(): void {
    caller.signedIn()
    isSignedOut.value = false
    stream.open(seq)
  }

  async function readAnew(): Promise<void> {
    isOutdated = true
    down(timers.now())
    let boot: SignedIn
    try {
      boot = await caller.get<SignedIn>('/app/boot', { isBackground: true })
    } catch {
      if (!isSignedOut.peek()) timers.after(RESET_RETRY_MS, () => void readAnew())
      return
    }
    isOutdated = false
    seq = boot.seq
    timers.hear(boot.now)
    store.renew()
    parts.onBoot?.(boot)
    const lists = [...refreshers].map((each) => async () => {
      if (refreshers.has(each)) await each()
    })
    await refresh([...lists, ...store.shown().map((entry) => () => fetchRecord(entry.kind, entry.id))])
    store.forgetIdle()
    stream.open(seq)
  }

  /**
   * What one of them fails of is its own, and keeps no other from being live: a list whose filter is refused says so itself.
   * What may come later is asked for again.
   */
  async function refresh(jobs: readonly Job[], againMs = RESET_RETRY_MS): Promise<void> {
    const left = [...jobs]
    const failed: Job[] = []
    const worker = async () => {
      for (let job = left.shift(); job; job = left.shift()) {
        const mine = job
        await job().catch((error: unknown) => {
          if (!(error instanceof ApiProblem && isFinal(error, 0))) failed.push(mine)
        })
      }
    }
    await Promise.all(Array.from({ length: REFRESHES_AT_ONCE }, worker))
    if (failed.length === 0 || isStopped || isSignedOut.peek()) return
    timers.after(againMs, () => void refresh(failed, Math.min(2 * againMs, LONGEST_REFRESH_RETRY_MS)))
  }
  /** Takes over writes of this member that no living tab will send. */
  async function adoptWrites(): Promise<void> {
    const stored = (await storage.all()).filter((write) => write.member === member && write.tab !== tab)
    if (stored.length === 0) return
    const living = (await livingTabs?.()) ?? new Set()
    for (const write of stored.sort((one, other) => one.at - other.at)) {
      if (!living.has(write.tab) && (await storage.claim(write, write.tab, tab))) queue.adopt(write)
    }
  }

  /** Returns the whole record, from the server if it is missing or only partly known. Throws ApiProblem and NoAnswer. */
  async function load<K extends Kind>(kind: K, id: string): Promise<RecordOf<K>> {
    const entry = store.entry(kind, id)
    if (entry.view.peek() && !entry.isPartial) return entry.view.peek() as unknown as RecordOf<K>
    const name = `${kind}/${id}`
    const loading = loads.get(name) ?? fetchCurrent(kind, id).finally(() => loads.delete(name))
    loads.set(name, loading)
    const found = await loading
    return (entry.view.peek() ?? found) as unknown as RecordOf<K>
  }

  /** Rejects with ApiProblem if the server refuses; waits as long as it cannot be reached. */
  const create = <K extends Kind>(kind: K, body: Fields) =>
    written<RecordOf<K>>({ verb: 'create', kind, id: '', body, shown: {}, seen: {} })

  const remove = (kind: Kind, id: string) => written<void>({ verb: 'remove', kind, id, body: {}, shown: {}, seen: {} })

  /** `shown` is what the record will look like, shown at once: the stage of a deal that is closed. */
  function act<K extends Kind>(kind: K, id: string, action: string, body: Fields, shown: Fields = {}) {
    const seen = seenIn(store.entry(kind, id).view.peek(), shown)
    return written<RecordOf<K>>({ verb: 'act', kind, id, action, body, shown, seen })
  }

  const written = <Answer>(write: Parameters<typeof queue.enqueue>[0]): Promise<Answer> =>
    queue.enqueue(write) as Promise<unknown> as Promise<Answer>

  function onNotice(listener: (notice: Notice) => void): () => void {
    notices.add(listener)
    return () => void notices.delete(listener)
  }

  const presence = presenceState({ api: caller, timers, tab, member, onNotice })

  /** Whether something would be lost with this page, since the browser could not keep it. */
  const isLoose = (): boolean => queue.isLoose() || [...keepers].some((each) => each())

  function stop(): void {
    isStopped = true
    stopTimer?.()
    stream.close()
  }

  /** The member has gone: what still arrives until the page is left is not kept. */
  function end(): void {
    stop()
    keepNoMore()
  }

  const own = {
    start,
    stop,
    end,
    isLoose,
    signedIn,
    wake: stream.wake,
    adoptWrites,
    load,
    create,
    remove,
    act,
    newKey,
    asStep,
    inStep,
    onNotice,
  }
  return {
    api: caller,
    store,
    queue,
    timers,
    presence,
    storage,
    localTexts,
    member,
    tab,
    livingTabs,
    isMine,
    onReached,
    keepers,
    events,
    connection,
    build,
    isSignedOut,
    refreshers,
    seq: () => seq,
    ...own,
  }
}
