import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** What is parsed of a connection at once: one or two milliseconds, even where requests or chunks are of a few bytes. */
const SLICE_BYTES = 4096
/** So long in a turn of the event loop are large packets parsed. */
const TURN_MS = 4
/** So long after the last connection that sent tiny pieces are all parsed in turns. */
const ALERT_MS = 60_000

/** What came on a connection at once, and how much of it was parsed before the slice that is parsed now. */
export type Packet = { bytes: Buffer; parsed: number }

/** What a stream has for those who make one, and the types of a socket leave out. */
type Source = Socket & { _read: (size: number) => void }

const alerts = new WeakMap<Socket, () => void>()

/** Of a connection on which many requests or chunks of a few bytes came: from now on its server parses all in turns. */
export function parseInTurns(socket: Socket): void {
  alerts.get(socket)?.()
}

/**
 * Node parses what came on a connection whole, 64 KiB at a time and one connection after the other. Of tiny requests or
 * chunks that takes 25 ms for each connection, in which nobody else is answered. After `parseInTurns` all connections
 * are parsed in turns, a slice of each, which costs every request some 5 µs.
 */
export function fairReading(server: Server, nowMs = () => performance.now()) {
  const open = new Set<Socket>()
  const inTurns = new WeakSet<Socket>()
  /** In the order in which their next slices are parsed. */
  const waiting = new Map<Socket, () => void>()
  let alertUntil = Number.NEGATIVE_INFINITY
  let isScheduled = false
  let current: Packet | undefined

  server.on('connection', (socket: Socket) => {
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
    if (inTurns.has(connection) || connection.destroyed) return
    inTurns.add(connection)
    const socket = connection as Source
    const { push, _read: read } = socket
    let packet: Packet | undefined
    const ignore = (): void => {}
    socket.on('data', ignore).off('data', ignore) // node's parser reads by itself until somebody else wants the bytes
    socket.push = (bytes: Buffer | null) => {
      if (bytes === null || bytes.length <= SLICE_BYTES) return push.call(socket, bytes) && !socket.isPaused()
      packet = { bytes, parsed: 0 }
      wait()
      return false // no more is read before _read is called
    }
    socket._read = (size) => {
      if (packet) return
      if (socket.isPaused()) socket.once('resume', () => socket._read(size))
      else read.call(socket, size)
    }
    // A paused connection would not be read again: a stream asks for bytes once, and the parser has that done already.
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
      else waiting.set(socket, parse) // behind the others
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
    /** The packet of which a slice is parsed at this moment. */
    current: (): Readonly<Packet> | undefined => current,
  }
}
