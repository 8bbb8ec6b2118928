import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, test } from 'node:test'
import { MAIN } from '../../support/program.ts'
import { until } from '../../support/until.ts'
import { temporaryFolder } from '../command-line.ts'

// What each signal means to a server: the table in docs/install.md.

const windows = process.platform === 'win32' && 'Windows has no such signals'
const root = temporaryFolder()
let count = 0
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

const argvOf = () => [
  ...[
    'serve',
    '--data',
    join(root, `data-${++count}`),
    '--screens-listen',
    '127.0.0.1:0',
    '--api-listen',
    '127.0.0.1:0',
  ],
]

/** A server in a process of its own, with what it says. */
async function start() {
  const child = spawn(process.execPath, [MAIN, ...argvOf()], { stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let said = ''
  child.stdout.on('data', (chunk) => void (said += chunk))
  child.stderr.on('data', (chunk) => void (said += chunk))
  const ended = once(child, 'close') as Promise<[number | null, string | null]>
  const screens = await waitFor(() => /^screens +(\S+)$/m.exec(said)?.[1], ended)
  return {
    ended,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    isAlive: async () => (await fetch(`${screens}/livez`)).status === 200,
    says: (pattern: RegExp) => waitFor(() => pattern.exec(said)?.[0], ended),
  }
}

async function waitFor<T>(look: () => T | undefined, ended: Promise<unknown>): Promise<T> {
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  await until(() => look() !== undefined || hasEnded)
  return look() ?? assert.fail('the server has ended')
}

describe('a signal', { skip: windows }, () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const)
    test(`${signal} stops in good order`, async () => {
      const server = await start()
      server.kill(signal)
      assert.deepEqual(await server.ended, [0, null])
    })

  test('SIGHUP does not end a server that has nothing to open again, which says so', async () => {
    const server = await start()
    server.kill('SIGHUP')
    await server.says(/there is nothing to open again/)
    assert.ok(await server.isAlive())
    server.kill('SIGTERM')
    assert.deepEqual(await server.ended, [0, null])
  })

  for (const signal of ['SIGUSR2'] as const)
    test(`${signal} does nothing, and is noted`, async () => {
      const server = await start()
      server.kill(signal)
      await server.says(/this signal means nothing here/)
      assert.ok(await server.isAlive())
    })

  const noScript = spawnSync('script', ['--version']).status !== 0 && 'there is no "script"'
  test('SIGHUP of a terminal that was closed stops it, as a failure', { skip: noScript }, async () => {
    const command = [process.execPath, MAIN, ...argvOf()].map((word) => `'${word}'`).join(' ')
    const [note, number] = [join(root, 'code'), join(root, 'pid')]
    // The shell outlives the terminal, to note how the server has ended; a shell of a person passes the signal on.
    const inner = `echo $$ > '${number}'; exec ${command}`
    const terminal = spawn(
      'script',
      ['-qec', `trap '' HUP; sh -c "${inner.replaceAll('$', '\\$')}"; echo $? > '${note}'`, '/dev/null'],
      {
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    )
    children.push(terminal)
    let said = ''
    terminal.stdout.on('data', (chunk) => void (said += chunk))
    const closed = once(terminal, 'close')
    await waitFor(() => /screens +(\S+)/.exec(said)?.[1], closed)
    terminal.kill('SIGKILL')
    await closed
    process.kill(Number(readFileSync(number, 'utf8')), 'SIGHUP')
    const read = () => spawnSync('cat', [note], { encoding: 'utf8' }).stdout.trim() || undefined
    assert.equal(await waitFor(read, new Promise(() => undefined)), '1')
  })
})
