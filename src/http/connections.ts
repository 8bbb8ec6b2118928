import { readFileSync } from 'node:fs'
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/** Fields of a node connection that its types leave out: the current response, and how much of it is unsent. */
type Connection = Socket & {
  _httpMessage?: ServerResponse | null
  _handle?: { bytesWritten: number; writeQueueSize: number } | null
}

export type ConnectionLimits = {
  /** How long, in milliseconds, a response may wait without the client reading a byte of it. */
  writeTimeout: number
  /** The most connections at a time. */
  maxConnections: number
  /** Milliseconds between two checks of the connections. */
  connectionsCheckingInterval: number
}

type Seen = { bytesRead: number; bytesWritten: number; queued: number; stalledMs: number }

/** Unsent bytes of responses, on all connections. */
const MAX_UNSENT_BYTES = 256 * 1_048_576
/** Descriptors for the database, mail, webhooks and anything else besides the connections of two listeners. */
const OTHER_DESCRIPTORS = 256
/** If the system has no limit. */
const USUAL_DESCRIPTORS = 8192
const MAX_CONNECTIONS = 10_000
const MIN_CONNECTIONS = 16

/**
 * Cuts connections whose clients do not read their responses. Beyond `maxConnections`, closes the connection that has
 * been idle longest, else the one that has read nothing for longest, else the new one. Returns `check`, which also runs
 * at intervals, and how many are open.
 */
export function watchConnections(server: Server, limits: ConnectionLimits) {
  const { writeTimeout, maxConnections, connectionsCheckingInterval: interval } = limits
  /** Longest idle first. */
  const open = new Map<Connection, Seen>()
  const timer = setInterval(check, interval).unref()
  server.once('close', () => clearInterval(timer))
  server.on('connection', (socket: Connection) => {
    if (open.size >= maxConnections) {
      const least = leastActive()
      if (!least) return socket.destroy()
      cut(least)
    }
    open.set(socket, { bytesRead: 0, bytesWritten: 0, queued: 0, stalledMs: 0 })
    socket.once('close', () => open.delete(socket))
  })

  function leastActive(): Connection | undefined {
    let least: Connection | undefined
    let most = 0
    for (const [socket, { stalledMs }] of open) {
      if (!socket._httpMessage) return socket
      if (stalledMs <= most) continue
      least = socket
      most = stalledMs
    }
    return least
  }

  function check(): void {
    let unsent = 0
    const stalled: Connection[] = []
    for (const [socket, seen] of [...open]) {
      const { bytesRead, writableLength } = socket
      if (socket._httpMessage || bytesRead !== seen.bytesRead) {
        open.delete(socket)
        open.set(socket, seen)
      }
      seen.bytesRead = bytesRead
      unsent += writableLength
      const isStalled = writableLength > 0 && !hasMoved(socket, seen)
      seen.stalledMs = isStalled ? seen.stalledMs + interval : 0
      if (seen.stalledMs >= writeTimeout) cut(socket)
      else if (isStalled) stalled.push(socket)
    }
    if (unsent > MAX_UNSENT_BYTES) cutStalled(stalled, unsent - MAX_UNSENT_BYTES)
  }

  /** Cuts those with the most unsent bytes first. */
  function cutStalled(stalled: Connection[], tooMuch: number): void {
    let left = tooMuch
    for (const socket of stalled.sort((a, b) => b.writableLength - a.writableLength)) {
      if (left <= 0) return
      left -= socket.writableLength
      cut(socket)
    }
  }

  function cut(socket: Connection): void {
    open.delete(socket)
    socket.destroy()
  }

  return { check, count: () => open.size }
}

/** Whether any unsent byte was sent since the last check. */
function hasMoved({ _handle }: Connection, seen: Seen): boolean {
  const { bytesWritten = 0, writeQueueSize: queued = 0 } = _handle ?? {}
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
