import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { Log } from '../../lib/log.ts'

// What the listeners use of node that its documentation does not promise: docs/developing/node-internals.md.

/** What each of them is, and what happens without it. */
const INTERNALS = {
  writeQueueSize:
    'does not show how much of an answer is left to write: one of many megabytes that a client reads slowly may be cut after 30 seconds',
  readAhead:
    'does not stop reading a connection by its high water mark: requests that wait on it are limited only by the memory for all of them',
  push: 'does not pass what arrives through the push of a connection: clients that send tiny pieces delay the others by seconds',
  order:
    'closes a response before the next one has the connection: a request that is sent before the answer to the one before it is not answered',
  dataListener:
    'does not leave a connection to another listener of its data: clients that go on sending behind the last answer may lose it',
  destroySoon: 'does not close a connection by its destroySoon: clients that still send may lose the last answer',
  httpAllowHalfOpen:
    'does not have httpAllowHalfOpen: clients that close their side before they read the answer get none',
  assignSocket:
    'does not let a response be given a connection: a request that is not valid HTTP is answered without a reason',
}

export type Internal = keyof typeof INTERNALS

/** Of this process, since it has one node. */
let missing: ReadonlySet<Internal> = new Set()
const warned = new WeakMap<Log, Set<Internal>>()

export const nodeHas = (internal: Internal): boolean => !missing.has(internal)

/** Tries, without a connection, what this version of node has, and warns of what it lacks: once in a log. */
export async function checkNode(server: Server, log?: Log): Promise<void> {
  const found: Record<Internal, boolean> = {
    writeQueueSize: hasQueueSize(server),
    ...(await reads()),
    destroySoon: await closesSoon(),
    httpAllowHalfOpen: (createServer() as { httpAllowHalfOpen?: boolean }).httpAllowHalfOpen === false,
    assignSocket: canAssign(),
  }
  missing = new Set((Object.keys(found) as Internal[]).filter((name) => !found[name]))
  if (!log) return
  const known = warned.get(log) ?? new Set()
  warned.set(log, known)
  for (const internal of missing) {
    if (!known.has(internal)) log.warn({ internal }, `Node ${process.version} ${INTERNALS[internal]}`)
    known.add(internal)
  }
}

/** The handle of a listener is of the class that its connections have. */
function hasQueueSize(server: Server): boolean {
  const { _handle: handle } = server as { _handle?: object | null }
  return typeof handle === 'object' && handle !== null && 'writeQueueSize' in handle
}

const GET = 'GET / HTTP/1.1\r\n\r\n'
const LAST = 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'
const turn = () => new Promise(setImmediate)

/** A connection of a server of its own, whose test sends and answers. */
function probe() {
  const began: ServerResponse[] = []
  const server = createServer({ requireHostHeader: false }, (_req, res) => began.push(res))
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() })
  socket.on('error', () => undefined)
  server.emit('connection', socket)
  return { socket, began }
}

async function reads(): Promise<Record<'readAhead' | 'order' | 'push' | 'dataListener', boolean>> {
  const { socket, began } = probe()
  socket.push(GET)
  await turn()
  const mark = socket.writableHighWaterMark
  setReadAhead(socket, -1)
  socket.push(GET)
  await turn()
  const isPaused = socket.isPaused()
  setReadAhead(socket, mark)
  socket.emit('drain')
  await turn()
  const readAhead = began.length === 2 && isPaused && !socket.isPaused()
  let order = false
  began[0]?.once('close', () => {
    order = Boolean(began[1]?.socket)
  })
  for (const res of began) res.end()
  await turn()
  const { push } = socket
  let pushed = 0
  const counted = (bytes: unknown): boolean => {
    pushed++
    return push.call(socket, bytes)
  }
  socket.push = counted
  socket.push(GET)
  await turn()
  const isPushed = pushed === 1 && began.length === 3 && typeof socket._read === 'function'
  socket.removeAllListeners('data').on('data', () => undefined)
  socket.push(GET)
  await turn()
  const dataListener = began.length === 3
  socket.destroy()
  return { readAhead, order, push: isPushed, dataListener }
}

async function closesSoon(): Promise<boolean> {
  const { socket, began } = probe()
  let isCalled = false
  Object.assign(socket, {
    destroySoon: () => {
      isCalled = true
    },
  })
  socket.push(LAST)
  await turn()
  began[0]?.end()
  await turn()
  socket.destroy()
  return isCalled
}

function canAssign(): boolean {
  const { assignSocket, detachSocket } = new ServerResponse(new IncomingMessage(new Duplex() as Socket))
  return typeof assignSocket === 'function' && typeof detachSocket === 'function'
}

/** Node stops reading a connection at the first request that arrives while its unsent responses exceed this. */
export function setReadAhead(socket: Duplex, bytes: number): void {
  Object.defineProperty(socket, 'writableHighWaterMark', { value: bytes, configurable: true })
}
