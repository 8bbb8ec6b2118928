import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Bundled, bundled } from './support/bundle.ts'
import { sendRaw } from './support/raw.ts'

/** The server has this much of a heap. What it kept of half of the flood would fill it. */
const HEAP_MB = 160
const MAX_SENT = 60_000_000
/** More than node has the system keep by itself. */
const CROWD = 1000
const GET = 'GET /x.txt HTTP/1.1\r\nHost: localhost\r\n\r\n'
const PIECE = Buffer.from(GET.repeat(2000))

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-flood-'))
let dealbox: Bundled
let server: ChildProcess
let urls: string[]
before(async () => {
  dealbox = await bundled('src/main.ts')
  const env = { ...process.env, ...dealbox.env }
  const init = ['init', '--data', dataDir, '--org', 'Acme', '--email', 'ana@acme.example']
  execFileSync(process.execPath, [dealbox.file, ...init], { env, stdio: 'ignore' })
  const argv = ['serve', '--data', dataDir, '--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  server = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, dealbox.file, ...argv], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env,
  })
  const [text] = (await once(server.stdout!, 'data')) as [Buffer]
  urls = String(text).match(/http:\S+/g) ?? []
})
after(() => {
  server.kill('SIGKILL')
  dealbox.remove()
  rmSync(dataDir, { recursive: true, force: true })
})

/** Sends requests without an end and reads no answer. */
function flood(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  const send = () => {
    while (socket.write(PIECE));
  }
  socket.on('connect', send).on('drain', send)
  socket.on('error', () => undefined)
  return socket
}

describe('clients that send requests and never read', () => {
  for (const [index, name] of ['the public interface', 'the screens'].entries()) {
    test(`do not fill the memory of ${name}, and others are served meanwhile`, { timeout: 400_000 }, async (t) => {
      const url = urls[index] as string
      const floods = Array.from({ length: 5 }, () => flood(url))
      t.after(() => floods.map((socket) => socket.destroy()))
      const sent = () => floods.reduce((sum, one) => sum + one.bytesWritten - one.writableLength, 0)
      let last = 0
      // Until none of them gets rid of anything while an honest client is served a hundred times.
      for (let still = 0; still < 100 && sent() < MAX_SENT; still++) {
        assert.equal((await sendRaw(url, GET)).status, 404)
        if (sent() === last) continue
        last = sent()
        still = 0
      }
      assert.ok(last > 1_000_000 && last < MAX_SENT, `${last} bytes were sent`)
      assert.equal(server.exitCode ?? server.signalCode, null)
    })
  }
})

const SOMAXCONN = '/proc/sys/net/core/somaxconn'
const isBounded = existsSync(SOMAXCONN) && Number(readFileSync(SOMAXCONN, 'utf8')) > CROWD

describe('clients that come by the hundred while the server is busy', { skip: !isBounded }, () => {
  test('are connected at once, and have not to try again after a second', { timeout: 400_000 }, async (t) => {
    server.kill('SIGSTOP')
    t.after(() => server.kill('SIGCONT'))
    const { hostname, port } = new URL(urls[0] as string)
    const crowd = Array.from({ length: CROWD }, () => connect(Number(port), hostname))
    t.after(() => crowd.map((socket) => socket.destroy()))
    const late = new Promise((_, fail) => setTimeout(fail, 120_000, new Error('not all are connected')).unref())
    await Promise.race([Promise.all(crowd.map((socket) => once(socket, 'connect'))), late])
  })
})
