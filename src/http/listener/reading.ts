import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { MINUTE_MS } from '../../lib/time.ts'
import { connected } from './carriers.ts'
import { nodeHas } from './node.ts'

/** The bytes of a connection parsed at once: one or two milliseconds, even for requests or chunks of a few bytes. */
const SLICE_BYTES = 4096
/** How long large packets are parsed per turn of the event loop. */
const TURN_MS = 4
/** How long all connections are parsed in turns after the last one that sent tiny pieces. */
const ALERT_MS = MINUTE_MS

/** The bytes that arrived on a connection at once, and how many of them were parsed before the current slice. */
export type Packet = { bytes: Buffer; parsed: number }

/** A socket with the stream method that its types leave out. */
type Source = Socket & { _read: (size: number) => void }

const alerts = new WeakMap<Socket, () => void>()

/** Call this for a connection with many tiny requests or chunks: its server then parses all connections in turns. */
export function parseInTurns(socket: Socket): void {
  alerts.get(socket)?.()
}

/**
 * Discards what comes on a connection from now on: a listener for its bytes replaces node's parser. Where that is not so,
 * the connection is read no further.
 */
export function stopParsing(socket: Socket): void {
  if (nodeHas('dataListener')) socket.removeAllListeners('data').on('data', () => undefined)
  else socket.pause()
}

/**
 * Node parses whatever arrived on a connection at once, up to 64 KiB, one connection after the other. For tiny requests
 * or chunks that takes 25 ms per connection, during which nothing else is served. After `parseInTurns` all connections
 * are parsed in turns, slice by slice, which costs every request about 5 µs.
 */
export function fairReading(server: Server, nowMs = () => performance.now()) {
  const open = new Set<Socket>()
  const inTurns = new WeakSet<Socket>()
  /** In the order of their next slices. */
  const waiting = new Map<Socket, () => void>()
  let alertUntil = Number.NEGATIVE_INFINITY
  let isScheduled = false
  let current: Packet | undefined

  server.on(connected(server), (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    alerts.set(socket, alert)
    if (nowMs() < alertUntil) slice(socket)
  })

  function alert(): void {
    const wasCalm = nowMs() >= alertUntil
    alertUntil = nowMs() + ALERT_MS
    if (wasCalm) for (const socket of open) slice(socket)
  }

  function slice(connection: Socket): void {
    if (inTurns.has(connection) || connection.destroyed || !nodeHas('push')) return
    inTurns.add(connection)
    const socket = connection as Source
    const { push, _read: read } = socket
    let packet: Packet | undefined
    const ignore = (): void => {}
    socket.on('data', ignore).off('data', ignore) // node's parser reads the handle directly until there is a listener
    socket.push = (bytes: Buffer | null) => {
      if (bytes === null || bytes.length <= SLICE_BYTES) return push.call(socket, bytes) && !socket.isPaused()
      packet = { bytes, parsed: 0 }
      wait()
      return false // stops reading until _read is called
    }
    socket._read = (size) => {
      if (packet) return
      if (socket.isPaused()) socket.once('resume', () => socket._read(size))
      else read.call(socket, size)
    }
    // A paused connection would never be read again: a stream requests bytes once, and the parser has already done so.
    if (socket.isPaused()) socket.once('resume', () => socket._read(0))

    function wait(): void {
      waiting.set(socket, parse)
      schedule()
    }

    function parse(): void {
      waiting.delete(socket)
      if (!packet || socket.destroyed) return
      const { bytes, parsed } = packet
      const end = Math.min(parsed + SLICE_BYTES, bytes.length)
      current = packet
      if (end === bytes.length) packet = undefined
      else waiting.set(socket, parse) // after the others
      push.call(socket, bytes.subarray(parsed, end))
      current.parsed = end
      current = undefined
    }
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(parseWaiting)
  }

  function parseWaiting(): void {
    isScheduled = false
    const until = nowMs() + TURN_MS
    for (const parse of waiting.values()) {
      parse()
      if (nowMs() >= until) break
    }
    if (waiting.size > 0) schedule()
  }

  return {
    /** The packet being parsed. */
    current: (): Readonly<Packet> | undefined => current,
  }
}
