import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../../lib/problem.ts'
import { MIN_BYTES_PER_MS } from '../listener/connections.ts'
import { bytePool, type Pool, type Share } from '../listener/pool.ts'
import { parseInTurns, stopParsing } from '../listener/reading.ts'
import { overloaded, tinyChunks, tooLarge, tooSlow } from './body-problems.ts'

/** The largest body, unless the route allows more. */
const MAX_BODY_BYTES = 1_048_576
/** The memory of all bodies together. */
const MAX_HELD_BYTES = 268_435_456
/** The disk space of all bodies that are passed on to files. */
const MAX_FILED_BYTES = 536_870_912
/** The bytes that each file counts for at least, since it also takes memory and a file handle. */
const MIN_FILED_BYTES = 1_048_576

/** How long a body may pause at its beginning, and later on if it was faster before. */
const FIRST_PAUSE_MS = 10_000
const MAX_PAUSE_MS = 30_000

/** The parser calls back for each chunk, so single-byte chunks would keep it busy a thousand times as long. */
const MAX_TINY_CHUNKS = 4096
const MIN_MEAN_CHUNK_BYTES = 16
/** The number of small chunks from which connections are parsed in turns. */
const SMALL_CHUNKS = 512
const SMALL_CHUNK_BYTES = 64
/** Then other connections get their turn. */
const MAX_CHUNKS_PER_TURN = 1024

/** An unread body is parsed up to here, so that its connection can serve the next request. */
const MAX_UNREAD_BYTES = 1_048_576

const EMPTY = Buffer.alloc(0)

/** Its share is that of its buffer in the memory of all bodies. */
export type Body = Share & { bytes: Buffer }

type Arrival = {
  socket: Socket
  bytes: number
  chunks: number
  seen: number
  deadline: number
  /** The server does not read on, so the client cannot be too slow. */
  isWaiting: boolean
  cut: () => void
}

/** What takes the chunks of a body. */
type Sink = {
  pool: Pool
  /**
   * Takes a chunk that begins at `start`, of at most `largest` bytes in all. Returns a Problem, or what to wait for
   * before the next chunk.
   */
  take: (chunk: Buffer, start: number, largest: number) => Problem | Promise<unknown> | undefined
  fail: () => void
}

export type Bodies = ReturnType<typeof bodies>

