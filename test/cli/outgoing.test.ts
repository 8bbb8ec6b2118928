import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer } from 'node:tls'
import { readProxies } from '../../src/lib/net/proxies.ts'
import { parseAddress } from '../../src/ops/backup/places/s3/account.ts'
import { s3Client } from '../../src/ops/backup/places/s3/client.ts'
import { openStore } from '../../src/store/open.ts'
import { startForwardProxy } from '../support/forward-proxy.ts'
import { makeOrg } from '../support/org.ts'
import { MAIN } from '../support/program.ts'
import { until } from '../support/until.ts'
import { BUCKET, KEYS, startVersitygw } from '../support/versitygw.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { answer, startReceiver } from '../webhooks/egress/receiver.ts'
import { temporaryFolder } from './command-line.ts'

// A server that reaches others by a proxy only, with a password in its URL: as a process of its own, with real requests.

const folder = temporaryFolder()
const own = makeCertificate(2020, 2090)
const skip = own ? false : 'there is no openssl to make certificates with'
const PASSWORD = 'a-word-of-the-proxy'
const LOGIN = `Basic ${btoa(`ann:${PASSWORD}`)}`

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  chmodSync(file, 0o600)
  return file
}

function run(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said.text += chunk
    })
  return { child, said }
}

test('webhooks go through the proxy, and its password is in no log', { skip }, async (t) => {
  const data = join(folder, 'hooks')
  const store = openStore(data, { create: true })
  const { token } = await makeOrg(store, data, 'Acme')
  store.close()
  const receiver = await startReceiver(answer('HTTP/1.1 204 OK', '', ''), { tls: own as object })
  const proxy = await startForwardProxy({ hosts: { 'hooks.example:443': receiver.port }, login: LOGIN })
  t.after(receiver.stop)
  t.after(proxy.stop)
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--json']
  const { child, said } = run(['serve', '--data', data, ...listen], {
    HTTPS_PROXY_FILE: write('proxy', `http://ann:${PASSWORD}@${proxy.host}\n`),
    NO_PROXY: '10.0.0.0/99',
    NODE_EXTRA_CA_CERTS: write('cert.pem', own?.cert as string),
  })
  t.after(() => child.kill('SIGKILL'))
  while (!said.text.includes('"listening"')) await once(child.stdout, 'data')
  const api = /"api":"([^"]+)"/.exec(said.text)?.[1]
  const call = async (path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${api}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) })
    return { status: answer.status, body: (await answer.json()) as { code?: string; id: string } }
  }
  for (const url of ['https://10.0.0.5/', 'https://localhost/', 'https://[::1]/']) {
    const refused = await call('/webhooks', { url, event_types: ['*'] })
    assert.deepEqual([refused.status, refused.body.code], [422, 'url_not_allowed'], url)
  }
  const { body: webhook } = await call('/webhooks', { url: 'https://hooks.example/in', event_types: ['tag.*'] })
  await call('/tags', { name: 'First' })
  await proxy.came(1)
  await until(() => receiver.requests.length > 0)
  assert.match(receiver.requests[0] ?? '', /^POST \/in HTTP\/1\.1\r\nHost: hooks\.example\r\n[\s\S]*tag\.created/)
  assert.deepEqual([...new Set(proxy.lines())], ['CONNECT hooks.example:443'], webhook.id)
  child.kill('SIGTERM')
  await once(child, 'exit')
  assert.match(said.text, new RegExp(`"HTTPS_PROXY":"http://${proxy.host}"`))
  assert.match(said.text, /10\.0\.0\.0\/99.. in NO_PROXY has no effect/)
  assert.doesNotMatch(said.text, new RegExp(`${PASSWORD}|${LOGIN}`))
})

test('backups reach S3 through the proxy, and say why not', { skip }, async (t) => {
  const data = join(folder, 'copies')
  openStore(data, { create: true }).close()
  const gateway = await startVersitygw()
  t.after(gateway.stop)
  const secure = createServer({ ...(own as object) }, (socket) => {
    const target = connect(gateway.port, '127.0.0.1')
    target.on('error', () => socket.destroy())
    socket.on('error', () => target.destroy())
    socket.pipe(target).pipe(socket)
  })
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  t.after(() => secure.close())
  const { port } = secure.address() as AddressInfo
  const hosts = { 'hooks.example:443': port, 'hooks.example:7070': gateway.port }
  const proxy = await startForwardProxy({ hosts, login: LOGIN })
  t.after(proxy.stop)
  const keys = write('keys', `aws_access_key_id = ${KEYS.id}\naws_secret_access_key = ${KEYS.secret}\n`)
  const ca = ['--ca', write('ca.pem', own?.cert as string)]
  const backup = async (endpoint: string, login: string, more: string[] = []) => {
    const url = `http://${login}@${proxy.host}`
    const place = ['--backup-s3', `${endpoint}/${BUCKET}`, '--backup-s3-key-file', keys]
    const { child, said } = run(['backup', '--data', data, ...place, ...more], { HTTPS_PROXY: url, HTTP_PROXY: url })
    const [code] = await once(child, 'close')
    assert.doesNotMatch(said.text, new RegExp(`${PASSWORD}|${LOGIN}`))
    return { code, text: said.text }
  }
  const tunnelled = await backup('https://hooks.example', `ann:${PASSWORD}`, ca)
  assert.equal(tunnelled.code, 0, tunnelled.text)
  assert.ok(
    proxy.lines().every((line) => line === 'CONNECT hooks.example:443'),
    proxy.lines().join('\n'),
  )
  const listed = await s3Client(
    { ...parseAddress('--x', `http://hooks.example:7070/${BUCKET}`), keys: KEYS, region: 'us-east-1' },
    { proxies: readProxies({ HTTP_PROXY: `http://ann:${PASSWORD}@${proxy.host}` }) },
  ).askText({ method: 'GET', key: '', query: { 'list-type': '2' } })
  assert.match(listed, /<Key>dealbox-/)
  assert.equal(proxy.lines().at(-1), `GET http://hooks.example:7070/${BUCKET}/?list-type=2`)
  const asked = proxy.asked.length
  const wrong = await backup('https://hooks.example', 'ann:other', ca)
  assert.equal(wrong.code, 1)
  assert.match(wrong.text, /The proxy of HTTPS_PROXY does not accept the user name and the password in its URL/)
  assert.equal(proxy.asked.length, asked + 1, 'it is tried again, which helps nobody')
})
