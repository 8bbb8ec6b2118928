import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { failureOf } from './failures.ts'
import { type OutgoingProxy, ProxyFailure, portOf } from './proxies.ts'

/** An open connection over which a request is sent, and what the request needs for it. */
export type Way = {
  socket: Socket
  /** Before the path: a proxy for plain HTTP gets the whole URL. */
  prefix: string
  headers: Record<string, string>
}

/**
 * Opens a connection through a proxy: with TLS to the host itself for https, so that the proxy only sees its name, and
 * without for http. Passes every socket to `hold` before it can fail, so that the caller can destroy it. Rejects with
 * ProxyFailure, or with the error of the host's TLS.
 */
export async function wayThrough(
  proxy: OutgoingProxy,
  url: URL,
  hold: (socket: Socket) => void,
  context?: SecureContext,
): Promise<Way> {
  const socket = await toProxy(proxy, hold)
  const host = url.host.replace(/\.(?=$|:)/, '')
  const login: Record<string, string> =
    proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }
  if (url.protocol === 'http:') return { socket, prefix: `http://${host}`, headers: login }
  const name = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const authority = `${url.hostname.replace(/\.$/, '')}:${portOf(url)}`
  await throughTunnel(proxy, socket, authority, login)
  const secure = connectTls({
    ...{ socket, host: name, servername: isIP(name) ? '' : name, rejectUnauthorized: true },
    ...(context && { secureContext: context }),
  })
  hold(secure)
  await once(secure, 'secureConnect')
  return { socket: secure, prefix: '', headers: {} }
}

/** The address of the proxy is that of whoever runs this server: it may be private. */
async function toProxy({ url, variable }: OutgoingProxy, hold: (socket: Socket) => void): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = portOf(url)
  const isSecure = url.protocol === 'https:'
  const socket = isSecure
    ? connectTls({ host, port, servername: isIP(host) ? '' : host })
    : connectTcp({ host, port, noDelay: true })
  hold(socket)
  try {
    await once(socket, isSecure ? 'secureConnect' : 'connect')
    return socket
  } catch (error) {
    throw unusable(variable, error)
  }
}

async function throughTunnel(
  { variable, authorization }: OutgoingProxy,
  socket: Socket,
  authority: string,
  login: Record<string, string>,
): Promise<void> {
  const asked = request({
    method: 'CONNECT',
    path: authority,
    headers: { Host: authority, 'User-Agent': 'Dealbox', Connection: 'keep-alive', ...login },
    createConnection: () => socket,
  })
  const answered = once(asked, 'connect')
  asked.end()
  let answer: IncomingMessage
  let head: Buffer
  try {
    ;[answer, , head] = await answered
  } catch (error) {
    throw unusable(variable, error)
  }
  const status = answer.statusCode as number
  if (status < 200 || status >= 300)
    throw new ProxyFailure(refusalOf(variable, status, authority, authorization !== undefined), status < 500)
  if (head.length > 0) socket.unshift(head)
}

function refusalOf(variable: string, status: number, authority: string, hadLogin: boolean): string {
  const proxy = `The proxy of ${variable}`
  if (status === 407)
    return hadLogin
      ? `${proxy} does not accept the user name and the password in its URL.`
      : `${proxy} asks for a user name and a password: add them to its URL.`
  return status >= 500
    ? `${proxy} does not reach ${authority} (${status}).`
    : `${proxy} does not allow connections to ${authority} (${status}).`
}

function unusable(variable: string, error: unknown): ProxyFailure {
  const why = failureOf(error)
  return new ProxyFailure(`The proxy of ${variable} cannot be used: ${why[0]?.toLowerCase()}${why.slice(1)}`)
}

/** The same for who holds no sockets. Rejects with the reason of the signal as well, and leaves nothing open then. */
export async function openWay(proxy: OutgoingProxy, url: URL, { signal }: { signal: AbortSignal }): Promise<Way> {
  const sockets: Socket[] = []
  const close = () => {
    for (const socket of sockets) socket.destroy()
  }
  signal.throwIfAborted()
  signal.addEventListener('abort', close)
  try {
    const hold = (socket: Socket) => {
      socket.on('error', () => undefined) // whoever awaits the socket handles it
      sockets.push(socket)
    }
    // A socket that is destroyed emits no error for whom awaits it.
    const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
    aborted.catch(() => undefined)
    return await Promise.race([wayThrough(proxy, url, hold), aborted])
  } catch (error) {
    close()
    throw signal.aborted ? signal.reason : error
  } finally {
    signal.removeEventListener('abort', close)
  }
}
