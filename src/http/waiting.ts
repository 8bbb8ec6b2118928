import diagnostics from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

export type CommitWaiters = ReturnType<typeof commitWaiters>

/** What requests wait for: those with the same key wait for the same, and `newest` changes whenever there is more of it. */
export type Awaited = { key: string; newest: () => unknown }

type Place = { look: () => void; leave: () => void }
type Stream = { newest: () => unknown; seen: unknown; places: Set<Place> }

/** Looks, and answers to those who have found something, between which others are served. */
const MAX_LOOKS_PER_TURN = 64
/** The same while connections come: libuv takes one of them in a turn, and those of thousands of clients are in a queue. */
const MAX_LOOKS_WHILE_ACCEPTING = 2
const ACCEPTED = 'net.server.socket'

/**
 * Where requests wait for something to be committed. One that waits costs a timer, and a look after each commit that
 * changes what it waits for: no thread, and no loop. All are let go when the server stops.
 */
export function commitWaiters(onCommit: (listener: () => void) => () => void, stopping: AbortSignal) {
  const streams = new Map<string, Stream>()
  /** What a commit may have changed, and who has to look since it has. */
  const unchecked = new Set<Stream>()
  const due = new Set<Place>()
  let waiting = 0
  let isScheduled = false
  let isAccepting = false
  let unsubscribe: (() => void) | undefined
  stopping.addEventListener('abort', () => {
    for (const { places } of [...streams.values()]) for (const { leave } of [...places]) leave()
  })

  function noteCommit(): void {
    for (const stream of streams.values()) unchecked.add(stream)
    schedule()
  }

  function noteConnection(): void {
    isAccepting = true
  }

  function schedule(): void {
    if (!isScheduled) setImmediate(lookAround)
    isScheduled = true
  }

  function lookAround(): void {
    isScheduled = false
    const most = isAccepting ? MAX_LOOKS_WHILE_ACCEPTING : MAX_LOOKS_PER_TURN
    isAccepting = false
    let looks = 0
    for (const stream of unchecked) {
      if (looks++ === most) break
      unchecked.delete(stream)
      if (isChanged(stream)) for (const place of stream.places) due.add(place)
    }
    for (const place of due) {
      if (looks++ >= most) break
      due.delete(place)
      place.look()
    }
    if (unchecked.size + due.size > 0) schedule()
  }

  /**
   * What `look` finds, at once or after a commit; undefined when the time is over, the client is gone or the server
   * stops. Rejects with what `look` throws.
   */
  function until<Found>(
    awaited: Awaited,
    look: () => Found | undefined,
    timeoutMs: number,
    res: ServerResponse,
  ): Promise<Found | undefined> {
    // Whoever is gone and whoever has only closed the sending side look the same: the latter is answered at once.
    const { socket } = res.req
    return new Promise((resolve, reject) => {
      const timer = setTimeout(leave, timeoutMs)
      const place = { look: lookAgain, leave }
      const stream = enter(awaited, place)
      res.once('close', leave)
      socket.once('end', leave)
      lookAgain()
      if (stopping.aborted || res.destroyed || socket.readableEnded) leave()

      function lookAgain(): void {
        try {
          const found = look()
          if (found !== undefined) end(() => resolve(found))
        } catch (error) {
          end(() => reject(error))
        }
      }
      function leave(): void {
        end(() => resolve(undefined))
      }
      function end(finish: () => void): void {
        clearTimeout(timer)
        res.off('close', leave)
        socket.off('end', leave)
        forget(awaited.key, stream, place)
        finish()
      }
    })
  }

  function enter({ key, newest }: Awaited, place: Place): Stream {
    if (!unsubscribe) {
      unsubscribe = onCommit(noteCommit)
      diagnostics.subscribe(ACCEPTED, noteConnection)
    }
    let stream = streams.get(key)
    if (!stream) {
      stream = { newest, seen: newest(), places: new Set() }
      streams.set(key, stream)
    }
    stream.places.add(place)
    waiting++
    return stream
  }

  function forget(key: string, stream: Stream, place: Place): void {
    if (!stream.places.delete(place)) return
    waiting--
    due.delete(place)
    if (stream.places.size === 0) {
      streams.delete(key)
      unchecked.delete(stream)
    }
    if (waiting > 0) return
    unsubscribe?.()
    unsubscribe = undefined
    diagnostics.unsubscribe(ACCEPTED, noteConnection)
  }

  return { until, size: () => waiting }
}

function isChanged(stream: Stream): boolean {
  try {
    const newest = stream.newest()
    if (newest === stream.seen) return false
    stream.seen = newest
    return true
  } catch {
    return true // then everybody finds out what is wrong
  }
}
