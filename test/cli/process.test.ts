import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { MAIN } from '../support/program.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { dealbox, temporaryFolder } from './command-line.ts'

// What only a process of its own can show: exit codes, standard input, and commands beside a running server.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('the exit code is 0 for done, 1 for failed and 2 for usage', async () => {
  const data = join(temporaryFolder(), 'data')
  const [done, failed, usage] = await Promise.all([
    dealbox(['init', '--org', 'Acme', '--json'], { env: { DEALBOX_DATA: data, DEALBOX_EMAIL: 'ana@acme.example' } }),
    dealbox(['settings', 'show', '--data', `${data}-not`, '--json']),
    dealbox(['token', 'create', '--scopes', 'all']),
  ])
  assert.deepEqual([done.code, done.err], [0, ''])
  assert.deepEqual(Object.keys(JSON.parse(done.out)), ['org_id', 'member_id'])
  assert.deepEqual([failed.code, failed.out], [1, ''])
  assert.equal(JSON.parse(failed.err).code, 'no_database')
  assert.deepEqual([usage.code, usage.out], [2, ''])
  assert.match(usage.err, /no option --scopes here\. Options are: --email, --scope, /)
})

test('settings come from standard input beside a running server, and hold from its next request on', async () => {
  const { a, call, dataDir } = server
  const reason = { key: 'budget', name: 'No budget', outcome: 'lost' }
  const { code, out, err } = await dealbox(['settings', 'apply', '-', '--data', dataDir, '--org', a.id, '--json'], {
    input: JSON.stringify({ close_reasons: [reason] }),
  })
  assert.equal(code, 0, err)
  assert.equal(JSON.parse(out).changed[0].action, 'created')
  const { body } = await call('GET', '/close-reasons')
  assert.deepEqual(
    body.data.map(({ name }: { name: string }) => name),
    ['No budget'],
  )
})

test('a token made beside a running server works, until its member is deactivated', async () => {
  const { a, call, dataDir } = server
  const at = ['--data', dataDir, '--org', a.id, '--json']
  const email = 'eve@acme.example'
  server.advance(Date.now() - server.now() + 60_000) // commands know the real time only
  assert.equal((await dealbox(['member', 'add', email, ...at])).code, 0)
  const made = await dealbox(['token', 'create', '--email', email, '--scope', 'rest.crm.stages.read', ...at])
  assert.equal(made.code, 0, made.err)
  const { token } = JSON.parse(made.out)
  assert.equal((await call('GET', '/stages', undefined, { token })).status, 200)
  assert.equal((await call('GET', '/deals', undefined, { token })).status, 403)
  assert.equal((await dealbox(['member', 'deactivate', email, ...at])).code, 0)
  assert.equal((await call('GET', '/stages', undefined, { token })).status, 401)
})

const windows = process.platform === 'win32' && 'Windows has no such signals'
const SRC = join(import.meta.dirname, '../../src')

test('SIGUSR1 neither opens a debugger nor ends the server', { skip: windows }, async () => {
  const data = join(temporaryFolder(), 'data')
  // The first port that is free, since another program may have that of the debugger.
  const argv = ['--inspect-port=0', MAIN, 'serve', '--data', data, '--api-listen', '127.0.0.1:0', '--json']
  const child = spawn(process.execPath, [...argv, '--screens-listen', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    const err: Buffer[] = []
    child.stderr.on('data', (chunk) => err.push(chunk))
    const [line] = await once(child.stdout, 'data')
    const { screens } = JSON.parse(String(line).split('\n')[0] as string)
    for (let n = 0; n < 3; n++) {
      child.kill('SIGUSR1')
      assert.equal((await fetch(`${screens}/livez`)).status, 200)
    }
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
    assert.equal(Buffer.concat(err).toString(), '')
  } finally {
    child.kill('SIGKILL')
  }
})

test('a file name that is not UTF-8 is told in a sentence, as an argument and in a variable', { skip: windows }, () => {
  const run = (line: string) => {
    const shell = `name=$(printf 'caf\\351.csv'); ${line}`
    const { status, stderr } = spawnSync('sh', ['-c', shell], {
      encoding: 'utf8',
      env: { NODE: process.execPath, MAIN, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    })
    return { status, stderr }
  }
  const argument = run('"$NODE" "$MAIN" import contacts "$name"')
  assert.equal(argument.status, 2)
  assert.match(
    argument.stderr,
    /^"caf\uFFFD\.csv" has bytes that are not UTF-8\. Give the file or folder a name in UTF-8/,
  )
  const variable = run('DEALBOX_DATA="$name" "$NODE" "$MAIN" org list')
  assert.equal(variable.status, 2)
  assert.match(variable.stderr, /^DEALBOX_DATA has bytes that are not UTF-8/)
})

test('the executable begins anew without variables that are orders to Node', { skip: windows }, () => {
  const code = `require('${SRC}/lib/machine/surroundings.cjs').leaveOrders(process.env, [process.execPath, '-p', 'JSON.stringify(process.env)'])
    console.log(JSON.stringify({ ...process.env, IS_FIRST: true }))`
  const seen = (env: Record<string, string>) =>
    JSON.parse(execFileSync(process.execPath, ['-e', code], { env, encoding: 'utf8' }))
  const own = { DEALBOX_DATA: 'd', TZ: 'UTC', NODE_EXTRA_CA_CERTS: '/dev/null', SSL_CERT_FILE: '/dev/null' }
  const orders = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_ENV: 'test', NODE_DEBUG: 'net', OPENSSL_CONF: '/dev/null' }
  assert.deepEqual(seen({ ...own, ...orders, NODE_OPTIONS: '--no-warnings' }), own)
  assert.deepEqual(seen(own), { ...own, IS_FIRST: true }, 'it began anew without a reason')
})