/** Reads bodies, with limits on their total memory and on slow connections. */
export function bodies({
  maxHeldBytes = MAX_HELD_BYTES,
  maxFiledBytes = MAX_FILED_BYTES,
  nowMs = () => performance.now(),
  checkEveryMs = 1000,
}: {
  maxHeldBytes?: number
  maxFiledBytes?: number
  nowMs?: () => number
  checkEveryMs?: number
} = {}) {
  const arriving = new Set<Arrival>()
  const memory = bytePool(maxHeldBytes)
  const disk = bytePool(maxFiledBytes)
  let timer: NodeJS.Timeout | undefined

  /** Reads the body of a request; call `release` when its bytes are no longer needed. Throws as `receive` does. */
  async function read(req: IncomingMessage, res: ServerResponse, maxBytes = MAX_BODY_BYTES): Promise<Body> {
    const body: Body = { bytes: EMPTY, held: 0 }
    const take: Sink['take'] = (chunk, start, largest) => append(body, chunk, start, largest)
    const { done } = receive(req, res, maxBytes, { pool: memory, take, fail: () => release(body) })
    const bytes = await done
    if (body.bytes.length > bytes) body.bytes = body.bytes.subarray(0, bytes)
    return body
  }

  /**
   * Passes the body of a request on to a file, chunk by chunk; `take` returns what to wait for before the next one. Its
   * bytes are held in `file` until `releaseFile`. Throws, and `done` rejects, as `receive` does. `abandon` leaves the
   * rest unread.
   */
  function pass(
    req: IncomingMessage,
    res: ServerResponse,
    maxBytes = MAX_BODY_BYTES,
    file: Share,
    take: (chunk: Buffer) => Promise<unknown> | undefined,
  ): { done: Promise<number>; abandon: () => void } {
    if (!disk.hold(file, MIN_FILED_BYTES)) throw overloaded('disk space')
    return receive(req, res, maxBytes, {
      pool: disk,
      take: (chunk, start) =>
        disk.hold(file, Math.max(file.held, start + chunk.length)) ? take(chunk) : overloaded('disk space'),
      fail: () => disk.release(file),
    })
  }

  /**
   * Reads a body into a sink. Sends 100 Continue if the client waits for it: only the body is left to check. `done` is
   * the number of its bytes. Throws Problem 413 past `maxBytes`, 503 if other bodies use the pool, 408 if it is too
   * slow, 400 if it ends early or comes in tiny chunks.
   */
  function receive(
    req: IncomingMessage,
    res: ServerResponse,
    maxBytes: number,
    sink: Sink,
  ): { done: Promise<number>; abandon: () => void } {
    const length = req.headers['content-length']
    const largest = length === undefined ? maxBytes : Number(length)
    if (largest > maxBytes) throw tooLarge(maxBytes)
    if (length !== undefined && !sink.pool.hasRoom(largest))
      throw overloaded(sink.pool === disk ? 'disk space' : 'memory')
    if (req.httpVersion === '1.1' && req.headers.expect !== undefined) res.writeContinue()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    const arrival = watch(req.socket, () => fail(tooSlow()))
    req.on('data', take)
    req.on('end', complete)
    res.on('close', abort)
    return { done: promise, abandon }

    function take(chunk: Buffer): void {
      const start = arrival.bytes
      count(arrival, chunk)
      const isShredded = arrival.chunks > MAX_TINY_CHUNKS && isTiny(arrival)
      const refusal = arrival.bytes > maxBytes ? tooLarge(maxBytes) : isShredded ? tinyChunks() : undefined
      const taken = refusal ?? sink.take(chunk, start, largest)
      if (taken instanceof Problem) fail(taken)
      else if (taken) wait(taken)
      else yieldTurn(req, arrival)
    }
    function wait(until: Promise<unknown>): void {
      req.pause()
      arrival.isWaiting = true
      void until.then(() => {
        arrival.isWaiting = false
        arrival.deadline = Math.max(arrival.deadline, nowMs() + FIRST_PAUSE_MS)
        req.resume()
      })
    }
    function complete(): void {
      arriving.delete(arrival)
      resolve(arrival.bytes)
    }
    function abort(): void {
      if (!req.complete)
        fail(
          new Problem(
            400,
            'incomplete_body',
            'The connection was closed before the body was complete. Send the request again.',
          ),
        )
    }
    function fail(problem: Problem): void {
      abandon()
      stopParsing(req.socket)
      sink.fail()
      reject(problem)
    }
    function abandon(): void {
      arriving.delete(arrival)
      req.off('data', take)
      req.off('end', complete)
      res.off('close', abort)
    }
  }

  /** Appends the chunk. Most bodies come in one chunk, which is used without a copy. */
  function append(body: Body, chunk: Buffer, start: number, largest: number): Problem | undefined {
    const end = start + chunk.length
    if (end > body.bytes.length) {
      const size = start === 0 ? end : Math.min(largest, Math.max(end, 2 * body.bytes.length))
      if (!memory.hold(body, size)) return overloaded('memory')
      const larger = start === 0 ? chunk : Buffer.allocUnsafeSlow(size)
      body.bytes.copy(larger, 0, 0, start)
      body.bytes = larger
    }
    if (start > 0) chunk.copy(body.bytes, start)
    return undefined
  }

  /** Holds the memory of bytes that a file has, such as the text in a form. Throws Problem 503. */
  function reserve(body: Body, bytes: number): void {
    if (!memory.hold(body, bytes)) throw overloaded('memory')
  }

  function release(body: Body): void {
    memory.release(body)
    body.bytes = EMPTY
  }

  /**
   * Discards the rest of the body of a request that is answered without it. A long one is no longer parsed and ends the
   * connection, once the client has had time to read its response. Returns whether the connection can be reused, as far
   * as the announced length shows: a client has to be notified before it sends more.
   */
  function drain(req: IncomingMessage): boolean {
    const arrival = watch(req.socket, () => void req.socket.destroy())
    req.on('data', (chunk: Buffer) => {
      count(arrival, chunk)
      const isLong = arrival.bytes > MAX_UNREAD_BYTES || (arrival.chunks > MAX_TINY_CHUNKS && isTiny(arrival))
      if (!isLong) return yieldTurn(req, arrival)
      req.removeAllListeners('data')
      stopParsing(req.socket)
      req.socket.end()
    })
    req.once('end', () => arriving.delete(arrival))
    return Number(req.headers['content-length'] ?? 0) <= MAX_UNREAD_BYTES
  }

  function watch(socket: Socket, cut: () => void): Arrival {
    const arrival: Arrival = {
      socket,
      bytes: 0,
      chunks: 0,
      seen: 0,
      deadline: nowMs() + FIRST_PAUSE_MS,
      isWaiting: false,
      cut,
    }
    arriving.add(arrival)
    timer ??= setInterval(cutSlow, checkEveryMs).unref()
    return arrival
  }

  /** Ends bodies that arrive too slowly. Called by a timer while there are any. */
  function cutSlow(): void {
    const now = nowMs()
    for (const arrival of arriving) {
      const earned = (arrival.bytes - arrival.seen) / MIN_BYTES_PER_MS
      arrival.deadline = Math.min(now + MAX_PAUSE_MS, arrival.deadline + earned)
      arrival.seen = arrival.bytes
      if (arrival.deadline < now && !arrival.isWaiting) arrival.cut()
      if (arrival.socket.destroyed) arriving.delete(arrival)
    }
    if (arriving.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    read,
    pass,
    reserve,
    release,
    releaseFile: disk.release,
    drain,
    cutSlow,
    heldBytes: memory.heldBytes,
    filedBytes: disk.heldBytes,
    arriving: arriving as ReadonlySet<{ readonly bytes: number }>,
  }
}

function count(arrival: Arrival, chunk: Buffer): void {
  arrival.bytes += chunk.length
  arrival.chunks++
  if (arrival.chunks === SMALL_CHUNKS && arrival.bytes < SMALL_CHUNKS * SMALL_CHUNK_BYTES) parseInTurns(arrival.socket)
}

const isTiny = ({ bytes, chunks }: Arrival): boolean => bytes < chunks * MIN_MEAN_CHUNK_BYTES

/**
 * Lets other connections go first. Parsing of a paused request continues up to 64 KiB; tiny chunks are not paused, so
 * that they are refused sooner.
 */
function yieldTurn(req: IncomingMessage, arrival: Arrival): void {
  if (arrival.chunks % MAX_CHUNKS_PER_TURN !== 0 || isTiny(arrival)) return
  req.pause()
  setImmediate(() => req.resume())
}
