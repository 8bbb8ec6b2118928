import type { Interface } from './document.ts'
import type { Draw } from './draw.ts'
import type { Tokens } from './parts.ts'

// Requests that no HTTP client would send, as bytes.

export type Broken = {
  what: string
  bytes: Buffer
  /** Of the first answer; empty where it may be any. */
  statuses: number[]
  /** Where there may be none: what came was no whole request. */
  maybeNone: boolean
  /** So many answers have to come on the connection. */
  answers: number
}

type Case = { statuses: number[]; maybeNone?: boolean; answers?: number; text: (parts: Parts) => string }
type Parts = { draw: Draw; path: string; host: string; auth: string; fine: string; json: string }

const REFUSED = [400]

const CASES: Record<string, Case> = {
  'no HTTP at all': {
    statuses: [400, 404, 405],
    text: ({ draw }) =>
      draw.one([
        'hello\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        '\x00\x01\x02\r\n\r\n',
        '{"a":1}\r\n\r\n',
        'GET\r\n\r\n',
        'GET /\r\n\r\n',
        ' GET / HTTP/1.1\r\n\r\n',
        'GET  / HTTP/1.1\r\n\r\n',
      ]),
  },
  'a method of nobody': { statuses: [404, 405], text: ({ path, fine }) => `BREW ${path} HTTP/1.1\r\n${fine}\r\n` },
  'a method in small letters': {
    statuses: [400, 404, 405],
    text: ({ path, fine }) => `get ${path} HTTP/1.1\r\n${fine}\r\n`,
  },
  CONNECT: { statuses: [400, 404, 405], text: ({ host }) => `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n` },
  'another version': {
    statuses: REFUSED,
    text: ({ draw, path, fine }) =>
      `GET ${path} HTTP/${draw.one(['1.2', '2.0', '3', '0.9', '11', 'x', '1.1 '])}\r\n${fine}\r\n`,
  },
  'HTTP/2 by prior knowledge': { statuses: REFUSED, text: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  'HTTP/1.0': { statuses: [200, 400], text: ({ path, fine }) => `GET ${path} HTTP/1.0\r\n${fine}\r\n` },
  'a header that is none': {
    statuses: REFUSED,
    text: ({ draw, path, fine }) =>
      `GET ${path} HTTP/1.1\r\n${fine}${draw.one(['no colon', ': x', 'Na me: x', 'X : y', 'X\x00: y', 'X: a\x00b', 'X: a\x01b', 'Ä: b', '(x): y', 'X: a\rb'])}\r\n\r\n`,
  },
  'a folded header': {
    statuses: [200, 400],
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}X: a\r\n b\r\n\r\n`,
  },
  'a header in Latin-1': {
    statuses: [200],
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}X-Name: J\xf6rg \xff\r\n\r\n`,
  },
  'a bad Host': {
    statuses: REFUSED,
    text: ({ draw, path, auth, host }) =>
      `GET ${path} HTTP/1.1\r\n${auth}${draw.one(['', 'Host: a\r\nHost: a\r\n', 'Host: a/b\r\n', 'Host: a b\r\n', 'Host: user@a\r\n', `Host: ${host}, ${host}\r\n`, 'Host: a:b\r\n', 'Host: [::1\r\n'])}\r\n`,
  },
  'a long target': {
    statuses: [414],
    text: ({ draw, path, fine }) =>
      `GET ${path}?q=${'x'.repeat(draw.one([8300, 12_000, 40_000]))} HTTP/1.1\r\n${fine}\r\n`,
  },
  'long headers': {
    statuses: [431],
    text: ({ draw, path, fine }) =>
      `GET ${path} HTTP/1.1\r\n${fine}X: ${'x'.repeat(draw.one([17_000, 70_000]))}\r\n\r\n`,
  },
  'many headers': {
    statuses: [200, 431],
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}${'A: b\r\n'.repeat(1500)}\r\n`,
  },
  'a fragment': { statuses: REFUSED, text: ({ path, fine }) => `GET ${path}#x HTTP/1.1\r\n${fine}\r\n` },
  'the absolute form': {
    statuses: [200],
    text: ({ path, host, fine }) => `GET http://${host}${path} HTTP/1.1\r\n${fine}\r\n`,
  },
  'another form': {
    statuses: [400, 404],
    text: ({ draw, fine }) =>
      `GET ${draw.one(['*', 'example.com:80', 'ftp://x/y', 'x', 'http://', '//', '\\\\x'])} HTTP/1.1\r\n${fine}\r\n`,
  },
  'a wrong Content-Length': {
    statuses: REFUSED,
    text: ({ draw, path, fine, json }) =>
      `POST ${path} HTTP/1.1\r\n${fine}${json}Content-Length: ${draw.one(['abc', '-1', '+7', '7, 8', '0x7', '7\r\nContent-Length: 8', '99999999999999999999', '7 7', '1.0'])}\r\n\r\n{"a":1}`,
  },
  // Where the path takes no POST it is 405, and the connection has to end all the same.
  'too small a Content-Length': {
    statuses: [400, 405],
    text: ({ path, fine, json }) => `POST ${path} HTTP/1.1\r\n${fine}${json}Content-Length: 3\r\n\r\n{"a":1}`,
  },
  'too great a Content-Length': {
    statuses: [400, 405],
    text: ({ path, fine, json }) => `POST ${path} HTTP/1.1\r\n${fine}${json}Content-Length: 300\r\n\r\n{"a":1}`,
  },
  'an announced flood': {
    statuses: [405, 413],
    text: ({ path, fine, json }) => `POST ${path} HTTP/1.1\r\n${fine}${json}Content-Length: 2000000000\r\n\r\n`,
  },
  'length and chunks': {
    statuses: REFUSED,
    text: ({ path, fine, json }) =>
      `POST ${path} HTTP/1.1\r\n${fine}${json}Content-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n`,
  },
  'another transfer coding': {
    statuses: REFUSED,
    text: ({ draw, path, fine, json }) =>
      `POST ${path} HTTP/1.1\r\n${fine}${json}Transfer-Encoding: ${draw.one(['gzip', 'identity', 'gzip, chunked', 'chunked, gzip', 'xchunked', 'chunked\r\nTransfer-Encoding: chunked', '\x0bchunked', '"chunked"'])}\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n`,
  },
  'broken chunks': {
    statuses: [400, 405],
    text: ({ draw, path, fine, json }) =>
      `POST ${path} HTTP/1.1\r\n${fine}${json}Transfer-Encoding: chunked\r\n\r\n${draw.one(['zz\r\n', '-1\r\n', '7\r\n{"a":1}0\r\n\r\n', '7\n{"a":1}\n0\n\n', 'fffffffffffffffff\r\n', '7\r\n{"a":1}\r\n', '7;\x00\r\n', '7 7\r\n'])}`,
  },
  'an expectation': {
    statuses: [417],
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}Expect: the-unexpected\r\n\r\n`,
  },
  '100-continue': {
    statuses: [400, 405, 409, 422],
    text: ({ path, fine, json }) =>
      `POST ${path} HTTP/1.1\r\n${fine}${json}Expect: 100-continue\r\nContent-Length: 7\r\n\r\n{"a":1}`,
  },
  'an upgrade': {
    statuses: [200],
    text: ({ draw, path, fine }) =>
      `GET ${path} HTTP/1.1\r\n${fine}Connection: Upgrade\r\nUpgrade: ${draw.one(['websocket', 'h2c'])}\r\n\r\n`,
  },
  'bare line feeds': {
    statuses: [200, 400],
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}\r\n`.replaceAll('\r\n', '\n'),
  },
  'empty lines first': {
    statuses: [200, 400],
    text: ({ path, fine }) => `\r\n\r\nGET ${path} HTTP/1.1\r\n${fine}\r\n`,
  },
  'many at once': {
    statuses: [200],
    answers: 5,
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}\r\n`.repeat(5),
  },
  'a good and a bad one': {
    statuses: [200],
    answers: 2,
    text: ({ path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}\r\nnonsense\r\n\r\n`,
  },
  'bytes changed at random': {
    statuses: [],
    maybeNone: true,
    text: ({ draw, path, fine, json }) =>
      scrambled(
        draw,
        draw.one([
          `GET ${path}?limit=2 HTTP/1.1\r\n${fine}Accept: */*\r\nIf-None-Match: "1"\r\n\r\n`,
          `POST ${path} HTTP/1.1\r\n${fine}${json}Idempotency-Key: a\r\nContent-Length: 14\r\n\r\n{"title":" "}\r\n`,
          `POST ${path} HTTP/1.1\r\n${fine}${json}Transfer-Encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n0\r\n\r\n`,
        ]),
      ),
  },
  'half a request': {
    statuses: REFUSED,
    maybeNone: true,
    text: ({ draw, path, fine }) => `GET ${path} HTTP/1.1\r\n${fine}`.slice(0, 1 + draw.below(60)),
  },
}

