import { signal } from '@preact/signals'
import { ApiProblem, api, NoAnswer, type Send } from './api.ts'
import { eventApplier } from './apply-events.ts'
import { connectionState } from './connection-state.ts'
import { draftStore, type LocalTexts, memoryTexts } from './draft-store.ts'
import { frontWatch } from './front.ts'
import { keysetList } from './keyset-list.ts'
import { seenIn } from './lanes.ts'
import { presenceState } from './presence-state.ts'
import { recordStore } from './record-store.ts'
import type { Query } from './rows.ts'
import { sending } from './sending.ts'
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

/** Events that were written before the stream began come right after its greeting. */
const CATCH_UP_MS = 1000
const RESET_RETRY_MS = 3000
const REFRESHES_AT_ONCE = 4

export function dataClient(parts: ClientParts) {
  const { send, timers, storage, member, tab, livingTabs, maxIdle } = parts
  const isSignedOut = signal(false)
  const build = signal<string | undefined>(undefined)
  let inFlight = 0
  const caller = api(
    (request) => {
      inFlight++
      return send(request).finally(() => inFlight--)
    },
    {
      signedOut() {
        isSignedOut.value = true
      },
      answered: (from) => front.answered(from),
    },
  )
  const store = recordStore(maxIdle === undefined ? {} : { maxIdle })
  let keys = 0
  const newKey = () => `${tab}-${++keys}`
  const { connection, up, down, inFront } = connectionState(timers, () => queue.writes.value.length)
  const front = frontWatch({ ask, timers, onFront: inFront, onReached: () => queue.kick() })
  const { isRefused } = front
  const queue = writeQueue({ api: caller, store, storage, timers, newKey, member, tab, isRefused })
  const isMine = (key: string) => key.startsWith(`${tab}-`)
  const removed = new Set<string>()
  const wasRemoved = (kind: Kind, id: string) => removed.delete(`${kind}/${id}`)
  const events = eventApplier({ store, queue, member, isMine, wasRemoved, isReading: () => inFlight > 0 })
  const { fetchCurrent, fetchRecord } = sending({ api: caller, store, timers, member })
  const notices = new Set<(notice: Notice) => void>()
  /** What lists and boards do when events are missing. */
  const refreshers = new Set<() => Promise<void>>()
  const loads = new Map<string, Promise<Rec>>()
  let seq = 0
  let stopTimer: (() => void) | undefined

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
      isSignedOut.value = true
    },
  })

  function ask(): Promise<boolean> {
    return caller.get('/app/preferences').then(
      () => true,
      (error) => error instanceof ApiProblem,
    )
  }

  /** Begins to follow the events after `from`. Writes that an earlier page has left are sent. */
  function start(from: number): void {
    seq = from
    stream.open(from)
    void adoptWrites()
  }

  function hello(given: Hello): void {
    build.value = given.build
    stopTimer?.()
    // First what has happened: the event of a write whose answer was lost may be among it.
    stopTimer = timers.after(CATCH_UP_MS, () => {
      queue.kick()
      void drafts.saveAll()
      void adoptWrites()
    })
  }

  /** Somebody has signed in again on this page: what waited goes on. */
  function signedIn(): void {
    isSignedOut.value = false
    stream.open(seq)
  }

  async function readAnew(): Promise<void> {
    down(timers.now())
    try {
      const boot = await caller.get<SignedIn>('/app/boot')
      seq = boot.seq
      store.renew()
      parts.onBoot?.(boot)
      const jobs = [
        ...refreshers,
        ...store.shown().map(
          ({ kind, id }) =>
            () =>
              fetchRecord(kind, id),
        ),
      ]
      const worker = async () => {
        for (let job = jobs.shift(); job; job = jobs.shift()) await job()
      }
      await Promise.all(Array.from({ length: REFRESHES_AT_ONCE }, worker))
      store.forgetIdle()
      stream.open(seq)
    } catch {
      if (!isSignedOut.peek()) timers.after(RESET_RETRY_MS, () => void readAnew())
    }
  }

  /** Takes over writes of this member that no living tab will send. */
  async function adoptWrites(): Promise<void> {
    const stored = (await storage.all()).filter((write) => write.member === member && write.tab !== tab)
    if (stored.length === 0) return
    const living = (await livingTabs?.()) ?? new Set()
    for (const write of stored.sort((one, other) => one.at - other.at)) {
      if (!living.has(write.tab) && (await storage.claim(write.key, write.tab, tab))) queue.adopt([write])
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

  function remove(kind: Kind, id: string): Promise<void> {
    removed.add(`${kind}/${id}`)
    return written<void>({ verb: 'remove', kind, id, body: {}, shown: {}, seen: {} })
  }

  /** `shown` is what the record will look like, shown at once: the stage of a deal that is closed. */
  function act<K extends Kind>(kind: K, id: string, action: string, body: Fields, shown: Fields = {}) {
    const seen = seenIn(store.entry(kind, id).view.peek(), shown)
    return written<RecordOf<K>>({ verb: 'act', kind, id, action, body, shown, seen })
  }

  const written = <Answer>(write: Parameters<typeof queue.enqueue>[0]): Promise<Answer> =>
    queue.enqueue(write) as Promise<unknown> as Promise<Answer>

  /** Undoes my newest change. Throws ApiProblem, for example 409 if somebody has changed the same fields since. */
  async function undo() {
    const change = events.takeLastChange()
    if (!change) return undefined
    try {
      await caller.request('POST', '/app/undo', { body: { event_id: change.eventId }, key: `undo-${change.eventId}` })
    } catch (error) {
      if (error instanceof NoAnswer) events.putBack(change)
      throw error
    }
    return change
  }

  function list(kind: Kind, query: Query = {}) {
    return keysetList({ api: caller, store, timers, onEvent: events.onEvent, isMine, refreshers }, kind, query)
  }

  function onNotice(listener: (notice: Notice) => void): () => void {
    notices.add(listener)
    return () => void notices.delete(listener)
  }

  const presence = presenceState({ api: caller, timers, tab, member, onNotice })
  const drafts = draftStore({ api: caller, timers, local: parts.localTexts ?? memoryTexts(), member })

  function stop(): void {
    stopTimer?.()
    stream.close()
  }

  const own = { start, stop, signedIn, wake: stream.wake, adoptWrites, load, create, remove, act, undo, list, onNotice }
  return {
    api: caller,
    store,
    queue,
    timers,
    presence,
    drafts,
    events,
    connection,
    build,
    isSignedOut,
    refreshers,
    seq: () => seq,
    ...own,
  }
}
