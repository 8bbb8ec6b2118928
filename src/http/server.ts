import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Problem } from '../lib/problem.ts'
import { PROBLEM_TYPE, problemBody, SECURITY_HEADERS } from './answer.ts'

export type Address = { host: string; port: number }

export type Listener = {
  /** Such as http://127.0.0.1:8080. */
  url: string
  /** Stops accepting, lets what runs finish, then cuts what is left after `graceMs`. */
  stop: (graceMs: number) => Promise<void>
}

/** Node's own limits would leave a thousand half-open requests open for minutes. */
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  maxHeaderSize: 16_384,
  requireHostHeader: false, // the kernel checks it, so that the answer has a body like every other
} as const

/** Listens; port 0 picks a free one. Throws Problem when the address cannot be had. */
export async function listen(
  handler: (req: IncomingMessage, res: ServerResponse) => void,
  address: Address,
  limits: Partial<typeof LIMITS> | { requestTimeout?: number; headersTimeout?: number } = {},
): Promise<Listener> {
  const server = createServer({ ...LIMITS, ...limits }, handler)
  server.on('clientError', refuse)
  // CONNECT is the one method that node hands over as a bare socket, and Expect the one header.
  server.on('connect', (_req, socket) =>
    refuseWith(socket as Socket, new Problem(405, 'method_not_allowed', 'CONNECT is not taken here.')),
  )
  server.on('checkExpectation', (_req, res) =>
    refuseWith(
      res.socket as Socket,
      new Problem(417, 'expectation_failed', 'The only expectation that is met is 100-continue.'),
    ),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, address)))
    server.listen(address.port, address.host, resolve)
  })
  const { address: host, port, family } = server.address() as AddressInfo
  return { url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`, stop: (graceMs) => stop(server, graceMs) }
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: Address): Problem {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program listens there'
      : error.code === 'EACCES'
        ? 'the system does not allow it'
        : error.message
  return new Problem(409, 'cannot_listen', `Cannot listen on ${host}:${port}: ${why}.`)
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

type ParserError = Error & { code?: string; rawPacket?: Buffer }

/** Requests that never became one get the same body as all others. */
function refuse(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refuseWith(socket, parserProblem(error))
}

function parserProblem({ code, rawPacket }: ParserError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(408, 'request_timeout', 'The request took too long to arrive.')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem(413, 'body_too_large', 'The chunk extensions are too large.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    const inTarget = rawPacket !== undefined && !rawPacket.includes('\n')
    return inTarget
      ? new Problem(414, 'uri_too_long', 'The request target is too long.')
      : new Problem(431, 'headers_too_large', `The headers are larger than ${LIMITS.maxHeaderSize} bytes together.`)
  }
  return new Problem(400, 'malformed_http', 'This is not valid HTTP/1.1.')
}

function refuseWith(socket: Socket, problem: Problem): void {
  const id = randomUUID()
  const body = problemBody(problem, id)
  const headers = [
    ...SECURITY_HEADERS,
    'X-Request-Id',
    id,
    'Content-Type',
    PROBLEM_TYPE,
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Connection',
    'close',
  ]
  let head = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n`
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(`${head}\r\n${body}`, () => socket.destroy())
}
