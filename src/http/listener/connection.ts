import { randomUUID } from 'node:crypto'
import { IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { clientOf } from '../../auth/client.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { ECHO, echoOf, PROBLEM_TYPE, problemBody, requestId, SECURITY_HEADERS } from '../answer.ts'
import { outsideBase, redirect, withoutBase, withSlash } from '../base-path.ts'
import type { Backlog } from './backlog.ts'
import { carrierOf, connected } from './carriers.ts'
import { originForm } from './framing.ts'
import { nodeHas } from './node.ts'
import { fairReading, stopParsing } from './reading.ts'
import { currentResponse, inOrder, newestResponse } from './responses.ts'

export type Handler = (req: IncomingMessage, res: ServerResponse) => void

/** What OpenSSL says of the first bytes of a request that has no TLS. */
const NO_TLS = ['ERR_SSL_HTTP_REQUEST', 'ERR_SSL_HTTPS_PROXY_REQUEST']

/** How many waiting requests are served per turn of the event loop, on all connections together. */
const MAX_IN_A_TURN = 16

/** Connections that are closed for a timeout in one turn of the event loop: each takes some 60 µs. */
const MAX_CLOSED_IN_A_TURN = 16

/** How long a client may keep sending after the last response. */
const LINGER_MS = 1000

/** Where the server is, and what logs the requests that are for somebody else. */
export type Below = { basePath: string; log?: Log | undefined }

/**
 * Passes the server's requests to the handler, and answers those that node would drop, cut off or answer without a
 * body.
 */
export function serveConnections(
  server: Server,
  handler: Handler,
  backlog: Backlog,
  { basePath, log }: Below = { basePath: '' },
): void {
  const take = inTurns(MAX_IN_A_TURN)
  const close = inTurns(MAX_CLOSED_IN_A_TURN)
  /** Their request did not arrive in time; they wait to be closed. */
  const late = new Set<Socket>()
  const reading = fairReading(server)
  server.on(connected(server), (socket: Socket) => {
    socket.destroySoon = closeGently
  })
  // A handshake that fails; node would pass it on as a broken request.
  const carrier = carrierOf(server)
  server.removeAllListeners('tlsClientError').on('tlsClientError', (error: ParserError, socket: Socket) => {
    const plain = carrier(socket)
    socket.destroy()
    if (plain && NO_TLS.includes(error.code ?? '')) refusePlain(plain)
  })
  server.on('request', serve)
  server.on('checkContinue', serve)
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    inOrder(req.socket, res)
    refuse(
      res,
      new Problem(417, 'expectation_failed', 'The only supported value of the header Expect is 100-continue.'),
    )
  })
  // Node passes only CONNECT as a bare socket.
  server.on('connect', async (req: IncomingMessage) => {
    req.socket.on('error', () => req.socket.destroy()).resume()
    if (await isFree(req.socket)) answerLast(req, (res) => handle(req, res))
  })
  // Connections that were opened at the same moment time out at the same moment.
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket
    close(() => {
      if (socket.bytesRead === bytesRead) socket.destroy()
    })
  })
  server.on('clientError', (error: ParserError, socket: Socket) => {
    if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT') return void refuseBroken(error, socket)
    late.add(socket)
    close(() => {
      if (late.delete(socket)) void refuseBroken(error, socket)
    })
  })

  async function refuseBroken(error: ParserError, socket: Socket): Promise<void> {
    const packet = reading.current()
    if (packet) Object.assign(error, { rawPacket: packet.bytes, bytesParsed: packet.parsed + (error.bytesParsed ?? 0) })
    // Node emits an error for every piece after the first one: stop reading while a response is outstanding.
    if (socket.writable) socket.pause()
    if (!(await isFree(socket))) return
    const current = currentResponse(socket)
    const wasAnswered = current ? current.headersSent : newestResponse(socket)?.req.complete === false
    if (wasAnswered) return socket.destroySoon()
    const problem = parserProblem(error, socket)
    if (current) return refuse(current, problem)
    const unknown = withUnknownMethod(error, socket)
    if (unknown) answerLast(unknown, (res) => handle(unknown, res))
    else answerLast(new IncomingMessage(socket), (res) => refuse(res, problem))
  }

  /** One at a time on a connection, so that each request sees the writes of those before it; none after the last. */
  function serve(req: IncomingMessage, res: ServerResponse): void {
    late.delete(req.socket) // it came whole after all
    const wait = res.socket ? undefined : backlog.add(req.socket)
    const answer = (): void => {
      if (res.socket?.writable) handle(req, res)
    }
    inOrder(req.socket, res, () => {
      wait?.()
      if (wait) take(answer)
      else answer()
    })
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const url = originForm(req.url as string)
    const inside = withoutBase(url, basePath)
    req.url = inside ?? url
    if (inside === undefined && basePath !== '') answerOutside(req, res)
    else handler(req, res)
  }

  function answerOutside(req: IncomingMessage, res: ServerResponse): void {
    const there = withSlash(req, basePath)
    if (there === undefined) refuse(res, outsideBase(basePath))
    else redirect(res, there)
    const { method } = req
    const { address } = clientOf(req)
    log?.info({ id: res.getHeader('X-Request-Id'), address, method, route: null, status: res.statusCode }, 'request')
  }
}

