import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noProxies, notePeer, type Proxies } from '../../auth/client.ts'
import type { Listen } from '../../command/config/options.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { backlog } from './backlog.ts'
import { connected } from './carriers.ts'
import type { Certificate } from './certificate.ts'
import { type Handler, serveConnections } from './connection.ts'
import { type ConnectionLimits, connectionLimit, watchConnections } from './connections.ts'
import { checkNode } from './node.ts'
import { listenOnSocket } from './socket-file.ts'

export type Listener = {
  /** Such as http://127.0.0.1:8080 (https with a certificate), with the base path; unix:/run/dealbox/api.sock for a socket. */
  url: string
  /** What URLs of requests begin with: on a Unix socket, any program can call the server localhost. */
  webUrl: string
  /** A URL omits it if it is 80. */
  port: number | undefined
  /** How many connections are open. */
  connections: () => number
  /** Stops accepting, lets running requests finish, then cuts the rest after `graceMs`. */
  stop: (graceMs: number) => Promise<void>
}

/** Node's defaults would keep a thousand half-open requests open for minutes. */
const LIMITS = {
  headersTimeout: 10_000,
  handshakeTimeout: 10_000, // of TLS
  requestTimeout: 7_200_000, // bodies.ts ends slow bodies; the largest takes 116 minutes at the slowest rate
  keepAliveTimeout: 65_000,
  writeTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // the kernel checks it, so that the response has a body like every other
  allowHalfOpen: true, // as without TLS
}

/**
 * The backlog of connections not accepted yet. Clients beyond node's default of 511 retry after a second, then after
 * two, then four.
 */
const MAX_PENDING = 4096

/** The size of waiting requests on all connections together. */
const MAX_BACKLOG_BYTES = 128 * 1_048_576

export type Limits = Partial<
  ConnectionLimits & { requestTimeout: number; headersTimeout: number; handshakeTimeout: number }
>

/** What the listeners of a server have in common. */
export type Front = { proxies?: Proxies; certificate?: Certificate | undefined; basePath?: string; log?: Log }

/**
 * Starts a listener; port 0 picks a free one. A Unix socket has no TLS: what it carries does not leave the machine. Throws
 * Problem if the address is not available.
 */
export async function listen(
  handler: Handler,
  address: Listen,
  { proxies = noProxies, certificate: pair, basePath = '', log, ...given }: Limits & Front = {},
): Promise<Listener> {
  const { path } = address
  const certificate = path === undefined ? pair : undefined
  const limits = { ...LIMITS, maxConnections: connectionLimit(), ...given }
  const server = certificate?.createServer(limits) ?? createServer(limits)
  // A client that has sent everything may close its side and still read the response.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Node would leave out headers from the 2,001st on, though its parser obeys them, such as the length of the body.
  server.maxHeadersCount = 0
  const { count, beginStopping } = watchConnections(server, limits)
  server.on(connected(server), (socket) => notePeer(socket, proxies, path !== undefined, basePath))
  serveConnections(server, handler, backlog(MAX_BACKLOG_BYTES), { basePath, log })
  await (path === undefined ? listenAt(server, address) : listenOnSocket(server, path, MAX_PENDING)).catch((error) => {
    throw cannotListen(error, address)
  })
  await checkNode(server, log)
  return {
    ...addressOf(server, address, certificate !== undefined, basePath),
    connections: count,
    stop: (graceMs) => {
      beginStopping()
      return stop(server, graceMs)
    },
  }
}

function listenAt(server: Server, { host, port }: Listen & { path?: undefined }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, MAX_PENDING, resolve)
  })
}

function addressOf(
  server: Server,
  { path }: Listen,
  isSecure: boolean,
  basePath: string,
): Pick<Listener, 'url' | 'webUrl' | 'port'> {
  if (path !== undefined) return { url: `unix:${path}`, webUrl: LOCAL_URL + basePath, port: undefined }
  const { address: host, port, family } = server.address() as AddressInfo
  const url = `${isSecure ? 'https' : 'http'}://${family === 'IPv6' ? `[${host}]` : host}:${port}${basePath}`
  return { url, webUrl: url, port }
}

/** What a listener on a Unix socket is called in URLs. */
export const LOCAL_URL = 'http://localhost'

function cannotListen(error: NodeJS.ErrnoException, { path, ...address }: Listen): Problem {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program uses this port'
      : error.code === 'EACCES'
        ? 'the operating system does not allow it'
        : error.message
  const where = path === undefined ? Object.values(address).join(':') : `unix:${path}`
  return new Problem(409, 'cannot_listen', `Cannot listen on ${where}: ${why}.`)
}

function stop(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}
