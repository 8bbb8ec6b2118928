import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomUUID, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { getCACertificates } from 'node:tls'
import { trustFile } from '../../src/command/trust.ts'
import { startChild } from '../../src/ops/replication/child.ts'
import { type Between, standBetween } from '../ops/backup/places/between.ts'
import { startImapTalker } from '../support/imap-talker.ts'
import { litestreamProgram, noLitestream } from '../support/litestream.ts'
import { MAIN } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { startSmtp } from '../support/smtp.ts'
import { until, untilIs } from '../support/until.ts'
import { BUCKET, KEYS, startVersitygw } from '../support/versitygw.ts'
import { makeAuthority } from '../webhooks/egress/certificates.ts'
import { cli, cliJson, dealbox, type Ended, temporaryFolder } from './command-line.ts'

// One option for whatever is reached by TLS: real servers whose certificate is signed by an authority that only --ca knows, and
// Dealbox as a process of its own, so that nothing of one test is trusted in the next.

const own = makeAuthority()
const skip = own ? false : 'there is no openssl to make certificates with'
const usual = getCACertificates('default')
const folder = temporaryFolder()
const data = join(folder, 'data')
const CA = join(folder, 'ca.pem')
const UNKNOWN = /authority that is not trusted|certificate chain has an unknown authority|unable to verify|self-signed/i

function write(name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

const keyFile = write('keys', `[default]\naws_access_key_id = ${KEYS.id}\naws_secret_access_key = ${KEYS.secret}\n`)
const env = { TEST_OF_CA: 'a-password', DEALBOX_MOVE_KEY: `dbxmove_${randomUUID()}_${'x'.repeat(43)}` }
process.env.TEST_OF_CA = env.TEST_OF_CA
const run = (...argv: string[]): Promise<Ended> => dealbox([...argv, '--data', data], { env })

/** The same server by TLS, with the certificate of the own authority. */
async function secured(t: TestContext, port: number): Promise<Between> {
  const between = await standBetween(port, own)
  t.after(between.stop)
  return between
}

/** Fails for want of trust without --ca, and differently or not at all with it. */
async function refusedWithout(argv: string[]): Promise<Ended & { without: string }> {
  const without = await run(...argv)
  assert.equal(without.code, 1, without.err)
  assert.match(without.err, UNKNOWN)
  const trusting = await run(...argv, '--ca', CA)
  assert.doesNotMatch(trusting.err, UNKNOWN)
  return { ...trusting, without: without.err }
}

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** Calls the API of a server with these options. */
async function served(t: TestContext, token: string, options: string[]) {
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--webhook-allow', '127.0.0.1', '--json']
  const child = spawn(process.execPath, [MAIN, 'serve', '--data', data, ...listen, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const api = await until(() => /"api":"([^"]+)"/.exec(said)?.[1])
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const call = async (path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${api}/api/v1${path}`, { headers, ...given })).json()
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  return { call, stop }
}

async function apply(mailbox: object): Promise<void> {
  const given = { key: 'ana', name: 'Ana', address: 'ana@acme.example', member: 'ana@acme.example', ...mailbox }
  await cliJson('settings', 'apply', write('settings.json', JSON.stringify({ mailboxes: [given] })), '--data', data)
}

describe('the certificates of --ca are trusted', { skip }, () => {
  before(async () => {
    write('ca.pem', own?.ca as string)
    await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  })

  test('for mail servers', async (t) => {
    const smtp = await secured(t, (await startSmtp(t)).server.port)
    const imap = await secured(t, (await startImapTalker(t)).port)
    const place = { host: '127.0.0.1', tls: 'tls' }
    const login = { user: 'crm', password_env: 'TEST_OF_CA' }
    await apply({ smtp: { ...place, port: smtp.port }, imap: { ...place, port: imap.port, ...login } })
    const { code, out, err, without } = await refusedWithout(['mailbox', 'test', 'ana'])
    assert.equal(code, 0, err)
    assert.match(out, /^SMTP: .* accepts mails\.\nIMAP: .* shows "INBOX"\.\n/)
    for (const side of ['SMTP', 'IMAP'])
      assert.match(without, new RegExp(`^${side}: .*name its file with --ca\\.$`, 'm'))
    await apply({ smtp: { ...place, host: 'localhost', port: smtp.port } })
    assert.match((await run('mailbox', 'test', 'ana', '--ca', CA)).err, /a certificate that is for another name/)
  })

  test('for the provider of a mailbox with OAuth', async (t) => {
    const provider = createServer((_, response) => void response.writeHead(400).end('{"error":"invalid_client"}'))
    const { port, requests } = await secured(t, await listening(t, provider))
    const url = `https://127.0.0.1:${port}`
    const oauth = {
      provider: 'other',
      client_id: 'crm',
      token_url: `${url}/token`,
      device_url: `${url}/device`,
      scopes: ['mail'],
    }
    await apply({ oauth, smtp: { host: '127.0.0.1', port: 1, tls: 'tls', user: 'crm' } })
    const { err } = await refusedWithout(['mailbox', 'connect', 'ana'])
    assert.match(err, /invalid_client/)
    assert.deepEqual(requests, ['POST /device'])
  })

  test('for storage of backups and of the replica', async (t) => {
    const gateway = await startVersitygw()
    t.after(gateway.stop)
    const { port, requests } = await secured(t, gateway.port)
    const url = `https://127.0.0.1:${port}/${BUCKET}/crm`
    const backup = ['backup', '--backup-s3', url, '--backup-s3-key-file', keyFile]
    const made = await refusedWithout(backup)
    assert.equal(made.code, 0, made.err)
    assert.match(requests.join('\n'), /^PUT .*\/crm\/dealbox-/m)
    requests.length = 0
    const passphrase = ['--backup-passphrase-file', write('passphrase', 'a lake in the north')]
    const { err } = await refusedWithout([
      'replicate',
      '--fetch',
      '--replica',
      url,
      '--replica-key-file',
      keyFile,
      ...passphrase,
    ])
    assert.match(err, /keys and settings/)
    assert.ok(requests.length > 0)
  })

  test('for the Litestream that a reader starts', { skip: noLitestream }, async (t) => {
    const gateway = await startVersitygw()
    t.after(gateway.stop)
    const { port } = await secured(t, gateway.port)
    const url = `s3://${BUCKET}/crm?endpoint=https://127.0.0.1:${port}&region=us-east-1`
    for (const name of ['AWS_CA_BUNDLE', 'SSL_CERT_FILE']) delete process.env[name]
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: KEYS.id, AWS_SECRET_ACCESS_KEY: KEYS.secret })
    const restored = async () => {
      const argv = ['restore', '-o', join(folder, 'restored.db'), url]
      return (await startChild(litestreamProgram(), argv, join(folder, 'note'), () => undefined).ended).said.join()
    }
    assert.match(await restored(), /x509: certificate signed by unknown authority/)
    trustFile(CA)
    assert.match(await restored(), /no matching backup files/)
  })

  test('for a move to another server', async (t) => {
    const other = createServer((_, response) => void response.writeHead(404).end('{}'))
    const { port } = await secured(t, await listening(t, other))
    const [{ id: org }] = await cliJson('org', 'list', '--data', data)
    const { err } = await refusedWithout(['org', 'move', org, '--to', `https://127.0.0.1:${port}`])
    assert.match(err, /is not the API of a Dealbox server/)
  })

  test('for webhooks, which reach no private address because of it', async (t) => {
    const receiver = await startReceiver()
    t.after(receiver.stop)
    const { port } = await secured(t, Number(new URL(receiver.url).port))
    const { token } = await cliJson('token', 'create', '--data', data, '--email', 'ana@acme.example', '--scope', 'all')
    for (const trusted of [false, true]) {
      const { call, stop } = await served(t, token, trusted ? ['--ca', CA] : [])
      const refused = await call('/webhooks', { url: 'https://127.0.0.2/', event_types: ['*'] })
      assert.equal(refused.code, 'url_not_allowed')
      const { id } = await call('/webhooks', { url: `https://127.0.0.1:${port}/${trusted}`, event_types: ['tag.*'] })
      await call('/tags', { name: `Of ${trusted}` })
      const { tries } = await untilIs(
        async () => (await call(`/webhooks/${id}/deliveries`)).data[0] ?? {},
        ({ tries }) => tries?.length > 0,
      )
      if (trusted) assert.equal(tries[0].error, null)
      else assert.match(tries[0].error, UNKNOWN)
      assert.equal(
        receiver.requests.some(({ path }) => path === '/true'),
        trusted,
      )
      await stop()
    }
  })
})

