import { readFileSync } from 'node:fs'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { carrierOf } from './carriers.ts'
import { currentResponse } from './responses.ts'

/** With a field that the types leave out: what libuv has left of the piece that it writes. */
type Connection = Socket & { _handle?: { writeQueueSize?: number } | null }

export type ConnectionLimits = {
  /** How long, in milliseconds, a response may wait without the client reading a byte of it. */
  writeTimeout: number
  /** The most connections at a time. */
  maxConnections: number
  /** Milliseconds between two checks of the connections. */
  connectionsCheckingInterval: number
}

/** What a connection waits for: the next request, the rest of one, its client to read the response, or this server. */
type Turn = 'idle' | 'sending' | 'reading' | 'ours'

/** The state of a connection at the last check. */
type Seen = {
  /** What carries requests: with TLS another socket, as soon as the handshake is done. */
  http: Socket
  /** Undefined for a new connection. */
  response: ServerResponse | null | undefined
  bytesRead: number
  bytesSent: number
  queued: number
  /** For how long its client has sent too little of a request, or read nothing of a response. */
  waitedMs: number
}

/** 64 kbit/s: a request that comes in slower than this is waited for. */
export const MIN_BYTES_PER_MS = 8192 / 1000
/** Unsent bytes of responses, on all connections. */
const MAX_UNSENT_BYTES = 256 * 1_048_576
/** Descriptors for the database, mail, webhooks and anything else besides the connections of two listeners. */
const OTHER_DESCRIPTORS = 256
/** If the system has no limit. */
const USUAL_DESCRIPTORS = 8192
const MAX_CONNECTIONS = 10_000
const MIN_CONNECTIONS = 16
/** How long a server that stops waits for clients which send or read too little. */
const STOP_PATIENCE_MS = 3000

/**
 * Cuts connections whose clients do not read their responses. Beyond `maxConnections`, closes the connection that has
 * waited longest for its client, else the new one: until a request has its headers, and during the handshake of TLS, a
 * connection is idle. Returns `check`, which also runs at intervals, and how many are open.
 */
export function watchConnections(server: Server, limits: ConnectionLimits) {
  const { writeTimeout, maxConnections, connectionsCheckingInterval: interval } = limits
  /** By the socket of TCP; first those that have waited longest for their clients. */
  const open = new Map<Socket, Seen>()
  let isStopping = false
  const timer = setInterval(check, interval).unref()
  server.once('close', () => clearInterval(timer))
  server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections) {
      const late = longestWaiting()
      if (!late) return socket.destroy()
      cut(late)
    }
    open.set(socket, { http: socket, response: undefined, bytesRead: 0, bytesSent: 0, queued: 0, waitedMs: 0 })
    socket.once('close', () => open.delete(socket))
  })
  const carrier = carrierOf(server)
  server.on('secureConnection', (http: Socket) => {
    const socket = carrier(http)
    const seen = socket && open.get(socket)
    if (seen) moveToEnd(socket, { ...seen, http, bytesRead: http.bytesRead })
  })

  function moveToEnd(socket: Socket, seen: Seen): void {
    open.delete(socket)
    open.set(socket, seen)
  }

  /** A request that has begun since the last check on a connection that was kept comes last: most are whole in a moment. */
  function longestWaiting(): Socket | undefined {
    let recent: Socket | undefined
    for (const [socket, { http, response, waitedMs }] of open) {
      const turn = turnOf(http)
      if (turn === 'idle') return socket
      if (turn === 'sending' && (response === undefined || currentResponse(http) === response)) return socket
      if (turn === 'reading' && waitedMs > 0) return socket
      if (turn === 'sending') recent ??= socket
    }
    return recent
  }

  function check(): void {
    let unsent = 0
    const stalled: Socket[] = []
    for (const [socket, seen] of [...open]) {
      const turn = turnOf(seen.http)
      const isLate = !hasMoved(seen, turn, MIN_BYTES_PER_MS * interval)
      seen.waitedMs = isLate && turn !== 'idle' ? seen.waitedMs + interval : 0
      if (!isLate) moveToEnd(socket, seen)
      if (turn === 'reading') unsent += seen.http.writableLength
      if (seen.waitedMs >= (isStopping ? STOP_PATIENCE_MS : turn === 'reading' ? writeTimeout : Infinity)) cut(socket)
      else if (isLate && turn === 'reading') stalled.push(socket)
    }
    if (unsent > MAX_UNSENT_BYTES) cutStalled(stalled, unsent - MAX_UNSENT_BYTES)
  }

  /** Cuts those with the most unsent bytes first. */
  function cutStalled(stalled: Socket[], tooMuch: number): void {
    const unsent = (socket: Socket): number => open.get(socket)?.http.writableLength ?? 0
    let left = tooMuch
    for (const socket of stalled.sort((a, b) => unsent(b) - unsent(a))) {
      if (left <= 0) return
      left -= unsent(socket)
      cut(socket)
    }
  }

  function cut(socket: Socket): void {
    open.delete(socket)
    socket.destroy()
  }

  /**
   * Cuts those that carry no request, and then those whose clients are late. Node would wait for all of them but those
   * between two requests: also for handshakes of TLS, and for the headers of a request.
   */
  function beginStopping(): void {
    isStopping = true
    for (const [socket, { http }] of [...open]) {
      const isRead = http.writableEnded // its client may still read the last response
      if (turnOf(http) === 'idle' && !isRead) cut(socket)
    }
  }

  return { check, count: () => open.size, beginStopping }
}

function turnOf(http: Socket): Turn {
  const response = currentResponse(http)
  if (http.writableLength > 0) return 'reading'
  if (!response) return 'idle'
  return response.req.complete ? 'ours' : 'sending'
}

/** Whether its client, or the server, has done what it waits for since the last check. */
function hasMoved(seen: Seen, turn: Turn, minBytes: number): boolean {
  const { bytesRead, bytesWritten, writableLength, _handle } = seen.http as Connection
  const response = currentResponse(seen.http) ?? null
  const bytesSent = bytesWritten - writableLength // of whole pieces
  const queued = _handle?.writeQueueSize ?? 0
  const isSame = response === seen.response
  const came = bytesRead - seen.bytesRead
  const isUnread = bytesSent === seen.bytesSent && queued === seen.queued
  Object.assign(seen, { response, bytesRead, bytesSent, queued })
  if (turn === 'idle') return came > 0
  if (turn === 'sending') return !isSame || came >= minBytes
  return turn === 'ours' || !isUnread
}

/** The most connections for each of two listeners; `text` is the content of /proc/self/limits, if any. */
export function connectionLimit(text = readLimits()): number {
  const descriptors = Number(/^Max open files +(\d+)/m.exec(text)?.[1] ?? USUAL_DESCRIPTORS)
  const each = Math.floor((descriptors - OTHER_DESCRIPTORS) / 2)
  return Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, each))
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return ''
  }
}
