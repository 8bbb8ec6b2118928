import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import type { RequestListener, ServerResponse } from 'node:http'
import { get } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import pino from 'pino'
import { clientOf } from '../../../src/auth/client.ts'
import { openCertificate } from '../../../src/http/listener/certificate.ts'
import { type Limits, listen } from '../../../src/http/listener/server.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'dealbox-certificate-'))
after(() => rmSync(folder, { recursive: true }))
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
const lines: { level: number; msg: string }[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const skip = hasOpenssl() ? false : 'there is no openssl to make certificates with'
type Pair = { cert: string; key: string }
let first: Pair
let second: Pair
let expired: Pair

before(() => {
  if (skip) return
  ;[first, second, expired] = [
    makeCertificate(2020, 2090),
    makeCertificate(2020, 2091),
    makeCertificate(2020, 2021),
  ] as [Pair, Pair, Pair]
})
beforeEach(() => {
  lines.length = 0
  if (!skip) write(first)
})

function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version']).length > 0
  } catch {
    return false
  }
}

function write({ cert, key }: Partial<Pair>): void {
  if (cert !== undefined) writeFileSync(files.cert, cert)
  if (key !== undefined) writeFileSync(files.key, key)
}

const REPLACED = 'the TLS certificate was replaced'
const warnings = () => lines.filter(({ level, msg }) => level === 40 && msg !== REPLACED).map(({ msg }) => msg)

async function serving(
  t: TestContext,
  limits: Limits = {},
  handler: RequestListener = (_req, res) => res.end('served'),
) {
  const certificate = await openCertificate(files, log)
  const listener = await listen(handler, { host: '127.0.0.1', port: 0 }, { ...limits, certificate })
  t.after(() => listener.stop(0))
  const { port } = listener

  /** A connection with the handshake done. */
  async function open(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ port: port as number, host: '127.0.0.1', rejectUnauthorized: false, ...options })
    t.after(() => socket.destroy())
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    return socket.on('error', () => undefined)
  }
  /** A connection that never begins the handshake. */
  async function openSilent(): Promise<Socket> {
    const socket = connectTcp(port as number, '127.0.0.1').on('error', () => undefined)
    t.after(() => socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve))
    return socket
  }
  /** The year in which the certificate ends that is shown to a new client. */
  async function shownUntil(): Promise<number> {
    const socket = await open()
    const { valid_to } = socket.getPeerCertificate()
    socket.destroy()
    return new Date(valid_to).getUTCFullYear()
  }
  return { listener, certificate, open, openSilent, shownUntil }
}

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.resume().once('close', () => resolve()))
const answer = (socket: Socket) =>
  new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))))

