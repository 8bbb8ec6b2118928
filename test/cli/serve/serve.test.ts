import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'
import { MAIN } from '../../support/program.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-serve-'))
let token = ''
before(async () => {
  const store = openStore(dataDir, { create: true })
  token = (await makeOrg(store, dataDir, 'Acme')).token
  store.close()
})
after(() => rmSync(dataDir, { recursive: true, force: true }))

test('a server whose log has no reader any more serves on, and stops when told to', async () => {
  const argv = ['serve', '--data', dataDir, '--json', '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { msg, api } = JSON.parse(String(line).split('\n')[0] as string)
  assert.equal(msg, 'listening')
  child.stdout.destroy()
  for (let count = 0; count < 40; count++) assert.equal((await fetch(`${api}/api/v1/deals`)).status, 401)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

for (const [screens, warns] of [
  ['127.0.0.1:0', false],
  ['0.0.0.0:0', true],
] as const) {
  test(`a server on ${screens} ${warns ? 'says' : 'does not say'} that it sends tokens in clear text`, async () => {
    const argv = ['serve', '--data', dataDir, '--json', '--api-listen', '127.0.0.1:0', '--screens-listen', screens]
    const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      out += chunk
      if (out.includes('"listening"')) child.kill('SIGTERM') // the rest is written before it ends
    }
    assert.equal(out.includes('in clear text'), warns, out)
  })
}

test('the document names the address from --public-url', async () => {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0']
  const argv = ['serve', '--data', dataDir, '--json', ...listen, '--public-url', 'https://crm.example/box']
  const child = spawn(process.execPath, [MAIN, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { screens } = JSON.parse(String(line).split('\n')[0] as string)
  const document = (await (await fetch(`${screens}/openapi.json`)).json()) as { servers: { url: string }[] }
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    ['https://crm.example/box/api/v1'],
  )
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('no webhook goes to an own listener at port 80, which URLs do not show', async (t) => {
  const start = (address: string) => {
    const own = [
      '--api-listen',
      `${address}:80`,
      '--screens-listen',
      'off',
      '--webhook-allow',
      `127.0.0.0/8,${address}`,
    ]
    const child = spawn(process.execPath, [MAIN, 'serve', '--data', dataDir, '--json', ...own])
    t.after(() => child.kill('SIGKILL'))
    return child
  }
  // One of the addresses of loopback that no other program listens on.
  for (let tries = 0; tries < 20; tries++) {
    const address = `127.${randomInt(1, 255)}.${randomInt(255)}.${randomInt(1, 255)}`
    const child = start(address)
    const errors = child.stderr.toArray()
    const isListening = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => undefined)])
    if (isListening) return refusesItself(child, address)
    const said = Buffer.concat(await errors).toString()
    if (/another program uses this port/.test(said)) continue
    assert.match(said, /the operating system does not allow it/)
    return t.skip('ports below 1024 need a right that this user lacks')
  }
  assert.fail('no address of loopback is free')
})

async function refusesItself(child: ChildProcess, address: string): Promise<void> {
  const make = async (url: string) => {
    const answer = await fetch(`http://${address}/api/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url, event_types: ['*'] }),
    })
    return [answer.status, ((await answer.json()) as { detail?: string }).detail ?? ''] as const
  }
  for (const url of [`http://${address}/`, `http://${address}:80/x`, 'http://127.1/']) {
    const [status, detail] = await make(url)
    assert.equal(status, 422, url)
    assert.match(detail, /is this server itself on port 80/)
  }
  assert.equal((await make(`http://${address}:8080/`))[0], 201)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
}
