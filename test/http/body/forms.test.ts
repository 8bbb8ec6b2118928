import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import Koa from 'koa'
import { PREFIX } from '../../../src/app/api.ts'
import { accessCache } from '../../../src/auth/access.ts'
import { bearer } from '../../../src/auth/bearer.ts'
import { cursorSecret, keyring } from '../../../src/auth/keys.ts'
import { tokens } from '../../../src/auth/tokens.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { bodies } from '../../../src/http/body/bodies.ts'
import { cursors } from '../../../src/http/cursor.ts'
import { idempotency } from '../../../src/http/idempotency.ts'
import { kernel } from '../../../src/http/kernel.ts'
import { type Listener, listen } from '../../../src/http/listener/server.ts'
import { badQuery } from '../../../src/http/query.ts'
import { createRoute, type Route, type WriteRoute } from '../../../src/http/route.ts'
import { commitWaiters } from '../../../src/http/waiting.ts'
import * as f from '../../../src/lib/fields.ts'
import type { Log } from '../../../src/lib/log.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { openRaw, sendRaw } from '../../support/raw.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

// What a route may have besides JSON: other forms of its record, text bodies, streamed answers. These routes exist only
// here, so that each has one of them.

const MIB = 1_048_576
const ID = '01890000-0000-7000-8000-00000000000a'
const OTHER = '01890000-0000-7000-8000-00000000000b'
const LINES = Array.from({ length: 120 }, (_, at) => `line ${at} of a long text`)

type Logged = { level: string; message: string; status?: number; route?: string }

let server: TestServer
let listener: Listener
let logged: Logged[]
let written: { body: unknown; bytes: number }[]
/** How many parts of a roll were generated. */
let parts = 0
let partsEnded = 0

const Paper = f.object({ text: f.line(MIB), lines: f.optional(f.arrayOf(f.line(), 2000)) })

/** The row of a record is its id and the JSON between the id and the version. */
const columns = {
  select: '',
  json: ([id, rest = '']: unknown[]) => `{"id":"${id}"${rest},"version":3}`,
}
const find = (_: unknown, id = ''): unknown[] => {
  if (id === ID || id === OTHER) return [id]
  throw new Problem(404, 'not_found', 'There is none.')
}

const paper = {
  path: '/papers/:id',
  scope: 'rest.crm.notes.read',
  name: 'paper',
  kind: 'read',
  method: 'get',
  summary: 'Get a paper',
  columns,
  returns: Paper,
  find,
} as const

const taking: Pick<WriteRoute, 'accepts'> = {
  accepts: {
    'text/x-paper': (text) => {
      if (text.startsWith('!')) throw new Problem(400, 'malformed_paper', 'It begins wrongly.')
      return { text }
    },
  },
}

const put = (path: string, more: Partial<WriteRoute>): Route => ({
  kind: 'write',
  method: 'put',
  path,
  scope: 'rest.crm.notes.write',
  name: 'paper',
  summary: 'Replace a paper',
  status: 200,
  body: Paper,
  find: (_, id) => ({ id: id as string, version: 3 }),
  run: ({ body, record }) => {
    written.push({ body, bytes: JSON.stringify(body).length })
    return { ...record, version: 4 }
  },
  ...more,
})

