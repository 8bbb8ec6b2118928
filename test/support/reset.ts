import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/**
 * Closes a connection by a reset, without what is not sent yet; with TLS, and after an end, without a reset. Node's
 * `resetAndDestroy` ends the connection first: a socket that is destroyed in between, as by a reset of the other side, is
 * never closed by Node 26, and its process never ends.
 */
export function reset(socket: Socket): void {
  const isPossible = !(socket instanceof TLSSocket) && !socket.connecting && !socket.writableEnded
  Object.assign(socket, { resetAndClosing: isPossible }).destroy()
}
