import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { reset } from '../../support/reset.ts'

// Clients that hold a connection, each in its own way, and come back a moment after it was closed.

/** A listener that they come to. */
export type Target = {
  port: number
  isTls: boolean
  /** A path that takes a body, and the headers with which it does. */
  post: { path: string; headers: string }
  /** Requests with large answers. */
  large: string
}

/** Holds a connection that is ready for requests: with TLS after its handshake. */
type Hold = (socket: Socket, target: Target) => void

const PAUSE_MS = 1000
const BYTE_MS = 1000
const FLOOD_BYTES = 4_000_000
const GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
const PIECE = Buffer.from(GET.repeat(2000))
const TOKEN = `Authorization: Bearer v4.public.${'A'.repeat(180)}.e30\r\n`

const bodyHead = ({ path, headers }: Target['post'], more: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Type: application/json\r\n${more}\r\n`

/** Sends a text byte by byte, one a second. */
function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.writable && socket.write(text[at++] ?? ' '), BYTE_MS)
  socket.once('close', () => clearInterval(timer))
}

function flood(socket: Socket): void {
  let left = FLOOD_BYTES
  const more = (): void => {
    while (socket.writable && left > 0) {
      left -= PIECE.length
      if (!socket.write(PIECE)) return
    }
  }
  socket.pause().on('drain', more)
  more()
}

/** What strangers do with or without TLS. */
export const KINDS: Record<string, Hold> = {
  'slow headers': (socket) => drip(socket, `${GET.slice(0, -2)}X-Slow: ${'a'.repeat(60)}`),
  'half of the headers': (socket) => socket.write(GET.slice(0, 20)),
  'slow body': (socket, { post }) => {
    socket.write(bodyHead(post, 'Content-Length: 900\r\n'))
    drip(socket, '{"name":"')
  },
  'body that does not begin': (socket, { post }) => socket.write(bodyHead(post, 'Content-Length: 900\r\n')),
  'waits to be asked for its body': (socket, { post }) =>
    socket.write(bodyHead(post, 'Content-Length: 900\r\nExpect: 100-continue\r\n')),
  'chunks of one byte': (socket, { post }) => {
    socket.write(bodyHead(post, 'Transfer-Encoding: chunked\r\n'))
    socket.write('1\r\na\r\n'.repeat(3000))
    drip(socket, '1\r\na\r\n'.repeat(10))
  },
  'chunk without an end': (socket, { post }) =>
    socket.write(`${bodyHead(post, 'Transfer-Encoding: chunked\r\n')}ffffffffffffffff\r\n{`),
  'answers unread': (socket, { large }) => socket.pause().write(large.repeat(10)),
  'requests without an end': flood,
  'one answer, then silence': (socket) => socket.write(GET),
  'wrong tokens': (socket) => socket.write(`GET /api/v1/deals HTTP/1.1\r\nHost: x\r\n${TOKEN}\r\n`.repeat(20)),
  'no HTTP': (socket) => socket.write('\x16\x03\x01\x00\xa5 EHLO x\r\n'),
  'half closed': (socket) => socket.end(GET.slice(0, 20)),
  'gone in the middle': (socket) => socket.write(GET.slice(0, 20), () => socket.destroy()),
}

/** What they do before there is TLS, on a connection of TCP. */
export const KINDS_OF_TLS: Record<string, Hold> = {
  'no handshake': () => undefined,
  'half of a hello': (socket) => socket.write(hello.subarray(0, hello.length / 2)),
  'hello byte by byte': (socket) => drip(socket, hello.toString('latin1')),
  'hello, and no more': (socket) => socket.write(hello),
  'plain HTTP': (socket) => socket.write(GET),
  'noise behind a hello': (socket) => socket.write(Buffer.concat([hello, Buffer.alloc(300, 0x17)])),
}

/** The first message of a client of TLS. */
const hello = await new Promise<Buffer>((resolve) => {
  const socket = new Duplex({ read: () => undefined, write: (chunk, _encoding, done) => done(void resolve(chunk)) })
  connectTls({ socket }).on('error', () => undefined)
})

/** Begins the handshake anew as soon as it is done, by TLS 1.2: in later versions nobody can. Counts how often. */
function renegotiate(socket: TLSSocket, done: (times: number) => void, times = 0): void {
  if (socket.destroyed) return
  socket.renegotiate({ rejectUnauthorized: false }, (error) => {
    if (error) return
    done(times + 1)
    renegotiate(socket, done, times + 1)
  })
}

export type Crowd = ReturnType<typeof crowd>

/** Connections that come back until `leave`. */
export function crowd() {
  const sockets = new Set<Socket>()
  let isOver = false

  /** Opens a connection; resolves when it has been open once. `ready` gets it each time. */
  function open(dial: () => Socket, event: string, ready: (socket: Socket) => void): Promise<void> {
    return new Promise((resolve) => {
      function begin(): void {
        if (isOver) return
        const socket = dial()
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('data', () => undefined)
        socket.once(event, () => {
          resolve()
          ready(socket)
        })
        socket.once('close', () => {
          sockets.delete(socket)
          setTimeout(begin, PAUSE_MS).unref()
        })
      }
      begin()
    })
  }

  const plain =
    ({ port }: Target) =>
    () =>
      connect({ port, host: '127.0.0.1', noDelay: true })
  const secure =
    ({ port }: Target, maxVersion: 'TLSv1.2' | 'TLSv1.3') =>
    () =>
      connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, maxVersion })

  return {
    /** Holds a connection of TCP. */
    tcp: (target: Target, hold: Hold) => open(plain(target), 'connect', (socket) => hold(socket, target)),
    /** Holds a connection that carries HTTP. */
    http: (target: Target, hold: Hold) =>
      target.isTls
        ? open(secure(target, 'TLSv1.3'), 'secureConnect', (socket) => hold(socket, target))
        : open(plain(target), 'connect', (socket) => hold(socket, target)),
    /** Calls back with how often a connection has begun the handshake anew. */
    renegotiating: (target: Target, done: (times: number) => void) =>
      open(secure(target, 'TLSv1.2'), 'secureConnect', (socket) => renegotiate(socket as TLSSocket, done)),
    leave: () => {
      isOver = true
      for (const socket of sockets) reset(socket)
    },
  }
}