/** A request that is broken in its framing, with a path that answers 200 when it is not. */
export function brokenRequest(draw: Draw, api: Interface, tokens: Tokens, host: string): Broken {
  const name = draw.one(Object.keys(CASES))
  const lists = [...api.paths].filter(
    ([template, all]) => !template.includes('{') && all.some(({ method }) => method === 'GET'),
  )
  const [template] = draw.one(lists)
  const auth = `Authorization: Bearer ${tokens.good}\r\n`
  const { statuses, maybeNone = false, answers = 1, text } = CASES[name]!
  const parts = {
    draw,
    path: api.base + template,
    host,
    auth,
    fine: `Host: ${host}\r\n${auth}`,
    json: 'Content-Type: application/json\r\n',
  }
  return { what: name, bytes: Buffer.from(text(parts), 'latin1'), statuses, maybeNone, answers }
}

/** Some bytes lost, doubled, changed or put in. */
function scrambled(draw: Draw, text: string): string {
  const bytes = [...text]
  for (let left = 1 + draw.below(4); left > 0; left--) {
    const at = draw.below(bytes.length)
    const byte = String.fromCharCode(draw.below(256))
    const run = draw.below(20)
    draw.one([
      () => bytes.splice(at, 1),
      () => bytes.splice(at, run),
      () => bytes.splice(at, 0, byte),
      () => bytes.splice(at, 1, byte),
      () => bytes.splice(at, 0, ...bytes.slice(at, at + run)),
      () => bytes.splice(at, 0, draw.one(['\r\n', '\n', '\0', ':', ' ', '%', ','])),
    ])()
  }
  return bytes.join('')
}
