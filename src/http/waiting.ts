import diagnostics from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'

export type CommitWaiters = ReturnType<typeof commitWaiters>

/**
 * What a request waits for: requests with the same key wait for the same thing; `newest` changes whenever there is
 * more.
 */
export type Awaited = { key: string; newest: () => unknown }

type Waiter = { check: () => void; leave: () => void }
type Stream = { newest: () => unknown; seen: unknown; waiters: Set<Waiter> }

/** Checks, and responses to those that found something, before other work gets its turn. */
const MAX_CHECKS_PER_TURN = 64
/** The same while clients connect: libuv accepts one connection per turn, and thousands may be queued. */
const MAX_CHECKS_WHILE_ACCEPTING = 2
const ACCEPTED = 'net.server.socket'

/**
 * Lets requests wait for a commit. A waiting request costs a timer, and a check after each commit that changes what it
 * waits for: no thread, and no loop. All of them return when the server stops.
 */
export function commitWaiters(onCommit: (listener: () => void) => () => void, stopping: AbortSignal) {
  const streams = new Map<string, Stream>()
  /** Streams that a commit may have changed, and requests that have to check because theirs did. */
  const unchecked = new Set<Stream>()
  const due = new Set<Waiter>()
  let waiting = 0
  let isScheduled = false
  let isAccepting = false
  let unsubscribe: (() => void) | undefined
  stopping.addEventListener('abort', () => {
    for (const { waiters } of [...streams.values()]) for (const { leave } of [...waiters]) leave()
  })

  function noteCommit(): void {
    for (const stream of streams.values()) unchecked.add(stream)
    schedule()
  }

  function noteConnection(): void {
    isAccepting = true
  }

  function schedule(): void {
    if (!isScheduled) setImmediate(runChecks)
    isScheduled = true
  }

  function runChecks(): void {
    isScheduled = false
    const max = isAccepting ? MAX_CHECKS_WHILE_ACCEPTING : MAX_CHECKS_PER_TURN
    isAccepting = false
    let checks = 0
    for (const stream of unchecked) {
      if (checks++ === max) break
      unchecked.delete(stream)
      if (isChanged(stream)) for (const waiter of stream.waiters) due.add(waiter)
    }
    for (const waiter of due) {
      if (checks++ >= max) break
      due.delete(waiter)
      waiter.check()
    }
    if (unchecked.size + due.size > 0) schedule()
  }

  /**
   * Returns what `look` finds, now or after a commit; undefined after the timeout, or if the client disconnects or the
   * server stops. Rejects with what `look` throws.
   */
  function until<Found>(
    awaited: Awaited,
    look: () => Found | undefined,
    timeoutMs: number,
    res: ServerResponse,
  ): Promise<Found | undefined> {
    // A disconnected client and one that only closed its sending side look the same: the latter is answered at once.
    const { socket } = res.req
    return new Promise((resolve, reject) => {
      const timer = setTimeout(leave, timeoutMs)
      const waiter = { check, leave }
      const stream = enter(awaited, waiter)
      res.once('close', leave)
      socket.once('end', leave)
      check()
      if (stopping.aborted || res.destroyed || socket.readableEnded) leave()

      function check(): void {
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
        forget(awaited.key, stream, waiter)
        finish()
      }
    })
  }

  function enter({ key, newest }: Awaited, waiter: Waiter): Stream {
    if (!unsubscribe) {
      unsubscribe = onCommit(noteCommit)
      diagnostics.subscribe(ACCEPTED, noteConnection)
    }
    let stream = streams.get(key)
    if (!stream) {
      stream = { newest, seen: newest(), waiters: new Set() }
      streams.set(key, stream)
    }
    stream.waiters.add(waiter)
    waiting++
    return stream
  }

  function forget(key: string, stream: Stream, waiter: Waiter): void {
    if (!stream.waiters.delete(waiter)) return
    waiting--
    due.delete(waiter)
    if (stream.waiters.size === 0) {
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
    return true // then every request finds the error
  }
}