describe('a listener with a certificate', { skip, timeout: 120_000 }, () => {
  test('serves by https, and says so', async (t) => {
    let isEncrypted: boolean | undefined
    const { listener } = await serving(t, {}, (req, res) => {
      isEncrypted = clientOf(req).isEncrypted
      res.end('served')
    })
    assert.match(listener.url, /^https:\/\/127\.0\.0\.1:\d+$/)
    const text = await new Promise((resolve, reject) => {
      get(listener.url, { ca: first.cert, agent: false }, async (got) => resolve(String(await got.toArray()))).on(
        'error',
        reject,
      )
    })
    assert.deepEqual([text, isEncrypted], ['served', true])
  })

  test('answers a request without TLS in a sentence, and goes on', async (t) => {
    const { openSilent, open } = await serving(t)
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT']) {
      const socket = await openSilent()
      socket.write(`${method} /api/v1/deals HTTP/1.1\r\nHost: crm.example\r\nAuthorization: Bearer secret\r\n\r\n`)
      const text = Buffer.concat(await socket.toArray()).toString()
      assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json\r\n/, method)
      const body = text.slice(text.indexOf('\r\n\r\n') + 4)
      assert.equal(Number(/Content-Length: (\d+)/.exec(text)?.[1]), body.length)
      const { status, code, detail } = JSON.parse(body)
      assert.deepEqual([status, code], [400, 'tls_required'], method)
      assert.equal(detail, 'This port has TLS. Use an address that begins with https://.')
    }
    const noise = await openSilent()
    noise.write('SSH-2.0-OpenSSH_9.2\r\n')
    assert.doesNotMatch(Buffer.concat(await noise.toArray()).toString(), /HTTP/)
    await open()
  })

  test('speaks HTTP/1.1, and TLS from 1.2 on, also after its certificate was replaced', async (t) => {
    const { open, certificate } = await serving(t)
    const refused = () =>
      assert.rejects(
        open({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' }),
        /protocol version/,
      )
    await refused()
    write(second)
    await certificate.reload()
    await refused()
    const socket = await open({ maxVersion: 'TLSv1.2', ALPNProtocols: ['h2', 'http/1.1'] })
    assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], ['TLSv1.2', 'http/1.1'])
  })

  test('closes a connection whose handshake takes too long, and one that speaks something else', async (t) => {
    const { openSilent } = await serving(t, { handshakeTimeout: 50 })
    await closed(await openSilent())
    const other = await openSilent()
    other.write(GET)
    await closed(other)
  })

  test('counts connections before their handshake, and closes those first', async (t) => {
    const { open, openSilent } = await serving(t, { maxConnections: 2 })
    const served = await open()
    served.write(GET)
    await answer(served)
    const ended = closed(served)
    const silent = closed(await openSilent())
    await openSilent()
    await ended // it had been idle longest
    const next = await open()
    await silent
    next.write(GET)
    assert.match(await answer(next), /served/)
  })

  test('leaves a connection alone that waits for its answer', async (t) => {
    const waiting: ServerResponse[] = []
    const { open, openSilent } = await serving(t, { maxConnections: 1 }, (_req, res) => waiting.push(res))
    const busy = await open()
    busy.write(GET)
    while (waiting.length === 0) await new Promise(setImmediate)
    await closed(await openSilent())
    waiting[0]?.end('at last')
    assert.match(await answer(busy), /at last/)
  })

  test('cuts a client that does not read its answer, and no other', async (t) => {
    const large = Buffer.alloc(24 * 1_048_576)
    const answers: ServerResponse[] = []
    // Longer than load keeps this process from running: it reads, too.
    const limits = { writeTimeout: 6000, connectionsCheckingInterval: 50 }
    const { open } = await serving(t, limits, (_req, res) => void answers.push(res.end(large)))
    const never = await open()
    never.pause().write(GET)
    const reader = await open()
    reader.write(GET)
    let bytes = 0
    for await (const chunk of reader) {
      bytes += chunk.length
      if (bytes > large.length) break
    }
    const [cut, whole] = answers as [ServerResponse, ServerResponse]
    if (!cut.closed) await once(cut, 'close')
    assert.deepEqual([cut.writableFinished, whole.writableFinished], [false, true])
  })

  test('stops without waiting for a handshake', async (t) => {
    const { listener, openSilent, open } = await serving(t)
    const silent = await openSilent()
    await open() // the one before was accepted, too
    await Promise.all([listener.stop(60_000), closed(silent)])
  })
})

