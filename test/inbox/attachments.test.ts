import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { contentOf, contentStore, deleteStagedContents } from '../../src/inbox/messages/contents.ts'
import { sampleRows } from '../../src/site/app/sample-rows.ts'
import { inboxOf } from '../support/inbox.ts'
import type { Org } from '../support/org.ts'
import type { Row } from '../support/records.ts'
import { type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The files of messages: how they are downloaded, and that each content is stored once, as long as something has it.

let server: TestServer
let screens: Screens
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  inbox = inboxOf(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

/** More than one chunk, and not a multiple of one. */
const LARGE = Buffer.from(Uint8Array.from({ length: 2_000_003 }, (_, at) => (at * 7 + (at >> 8)) % 256))

type File = { name?: string; content_type?: string; bytes: Buffer | string }

const given = ({ name = 'a.bin', content_type = 'application/pdf', bytes }: File) => ({
  name,
  content_type,
  data: Buffer.from(bytes as string).toString('base64'),
})

/** Adds a message with these files, and returns it. */
const withFiles = (...files: File[]): Promise<Row> => inbox.say('inbound', undefined, { attachments: files.map(given) })
const pathOf = ({ id, attachments }: Row, at = 0): string => `/messages/${id}/attachments/${attachments[at].id}`
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  server.call(method, path, undefined, { headers })

/** All rows about contents, of both organisations. */
const stored = () => {
  const all = (sql: string) => server.store.db.prepare(sql).raw().all()
  return {
    contents: all('SELECT org_id, sha256 FROM file_contents ORDER BY 1, 2'),
    chunks: all('SELECT org_id, sha256, position FROM file_chunks ORDER BY 1, 2, 3'),
  }
}

describe('a download', () => {
  let path: string
  const tag = `"${hash('sha256', LARGE)}"`
  before(async () => {
    path = pathOf(await withFiles({ bytes: LARGE }))
  })

  test('has the bytes, to be saved and not to be shown', async () => {
    const { status, headers, bytes } = await get(path)
    assert.equal(status, 200)
    assert.ok(bytes.equals(LARGE))
    const of = (...names: string[]) => names.map((name) => headers.get(name))
    assert.deepEqual(of('content-type', 'content-length', 'etag'), ['application/pdf', '2000003', tag])
    assert.deepEqual(of('x-content-type-options', 'content-security-policy', 'cache-control', 'accept-ranges'), [
      'nosniff',
      "default-src 'none'; sandbox",
      'private, no-cache',
      'bytes',
    ])
    assert.equal(headers.get('content-disposition'), `attachment; filename="a.bin"; filename*=UTF-8''a.bin`)
    const head = await get(path, {}, 'HEAD')
    assert.deepEqual([head.status, head.bytes.length, head.headers.get('content-length')], [200, 0, '2000003'])
  })

  test('is not sent again to whoever has it', async () => {
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const { status, bytes, headers } = await get(path, { 'if-none-match': known, range: 'bytes=0-1' })
      assert.deepEqual([status, bytes.length, headers.get('etag')], [304, 0, tag], known)
    }
    assert.equal((await get(path, { 'if-none-match': '"1"' })).status, 200)
  })

  test('of any range has these bytes, also across chunks', async () => {
    const size = LARGE.length
    const chunk = 786_432
    for (const [range, start, end] of [
      ['0-0', 0, 1],
      ['0-', 0, size],
      [`0-${size - 1}`, 0, size],
      [`0-${size + 5}`, 0, size],
      ['5-5', 5, 6],
      [`${chunk - 1}-${chunk}`, chunk - 1, chunk + 1],
      [`${chunk}-${chunk}`, chunk, chunk + 1],
      [`${chunk}-${2 * chunk - 1}`, chunk, 2 * chunk],
      [`10-${2 * chunk + 10}`, 10, 2 * chunk + 11],
      [`${size - 1}-`, size - 1, size],
      ['-1', size - 1, size],
      [`-${chunk}`, size - chunk, size],
      [`-${size}`, 0, size],
      [`-${size + 1}`, 0, size],
    ] as const) {
      const { status, headers, bytes } = await get(path, { range: `bytes=${range}` })
      assert.deepEqual([status, headers.get('content-range')], [206, `bytes ${start}-${end - 1}/${size}`], range)
      assert.equal(headers.get('content-length'), String(end - start))
      assert.ok(bytes.equals(LARGE.subarray(start, end)), range)
    }
  })

  test('of a range after the end is 416 with the size', async () => {
    for (const range of [`${LARGE.length}-`, `${LARGE.length}-${LARGE.length + 9}`, '99999999999999999999-', '-0']) {
      const { status, headers, body } = await get(path, { range: `bytes=${range}` })
      assert.deepEqual([status, body.code], [416, 'range_not_satisfiable'], range)
      assert.equal(headers.get('content-range'), `bytes */${LARGE.length}`)
    }
  })

  test('is whole for several ranges, and for a header that is none', async () => {
    for (const range of ['bytes=0-1,5-6', 'bytes=5-3', 'bytes=-', 'bytes=', 'items=0-1', 'bytes=a-b', 'bytes=0x1-2']) {
      const { status, bytes, headers } = await get(path, { range })
      assert.deepEqual([status, bytes.length, headers.has('content-range')], [200, LARGE.length, false], range)
    }
    const head = await get(path, { range: 'bytes=0-1' }, 'HEAD')
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(LARGE.length)])
  })

  test('goes on with If-Range only for the same bytes', async () => {
    const range = 'bytes=10-19'
    assert.equal((await get(path, { range, 'if-range': tag })).status, 206)
    for (const other of ['"1"', `W/${tag}`, hash('sha256', LARGE), 'Fri, 20 Nov 2026 08:00:00 GMT'])
      assert.equal((await get(path, { range, 'if-range': other })).status, 200, other)
  })

  test('of an empty file is empty, and has no ranges', async () => {
    const empty = pathOf(await withFiles({ bytes: '' }))
    for (const headers of [{}, { range: 'bytes=-5' }]) {
      const { status, bytes, headers: got } = await get(empty, headers as Record<string, string>)
      assert.deepEqual([status, bytes.length, got.get('content-length')], [200, 0, '0'])
    }
    assert.equal((await get(empty, { range: 'bytes=0-' })).status, 416)
  })

  test('has the name in the form of RFC 8187, and one in ASCII', async () => {
    for (const [name, plain, encoded] of [
      ['Angebot für Müller.pdf', 'Angebot f_r M_ller.pdf', 'Angebot%20f%C3%BCr%20M%C3%BCller.pdf'],
      ['a "b" 100%.txt', 'a _b_ 100_.txt', 'a%20%22b%22%20100%25.txt'],
      ["it's (1)*.txt", "it's (1)*.txt", 'it%27s%20%281%29%2A.txt'],
      ['見積.pdf', '__.pdf', '%E8%A6%8B%E7%A9%8D.pdf'],
    ] as const) {
      const { headers } = await get(pathOf(await withFiles({ name, bytes: 'x' })))
      const header = `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
      assert.equal(headers.get('content-disposition'), header)
    }
  })

  test('is sent as what it is if that is data to browsers, and else as bytes', async () => {
    const active = [
      ['text/html', 'image/svg+xml', 'application/xhtml+xml', 'text/xml', 'text/css', 'application/wasm'],
      ['text/javascript', 'application/x-javascript', 'text/javascript1.5', 'TEXT/ECMASCRIPT', 'message/rfc822'],
      [
        'text/xsl',
        'TEXT/XSL',
        'application/xslt+xml',
        'application/rdf+xml',
        'text/x-component',
        'text/cache-manifest',
      ],
      ['multipart/x-mixed-replace', 'multipart/related', 'application/manifest+json', 'application/importmap+json'],
      [
        'audio/x+xml',
        'video/x+xml',
        'application/vnd.openxmlformats-officedocument.x+xml',
        'application/vnd.mozilla.xul+xml',
      ],
      ['application/x-shockwave-flash', 'font/woff2', 'text/unknown', 'application/pdfx', 'x-application/pdf'],
    ].flat()
    const inert = [
      [
        'text/plain',
        'text/csv',
        'text/calendar',
        'image/png',
        'IMAGE/JPEG',
        'audio/mpeg',
        'video/mp4',
        'application/pdf',
      ],
      [
        'application/zip',
        'application/msword',
        'application/vnd.ms-excel',
        'application/vnd.ms-excel.sheet.macroenabled.12',
      ],
      ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
      ['application/vnd.oasis.opendocument.text', 'application/pkcs7-mime'],
    ].flat()
    const types = [...active, ...inert]
    const message = await withFiles(...types.map((content_type) => ({ content_type, bytes: '<script>x</script>' })))
    for (const [at, type] of types.entries()) {
      const { headers } = await get(pathOf(message, at))
      assert.equal(headers.get('content-type'), active.includes(type) ? 'application/octet-stream' : type, type)
    }
  })

  test('needs no Accept, has no parameters, and ends with its message', async () => {
    assert.equal((await get(path, { accept: 'image/png' })).status, 200)
    assert.equal((await get(`${path}?download=1`)).status, 400)
    const other = await withFiles({ bytes: 'x' })
    const elsewhere = `/messages/${other.id}/attachments/${path.split('/').at(-1)}`
    assert.equal((await get(elsewhere)).status, 404)
  })

  test('is there for whoever is signed in at the screens, as an attachment in a sandbox', async () => {
    const html = await withFiles({ name: 'a.html', content_type: 'text/html', bytes: '<script>alert(1)</script>' })
    const { call } = await screens.signedIn('viewer')
    const { status, headers, text } = await call('GET', `/api/v1${pathOf(html)}`)
    assert.deepEqual([status, text], [200, '<script>alert(1)</script>'])
    assert.match(headers.get('content-disposition') ?? '', /^attachment; /)
    assert.equal(headers.get('content-type'), 'application/octet-stream')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /sandbox/)
    assert.equal((await screens.send('GET', `/api/v1${pathOf(html)}`)).status, 401)
    const foreign = await screens.signedIn('owner', server.b)
    assert.equal((await foreign.call('GET', `/api/v1${pathOf(html)}`)).status, 404)
  })
})

describe('a content', () => {
  const post = async (org: Org, bytes: Buffer | string) => {
    const attachments = [given({ bytes })]
    const message = { direction: 'inbound', from: { email: 'one@firm.example' }, channel: 'chat', attachments }
    const { status, body } = await server.call('POST', '/messages', message, { token: org.token })
    assert.equal(status, 201)
    return body as Row
  }
  /** Removes a conversation with its messages, as the removal of sample data does. */
  const remove = ({ conversation_id }: Row, { org } = server.a) =>
    server.store.transaction(() => sampleRows(server.deps).remove(org, 'conversations', conversation_id))

  test('is stored once for all messages of an organisation, and goes with the last of them', async () => {
    const before = stored()
    const bytes = Buffer.concat([LARGE, Buffer.from('twice')])
    const [one, two] = [await post(server.a, bytes), await post(server.a, bytes)]
    const same = await withFiles({ name: 'x', bytes }, { name: 'y', bytes })
    const after = stored()
    assert.deepEqual(
      [after.contents.length, after.chunks.length],
      [before.contents.length + 1, before.chunks.length + 3],
    )
    remove(one)
    remove(same)
    assert.deepEqual(stored(), after)
    assert.ok((await get(pathOf(two))).bytes.equals(bytes))
    remove(two)
    assert.deepEqual(stored(), before)
  })

  test('of one organisation is none of another', async () => {
    const before = stored()
    const [ours, theirs] = [await post(server.a, 'the same'), await post(server.b, 'the same')]
    assert.equal(stored().contents.length, before.contents.length + 2)
    assert.notEqual(ours.attachments[0].id, theirs.attachments[0].id)
    remove(ours)
    assert.equal(stored().contents.length, before.contents.length + 1)
    remove(theirs, server.b)
    assert.deepEqual(stored(), before)
  })

  test('that was written in advance is used, unless it has gone in the meantime', async () => {
    const { store, a } = server
    const { stage, unstage } = contentStore(store.db)
    const dropOne = store.db.prepare('DELETE FROM file_chunks WHERE sha256 = ? AND position = 1')
    const before = stored()
    for (const [what, meanwhile] of [
      ['whole', () => undefined],
      ['in part', (sha256: string) => dropOne.run(sha256)],
      ['not at all', () => deleteStagedContents(store.db)],
    ] as const) {
      const bytes = Buffer.concat([LARGE, Buffer.from(what)])
      await stage(store.write, a.org, contentOf(bytes))
      assert.equal(stored().chunks.length, before.chunks.length + 3)
      meanwhile(hash('sha256', bytes))
      const message = await post(a, bytes)
      assert.ok((await get(pathOf(message))).bytes.equals(bytes), what)
      store.transaction(() => unstage(a.org, contentOf(bytes))) // no longer staged: nothing happens
      deleteStagedContents(store.db)
      await stage(store.write, a.org, contentOf(bytes)) // stored already: nothing happens either
      assert.ok((await get(pathOf(message))).bytes.equals(bytes), what)
      remove(message)
    }
    const rest = contentOf(LARGE.subarray(0, 1_000_000))
    await stage(store.write, a.org, rest)
    store.transaction(() => unstage(a.org, rest))
    assert.deepEqual(stored(), before)
    await stage(store.write, a.org, rest)
    deleteStagedContents(store.db)
    assert.deepEqual(stored(), before)
  })
})
