import type { Socket } from 'node:net'
import { parseInTurns } from './reading.ts'

/** From so many waiting requests on, or from so many bytes of them, a connection is not read; below half of both it is. */
const MAX_WAITING = 32
const MAX_WAITING_BYTES = 262_144
/** So many come behind those in one piece only where each is of a few hundred bytes, or a few. */
const TINY_WAITING = 4 * MAX_WAITING
/** What node keeps for a request that waits, besides the bytes that came. */
const REQUEST_BYTES = 4096

type Queue = { count: number; bytes: number; bytesRead: number; isPaused: boolean; readAhead: number }

export type Backlog = ReturnType<typeof backlog>

/**
 * The requests that came while one before them on their connection is answered. A connection is read further only as
 * they are taken; where all together hold more than `maxBytes`, the connection that holds most of it is cut.
 */
export function backlog(maxBytes: number) {
  const queues = new Map<Socket, Queue>()
  let total = 0

  /** Counts a request that waits, until the function that it returns is called or the connection is closed. */
  function add(socket: Socket): () => void {
    if (socket.destroyed) return () => undefined
    const queue = queues.get(socket) ?? open(socket)
    const { bytesRead } = socket
    // What came before the first of those that wait has been taken since.
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
    const [socket, queue] = [...queues].reduce((most, one) => (one[1].bytes > most[1].bytes ? one : most))
    close(socket, queue)
    socket.destroy()
  }

  return { add, bytes: () => total }
}

// Node stops reading a connection with the first request that comes while the unsent answers exceed the socket's high
// water mark, and compares the two again with every 'drain'. Its own count leaves out requests that are not yet answered,
// and socket.pause() alone is undone by its parser: a mark below zero is exceeded by no answers at all.
function pause(socket: Socket, queue: Queue): void {
  queue.isPaused = true
  Object.defineProperty(socket, 'writableHighWaterMark', { value: -1, configurable: true })
}

function resume(socket: Socket, queue: Queue): void {
  queue.isPaused = false
  Object.defineProperty(socket, 'writableHighWaterMark', { value: queue.readAhead, configurable: true })
  socket.emit('drain')
}