test('a file without certificates is refused at once, whatever the command would reach', { skip }, async () => {
  const { ca = '', key = '', cert = '' } = own ?? {}
  const two = write('two.pem', `# both\n${ca}\n${cert}`)
  const broken = write('broken.pem', ca + cert.slice(0, 200))
  for (const argv of [
    ['backup'],
    ['install', '--print'],
    ['org', 'move', 'Acme', '--to', 'https://a.example'],
    ['serve', '--api-listen', '127.0.0.1:0', '--screens-listen', 'off'],
  ]) {
    const refused = async (file: string, why: RegExp) => {
      const { code, err } = await cli([...argv, '--data', join(folder, 'none'), '--ca', file])
      assert.deepEqual([code, why.test(err)], [2, true], `${argv}: ${err}`)
    }
    await refused(join(folder, 'no.pem'), /^--ca \S+no\.pem cannot be used: ENOENT/)
    await refused(folder, /^--ca \S+ cannot be used: EISDIR/)
    for (const file of [write('empty.pem', ''), write('key.pem', key), broken])
      await refused(file, /^--ca \S+ cannot be used: it holds no certificate in PEM, or one that is broken\./)
  }
  trustFile(two)
  const nameOf = (certificate: string) => new X509Certificate(certificate).fingerprint256
  const trusted = getCACertificates('default').map(nameOf)
  for (const each of [...usual, ca, cert]) assert.ok(trusted.includes(nameOf(each)), each)
})