/**
 * Runs at most `most` callbacks per turn of the event loop, and the others in the next turns. Requests that are
 * answered synchronously would otherwise run back to back, and nothing else would be read in the meantime.
 */
function inTurns(max: number): (run: () => void) => void {
  let later: (() => void)[] = []
  let count = 0

  function nextTurn(): void {
    const runs = later
    later = runs.splice(max)
    count = runs.length
    if (count > 0) setImmediate(nextTurn)
    for (const run of runs) run()
  }

  return (run) => {
    if (count === 0) setImmediate(nextTurn)
    if (count >= max) return void later.push(run)
    count++
    run()
  }
}

/**
 * RFC 9112, section 9.6: closing at once, while the client still sends, would reset the connection and lose the
 * response. What it sends is not parsed: node has paused a connection on which requests wait, and ends the process if
 * its parser gets data all the same.
 */
function closeGently(this: Socket): void {
  stopParsing(this)
  linger(this)
}

/** Ends the connection, and reads on for a moment. */
function linger(socket: Socket): void {
  socket.end()
  if (nodeHas('dataListener')) socket.resume()
  const cut = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(cut))
}

/** Resolves when all complete requests are answered: to whether the connection can take one more response. */
async function isFree(socket: Socket): Promise<boolean> {
  for (
    let current = currentResponse(socket);
    socket.writable && current?.req.complete;
    current = currentResponse(socket)
  )
    await new Promise((resolve) => current?.once('close', resolve))
  return socket.writable
}

/** Answers outside of the parser's normal flow: the last response of its connection. */
function answerLast(req: IncomingMessage, answer: (res: ServerResponse) => void): void {
  const { socket } = req
  if (!nodeHas('assignSocket')) return void socket.end(BARE)
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.on('finish', () => {
    res.detachSocket(socket)
    linger(socket) // after an error, the parser takes nothing more
  })
  res.assignSocket(socket)
  inOrder(socket, res)
  answer(res)
}

const BARE = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** Answers a request that does not reach the handler, with the same body as all others. */
function refuse(res: ServerResponse, problem: Problem): void {
  const id = requestId(res.req)
  const body = problemBody(problem, id)
  const length = String(Buffer.byteLength(body))
  const headers = ['Content-Type', PROBLEM_TYPE, 'Content-Length', length, 'Connection', 'close']
  res.writeHead(problem.status, ['X-Request-Id', id, ECHO, echoOf(res.req), ...SECURITY_HEADERS, ...headers])
  res.end(body)
}

/** Answers a request by http:// at a port that has TLS. It was not parsed, so nothing of it is known. */
function refusePlain(socket: Socket): void {
  const problem = new Problem(400, 'tls_required', 'This port has TLS. Use an address that begins with https://.')
  const body = problemBody(problem, randomUUID())
  const headers = [`Content-Type: ${PROBLEM_TYPE}`, `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  socket.write(`HTTP/1.1 400 Bad Request\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
  linger(socket)
}

type ParserError = Error & { code?: string; reason?: string; rawPacket?: Buffer; bytesParsed?: number }

function parserProblem({ code, reason, rawPacket, bytesParsed }: ParserError, socket: Socket): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem(408, 'request_timeout', 'The request took too long to arrive. Send it again.')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem(413, 'body_too_large', 'The chunk extensions are too large. Send the body without them.')
  if (code === 'HPE_HEADER_OVERFLOW') {
    const isFirstPacket = rawPacket?.length === socket.bytesRead
    return isFirstPacket && !rawPacket.subarray(0, bytesParsed).includes('\n')
      ? new Problem(414, 'uri_too_long', 'The request target is too long. Shorten the URL.')
      : new Problem(431, 'headers_too_large', 'The request target and the headers are too long in total. Shorten them.')
  }
  return new Problem(400, 'malformed_http', `This is not valid HTTP/1.1${reason ? `: ${reason}` : ''}.`)
}

/** The request if its only fault is a method unknown to node: its path decides between 404 and 405. */
function withUnknownMethod({ code, rawPacket, bytesParsed }: ParserError, socket: Socket): IncomingMessage | undefined {
  if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined
  const start = rawPacket.lastIndexOf('\n', bytesParsed) + 1
  const line = /^([!#$%&'*+.^_`|~\w-]+) ([\x21-\x7e]+) HTTP\/1\.[01]\r\n/.exec(rawPacket.toString('latin1', start))
  if (!line) return undefined
  // Its headers were not parsed; HTTP/1.0 needs none. The router would match `get` as GET, but not with a space.
  return Object.assign(new IncomingMessage(socket), {
    method: `unknown ${line[1]}`,
    url: line[2],
    httpVersion: '1.0',
    httpVersionMajor: 1,
    httpVersionMinor: 0,
    complete: true,
  })
}
