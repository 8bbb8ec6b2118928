import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { httpClient } from '../support/client.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { MAIN } from '../support/program.ts'

// What hostile clients do to the memory of a server in a separate process and to the other clients.

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-floods-'))
let org: Org
let server: { url: string; memoryMb: () => number; cpuMs: () => number; stop: () => Promise<unknown> }

before(async () => {
  const store = openStore(dataDir, { create: true })
  org = await makeOrg(store, dataDir, 'Acme')
  store.close()
})
after(() => rmSync(dataDir, { recursive: true, force: true }))
beforeEach(async () => {
  server = await serve()
})
afterEach(() => server.stop())

async function serve() {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const argv = ['serve', '--data', dataDir, '--json', '--log-level', 'info', ...listen]
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.stdout.resume()
  return {
    url: JSON.parse(String(line).split('\n')[0] as string).api as string,
    /** The peak memory of the process. */
    memoryMb: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    /** How long it has worked: other load on the machine does not count. */
    cpuMs: () => {
      const [user, system] = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
        .replace(/.*\) /, '')
        .split(' ')
        .slice(11, 13)
      return 10 * (Number(user) + Number(system)) // Linux counts in hundredths of a second
    },
    stop: () => {
      child.kill('SIGTERM')
      return once(child, 'exit')
    },
  }
}

/** Sends as fast as the server reads, until `stop`; reconnects when the server has closed the connection. */
function flood(head: string, piece: Buffer): { sentMb: () => number; stop: () => void } {
  const port = Number(new URL(server.url).port)
  let isOver = false
  let sent = 0
  let socket = begin()

  function begin() {
    const started = connect(port, '127.0.0.1', push)
    started.on('error', () => undefined)
    started.on('drain', push).on('data', () => undefined)
    started.on('close', () => {
      if (!isOver) socket = begin()
    })
    started.write(head)
    function push(): void {
      while (!isOver && started.writable) {
        sent += piece.length
        if (!started.write(piece)) return
      }
    }
    return started
  }

  return {
    sentMb: () => sent / 1_048_576,
    stop: () => {
      isOver = true
      socket.destroy()
    },
  }
}

const post = (path: string, token: string) =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`

for (const [what, bytes, megabytes, token] of [
  ['of one byte, by a token that may write', 1, 40, () => org.token],
  ['of 17 bytes, by a token that may write', 17, 60, () => org.token],
  ['of one byte, without a token', 1, 40, () => ''],
] as const) {
  test(`bodies in chunks ${what}, take little memory and leave time for others`, {
    skip: process.platform !== 'linux',
  }, async () => {
    const client = httpClient()
    const headers = { authorization: `Bearer ${org.token}`, 'content-type': 'application/json' }
    const call = (method: string, path: string, body?: string) =>
      client.send(`${server.url}/api/v1${path}`, { method, headers, body })
    await call('GET', '/tags')
    const before = server.memoryMb()
    const piece = Buffer.from(`${bytes.toString(16)}\r\n${' '.repeat(bytes)}\r\n`.repeat(10_000))
    const floods = Array.from({ length: 4 }, () => flood(post('/messages', token()), piece))
    const sentMb = () => floods.reduce((sum, { sentMb }) => sum + sentMb(), 0)
    const took: number[] = []
    for (let n = 0; n < 100 || sentMb() < megabytes; n++) {
      const started = server.cpuMs()
      const isGet = n % 2 === 0
      const name = `{"name":"${what.length} ${bytes} ${n}"}`
      const { status } = isGet ? await call('GET', '/tags?limit=1') : await call('POST', '/tags', name)
      assert.equal(status, isGet ? 200 : 201)
      took.push(server.cpuMs() - started)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    for (const { stop } of floods) stop()
    client.stop()
    took.sort((a, b) => a - b)
    const p99 = took[Math.floor(took.length * 0.99)] as number
    assert.ok(p99 < 1000, `before 99 of 100 answers, it worked ${p99} ms`)
    const grown = server.memoryMb() - before
    assert.ok(grown < 250, `${grown} MB more`)
  })
}
