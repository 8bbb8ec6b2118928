import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Problem } from '../lib/problem.ts'
import { parseInTurns } from './reading.ts'

/** The largest body, unless the route allows more. */
const MAX_BODY_BYTES = 1_048_576
/** The memory of all bodies together. */
const MAX_HELD_BYTES = 268_435_456
/** Bodies up to this size are small: large ones leave an eighth of the memory to them. */
const MAX_SMALL_BYTES = 65_536

/** How long a body may pause at its beginning, and later on if it was faster before. */
const FIRST_PAUSE_MS = 10_000
const MAX_PAUSE_MS = 30_000
/** 64 kbit/s: 18 MiB may take 38 minutes. */
const MIN_BYTES_PER_MS = 8192 / 1000

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

/** `held` is the share of its buffer in the memory of all bodies. */
export type Body = { bytes: Buffer; held: number }

type Arrival = { socket: Socket; bytes: number; chunks: number; seen: number; deadline: number; cut: () => void }

export type Bodies = ReturnType<typeof bodies>

/** Reads bodies, with limits on their total memory and on slow connections. */
export function bodies({
  maxHeldBytes = MAX_HELD_BYTES,
  nowMs = () => performance.now(),
  checkEveryMs = 1000,
}: {
  maxHeldBytes?: number
  nowMs?: () => number
  checkEveryMs?: number
} = {}) {
  const arriving = new Set<Arrival>()
  let timer: NodeJS.Timeout | undefined
  let heldBytes = 0

  /**
   * Reads the body of a request; call `release` when its bytes are no longer needed. Sends 100 Continue if the client
   * waits for it: only the body is left to check. Throws Problem 413 past `maxBytes`, 503 if other bodies use the
   * memory, 408 if it is too slow, 400 if it ends early or comes in tiny chunks.
   */
  function read(req: IncomingMessage, res: ServerResponse, maxBytes = MAX_BODY_BYTES): Promise<Body> {
    const length = req.headers['content-length']
    const largest = length === undefined ? maxBytes : Number(length)
    if (largest > maxBytes) throw tooLarge(maxBytes)
    if (length !== undefined && !hasRoom(largest)) throw overloaded()
    if (req.httpVersion === '1.1' && req.headers.expect !== undefined) res.writeContinue()
    return new Promise((resolve, reject) => {
      const body: Body = { bytes: EMPTY, held: 0 }
      const arrival = watch(req.socket, () => fail(tooSlow()))
      req.on('data', take)
      req.on('end', complete)
      res.on('close', abort)

      function take(chunk: Buffer): void {
        const problem = add(body, arrival, chunk, maxBytes, largest)
        if (problem) fail(problem)
        else yieldTurn(req, arrival)
      }
      function complete(): void {
        arriving.delete(arrival)
        if (body.bytes.length > arrival.bytes) body.bytes = body.bytes.subarray(0, arrival.bytes)
        resolve(body)
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
        arriving.delete(arrival)
        req.off('data', take)
        req.off('end', complete)
        res.off('close', abort)
        stopParsing(req.socket)
        release(body)
        reject(problem)
      }
    })
  }

  /** Appends the chunk. Most bodies come in one chunk, which is used without a copy. */
  function add(body: Body, arrival: Arrival, chunk: Buffer, maxBytes: number, largest: number): Problem | undefined {
    const start = arrival.bytes
    const end = start + chunk.length
    count(arrival, chunk)
    if (end > maxBytes) return tooLarge(maxBytes)
    if (arrival.chunks > MAX_TINY_CHUNKS && isTiny(arrival)) return tinyChunks()
    if (end > body.bytes.length) {
      const size = start === 0 ? end : Math.min(largest, Math.max(end, 2 * body.bytes.length))
      if (!hold(body, size)) return overloaded()
      const larger = start === 0 ? chunk : Buffer.allocUnsafeSlow(size)
      body.bytes.copy(larger, 0, 0, start)
      body.bytes = larger
    }
    if (start > 0) chunk.copy(body.bytes, start)
    return undefined
  }

  function hasRoom(bytes: number): boolean {
    return heldBytes + bytes <= (bytes > MAX_SMALL_BYTES ? maxHeldBytes * (7 / 8) : maxHeldBytes)
  }

  function hold(body: Body, bytes: number): boolean {
    heldBytes -= body.held
    body.held = hasRoom(bytes) ? bytes : 0
    heldBytes += body.held
    return body.held === bytes
  }

  function release(body: Body): void {
    heldBytes -= body.held
    body.held = 0
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
    const arrival: Arrival = { socket, bytes: 0, chunks: 0, seen: 0, deadline: nowMs() + FIRST_PAUSE_MS, cut }
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
      if (arrival.deadline < now) arrival.cut()
      if (arrival.socket.destroyed) arriving.delete(arrival)
    }
    if (arriving.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    read,
    release,
    drain,
    cutSlow,
    heldBytes: () => heldBytes,
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

// The rest of these bodies is not worth reading, so their connections end.
const close = { Connection: 'close' }

const tooLarge = (maxBytes: number) =>
  new Problem(413, 'body_too_large', `The body is larger than ${maxBytes} bytes. Send a smaller one.`, {
    headers: close,
  })

const tooSlow = () =>
  new Problem(408, 'request_timeout', 'The body is sent too slowly. Send at least 8 KiB per second.', {
    headers: close,
  })

const tinyChunks = () =>
  new Problem(400, 'tiny_chunks', 'The body is sent in too many tiny chunks. Send larger ones, or a Content-Length.', {
    headers: close,
  })

const overloaded = () =>
  new Problem(
    503,
    'overloaded',
    'The server is processing as many request bodies as it has memory for. Try again in a moment.',
    {
      headers: { ...close, 'Retry-After': '5' },
    },
  )

/** A listener for the bytes of a connection replaces node's parser. */
function stopParsing(socket: Socket): void {
  socket.removeAllListeners('data').on('data', () => undefined)
}
