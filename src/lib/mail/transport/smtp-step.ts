import type { Socket } from 'node:net'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'

export type Session = {
  connection: SMTPConnection
  socket: Socket
  /** Whether the server takes addresses with letters outside of ASCII (RFC 6531). */
  takesUtf8: boolean
  isUsed: boolean
  timer: NodeJS.Timeout | undefined
}

/** Runs a callback function; also rejects if the connection ends or the signal aborts first. */
export function step<T>(
  { connection, socket }: Session,
  signal: AbortSignal,
  start: (done: (error?: Error | null, result?: T) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => {
    reject(signal.reason)
    socket.destroy()
    connection.close()
  }
  // The server's last reply is emitted shortly after the end.
  const gone = () => setImmediate(() => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  connection.once('error', reject)
  connection.once('end', gone)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  else start((error, result) => (error ? reject(error) : resolve(result as T)))
  return promise.finally(() => {
    connection.off('error', reject)
    connection.off('end', gone)
    signal.removeEventListener('abort', abort)
  })
}
