import { readFileSync } from 'node:fs'
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * Fields of a node connection that its types leave out: the current response, how much of it is unsent, and the
 * connection that TLS runs over.
 */
type Connection = Socket & {
  _httpMessage?: ServerResponse | null
  _handle?: { bytesWritten: number; writeQueueSize: number; _parentWrap?: Socket } | null
}

export type ConnectionLimits = {
  /** How long, in milliseconds, a response may wait without the client reading a byte of it. */
  writeTimeout: number
  /** The most connections at a time. */
  maxConnections: number
  /** Milliseconds between two checks of the connections. */
  connectionsCheckingInterval: number
}

/** `http` is what carries requests: with TLS another socket, as soon as the handshake is done. */
type Seen = { http: Connection; bytesRead: number; bytesWritten: number; queued: number; stalledMs: number }

/** Unsent bytes of responses, on all connections. */
const MAX_UNSENT_BYTES = 256 * 1_048_576
/** Descriptors for the database, mail, webhooks and anything else besides the connections of two listeners. */
const OTHER_DESCRIPTORS = 256
/** If the system has no limit. */
const USUAL_DESCRIPTORS = 8192
const MAX_CONNECTIONS = 10_000
const MIN_CONNECTIONS = 16

/** The event of a server for each connection that requests can come over. */
export const connected = (server: Server): 'connection' | 'secureConnection' =>
  'setSecureContext' in server ? 'secureConnection' : 'connection'

/**
 * Cuts connections whose clients do not read their responses. Beyond `maxConnections`, closes the connection that has
 * been idle longest, else the one that has read nothing for longest, else the new one; during the handshake of TLS it is
 * idle. Returns `check`, which also runs at intervals, and how many are open.
 */
export function watchConnections(server: Server, limits: ConnectionLimits) {
  const { writeTimeout, maxConnections, connectionsCheckingInterval: interval } = limits
  /** By the socket of TCP, longest idle first. */
  const open = new Map<Socket, Seen>()
  const timer = setInterval(check, interval).unref()
  server.once('close', () => clearInterval(timer))
  server.on('connection', (socket: Socket) => {
    if (open.size >= maxConnections) {
      const least = leastActive()
      if (!least) return socket.destroy()
      cut(least)
    }
    open.set(socket, { http: socket, bytesRead: 0, bytesWritten: 0, queued: 0, stalledMs: 0 })
    socket.once('close', () => open.delete(socket))
  })
  if (connected(server) === 'secureConnection')
    server.on('secureConnection', (http: Connection) => {
      const seen = open.get(http._handle?._parentWrap as Socket)
      if (seen) seen.http = http
    })

  function leastActive(): Socket | undefined {
    let least: Socket | undefined
    let most = 0
    for (const [socket, { http, stalledMs }] of open) {
      if (!http._httpMessage) return socket
      if (stalledMs <= most) continue
      least = socket
      most = stalledMs
    }
    return least
  }

  function check(): void {
    let unsent = 0
    const stalled: Socket[] = []
    for (const [socket, seen] of [...open]) {
      const { bytesRead, writableLength, _httpMessage: response } = seen.http
      if (response || bytesRead !== seen.bytesRead) {
        open.delete(socket)
        open.set(socket, seen)
      }
      seen.bytesRead = bytesRead
      unsent += writableLength
      const isStalled = writableLength > 0 && !hasMoved(seen)
      seen.stalledMs = isStalled ? seen.stalledMs + interval : 0
      if (seen.stalledMs >= writeTimeout) cut(socket)
      else if (isStalled) stalled.push(socket)
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

  /** The server waits for open connections when it stops, and node closes those alone that have had a request. */
  function cutHandshakes(): void {
    if (connected(server) === 'connection') return
    for (const [socket, { http }] of [...open]) if (http === socket) cut(socket)
  }

  return { check, count: () => open.size, cutHandshakes }
}

/** Whether any unsent byte was sent since the last check. */
function hasMoved(seen: Seen): boolean {
  const { bytesWritten = 0, writeQueueSize: queued = 0 } = seen.http._handle ?? {}
  const isSame = bytesWritten === seen.bytesWritten && queued === seen.queued
  seen.bytesWritten = bytesWritten
  seen.queued = queued
  return !isSame
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

/** Closes the server and throws if this version of Node lacks the untyped fields used here. */
export function checkNode(server: Server): void {
  const socket: Connection = new Socket()
  const res = new ServerResponse(new IncomingMessage(socket))
  res.assignSocket(socket)
  const { _handle: handle } = server as { _handle?: object }
  if (socket._httpMessage === res && handle && 'writeQueueSize' in handle && 'bytesWritten' in handle) return
  server.close()
  throw new Error(`Dealbox does not run on Node ${process.version}. Use the version that package.json names.`)
}
