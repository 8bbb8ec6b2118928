import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { passingReader } from '../support/passing.ts'
import { openRaw, sendRaw } from '../support/raw.ts'

// What a reader passes on, and back. test/ops/replication/forward.test.ts has the same with a real primary.

/** A reader before a primary that answers by `answer`, which need not read a body. */
async function withPrimary(
  answer: (req: IncomingMessage, res: ServerResponse, n: number) => void,
  run: (url: string, sockets: Socket[]) => Promise<void>,
): Promise<void> {
  const sockets: Socket[] = []
  let n = 0
  const primary = createServer((req, res) => answer(req, res, ++n)).on('connection', (socket) => sockets.push(socket))
  primary.keepAliveTimeout = 0 // what is closed, the reader has closed
  primary.listen(0, '127.0.0.1')
  await once(primary, 'listening')
  const reader = await passingReader(`http://127.0.0.1:${(primary.address() as AddressInfo).port}`)
  try {
    await run(reader.url, sockets)
  } finally {
    await reader.stop()
    primary.closeAllConnections()
    await new Promise((closed) => primary.close(closed))
  }
}

/** It may end in the middle of a request, which is an error to its server. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))

const post = (headers: string, body = '') => `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\n${headers}\r\n${body}`

test('an answer before the body ends reaches the client, and nothing follows half a request on its connection', async () => {
  await withPrimary(
    async (req, res, n) => {
      if (n === 1) return void res.writeHead(409, { 'Content-Length': '5' }).end('early')
      const body = Buffer.concat(await req.toArray()).toString()
      res.setHeader('Content-Type', 'text/plain').end(body)
    },
    async (url, sockets) => {
      const client = await openRaw(url)
      client.write(post('Transfer-Encoding: chunked\r\n', '5\r\nfirst\r\n'))
      const [early] = await client.answered(1)
      assert.deepEqual([early?.status, early?.body], [409, 'early'])
      const isClosed = closed(sockets[0] as Socket).then(() => true)
      assert.ok(await Promise.race([isClosed, client.closed.then(() => false)]))
      client.write(`4\r\nrest\r\n0\r\n\r\n${post('Content-Length: 4\r\n', 'next')}`)
      const [, next] = await client.answered(2)
      assert.deepEqual([next?.status, next?.body, sockets.length], [200, 'next', 2])
      client.socket.destroy()
    },
  )
})

test('a client that leaves in the middle of its body takes its connection to the primary with it', async () => {
  let isWhole: boolean | undefined
  await withPrimary(
    (req) => void req.resume().on('close', () => (isWhole = req.complete)),
    async (url, sockets) => {
      const client = await openRaw(url)
      client.write(post('Content-Length: 10\r\n', 'half'))
      while (sockets.length === 0) await new Promise((resolve) => setImmediate(resolve))
      const [socket] = sockets as [Socket]
      await once(socket, 'data')
      client.socket.destroy()
      await closed(socket)
      assert.equal(isWhole, false)
    },
  )
})

test('an answer comes back as it is: compressed, as a redirection, with several cookies, and without a body', async () => {
  const zipped = gzipSync('{"a":1}')
  await withPrimary(
    (req, res, n) => {
      req.resume()
      if (n === 1) res.setHeader('Content-Encoding', 'gzip').end(zipped)
      if (n === 2) res.writeHead(303, { Location: '/elsewhere', 'Content-Length': '0' }).end()
      if (n === 3) {
        res.writeEarlyHints({ link: '</x>; rel=preload' })
        res.writeHead(204, [...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'], 'Connection', 'Content-Length']).end()
      }
    },
    async (url, sockets) => {
      const answers = []
      for (let n = 0; n < 3; n++) answers.push(await sendRaw(url, post('Accept-Encoding: gzip\r\n')))
      const [first, second, third] = answers
      assert.deepEqual([first?.headers['content-encoding'], first?.bytes], ['gzip', zipped])
      assert.deepEqual([second?.status, second?.headers.location], [303, '/elsewhere'])
      assert.deepEqual([third?.status, third?.headers['set-cookie'], third?.body], [204, 'a=1, b=2', ''])
      assert.equal(sockets.length, 1, 'one connection for all')
    },
  )
})
