import type { Socket } from 'node:net'
import { setReadAhead } from './node.ts'
import { parseInTurns } from './reading.ts'

/** A connection is paused at this many waiting requests or bytes, and resumed below half of both. */
const MAX_WAITING = 32
const MAX_WAITING_BYTES = 262_144
/** More can arrive in one piece only if each is at most a few hundred bytes. */
const TINY_WAITING = 4 * MAX_WAITING
/** The memory that node uses for a waiting request, besides its bytes. */
const REQUEST_BYTES = 4096

type Queue = { count: number; bytes: number; bytesRead: number; isPaused: boolean; readAhead: number }

export type Backlog = ReturnType<typeof backlog>

/**
 * Requests that arrived while an earlier one on the same connection is being answered. A connection is read further
 * only as they are served; if all of them together exceed `maxBytes`, the connection with the most bytes is cut.
 */
export function backlog(maxBytes: number) {
  const queues = new Map<Socket, Queue>()
  let total = 0

  /** Counts a waiting request until the returned function is called or the connection is closed. */
  function add(socket: Socket): () => void {
    if (socket.destroyed) return () => undefined
    const queue = queues.get(socket) ?? open(socket)
    const { bytesRead } = socket
    // Anything before the first waiting request has been served in the meantime.
    const bytes = REQUEST_BYTES + (queue.count === 0 ? 0 : bytesRead - queue.bytesRead)
    queue.bytesRead = bytesRead
    count(queue, 1, bytes)
    if (!queue.isPaused && (queue.count >= MAX_WAITING || queue.bytes >= MAX_WAITING_BYTES)) pause(socket, queue)
    if (queue.count === TINY_WAITING) parseInTurns(socket)
    if (total > maxBytes) cutLargest()
    return () => {
      if (!queues.has(socket)) return
      count(queue, -1, -bytes)
      if (queue.isPaused && queue.count < MAX_WAITING / 2 && queue.bytes < MAX_WAITING_BYTES / 2) resume(socket, queue)
    }
  }

  function open(socket: Socket): Queue {
    const queue = { count: 0, bytes: 0, bytesRead: 0, isPaused: false, readAhead: socket.writableHighWaterMark }
    queues.set(socket, queue)
    socket.once('close', () => close(socket, queue))
    return queue
  }

  function close(socket: Socket, queue: Queue): void {
    if (queues.delete(socket)) total -= queue.bytes
  }

  function count(queue: Queue, requests: number, bytes: number): void {
    queue.count += requests
    queue.bytes += bytes
    total += bytes
  }

  function cutLargest(): void {
    const [socket, queue] = [...queues].reduce((largest, entry) =>
      entry[1].bytes > largest[1].bytes ? entry : largest,
    )
    close(socket, queue)
    socket.destroy()
  }

  return { add, bytes: () => total }
}

// Node stops reading a connection at the first request that arrives while the unsent responses exceed the socket's high
// water mark, and compares the two again at every 'drain'. Its own count leaves out requests that are not answered yet,
// and its parser undoes socket.pause(). A negative mark is exceeded even without any responses.
function pause(socket: Socket, queue: Queue): void {
  queue.isPaused = true
  setReadAhead(socket, -1)
}

function resume(socket: Socket, queue: Queue): void {
  queue.isPaused = false
  setReadAhead(socket, queue.readAhead)
  socket.emit('drain')
}
