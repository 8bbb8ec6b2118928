import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { bodies } from '../../src/http/body/bodies.ts'
import { openRaw } from '../support/raw.ts'
import { errorsOf } from '../support/records.ts'
import { reset } from '../support/reset.ts'
import { type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

// Messages and transcripts that are sent as forms with files. Whatever becomes of a form, no file of it is left.

const MIB = 1_048_576
let now = 0
const read = bodies({ nowMs: () => now, checkEveryMs: 3_600_000, maxFiledBytes: 63 * MIB })
const folder = mkdtempSync(join(tmpdir(), 'dealbox-uploads-'))
let server: TestServer
let screens: Screens
before(async () => {
  server = await startServer({ bodies: read })
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => server.advance(1000))

type Part = { name?: string; filename?: string; type?: string; body?: string | Buffer; head?: string | Buffer }

const MESSAGE = { direction: 'inbound', from: { email: 'a@firm.example' }, channel: 'chat', body_text: 'Hello' }
const message = (given: object = {}): Part => ({ name: 'message', body: JSON.stringify({ ...MESSAGE, ...given }) })
const file = (body: string | Buffer, given: Part = {}): Part => ({ name: 'file', filename: 'a.txt', body, ...given })

type Framing = { boundary?: string; end?: string; start?: string }

function form(parts: Part[], { boundary = 'XX', end = `--${boundary}--\r\n`, start = '' }: Framing = {}): Buffer {
  const bytes = parts.flatMap(({ name, filename, type, body = '', head }) => {
    const named = `${name === undefined ? '' : `; name="${name}"`}${filename === undefined ? '' : `; filename="${filename}"`}`
    const lines =
      head ?? `Content-Disposition: form-data${named}${type === undefined ? '' : `\r\nContent-Type: ${type}`}`
    return [
      Buffer.from(`--${boundary}\r\n`),
      Buffer.from(lines as string),
      Buffer.from('\r\n\r\n'),
      Buffer.from(body as string),
      Buffer.from('\r\n'),
    ]
  })
  return Buffer.concat([Buffer.from(start), ...bytes, Buffer.from(end)])
}

const typeOf = (boundary = 'XX') => `multipart/form-data; boundary=${boundary}`
const post = (raw: Buffer, headers: Record<string, string> = {}, path = '/messages', method = 'POST') =>
  server.call(method, path, undefined, { raw, headers: { 'content-type': typeOf(), ...headers } })

const left = (): string[] => {
  const uploads = join(server.dataDir, 'uploads')
  return existsSync(uploads) ? readdirSync(uploads) : []
}
const rows = () =>
  ['messages', 'attachments', 'file_contents', 'file_chunks'].map((table) =>
    server.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  )
/** Sends a form that is refused; returns status and code, with the errors of fields. */
async function refusal(raw: Buffer, headers: Record<string, string> = {}) {
  const before = rows()
  const { status, body } = await post(raw, headers)
  assert.deepEqual([rows(), left(), read.filedBytes(), read.heldBytes()], [before, [], 0, 0])
  return [status, body.code, ...errorsOf(body)]
}
const download = async (sent: { id: string; attachments: { id: string }[] }, at = 0) =>
  (await server.call('GET', `/messages/${sent.id}/attachments/${sent.attachments[at]?.id}`)).bytes

describe('a form with a message', () => {
  test('is what curl sends for files', async () => {
    const [text, large] = [join(folder, 'Angebot "1".txt'), join(folder, 'scan.pdf')]
    const bytes = Buffer.alloc(2 * MIB, 'a\r\n--X')
    writeFileSync(text, 'Grüße')
    writeFileSync(large, bytes)
    const { stdout } = await promisify(execFile)('curl', [
      ...['-sS', '-H', `Authorization: Bearer ${server.a.token}`, `${server.url}/api/v1/messages`],
      ...['-F', `message=${JSON.stringify(MESSAGE)};type=application/json`],
      ...['-F', `file=@"${text.replaceAll('"', '\\"')}"`, '-F', `file=@${large}`],
    ])
    const sent = JSON.parse(stdout)
    assert.deepEqual(
      sent.attachments.map(({ id, ...rest }: { id: string }) => rest),
      [
        { name: 'Angebot "1".txt', content_type: 'text/plain', size_bytes: 7 },
        { name: 'scan.pdf', content_type: 'application/pdf', size_bytes: bytes.length },
      ],
    )
    assert.equal((await download(sent)).toString(), 'Grüße')
    assert.ok((await download(sent, 1)).equals(bytes))
    assert.deepEqual([left(), read.filedBytes(), read.heldBytes()], [[], 0, 0])
  })

  test('brings every byte, whatever looks like a delimiter, in whatever pieces it arrives', async () => {
    const bytes = Buffer.from(
      `${Array.from({ length: 256 }, (_, at) => String.fromCharCode(at)).join('')}\r\n--X\r\n--XX \r\r\n--XY--\r\n-\r\n--Xx\r\n\r\n--`,
      'latin1',
    )
    const body = form([file(bytes), message(), file(''), file(Buffer.alloc(300_000, '\r'))])
    const head = `Host: x\r\nAuthorization: Bearer ${server.a.token}\r\nContent-Type: ${typeOf()}\r\nTransfer-Encoding: chunked`
    for (const sizes of [[body.length], [1000], [50_001, 3], [17, 1, 100_000]]) {
      const connection = await openRaw(server.url)
      connection.write(`POST /api/v1/messages HTTP/1.1\r\n${head}\r\n\r\n`)
      for (let at = 0, count = 0; at < body.length; count++) {
        const piece = body.subarray(at, at + (sizes[count % sizes.length] as number))
        connection.write(Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
        at += piece.length
      }
      connection.write('0\r\n\r\n')
      const [answer] = await connection.answered(1)
      connection.socket.destroy()
      assert.equal(answer?.status, 201, String(answer?.body))
      const sent = JSON.parse(answer?.body ?? '')
      assert.deepEqual(
        sent.attachments.map((one: { size_bytes: number }) => one.size_bytes),
        [bytes.length, 0, 300_000],
      )
      assert.ok((await download(sent)).equals(bytes), String(sizes))
    }
  })

  test('has its message anywhere, as text, as JSON or as a file of it', async () => {
    for (const parts of [
      [file('x'), message()],
      [{ ...message(), type: 'application/json' }, file('x')],
      [{ ...message(), type: 'application/json; charset=utf-8' }, file('x')],
      [{ ...message(), type: 'text/plain' }, file('x')],
      [{ ...message(), filename: 'blob', type: 'application/json' }, file('x')],
      [{ ...message(), filename: 'message.json', type: 'application/octet-stream' }, file('x')],
      [message({ attachments: [{ name: 'a', data: 'AAAA' }] })],
    ]) {
      const { status, body } = await post(form(parts))
      assert.deepEqual([status, body.body_text, body.attachments.length], [201, 'Hello', 1])
    }
  })

  test('may call its files anything, and an input without one is none', async () => {
    const { body } = await post(
      form([
        message({ attachments: [{ name: 'first', data: 'AAAA' }] }),
        file('1', { name: 'photo' }),
        file('2', { name: 'files[]' }),
        file('', { filename: '', type: 'application/octet-stream' }),
        file('4', { name: '__proto__', filename: '' }),
      ]),
    )
    const sent = body.attachments.map(({ name, size_bytes }: Record<string, unknown>) => [name, size_bytes])
    assert.deepEqual(sent, [
      ['first', 3],
      ['a.txt', 1],
      ['a.txt', 1],
      ['attachment', 1],
    ])
  })

  test('has names that are harmless, and types that are some', async () => {
    const names = [
      ['../../etc/passwd', 'passwd'],
      ['C:\\temp\\a.txt', 'a.txt'],
      ['..', 'attachment'],
      ['CON', '_CON'],
      ['a\u202etxt.exe', 'atxt.exe'],
      ['a\u0007b\u0000.txt', 'ab.txt'],
      ['%22quoted%22.txt', '"quoted".txt'],
      ['a \\"b\\".txt', 'a "b".txt'],
      ['a; name=message; filename=b', 'a; name=message; filename=b'],
      [`${'ä'.repeat(300)}.pdf`, `${'ä'.repeat(251)}.pdf`],
    ]
    const types = ['text/html; charset=x', 'IMAGE/PNG', 'none', '/', 'a/b\tc', '', undefined]
    const parts = names.map(([filename]) => file('x', { filename: filename as string }))
    const typed = types.map((type) => file('x', type === undefined ? {} : { type }))
    const { body, status, text } = await post(form([message(), ...parts, ...typed]))
    assert.equal(status, 201, text)
    const sent = body.attachments as { name: string; content_type: string }[]
    assert.deepEqual(
      sent.slice(0, names.length).map(({ name }) => name),
      names.map(([, name]) => name),
    )
    const octets = 'application/octet-stream'
    assert.deepEqual(
      sent.slice(names.length).map(({ content_type }) => content_type),
      ['text/html', 'IMAGE/PNG', octets, octets, octets, octets, octets],
    )
  })

  test('is not written twice for one Idempotency-Key, whatever its boundary is', async () => {
    const headers = { 'idempotency-key': 'one-form' }
    const parts = [message(), file('content', { type: 'text/plain' })]
    const first = await post(form(parts), headers)
    const other = { ...headers, 'content-type': typeOf('another') }
    const again = await post(form(parts, { boundary: 'another' }), other)
    assert.deepEqual([again.status, again.body, again.headers.get('idempotency-replayed')], [201, first.body, 'true'])
    for (const changed of [
      [parts[0], file('Content', { type: 'text/plain' })],
      [parts[0], file('content', { type: 'text/html' })],
      [parts[0], file('content', { type: 'text/plain', filename: 'b.txt' })],
      [message({ body_text: 'Other' }), parts[1]],
      [parts[0]],
    ])
      assert.deepEqual(await refusal(form(changed as Part[]), headers), [422, 'idempotency_key_reused'])
  })

  test('has up to 100 files of 36 MiB together', async () => {
    const many = Array.from({ length: 100 }, (_, at) => file(String(at)))
    assert.equal((await post(form([message(), ...many]))).body.attachments.length, 100)
    assert.deepEqual(await refusal(form([message(), ...many, file('x')])), [
      422,
      'invalid_fields',
      '/attachments too_many',
    ])
    const inJson = message({ attachments: [{ name: 'a', data: 'AAAA' }] })
    assert.deepEqual(await refusal(form([inJson, ...many])), [422, 'invalid_fields', '/attachments too_many'])
    const half = file(Buffer.alloc(18 * MIB, 'x'))
    assert.equal((await post(form([message(), half, half]))).status, 201)
    const tooLarge = form([message(), half, half, file('x')])
    assert.deepEqual(await refusal(tooLarge), [422, 'invalid_fields', '/attachments too_large'])
  })

  test('is checked like a message of JSON', async () => {
    const files = [file('x')]
    for (const [part, ...expected] of [
      [message({ direction: 'sideways' }), 422, 'invalid_fields', '/direction invalid_choice'],
      [message({ surprise: 1 }), 422, 'invalid_fields', '/surprise unknown_field'],
      [{ ...message(), body: '{"direction":' }, 400, 'malformed_json'],
      [{ ...message(), body: '[]' }, 400, 'wrong_root'],
      [{ ...message(), body: '' }, 400, 'malformed_json'],
      [{ ...message(), body: Buffer.from('{"direction":"\xff"}', 'latin1') }, 400, 'malformed_json'],
      [{ ...message(), type: 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
      [{ ...message(), type: 'text/html' }, 415, 'unsupported_media_type'],
    ] as const)
      assert.deepEqual(await refusal(form([part, ...files])), expected)
    assert.deepEqual(await refusal(form(files)), [400, 'malformed_json'])
    assert.deepEqual(await refusal(form([message({ body_text: null })])), [422, 'invalid_fields', ' empty'])
  })

  const part = form([message()])
  const CASES: [what: string, body: Buffer, ...expected: (string | number)[]][] = [
    ['with two messages', form([message(), message()]), 400, 'malformed_form'],
    [
      'with a field that is none',
      form([message(), { name: 'note', body: 'x' }]),
      422,
      'invalid_fields',
      '/note unknown_field',
    ],
    [
      'with a field of a strange name',
      form([{ name: 'a/b~', body: 'x' }]),
      422,
      'invalid_fields',
      '/a~1b~0 unknown_field',
    ],
    ['with a part without a name', form([message(), { body: 'x' }]), 400, 'malformed_form'],
    ['with a part without headers', form([{ head: 'X-A: 1' }]), 400, 'malformed_form'],
    [
      'with a part that is no form data',
      form([{ head: 'Content-Disposition: attachment; name="file"' }]),
      400,
      'malformed_form',
    ],
    [
      'with a part in base64',
      form([
        message(),
        {
          head: 'Content-Disposition: form-data; name="f"; filename="f"\r\nContent-Transfer-Encoding: base64',
          body: 'AAAA',
        },
      ]),
      400,
      'malformed_form',
    ],
    [
      'with a part of parts',
      form([message(), { name: 'files', type: 'multipart/mixed; boundary=YY', body: '--YY\r\n\r\nx\r\n--YY--' }]),
      422,
      'invalid_fields',
      '/files unknown_field',
    ],
    [
      'with a name that is no UTF-8',
      form([message(), { head: Buffer.from('Content-Disposition: form-data; name="f"; filename="\xff"', 'latin1') }]),
      400,
      'malformed_text',
    ],
    [
      'with headers without an end',
      form([message(), { head: `Content-Disposition: form-data; name="f"; filename="${'a'.repeat(100_000)}"` }]),
      400,
      'malformed_form',
    ],
    [
      'with a hundred headers',
      form([message(), { head: `${'X-A: aaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(1000)}X: 1` }]),
      400,
      'malformed_form',
    ],
    ['with a header that is none', form([message(), { head: 'What is this' }]), 400, 'malformed_form'],
    [
      'of 10,000 parts',
      form([message(), ...Array.from({ length: 10_000 }, () => file(''))]),
      422,
      'invalid_fields',
      '/attachments too_many',
    ],
    ['of 10,000 fields', form([message(), ...Array.from({ length: 10_000 }, () => message())]), 400, 'malformed_form'],
    ['without its end', form([message()], { end: '' }), 400, 'malformed_form'],
    ['that ends in a part', part.subarray(0, part.length - 30), 400, 'malformed_form'],
    ['that ends in a header', part.subarray(0, 30), 400, 'malformed_form'],
    ['that is something else', Buffer.from('hello'), 400, 'malformed_form'],
    ['that is JSON', Buffer.from(JSON.stringify(MESSAGE)), 400, 'malformed_form'],
    ['that is empty', Buffer.alloc(0), 400, 'malformed_form'],
    ['that has no parts', Buffer.from('--XX--\r\n'), 400, 'malformed_json'],
    ['with another boundary', form([message()], { boundary: 'YY' }), 400, 'malformed_form'],
  ]
  for (const [what, body, ...expected] of CASES)
    test(`${what} is ${expected.slice(0, 2).join(' ')}`, async () => assert.deepEqual(await refusal(body), expected))

  for (const [type, status, code] of [
    ['multipart/form-data', 400, 'malformed_form'],
    ['multipart/form-data; boundary=', 400, 'malformed_form'],
    ['multipart/form-data; boundary=""', 400, 'malformed_form'],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 400, 'malformed_form'],
    ['multipart/form-data; boundary="a\tb"', 400, 'malformed_form'],
    ['multipart/mixed; boundary=XX', 415, 'unsupported_media_type'],
    ['multipart/related; boundary=XX', 415, 'unsupported_media_type'],
    ['application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['text/plain', 415, 'unsupported_media_type'],
  ] as const)
    test(`with the Content-Type ${type.slice(0, 50)} is ${status}`, async () =>
      assert.deepEqual(await refusal(form([message()]), { 'content-type': type }), [status, code]))

  test('may have something before its first part and after its last one', async () => {
    for (const body of [
      form([message()], { start: 'preamble\r\n' }),
      form([message()], { end: '--XX--' }),
      form([message()], { end: '--XX--\r\nepilogue\r\n--XX\r\n' }),
    ])
      assert.equal((await post(body)).status, 201)
    const quoted = { 'content-type': 'Multipart/Form-Data; charset=utf-8; BOUNDARY="X X"' }
    assert.equal((await post(form([message()], { boundary: 'X X' }), quoted)).status, 201)
  })

  test('is not read without the scope, and not accepted elsewhere', async () => {
    const { token } = await server.tokenWith(['rest.inbox.messages.read'])
    const raw = form([message()])
    const forbidden = await server.call('POST', '/messages', undefined, {
      token,
      raw,
      headers: { 'content-type': typeOf() },
    })
    assert.equal(forbidden.status, 403)
    for (const path of ['/notes', '/contacts', '/deals']) assert.equal((await post(raw, {}, path)).status, 415, path)
  })

  test('of somebody who is signed in comes from the pages of this server only', async () => {
    const member = await screens.signedIn('member')
    const type = { 'content-type': typeOf() }
    const raw = form([message(), file('x')]).toString('latin1')
    const send = (headers: Record<string, string | null> = {}) =>
      member.call('POST', '/api/v1/messages', raw, { ...type, ...headers })
    assert.equal((await send({ origin: 'https://evil.example' })).status, 403)
    assert.equal((await send({ origin: null })).status, 403)
    const { status, body } = await send()
    assert.deepEqual([status, body.author.email, body.attachments.length], [201, 'a@firm.example', 1])
    const viewer = await screens.signedIn('viewer')
    assert.equal((await viewer.call('POST', '/api/v1/messages', raw, type)).status, 403)
  })
})

describe('an upload that ends early', () => {
  /** Sends the start of a form; `length` as Content-Length, or chunked. */
  async function begun(bytes: Buffer, length?: number) {
    const connection = await openRaw(server.url)
    const framing = length === undefined ? 'Transfer-Encoding: chunked' : `Content-Length: ${length}`
    const head = `Host: x\r\nAuthorization: Bearer ${server.a.token}\r\nContent-Type: ${typeOf()}\r\n${framing}`
    connection.write(`POST /api/v1/messages HTTP/1.1\r\n${head}\r\n\r\n`)
    const chunk = (piece: Buffer) =>
      length === undefined
        ? Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
        : piece
    const write = (piece: Buffer) => connection.write(chunk(piece))
    write(bytes)
    return {
      ...connection,
      write,
      code: async () => {
        const [answer] = await connection.answered(1)
        return [answer?.status, answer && JSON.parse(answer.body).code]
      },
    }
  }
  const none = () => left().length === 0 && read.filedBytes() === 0
  const start = form([message(), file(Buffer.alloc(2 * MIB, 'x'))], { end: '' })

  for (const [how, end] of [
    ['is reset', reset],
    ['is closed', (socket: Socket) => socket.destroy()],
  ] as const)
    test(`because its connection ${how} leaves nothing`, async () => {
      const before = rows()
      const upload = await begun(start, 5 * MIB)
      await until(() => read.filedBytes() >= 2 * MIB && left().length === 1)
      end(upload.socket)
      await until(none)
      read.cutSlow()
      assert.deepEqual([rows(), read.arriving.size], [before, 0])
    })

  test('because it is too slow is 408', async () => {
    const upload = await begun(start, 5 * MIB)
    await until(() => read.filedBytes() >= 2 * MIB)
    while (upload.answers.length === 0) {
      now += 40_000
      read.cutSlow()
      await nextTurn()
    }
    assert.deepEqual(await upload.code(), [408, 'request_timeout'])
    await upload.closed
    await until(none)
  })

  test('because it is too large is 413, before it is sent or as soon as it is', async () => {
    assert.deepEqual(await (await begun(start, 54 * MIB + 1)).code(), [413, 'body_too_large'])
    const upload = await begun(start)
    const more = Buffer.alloc(MIB, 'x')
    for (let sent = 0; sent < 53; sent++) upload.write(more)
    assert.deepEqual(await upload.code(), [413, 'body_too_large'])
    await until(none)
  })

  test('because there are too many at a time is 503, also where they have no length', async () => {
    const part = (bytes: number) => form([message(), file(Buffer.alloc(bytes))], { end: '' })
    const others = [await begun(part(26.75 * MIB)), await begun(part(26.75 * MIB))]
    await until(() => read.filedBytes() >= 53.5 * MIB)
    assert.deepEqual(await (await begun(part(1), 2 * MIB)).code(), [503, 'overloaded'])
    const last = await begun(part(2 * MIB))
    const [answer] = await last.answered(1)
    assert.deepEqual([answer?.status, answer?.headers['retry-after']], [503, '5'])
    for (const { socket } of others) socket.destroy()
    await until(none)
    assert.equal((await post(form([message()]))).status, 201)
  })

  test('because a part of it is wrong is answered at once, and its connection is of use again', async () => {
    const wrong = form([{ name: 'note', body: 'x' }], { end: '' })
    const upload = await begun(wrong, wrong.length + 1000)
    assert.deepEqual(await upload.code(), [422, 'invalid_fields'])
    await until(none)
    upload.write(Buffer.alloc(1000, 'x'))
    upload.socket.write(`GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n\r\n`)
    const [, next] = await upload.answered(2)
    assert.equal(next?.status, 200)
    upload.socket.destroy()
  })
})

describe('a form with a transcript', () => {
  const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\n<v Ana>Hello\n'
  const SRT = '1\n00:00:00,000 --> 00:00:01,000\nHello\n'
  let path: string
  before(async () => {
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    path = `/meetings/${(await server.call('POST', '/meetings', { title: 'M', ...times })).body.id}/transcript`
  })
  const put = (parts: Part[]) => post(form(parts), {}, path, 'PUT')
  const about = (given: object): Part => ({ name: 'transcript', type: 'application/json', body: JSON.stringify(given) })

  test('has a caption file, known by its ending or its type', async () => {
    for (const [parts, language] of [
      [[file(VTT, { filename: 'call.VTT', type: 'application/octet-stream' })], null],
      [[file(VTT, { filename: 'call', type: 'text/vtt' }), about({ language: 'en', source: 'zoom' })], 'en'],
      [[about({ language: 'de' }), file(SRT, { filename: 'call.srt' })], 'de'],
      [[about({ segments: [{ speaker: null, start_ms: 0, end_ms: 1000, text: 'Hello' }] })], null],
    ] as [Part[], string | null][]) {
      const { status, body, text } = await put(parts)
      assert.equal(status, 200, text)
      assert.deepEqual([body.language, body.segments[0].text], [language, 'Hello'])
    }
  })

  test('is refused with what a file has anyway, with other files and with several', async () => {
    const call = file(VTT, { filename: 'call.vtt' })
    for (const [parts, ...expected] of [
      [[call, about({ segments: [] })], 422, 'invalid_fields', '/segments in_file'],
      [[call, about({ speakers: [] })], 422, 'invalid_fields', '/speakers in_file'],
      [[call, about({ title: 'x' })], 422, 'invalid_fields', '/title unknown_field'],
      [[call, call], 422, 'invalid_fields', '/file too_many'],
      [[about({ language: 'en' })], 422, 'invalid_fields', '/segments required'],
      [[], 422, 'invalid_fields', '/segments required'],
      [[file(VTT)], 415, 'unsupported_media_type'],
      [[file('WEBVTT\n\nhello --> x\n', { filename: 'a.vtt' })], 400, 'malformed_captions'],
      [[file('', { filename: 'a.vtt' })], 400, 'empty_body'],
      [[file(Buffer.from([0xff]), { filename: 'a.vtt' })], 400, 'malformed_text'],
    ] as [Part[], ...unknown[]][]) {
      const { status, body } = await put(parts)
      assert.deepEqual([status, body.code, ...errorsOf(body)], expected)
    }
    assert.deepEqual([left(), read.filedBytes()], [[], 0])
  })
})