describe('the files of a certificate', { skip }, () => {
  test('are followed, by whatever links lead to them; connections that are open stay', async (t) => {
    for (const [name, pair] of [
      ['1', first],
      ['2', second],
    ] as const) {
      writeFileSync(join(folder, `cert${name}.pem`), pair.cert)
      writeFileSync(join(folder, `key${name}.pem`), pair.key)
    }
    const link = (name: string) => {
      for (const kind of ['cert', 'key'] as const) {
        unlinkSync(files[kind])
        symlinkSync(`${kind}${name}.pem`, files[kind])
      }
    }
    link('1')
    t.after(() => Object.values(files).forEach((file) => void unlinkSync(file)))
    const { certificate, shownUntil, open } = await serving(t)
    const before = await open()
    assert.equal(await shownUntil(), 2090)
    link('2')
    await certificate.reload()
    assert.equal(await shownUntil(), 2091)
    before.write(GET)
    assert.match(await answer(before), /served/)
    assert.deepEqual(
      [lines.length, lines[0]?.msg, lines[0]?.level],
      [1, REPLACED, 40],
      'also in a log of warnings only',
    )
    await certificate.reload()
    assert.equal(lines.length, 1, 'nothing has changed')
  })

  test('that do not belong together leave the old pair, with one warning, until they do', async (t) => {
    const { certificate, shownUntil } = await serving(t)
    write({ key: second.key })
    await certificate.reload()
    await certificate.reload()
    assert.equal(await shownUntil(), 2090)
    assert.equal(warnings().length, 1)
    assert.match(warnings()[0] as string, /the old one stays in use: --tls-key .*key\.pem is not the key/)
    write({ cert: second.cert })
    await certificate.reload()
    assert.equal(await shownUntil(), 2091)
    assert.equal(warnings().length, 1)
  })

  test('that are gone leave the old pair, with a warning each time that they go', async (t) => {
    const { certificate, shownUntil } = await serving(t)
    for (let times = 1; times <= 2; times++) {
      rmSync(files.cert)
      await certificate.reload()
      await certificate.reload()
      assert.equal(warnings().length, times)
      write(first)
      await certificate.reload()
    }
    assert.equal(await shownUntil(), 2090)
  })

  test('are warned about when the certificate has expired, once, also while the server runs', async () => {
    write(expired)
    await openCertificate(files, log)
    assert.match(warnings()[0] as string, /expired at 2021-01-01T00:00:00\.000Z/)
    lines.length = 0
    write(first)
    let now = Date.UTC(2089, 1, 1)
    const { reload } = await openCertificate(files, log, () => now)
    await reload()
    assert.deepEqual(warnings(), [])
    now = Date.UTC(2090, 0, 1)
    await reload()
    await reload()
    assert.equal(warnings().length, 1)
    now = Date.UTC(2019, 1, 1)
    await openCertificate(files, log, () => now)
    assert.match(warnings()[1] as string, /is not valid before 2020/)
  })

  const wrong: [string, () => Partial<Pair>, RegExp][] = [
    ['a text', () => ({ cert: 'hello' }), /--tls-cert .*cert\.pem contains no certificate in PEM form/],
    ['each other', () => ({ cert: first.key, key: first.cert }), /contains no certificate/],
    [
      'a certificate as the key',
      () => ({ key: first.cert }),
      /--tls-key .*key\.pem contains no private key in PEM form/,
    ],
    ['those of another', () => ({ key: second.key }), /is not the key of the certificate that comes first in/],
    ['a key with a passphrase', () => ({ key: encrypted() }), /has a passphrase\. Remove it: openssl pkey/],
    ['a certificate after that of its issuer', () => ({ cert: second.cert + first.cert }), /is not the key/],
  ]
  for (const [name, pair, message] of wrong)
    test(`are refused when they contain ${name}`, async () => {
      write(pair())
      await assert.rejects(openCertificate(files, log), { code: 'usage', message })
    })

  test('are refused when they are missing, folders, or of others', async (t) => {
    const none = join(folder, 'none.pem')
    await assert.rejects(openCertificate({ ...files, cert: none }, log), {
      message: `--tls-cert ${none} cannot be read: there is no such file.`,
    })
    await assert.rejects(openCertificate({ ...files, key: folder }, log), {
      message: `--tls-key ${folder} cannot be read: it is a folder.`,
    })
    if (process.getuid?.() === 0) return t.diagnostic('root may read every file')
    chmodSync(files.key, 0)
    await assert.rejects(openCertificate(files, log), /this user may not read it/)
  })

  function encrypted(): string {
    writeFileSync(files.key, first.key)
    return execFileSync('openssl', ['pkey', '-in', files.key, '-aes256', '-passout', 'pass:x']).toString()
  }
})