const ROUTES: Route[] = [
  {
    ...paper,
    parameters: {
      q: { schema: { type: 'string' }, description: 'What to look for.' },
      order: { schema: { type: 'string', enum: ['up', 'down'] }, description: 'Which way.' },
    },
    paged: true,
    show: (_, [id], { given, limit, after, cursorAt }) => {
      const q = given.get('q') ?? ''
      if (q === 'wrong') throw badQuery('The parameter "q" is wrong.')
      const from = after === undefined ? 0 : Number(after.key) + 1
      const lines = LINES.filter((line) => line.includes(q)).slice(from, from + limit)
      const last = from + lines.length - 1
      const isMore = last + 1 < LINES.filter((line) => line.includes(q)).length
      const next = isMore ? cursorAt({ key: last, id: id as string }) : null
      const rest = `,"lines":${JSON.stringify(lines)},"next_cursor":${JSON.stringify(next)}`
      return { json: columns.json([id, rest]), next }
    },
    forms: {
      'text/x-paper': () => LINES.join('\n'),
      'text/plain': () => 'päper',
    },
  },
  put('/papers/:id', taking),
  put('/books/:id', { ...taking, maxBytes: 2 * MIB, maxItems: 2000 }),
  { ...paper, path: '/plain/:id' },
  {
    ...paper,
    path: '/rolls/:id',
    show: (_, [id]) => ({
      json: {
        bytes: id === OTHER ? 3 * MIB : 100 * MIB,
        parts: function* () {
          try {
            for (parts = 0; parts < (id === OTHER ? 3 : 100); parts++) {
              if (id === OTHER && parts === 2) throw new Error('It is torn.')
              yield parts % 2 ? 'x'.repeat(MIB) : Buffer.alloc(MIB, 'x')
            }
          } finally {
            partsEnded++
          }
        },
      },
    }),
  },
  createRoute({
    path: '/papers',
    scope: 'rest.crm.notes.write',
    name: 'paper',
    summary: 'Make a paper',
    body: Paper,
    returns: Paper,
    replays: 'The one that is there.',
    run: ({ body }) => (body.text === 'again' ? { repeated: { id: ID, version: 3 } } : { id: OTHER, version: 1 }),
  }),
]

before(async () => {
  server = await startServer()
  const { store, dataDir } = server
  const app = new Koa()
  app.silent = true
  const stopping = new AbortController().signal
  app.use(
    kernel(ROUTES, {
      ...bearer(accessCache(tokens(keyring(dataDir, store), store), store)),
      prefix: PREFIX,
      write: store.write,
      health: store.health,
      changes: store.changes,
      cursors: cursors(cursorSecret(dataDir)),
      answers: idempotency(store),
      audit: auditLog(store).record,
      waiters: commitWaiters(store.committed.subscribe, stopping),
      newestSeq: () => 0,
      bodies: bodies(),
      dataDir,
      rate: null,
      log: listeningLog(),
      corsOrigins: [],
      stopping,
    }),
  )
  listener = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
})
after(async () => {
  await listener.stop(1000)
  await server.stop()
})
beforeEach(() => {
  logged = []
  written = []
  partsEnded = 0
})

function listeningLog(): Log {
  const at = (level: string) => (of: Omit<Logged, 'level' | 'message'> & { err?: Error }, message: string) =>
    void logged.push({ ...of, level, message: of.err?.message ?? message })
  return { info: at('info'), error: at('error'), warn: at('warn') } as unknown as Log
}

type Asking = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array; type?: string }

async function ask(path: string, { method = 'GET', headers = {}, body, type }: Asking = {}) {
  const response = await fetch(`${listener.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${server.a.token}`, ...(type ? { 'content-type': type } : {}), ...headers },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const isJson = text.startsWith('{')
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
}

const asPaper = (accept: string, more: Record<string, string> = {}, path = `/papers/${ID}`) =>
  ask(path, { headers: { accept, ...more } })

