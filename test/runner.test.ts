import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { APART, lanesOfAll, SLOW } from '../scripts/test/files.ts'

test('what "npm test" leaves out runs in .ci/run, where a failure ends it', () => {
  const missing = SLOW.filter((file) => !existsSync(file))
  assert.deepEqual(missing, [])
  const script = readFileSync('.ci/run', 'utf8')
  assert.match(script, /^set -euo pipefail$/m)
  assert.match(script, /^npm test -- --slow$/m)
})

test('every file runs once: there, or in a process of "npm test", which it shares unless it is apart', () => {
  const alone = new Set(Object.keys(APART))
  const run = lanesOfAll()
    .flat()
    .flatMap((entry) => {
      if (!entry.endsWith('.mjs')) {
        assert.ok(alone.delete(relative('', entry)), entry)
        return [relative('', entry)]
      }
      return [...readFileSync(entry, 'utf8').matchAll(/^suite\('([^']+)'/gm)].map(([, file]) => file as string)
    })
  assert.deepEqual([...alone], [])
  assert.deepEqual([...run, ...SLOW].sort(), globSync('test/**/*.test.ts').sort())
})

// What "npm test" does with files whose processes do not end: scripts/test/watch.ts.

const FILES = {
  'good.test.mjs': `
    test('is done', () => undefined)`,
  'wrong.test.mjs': `
    import { describe } from 'node:test'
    describe('a suite', () => void test('is wrong', () => { throw new Error('because of this') }))`,
  'open.test.mjs': `
    test('leaves a timer', () => void setInterval(() => undefined, 1000))`,
  'unclosed.test.mjs': `
    import { once } from 'node:events'
    import { connect, createServer } from 'node:net'
    test('leaves a socket that Node never closes', async () => {
      const server = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect(server.address().port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      socket.end().resetAndDestroy().destroy()
      server.close()
    })`,
  'endless.test.mjs': `
    import { spawn, spawnSync } from 'node:child_process'
    process.on('SIGTERM', () => undefined)
    test('starts a program', () => {
      const { pid } = spawn('sleep', ['3600'], { stdio: ['ignore', 'inherit', 'ignore'] })
      process.stdout.write('sleeps as ' + pid + '.\\n')
    })
    test('never returns', () => new Promise(() => setTimeout(() => { for (;;); }, 100)))`,
}

test('a file that does not end is ended, with what it has started, named, and counted as a failure', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-runner-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const files = Object.entries(FILES).map(([name, code]) => {
    const path = join(folder, name)
    writeFileSync(path, `import { test } from 'node:test'\n${code}`)
    return path
  })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, '../scripts/test.ts'), ...files], {
    env: { ...env, TEST_TICK_MS: '100', TEST_ALL: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  })
  const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 1, out)
  assert.match(out, /open\.test\.mjs did not end by itself, and was silent after leaves a timer\n/)
  assert.match(out, /unclosed\.test\.mjs did not end by itself, and was silent after leaves a socket that Node never/)
  assert.match(out, /endless\.test\.mjs did not end by itself, and was silent in never returns\n/)
  assert.doesNotMatch(out, /good\.test\.mjs/)
  assert.match(out, /pass 4\n.*fail 4\n/, out)
  const end = out.split('\n').slice(-30).join('\n')
  assert.match(end, /\nfailed: .*wrong\.test\.mjs, is wrong: Error: because of this\n {4}at .*wrong\.test\.mjs:/)
  assert.doesNotMatch(end, /a suite/)
  const pid = /sleeps as (\d+)\./.exec(out)?.[1] as string
  assert.match(spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout, /^(Z.*\n)?$/)
})
