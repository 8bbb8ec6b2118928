import { connect, isIP, type Socket } from 'node:net'
import { connect as secureConnect } from 'node:tls'
import type { MailServer } from './server.ts'

export type DialOptions = { timeout_ms: number; signal: AbortSignal }

/**
 * Opens a connection, with TLS if the server uses it from the start. Rejects with a Node error, with code
 * CONNECT_TIMEOUT, or with the reason of the signal.
 */
export function dial({ host, port, tls }: MailServer, { timeout_ms, signal }: DialOptions): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  signal.throwIfAborted()
  const socket =
    tls === 'tls' ? secureConnect({ host, port, ...(!isIP(host) && { servername: host }) }) : connect({ host, port })
  const timer = setTimeout(
    () => reject(Object.assign(new Error('no connection in time'), { code: 'CONNECT_TIMEOUT' })),
    timeout_ms,
  )
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort)
  socket.on('error', reject) // never removed: a later error must not end the process
  socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  socket.once(tls === 'tls' ? 'secureConnect' : 'connect', () => resolve(socket))
  return promise
    .catch((error) => {
      socket.destroy()
      throw error
    })
    .finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    })
}
