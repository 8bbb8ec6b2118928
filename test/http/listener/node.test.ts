import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { Duplex, Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { type Internal, nodeHas } from '../../../src/http/listener/node.ts'
import { listen } from '../../../src/http/listener/server.ts'
import type { Log } from '../../../src/lib/log.ts'
import { openRaw, sendAll, sendRaw } from '../../support/raw.ts'

const GET = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
const LAST = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
const MANY = 2000

type Change = { of: object; name: string; to: PropertyDescriptor }

/** What is set there is ignored: as if node did not look at it. */
const unheeded = (value: unknown): PropertyDescriptor => ({ get: () => value, set: () => undefined })

const { removeAllListeners, pause } = Readable.prototype
const { assignSocket, detachSocket } = ServerResponse.prototype
const { destroySoon, push } = Socket.prototype as Socket & { push: unknown }

/** How a node without each of them would differ. */
const WITHOUT: Record<Internal, { changes: Change[]; warning: RegExp }> = {
  writeQueueSize: {
    // The field is one of a class in C++, which nothing can change.
    changes: [{ of: Server.prototype, name: '_handle', to: hiddenHandle() }],
    warning: /how much of an answer is left to write: .* may be cut after 30 seconds$/,
  },
  readAhead: {
    changes: [Readable.prototype, Socket.prototype].map((of) => ({
      of,
      name: 'pause',
      to: { value: pauseUnlessAhead },
    })),
    warning: /does not stop reading a connection by its high water mark: .* memory for all of them$/,
  },
  order: {
    changes: [
      {
        of: ServerResponse.prototype,
        name: 'detachSocket',
        to: {
          value(this: ServerResponse, socket: Socket) {
            this.emit('close')
            detachSocket.call(this, socket)
          },
        },
      },
    ],
    warning: /closes a response before the next one has the connection: .* is not answered$/,
  },
  push: {
    changes: [{ of: Readable.prototype, name: 'push', to: unheeded(push) }],
    warning: /through the push of a connection: .* delay the others by seconds$/,
  },
  dataListener: {
    changes: [
      {
        of: Readable.prototype,
        name: 'removeAllListeners',
        to: {
          value(this: Readable, event: string) {
            return event === 'data' ? this : removeAllListeners.call(this, event)
          },
        },
      },
    ],
    warning: /another listener of its data: .* may lose it$/,
  },
  destroySoon: {
    changes: [
      { of: Duplex.prototype, name: 'destroySoon', to: unheeded(undefined) },
      { of: Socket.prototype, name: 'destroySoon', to: unheeded(destroySoon) },
    ],
    warning: /by its destroySoon: .* may lose the last answer$/,
  },
  httpAllowHalfOpen: {
    changes: [{ of: Server.prototype, name: 'httpAllowHalfOpen', to: unheeded(undefined) }],
    warning: /does not have httpAllowHalfOpen: .* get none$/,
  },
  assignSocket: {
    changes: [
      {
        of: ServerResponse.prototype,
        name: 'assignSocket',
        to: { get: () => (byNode() ? assignSocket : undefined) },
      },
    ],
    warning: /let a response be given a connection: .* without a reason$/,
  },
}

function pauseUnlessAhead(this: Duplex): Duplex {
  if (this.writableHighWaterMark >= 0) pause.call(this)
  return this
}

/** Whether node itself asks for a property, and not the listeners. */
const byNode = (): boolean => /node:(?:net|_http_server)/.test(new Error().stack ?? '')

/** The accessor of a handle that is empty for all but node. */
function hiddenHandle(): PropertyDescriptor {
  const handles = new WeakMap<object, object | null>()
  return {
    get(this: object) {
      return byNode() ? (handles.get(this) ?? null) : {}
    },
    set(this: object, handle: object | null) {
      handles.set(this, handle)
    },
  }
}

/** Changes node until the returned function is called. */
function changed(changes: Change[]): () => void {
  const before = changes.map(({ of, name }) => Object.getOwnPropertyDescriptor(of, name))
  for (const { of, name, to } of changes) Object.defineProperty(of, name, { ...to, configurable: true })
  return () => {
    for (const [index, { of, name }] of changes.entries()) {
      const own = before[index]
      if (own) Object.defineProperty(of, name, own)
      else Reflect.deleteProperty(of, name)
    }
  }
}

async function serving() {
  const warnings: { internal: Internal; text: string }[] = []
  const log = {
    warn: ({ internal }: { internal: Internal }, text: string) => warnings.push({ internal, text }),
    info: () => undefined,
  } as unknown as Log
  const handler = (req: IncomingMessage, res: ServerResponse): void => {
    req.resume()
    res.setHeader('Content-Length', '2')
    setImmediate(() => res.end('ok'))
  }
  const open = () => listen(handler, { host: '127.0.0.1', port: 0 }, { log })
  return { warnings, listener: await open(), open }
}

test('this version of Node has all that the listeners use', async () => {
  const { warnings, listener } = await serving()
  await listener.stop(0)
  assert.deepEqual(warnings, [])
  for (const internal of Object.keys(WITHOUT)) assert.ok(nodeHas(internal as Internal))
})

describe('a Node without', () => {
  for (const [internal, { changes, warning }] of Object.entries(WITHOUT))
    test(`${internal}: the log has one sentence about it, and the server answers`, { timeout: 60_000 }, async (t) => {
      const restore = changed(changes)
      const { warnings, listener, open } = await serving()
      const other = await open()
      t.after(() => Promise.all([listener.stop(0), other.stop(0)]).finally(restore))
      assert.deepEqual(
        warnings.map((one) => one.internal),
        [internal],
      )
      assert.match(warnings[0]?.text ?? '', /^Node v\d/)
      assert.match(warnings[0]?.text ?? '', warning)
      const { url } = listener
      const statuses = async (bytes: string, most: number): Promise<number[]> =>
        (await sendAll(url, bytes, most)).map(({ status }) => status)
      const broken = await openRaw(url)
      broken.write('no HTTP\r\n\r\n')
      await broken.closed
      broken.socket.destroy()
      assert.deepEqual(
        broken.answers.map(({ status }) => status),
        [400],
      )
      const behind = await openRaw(url)
      behind.write(LAST + GET.repeat(10 * MANY))
      await behind.closed
      behind.socket.destroy()
      if (internal !== 'order') assert.deepEqual(await statuses(GET.repeat(MANY), MANY), Array(MANY).fill(200))
      const gone = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
      await once(gone, 'connect')
      gone.end(GET)
      await once(gone.resume(), 'close')
      assert.equal((await sendRaw(url, GET)).status, 200)
      assert.equal((await sendRaw(other.url, LAST)).status, 200)
    })
})