describe('the form of a record', () => {
  for (const [accept, type] of [
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['text/x-paper', 'text/x-paper; charset=utf-8'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['TEXT/Plain', 'text/plain; charset=utf-8'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/*', 'text/x-paper; charset=utf-8'],
    ['text/plain, text/x-paper', 'text/x-paper; charset=utf-8'],
    ['text/plain, application/json', 'application/json'],
    ['text/plain;q=0.5, application/json;q=0.4', 'text/plain; charset=utf-8'],
    ['text/plain;q=0.4, */*;q=0.5', 'application/json'],
    ['text/*;q=0.5, text/x-paper;q=0.1', 'text/plain; charset=utf-8'],
    ['application/json;q=0, */*', 'text/x-paper; charset=utf-8'],
    ['text/x-paper;q=0, text/*', 'text/plain; charset=utf-8'],
    ['text/html, */*;q=0.1', 'application/json'],
    ['', 'application/json'],
  ] as const) {
    test(`for Accept: ${accept} is ${type}`, async () => {
      const { status, headers, text } = await asPaper(accept)
      assert.deepEqual([status, headers.get('content-type')], [200, type])
      assert.match(headers.get('vary') ?? '', /\bAccept\b(?!-)/)
      if (type.startsWith('text/x-paper')) assert.equal(text, LINES.join('\n'))
      if (type.startsWith('text/plain')) assert.equal(text, 'päper')
    })
  }

  for (const accept of ['text/html', 'text/html, image/*', 'application/problem+json', '*/*;q=0', 'text/x-paper;q=0']) {
    test(`for Accept: ${accept} there is none, and the answer names those there are`, async () => {
      for (const id of [ID, 'none']) {
        const { status, body } = await asPaper(accept, {}, `/papers/${id}`)
        assert.deepEqual([status, body.code], [406, 'not_acceptable'])
        assert.match(body.detail, /application\/json, text\/x-paper, text\/plain/)
      }
    })
  }

  test('is JSON alone where a route has no other, and Accept does not matter then', async () => {
    const { status, headers } = await asPaper('*/*', {}, `/plain/${ID}`)
    assert.deepEqual([status, headers.get('vary')], [200, null])
    assert.equal((await asPaper('text/plain', {}, `/plain/${ID}`)).status, 406)
  })

  test('has an entity tag as JSON only: that is of the version, not of the bytes', async () => {
    const json = await asPaper('application/json')
    assert.equal(json.headers.get('etag'), '"3"')
    const ifNoneMatch = { 'if-none-match': '"3"' }
    const unchanged = await asPaper('application/json', ifNoneMatch)
    assert.deepEqual([unchanged.status, unchanged.headers.get('etag'), unchanged.text], [304, '"3"', ''])
    assert.match(unchanged.headers.get('vary') ?? '', /\bAccept\b(?!-)/)
    const form = await asPaper('text/plain', ifNoneMatch)
    assert.deepEqual([form.status, form.headers.get('etag'), form.text], [200, null, 'päper'])
  })

  test('is zipped from 2 KiB on where that is asked for', async () => {
    for (const [accept, query, encoding] of [
      ['text/x-paper', '', 'gzip'],
      ['text/plain', '', null],
      ['application/json', '?limit=100', 'gzip'],
      ['application/json', '?limit=5', null],
    ] as const) {
      const path = `/papers/${ID}${query}`
      const plain = await asPaper(accept, { 'accept-encoding': 'identity' }, path)
      const zipped = await asPaper(accept, { 'accept-encoding': 'gzip' }, path)
      assert.deepEqual(
        [plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')],
        [null, encoding],
      )
      assert.equal(zipped.text, plain.text)
      for (const { headers } of [plain, zipped]) assert.match(headers.get('vary') ?? '', /Accept-Encoding/)
    }
  })

  test('is answered to HEAD without the body, with its length', async () => {
    for (const accept of ['text/plain', 'text/x-paper', 'application/json']) {
      const { headers } = await asPaper(accept)
      const head = await ask(`/papers/${ID}`, { method: 'HEAD', headers: { accept } })
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const name of ['content-type', 'content-length', 'etag', 'vary'])
        assert.equal(head.headers.get(name), headers.get(name), name)
    }
  })

  test('takes no parameters but as JSON', async () => {
    for (const query of ['limit=1', 'q=line', 'order=up', 'cursor=x', 'surprise=1']) {
      const { status, body } = await asPaper('text/plain', {}, `/papers/${ID}?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, /No parameters are allowed/)
    }
  })

  test('of what is not there is 404, with a problem in JSON', async () => {
    const { status, headers } = await asPaper('text/plain', {}, '/papers/none')
    assert.deepEqual([status, headers.get('content-type')], [404, 'application/problem+json'])
  })
})

describe('a record of which a part is paged', () => {
  const page = async (query: string, path = `/papers/${ID}`) => ask(`${path}?${query}`)

  test('comes in pages of 50, or of as many as are asked for', async () => {
    assert.equal((await page('')).body.lines.length, 50)
    const found: string[] = []
    let query = 'limit=7'
    for (;;) {
      const { status, body, headers } = await page(query)
      assert.equal(status, 200)
      found.push(...body.lines)
      const link = body.next_cursor && `</api/v1/papers/${ID}?limit=7&cursor=${body.next_cursor}>; rel="next"`
      assert.equal(headers.get('link'), link)
      assert.equal(headers.get('etag'), '"3"')
      if (body.next_cursor === null) break
      query = `limit=7&cursor=${body.next_cursor}`
    }
    assert.deepEqual(found, LINES)
  })

  for (const limit of ['0', '101', '-1', '1.5', '01', 'x', '', '1000'])
    test(`takes no limit of ${JSON.stringify(limit)}`, async () => {
      const { status, body } = await page(`limit=${limit}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, /from 1 to 100/)
    })

  test('has cursors for its own question only', async () => {
    const { body } = await page('limit=2&q=1')
    const cursor = body.next_cursor
    assert.deepEqual(
      (await page(`limit=1&q=1&cursor=${cursor}`)).body.lines,
      ['line 11 of a long text'],
      'with another limit',
    )
    const both = (await page('limit=2&q=1&order=up')).body.next_cursor
    assert.deepEqual(
      (await page(`order=up&cursor=${both}&q=1&limit=1`)).body.lines,
      ['line 11 of a long text'],
      'in another order',
    )
    for (const [query, path] of [
      [`cursor=${cursor}`],
      [`q=2&cursor=${cursor}`],
      [`q=1&order=up&cursor=${cursor}`],
      [`q=1&cursor=${cursor}x`],
      [`q=1&cursor=${cursor.slice(0, -2)}`],
      ['q=1&cursor='],
      [`q=1&cursor=${cursor}`, `/papers/${OTHER}`],
    ] as const) {
      const answer = await page(query, path)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_cursor'], query)
    }
    const list = (await server.call('GET', '/tags?limit=1')).body.next_cursor ?? 'x'
    assert.equal((await page(`cursor=${list}`)).status, 400)
  })

  test('refuses what it does not know, also where the version is known', async () => {
    for (const query of [
      'surprise=1',
      'constructor=1',
      'q=a&q=b',
      'order=left',
      'order=',
      'q=wrong',
      'count=true',
      'limit=0',
    ])
      for (const headers of [{}, { 'if-none-match': '"3"' }, { 'if-none-match': '*' }]) {
        const { status, body } = await ask(`/papers/${ID}?${query}`, { headers })
        assert.deepEqual([status, body.code], [400, 'invalid_query'], query)
      }
    const { body } = await page('surprise=1')
    assert.match(body.detail, /"surprise".*The allowed parameters are: q, order, limit, cursor/)
    for (const query of ['surprise=1', 'order=left', 'limit=0'])
      assert.equal((await page(query, '/papers/none')).status, 400)
    assert.equal((await page('order=up', '/papers/none')).status, 404)
    assert.equal((await page('order=up')).status, 200)
  })

  test('takes no limit where it has no pages', async () => {
    for (const query of ['limit=1', 'cursor=x']) {
      const { status, body } = await ask(`/plain/${ID}?${query}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
    }
  })
})

describe('a body that may be text', () => {
  const PAPER = 'text/x-paper'
  const write = (type: string | undefined, body: string | Uint8Array, path = `/papers/${ID}`, headers = {}) =>
    ask(path, { method: 'PUT', body, headers, ...(type === undefined ? {} : { type }) })

  test('is read as its media type says, and checked like every other', async () => {
    for (const [type, body] of [
      [PAPER, 'hello'],
      [`${PAPER}; charset=utf-8`, 'hello'],
      [`${PAPER.toUpperCase()};charset="UTF-8"`, 'hello'],
      ['application/json', '{"text":"hello"}'],
    ] as const) {
      const { status, body: answer, headers } = await write(type, body)
      assert.deepEqual([status, answer, headers.get('etag')], [200, { id: ID, version: 4 }, '"4"'], type)
    }
    assert.deepEqual(
      written.map(({ body }) => ({ ...(body as object) })),
      Array(4).fill({ text: 'hello' }),
    )
    const { status, body } = await write(PAPER, 'a\u0000b')
    assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [422, '/text', 'invalid_text'])
    assert.equal((await write(PAPER, '{"text":"hello"}')).status, 200)
    assert.deepEqual({ ...(written[4]?.body as object) }, { text: '{"text":"hello"}' })
  })

  for (const type of [
    'text/plain',
    `${PAPER}; charset=iso-8859-1`,
    `${PAPER}; boundary=x`,
    'application/merge-patch+json',
    'constructor',
    'multipart/form-data; boundary=x',
    '',
  ])
    test(`is not taken as ${type || 'nothing'}, and the answer names what is`, async () => {
      const { status, body, headers } = await write(type, Buffer.from('hello'))
      assert.deepEqual([status, body.code], [415, 'unsupported_media_type'])
      assert.match(body.detail, /application\/json or text\/x-paper/)
      assert.equal(headers.get('accept'), `application/json, ${PAPER}`)
      assert.equal(written.length, 0)
    })

  test('is not taken with an encoding', async () => {
    const { status, body } = await write(PAPER, 'hello', undefined, { 'content-encoding': 'gzip' })
    assert.deepEqual([status, body.code], [415, 'unsupported_encoding'])
  })

  for (const [what, bytes, code] of [
    ['nothing', '', 'empty_body'],
    ['white space', ' \r\n\t', 'empty_body'],
    ['no UTF-8', Buffer.from([0x61, 0xff]), 'malformed_text'],
    ['half of a character', Buffer.from('é').subarray(0, 1), 'malformed_text'],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80]), 'malformed_text'],
    ['what its reader does not take', '!', 'malformed_paper'],
  ] as const)
    test(`is 400 where it is ${what}`, async () => {
      const { status, body } = await write(PAPER, bytes)
      assert.deepEqual([status, body.code], [400, code])
      assert.equal(written.length, 0)
    })

  test('is as large as the route says, or 1 MiB', async () => {
    const text = (length: number) => 'x'.repeat(length)
    for (const [path, most] of [
      [`/papers/${ID}`, MIB],
      [`/books/${ID}`, 2 * MIB],
    ] as const) {
      const fits = await write(PAPER, text(most), path)
      assert.equal(fits.status, most > MIB ? 422 : 200, 'a field has 1 MiB')
      const { status, body, headers } = await write(PAPER, text(most + 1), path)
      assert.deepEqual([status, body.code, headers.get('connection')], [413, 'body_too_large', 'close'])
      assert.match(body.detail, new RegExp(`${most} bytes`))
      const chunks = new Blob([text(most), 'x']).stream()
      const chunked = await fetch(`${listener.url}/api/v1${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${server.a.token}`, 'content-type': PAPER },
        body: chunks,
        duplex: 'half',
      })
      assert.equal(chunked.status, 413)
      await chunked.text()
    }
  })

  test('is waited for with 100 Continue up to that size', async () => {
    const head = (path: string, length: number) =>
      `PUT /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    const body = `{"text":"${'x'.repeat(MIB - 5)}"${' '.repeat(10)}}`
    const connection = await openRaw(listener.url)
    connection.write(head(`/books/${ID}`, body.length))
    await connection.continued
    connection.write(body)
    assert.equal((await connection.answered(1))[0]?.status, 200)
    connection.socket.destroy()
    for (const [path, length, status] of [
      [`/papers/${ID}`, body.length, 413],
      [`/books/${ID}`, 2 * MIB + 1, 413],
      ['/none', 10, 404],
    ] as const) {
      const refused = await openRaw(listener.url)
      refused.write(head(path, length))
      assert.equal((await refused.answered(1))[0]?.status, status)
      assert.equal(refused.isContinued(), false, path)
      refused.socket.destroy()
    }
  })

  test('has arrays as long as the route says, or of 1,000 items', async () => {
    for (const [path, most] of [
      [`/papers/${ID}`, 1000],
      [`/books/${ID}`, 2000],
    ] as const) {
      const json = (length: number) => JSON.stringify({ text: 'x', lines: Array(length).fill('x') })
      assert.equal((await write('application/json', json(most), path)).status, 200)
      const { status, body } = await write('application/json', json(most + 1), path)
      assert.deepEqual([status, body.code], [400, 'array_too_long'])
      assert.match(body.detail, new RegExp(`${most} items`))
    }
  })
})

describe('a create that may find what it was to make', () => {
  test('answers 200 with that, and 201 with what is new', async () => {
    const make = (text: string) =>
      ask('/papers', { method: 'POST', type: 'application/json', body: JSON.stringify({ text }) })
    const made = await make('new')
    assert.deepEqual(
      [made.status, made.body, made.headers.get('location')],
      [201, { id: OTHER, version: 1 }, `/api/v1/papers/${OTHER}`],
    )
    const found = await make('again')
    assert.deepEqual([found.status, found.body, found.headers.get('location')], [200, { id: ID, version: 3 }, null])
    assert.equal(found.headers.get('etag'), '"3"')
  })
})

describe('an answer that is streamed', () => {
  const request = (id: string, method = 'GET') =>
    `${method} /api/v1/rolls/${id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n\r\n`

  test('comes whole, with its length, and the connection goes on', async () => {
    const { status, headers, text } = await ask(`/rolls/${ID}`)
    assert.deepEqual([status, headers.get('content-length'), text.length], [200, String(100 * MIB), 100 * MIB])
    assert.deepEqual([headers.get('content-type'), headers.get('etag')], ['application/json', '"3"'])
    await until(() => logged.length > 0)
    assert.deepEqual(levels(), [['info', 200]])
    assert.equal((await ask(`/plain/${ID}`)).status, 200)
  })

  test('is not made for HEAD, nor where the version is known', async () => {
    parts = 0
    const head = await sendRaw(listener.url, request(ID, 'HEAD'), { methods: ['HEAD'] })
    assert.deepEqual([head.status, head.headers['content-length'], head.body], [200, String(100 * MIB), ''])
    const notModified = await ask(`/rolls/${ID}`, { headers: { 'if-none-match': '"3"' } })
    assert.deepEqual([notModified.status, parts, partsEnded], [304, 0, 0])
  })

  test('is made as the client takes it, and no longer when that has gone', async () => {
    const connection = await openRaw(listener.url)
    connection.socket.pause()
    connection.write(request(ID))
    await until(() => parts > 1)
    const other = await ask(`/plain/${ID}`)
    assert.equal(other.status, 200, 'others are served')
    assert.ok(parts < 60, `${parts} of 100 were made for nobody`)
    connection.socket.destroy()
    await until(() => partsEnded === 1 && logged.length === 2)
    assert.deepEqual(levels(), [
      ['info', 200],
      ['info', 200],
    ])
    assert.equal((await ask(`/plain/${ID}`)).status, 200, 'the server goes on')
  })

  test('that breaks off is cut, logged, and no trouble for others', async () => {
    const connection = await openRaw(listener.url)
    connection.write(request(OTHER))
    await connection.closed
    connection.socket.destroy()
    assert.equal(connection.answers.length, 0, 'it never came whole')
    await until(() => logged.length > 1)
    assert.deepEqual(
      logged.map(({ level, message }) => [level, message]),
      [
        ['error', 'It is torn.'],
        ['info', 'request'],
      ],
    )
    assert.equal((await ask(`/plain/${ID}`)).status, 200)
  })

  test('of two messages at the same time is each its own, to the byte', async () => {
    const files = [randomBytes(5 * MIB), randomBytes(3 * MIB + 1)].map((bytes) => bytes.toString('base64'))
    const made = []
    for (const data of files) {
      const { status, body } = await server.call('POST', '/messages', {
        from: { email: 'two@firm.example' },
        channel: 'chat',
        direction: 'inbound',
        attachments: [
          { name: 'one', data: 'AAAA' },
          { name: 'roll', data },
        ],
      })
      assert.equal(status, 201)
      made.push(body)
    }
    const answers = await Promise.all(
      [...made, ...made].map(({ id }) => server.call('GET', `/messages/${id}?include=attachments`)),
    )
    for (const [at, { status, body }] of answers.entries()) {
      const [one, roll] = body.attachments
      assert.deepEqual([status, body.id, one.data], [200, made[at % 2].id, 'AAAA'])
      assert.ok(roll.data === files[at % 2])
    }
  })

  const levels = () => logged.map(({ level, status }) => [level, status])
})
