import { sessionStore } from '../../auth/sessions.ts'
import type { Deps } from '../../deps.ts'
import { eventReader } from '../../events/reading.ts'
import { type Every, everyMs } from '../../lib/every.ts'
import type { Log } from '../../lib/log.ts'
import { noticeQueue } from '../../personal/notices.ts'
import type { Store } from '../../store/open.ts'
import { eventFeed } from './feed.ts'
import { COMMENT, namedFrame } from './frames.ts'
import type { Stream } from './stream.ts'

export type Hub = ReturnType<typeof streamHub>

/** Streams that get something in one turn of the event loop. */
const MAX_PER_TURN = 64
export const TICK_MS = 15_000

type Group = { streams: Set<Stream>; feed: ReturnType<typeof eventFeed> }

/**
 * All open streams. A commit costs one look at the newest seq of each organisation that has streams; its events are read
 * once for all of them. Streams end with their session, and all at once when the server stops.
 */
export function streamHub({
  store,
  deps,
  stopping,
  log,
  every = everyMs,
}: {
  store: Store
  deps: Deps
  stopping: AbortSignal
  log: Log
  every?: Every | undefined
}) {
  const reader = eventReader(store.db)
  const sessions = sessionStore(store)
  const queue = noticeQueue(deps)
  const groups = new Map<number, Group>()
  const due = new Set<Stream>()
  const ticks = new Set<() => void>()
  let count = 0
  let isScheduled = false
  let stop: (() => void)[] = []
  stopping.addEventListener('abort', () => {
    for (const stream of all()) stream.end()
  })

  const all = (): Stream[] => [...groups.values()].flatMap(({ streams }) => [...streams])

  function add(stream: Stream): void {
    if (count++ === 0) start()
    const { org } = stream.who
    const group = groups.get(org) ?? { streams: new Set(), feed: eventFeed(reader, org) }
    groups.set(org, group)
    group.streams.add(stream)
    stream.res.on('drain', () => wake([stream]))
    stream.res.once('close', () => remove(stream, group))
    if (stopping.aborted) stream.end()
    wake([stream])
  }

  function remove(stream: Stream, { streams }: Group): void {
    streams.delete(stream)
    due.delete(stream)
    if (streams.size === 0) groups.delete(stream.who.org)
    if (--count > 0) return
    for (const each of stop) each()
    stop = []
  }

  function start(): void {
    queue.take() // nobody was there to get them
    stop = [store.committed.subscribe(noteCommit), every(TICK_MS, () => orEnd(tick))]
  }

  function noteCommit(): void {
    const notices = queue.take().map(({ notice, ...to }) => ({ ...to, text: namedFrame('notice', notice) }))
    for (const [org, ours] of Map.groupBy(notices, ({ org }) => org)) tell(org, (stream) => textFor(stream, ours))
    for (const { streams } of groups.values()) wake(streams)
  }

  function tick(): void {
    for (const [org, { streams }] of [...groups]) {
      endSignedOut(org, streams)
      for (const stream of streams) stream.send(COMMENT)
    }
    for (const job of ticks) job()
  }

  function wake(streams: Iterable<Stream>): void {
    for (const stream of streams) due.add(stream)
    if (!isScheduled) setImmediate(orEnd, run)
    isScheduled = true
  }

  function run(): void {
    isScheduled = false
    const checked = new Map<number, number>()
    let left = MAX_PER_TURN
    for (const stream of due) {
      const { org } = stream.who
      if (!checked.has(org)) checked.set(org, newestFor(org))
      if (left-- === 0) break
      due.delete(stream)
      if (advance(stream, checked.get(org) as number)) due.add(stream)
    }
    if (due.size > 0) wake([])
  }

  /** Without the database nothing can be sent: the clients come back when it answers again. */
  function orEnd(job: () => void): void {
    try {
      job()
    } catch (error) {
      if (!store.health.note(error)) log.error({ err: error }, 'streams')
      for (const stream of all()) stream.end()
    }
  }

  /** The newest seq of an organisation, whose sessions are checked before any of its events is sent. */
  function newestFor(org: number): number {
    const { streams } = groups.get(org) as Group
    const newest = reader.newest(org)
    if ([...streams].some((stream) => stream.position() < newest)) endSignedOut(org, streams)
    return newest
  }

  /** Returns whether there is more that it would take. */
  function advance(stream: Stream, newest: number): boolean {
    if (stream.position() >= newest || !stream.isReady()) return false
    const { org } = stream.who
    const frames = groups.get(org)?.feed.after(stream.position()) ?? []
    const isGap = frames[0]?.seq !== stream.position() + 1 // purged while the client was not reading, or a standby took over
    if (isGap) stream.end(namedFrame('reset', {}))
    else stream.advance(frames)
    return !isGap && stream.position() < newest
  }

  function endSignedOut(org: number, streams: Iterable<Stream>): void {
    const roles = sessions.openRoles(org)
    for (const stream of [...streams])
      if (roles.get(stream.session) !== stream.role) stream.end(namedFrame('notice', { kind: 'signed_out' }))
  }

  /** Sends what `textOf` gives, out of sequence, and nothing to those whose session has ended. */
  function tell(org: number, textOf: (stream: Stream) => string): void {
    const { streams } = groups.get(org) ?? {}
    if (!streams) return
    orEnd(() => {
      endSignedOut(org, streams)
      for (const stream of streams) stream.send(textOf(stream))
    })
  }

  return {
    reader,
    add,
    tell,
    /** The open streams of an organisation. */
    of: (org: number): Iterable<Stream> => groups.get(org)?.streams ?? [],
    count: () => count,
    /** Runs a job at each tick. */
    onTick: (job: () => void): void => void ticks.add(job),
  }
}

/** Of notices those that are for everyone in the organisation, or for the member of the stream. */
const textFor = ({ member }: Stream, notices: readonly { member: string | null; text: string }[]): string =>
  notices.reduce((all, { member: to, text }) => (to === null || to === member ? all + text : all), '')
