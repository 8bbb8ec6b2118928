import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { before, test } from 'node:test'
import { END_WITHIN_MS } from '../../src/cli/ending.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg } from '../support/org.ts'
import { MAIN } from '../support/program.ts'
import { cli, temporaryFolder } from './command-line.ts'

// How a process ends that holds what Node waits for: a handle that cannot be closed, or a thread that does not come back.

/** What ends a process that hangs, and nothing else here. */
const HUNG = 'SIGALRM'
const HUNG_MS = 60_000

const folder = temporaryFolder()
const dataDir = join(folder, 'data')
const fifo = join(folder, 'fifo')
before(async () => {
  const store = openStore(dataDir, { create: true })
  await makeOrg(store, dataDir, 'Acme')
  store.close()
  execFileSync('mkfifo', [fifo])
})

/** A socket that is destroyed between its end and its reset: Node 26 marks it as closing, and never closes it. */
const UNCLOSED = `
  import { connect, createServer } from 'node:net'
  const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1', () => {
    const socket = connect(server.address().port, '127.0.0.1', () => {
      socket.end()
      socket.resetAndDestroy().destroy()
      server.close()
    })
    socket.on('error', () => undefined)
  })`

/** A thread of the pool that waits for a writer, as for a network drive that is away. */
const WAITING = `
  import { open } from 'node:fs'
  open(${JSON.stringify(fifo)}, 'r', () => undefined)`

/** The time in which a server has to end is over with the signal SIGUSR2. */
const TIMED = `
  const { setTimeout } = globalThis
  globalThis.setTimeout = (run, ms, ...more) =>
    ms === ${END_WITHIN_MS} ? process.once('SIGUSR2', run) : setTimeout(run, ms, ...more)`

function start(argv: string[], ...preloaded: string[]): ChildProcess {
  const imports = preloaded.flatMap((code) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`])
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  return spawn(process.execPath, [...imports, MAIN, ...argv], { stdio: [...stdio], timeout: HUNG_MS, killSignal: HUNG })
}

/** A server, with `said`, which resolves when it has logged this. */
async function serving(...preloaded: string[]) {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const child = start(['serve', '--data', dataDir, '--json', ...listen], ...preloaded)
  const ended = once(child, 'exit')
  const lines: { msg: string; level: string; open?: string[] }[] = []
  let rest = ''
  let wake = (): void => undefined
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const pieces = (rest + chunk).split('\n')
    rest = pieces.pop() as string
    lines.push(...pieces.map((line) => JSON.parse(line)))
    wake()
  })
  const closed = once(child.stdout as NodeJS.ReadableStream, 'close').then(() => wake())
  let isOver = false
  void closed.then(() => {
    isOver = true
  })

  async function said(msg: string): Promise<void> {
    while (!isOver && !lines.some((line) => line.msg === msg))
      await Promise.race([closed, new Promise<void>((resolve) => (wake = resolve))])
  }

  await said('listening')
  return { child, lines, said, ended, closed }
}

test('a server ends although Node cannot close a handle', async () => {
  const { child, ended } = await serving(UNCLOSED)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a command ends although Node cannot close a handle', async () => {
  const child = start(['version'], UNCLOSED)
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('a server that a thread keeps from its end is ended as it is, closed, and says what it waited for', async () => {
  const { child, ended, closed, said, lines } = await serving(WAITING, TIMED)
  child.kill('SIGTERM')
  await said('stopped')
  child.kill('SIGUSR2')
  assert.deepEqual(await ended, [null, 'SIGKILL'])
  await closed
  const late = lines.at(-1)
  assert.match(late?.msg as string, /did not end within 25 seconds/)
  assert.equal(late?.level, 'error')
  assert.ok(late?.open?.includes('FSReqCallback'), String(late?.open))
  assert.ok(!existsSync(join(dataDir, 'dealbox.db-wal')))
})

test('a second signal ends a server at once, whatever its threads do', async () => {
  const { child, ended, said } = await serving(WAITING)
  child.kill('SIGTERM')
  await said('stopped')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [null, 'SIGKILL'])
})

test('a command ends when its output is read, not before', async () => {
  const { out } = await cli(['openapi'])
  assert.ok(out.length > 200_000, `${out.length} characters, less than pipes hold`)
  const child = start(['openapi'])
  assert.equal((await text(child.stdout as NodeJS.ReadableStream)).length, out.length)
})
