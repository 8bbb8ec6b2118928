import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// What node keeps in private fields of a connection, from what it documents: the events of requests and responses.

/** The response to the last request that has begun to arrive. */
const newest = new WeakMap<Socket, ServerResponse>()
/** The last response that was given the connection. */
const given = new WeakMap<Socket, ServerResponse>()

/** The response that a connection is about to carry, or carries, until it is sent. */
export function currentResponse(socket: Socket): ServerResponse | undefined {
  const res = given.get(socket)
  return res?.socket ? res : undefined
}

/** The response to the last request of a connection, which may wait for others or be sent already. */
export const newestResponse = (socket: Socket): ServerResponse | undefined => newest.get(socket)

/**
 * Calls back when all earlier responses of the connection are sent: at once, or when the one before it is closed. Never if
 * the connection ends first.
 */
export function inOrder(socket: Socket, res: ServerResponse, ready: () => void = () => undefined): void {
  const before = newest.get(socket)
  newest.set(socket, res)
  if (res.socket) begin()
  else before?.once('close', begin)

  function begin(): void {
    if (!res.socket) return
    given.set(socket, res)
    ready()
  }
}
