import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MAIN } from '../support/program.ts'
import { until } from '../support/until.ts'
import { cliJson, temporaryFolder } from './command-line.ts'

// What a server says of its own, on its output and in its log.

const root = temporaryFolder()
const { NODE_COMPILE_CACHE } = process.env
let count = 0

/** Starts `serve`; `said` waits for a text in what it has written to either stream. */
function served(
  t: TestContext,
  argv: readonly string[],
  env: Record<string, string> = {},
  data = join(root, `${count++}`),
) {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0', '--backup-at', 'off']
  const server = spawn(process.execPath, [MAIN, 'serve', '--data', data, ...listen, ...argv], {
    env: { NODE_COMPILE_CACHE, ...env },
  })
  t.after(() => server.kill('SIGKILL'))
  let out = ''
  const parts = { text: () => out }
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (bytes) => {
      out += bytes
    })
  const said = (text: string | RegExp) =>
    until(() => (typeof text === 'string' ? out.includes(text) : text.test(out)), `${text} in the output`)
  return { ...parts, said }
}

test('a mistyped variable is said at the start, by its name and the one that is meant', async (t) => {
  const { said } = served(t, ['--json'], { DEALBOX_BACKUP_DIRR: '/x' })
  await said('DEALBOX_BACKUP_DIRR has no effect. Did you mean DEALBOX_BACKUP_DIR?')
})

test('requests are logged without --json, too, where --log-level info asks for it', async (t) => {
  const loud = served(t, ['--log-level', 'info'])
  await loud.said(/api +(\S+)/)
  await fetch(`${/api +(\S+)/.exec(loud.text())?.[1]}/api/v1/deals`)
  await loud.said(/"msg":"request"/)
  const quiet = served(t, [])
  await quiet.said(/screens +(\S+)/)
  assert.ok(!quiet.text().includes('"level":"info"'), quiet.text())
})

test('behind a proxy on this machine the link to set up has the name of --host', async (t) => {
  const named = served(t, ['--host', 'crm.example.com, other.example'])
  await named.said(/setup +https:\/\/crm\.example\.com\/setup#/)
  const local = served(t, ['--host', 'localhost'])
  await local.said(/setup +http:\/\/127\.0\.0\.1:\d+\/setup#/)
})

test('the link of a reset, too', async () => {
  const data = join(root, 'reset')
  await cliJson('init', '--data', data, '--org', 'A', '--email', 'a@a.example')
  const { url } = await cliJson('member', 'reset', 'a@a.example', '--data', data, '--host', 'crm.example.com')
  assert.ok(String(url).startsWith('https://crm.example.com/'), url)
  // Whoever listens for others has nothing in front, of which the name could be.
  const open = ['--host', 'crm.example.com', '--screens-listen', '0.0.0.0:8081']
  const { url: direct } = await cliJson('member', 'reset', 'a@a.example', '--data', data, ...open)
  assert.match(String(direct), /^http:\/\/[^/]*:8081\//)
})
