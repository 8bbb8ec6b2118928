import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { SCOPES } from '../../src/auth/scopes.ts'
import { startCpuClock } from '../support/cpu-clock.ts'
import { openRaw, type RawOptions, sendRaw } from '../support/raw.ts'
import { reset } from '../support/reset.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { becomes } from '../support/until.ts'

// What a client can send over TCP, each with its exact answer. <...> stands for a value known only at run time.

let server: TestServer
const placeholders: Record<string, string> = {}

before(async () => {
  server = await startServer()
  const other = await startServer()
  const [payload, footer] = server.a.token.split('.').slice(2) as [string, string]
  const base64 = (text: string) => Buffer.from(text).toString('base64url')
  const flipped = payload.slice(0, -2) + (payload.at(-2) === 'A' ? 'B' : 'A') + payload.at(-1)
  placeholders.token = server.a.token
  placeholders.foreign = other.a.token
  placeholders.expired = (await server.tokenWith([...SCOPES], server.now() + 1000)).token
  placeholders.local = `v4.local.${payload}.${footer}`
  placeholders.v2 = `v2.public.${payload}.${footer}`
  placeholders.signature = `v4.public.${flipped}.${footer}`
  placeholders.payload = `v4.public.A${payload.slice(1)}.${footer}`
  placeholders.unknownKid = `v4.public.${payload}.${base64('{"kid":"0123456789abcdef"}')}`
  placeholders.pathKid = `v4.public.${payload}.${base64('{"kid":"../../../../etc/passwd"}')}`
  placeholders.noFooter = `v4.public.${payload}`
  await other.stop()
  server.advance(1000)
})
after(() => server.stop())

const HOST = 'Host: dealbox.example\r\n'
const AUTH = 'Authorization: Bearer <token>\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'

const get = (target: string, headers = HOST + AUTH) => `GET ${target} HTTP/1.1\r\n${headers}\r\n`
const list = (headers: string) => get('/api/v1/deals', HOST + AUTH + headers)
const withToken = (value: string) => get('/api/v1/deals', `${HOST}Authorization: ${value}\r\n`)
const head = (headers: string) => `POST /api/v1/deals HTTP/1.1\r\n${HOST}${AUTH}${headers}\r\n`
const post = (body: string, headers = JSON_TYPE) => `${head(`${headers}Content-Length: ${body.length}\r\n`)}${body}`
const chunked = (chunks: string, headers = '') =>
  `${head(`${JSON_TYPE}${headers}Transfer-Encoding: chunked\r\n`)}${chunks}`
const type = (value: string) => post('{"title":"x"}', `Content-Type: ${value}\r\n`)
const encoded = (coding: string, body: Buffer) =>
  post(body.toString('latin1'), `${JSON_TYPE}Content-Encoding: ${coding}\r\n`)
const title = (json: string) => post(`{"title":${json}}`)
const utf8 = (text: string) => Buffer.from(text).toString('latin1')
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const CREATED = 'created'
type Case = [name: string, bytes: string, status: number, code?: string, options?: RawOptions]

const REQUEST_LINES: Case[] = [
  ['no method', ' /api/v1/deals HTTP/1.1\r\n\r\n', 400, 'malformed_http'],
  ['no version, as in HTTP/0.9', 'GET /api/v1/deals\r\n\r\n', 400, 'malformed_http'],
  ['HTTP/0.9 by name', 'GET /api/v1/deals HTTP/0.9\r\n\r\n', 400, 'malformed_http'],
  ['HTTP/1.0 without Host', `GET /api/v1/deals HTTP/1.0\r\n${AUTH}\r\n`, 200],
  ['HTTP/1.2', `GET /api/v1/deals HTTP/1.2\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['HTTP/2.0 as a version', `GET /api/v1/deals HTTP/2.0\r\n${HOST}${AUTH}\r\n`, 400, 'malformed_http'],
  ['HTTP/3.0 as a version', `GET /api/v1/deals HTTP/3.0\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'malformed_http'],
  ['http in lower case', `GET /api/v1/deals http/1.1\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['another protocol', `GET /api/v1/deals FTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['the hello of TLS', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03', 400, 'malformed_http'],
  ['a tab between the parts', `GET\t/api/v1/deals\tHTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['something behind the version', `GET /api/v1/deals HTTP/1.1 x\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['bare LF', `GET /api/v1/deals HTTP/1.1\nHost: x\n\n`, 400, 'malformed_http'],
  ['bare CR', `GET /api/v1/deals HTTP/1.1\r${HOST}\r\n`, 400, 'malformed_http'],
  ['empty lines before it', `\r\n\r\n${get('/api/v1/deals')}`, 200],
  ['half of a request', 'GET /api/v1/deals HTTP/1.1\r\nHost: x\r\n', 400, 'malformed_http', { halfClose: true }],
]

const METHODS: Case[] = [
  ['PROPFIND', `PROPFIND /api/v1/deals HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['TRACE', `TRACE /api/v1/deals HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['QUERY', `QUERY /api/v1/deals HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['CONNECT to a path', `CONNECT /api/v1/deals HTTP/1.1\r\n${HOST}\r\n`, 405, 'method_not_allowed'],
  ['CONNECT to another host', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`, 404, 'no_such_path'],
  ['a method that is none', `FETCH /api/v1/deals HTTP/1.1\r\n${HOST}${AUTH}\r\n`, 405, 'method_not_allowed'],
  ['a method in lower case', `get /api/v1/deals HTTP/1.1\r\n${HOST}${AUTH}\r\n`, 405, 'method_not_allowed'],
  ['a method that is none, on no path', `FETCH /api/v1/dealz HTTP/1.1\r\n${HOST}\r\n`, 404, 'no_such_path'],
  ['a method that is none, behind a request', `${get('/x')}FETCH /api/v1/deals HTTP/1.1\r\n\r\n`, 404, 'no_such_path'],
  ['a method that is no token', `G{T /api/v1/deals HTTP/1.1\r\n${HOST}\r\n`, 400, 'malformed_http'],
  ['a method of 20,000 letters', `${'A'.repeat(20_000)} / HTTP/1.1\r\n${HOST}\r\n`, 404, 'no_such_path'],
]

const TARGETS: Case[] = [
  ['the absolute form', get('http://dealbox.example/api/v1/deals'), 200],
  ['the absolute form in other letter case', get('HTTP://DEALBOX.example/api/v1/deals'), 200],
  ['the absolute form of another scheme', get('ftp://dealbox.example/api/v1/deals'), 404, 'no_such_path'],
  ['the absolute form without a host', get('http:///api/v1/deals'), 404, 'no_such_path'],
  ['the absolute form with an open bracket', get('http://[dealbox/api/v1/deals'), 404, 'no_such_path'],
  ['the absolute form with a user', get('http://me@dealbox.example/api/v1/deals'), 404, 'no_such_path'],
  ['the absolute form with backslashes', get('http://dealbox.example/api\\v1\\deals'), 404, 'no_such_path'],
  ['the authority form', get('dealbox.example:80'), 400, 'malformed_http'],
  ['the asterisk form', get('*'), 404, 'no_such_path'],
  ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 404, 'no_such_path'],
  ['a relative path', get('api/v1/deals'), 400, 'malformed_http'],
  ['a fragment', get('/api/v1/deals#top'), 400, 'malformed_http'],
  ['a space', get('/api/v1/de als'), 400, 'malformed_http'],
  ['a byte NUL', get('/api/v1/deals\0'), 400, 'malformed_http'],
  ['bytes past ASCII', get(`/api/v1/deals/${utf8('é')}`), 400, 'malformed_http'],
  ['/', get('/'), 404, 'no_such_path'],
  ['/health', get('/health'), 404, 'no_such_path'],
  ['/api', get('/api'), 404, 'no_such_path'],
  ['/api/v1', get('/api/v1'), 404, 'no_such_path'],
  ['/api/v1/', get('/api/v1/'), 404, 'no_such_path'],
  ['another version of the interface', get('/api/v2/deals'), 404, 'no_such_path'],
  ['a trailing slash', get('/api/v1/deals/'), 404, 'no_such_path'],
  ['another letter case', get('/api/v1/Deals'), 404, 'no_such_path'],
  ['another letter case before it', get('/API/v1/deals'), 404, 'no_such_path'],
  ['a double slash before it', get('//api/v1/deals'), 404, 'no_such_path'],
  ['a double slash within', get('/api/v1//deals'), 404, 'no_such_path'],
  ['a letter percent-encoded', get('/api/v1/%64eals'), 404, 'no_such_path'],
  ['a slash percent-encoded', get('/api/v1%2Fdeals'), 404, 'no_such_path'],
  ['%00', get('/api/v1/deals/%00'), 404, 'no_such_path'],
  ['invalid UTF-8, percent-encoded', get('/api/v1/deals/%ff'), 404, 'no_such_path'],
  ['dots', get('/api/v1/tags/../deals'), 404, 'no_such_path'],
  ['dots out of it', get('/../../etc/passwd'), 404, 'no_such_path'],
  ['matrix parameters', get('/api/v1/deals;a=b'), 404, 'no_such_path'],
  ['a name that every object has', get('/api/v1/__proto__'), 404, 'no_such_path'],
  ['a sub-path that is not there', get('/api/v1/deals/01890000-0000-7000-8000-000000000000/x'), 404, 'no_such_path'],
  ['an id that is no UUID', get('/api/v1/deals/1'), 404, 'not_found'],
  ['an id in upper case', get('/api/v1/deals/01890000-0000-7000-8000-00000000000A'), 404, 'not_found'],
  ['8,193 bytes', get(`/${'a'.repeat(8192)}`), 414, 'uri_too_long'],
  ['20,000 bytes', get(`/${'a'.repeat(20_000)}`), 414, 'uri_too_long'],
  ['1,000,000 bytes', get(`/${'a'.repeat(1_000_000)}`), 414, 'uri_too_long'],
]

const HEADERS: Case[] = [
  ['no Host', get('/api/v1/deals', AUTH), 400, 'malformed_http'],
  ['two Hosts', get('/api/v1/deals', HOST + HOST + AUTH), 400, 'malformed_http'],
  ['two Hosts in HTTP/1.0', `GET /api/v1/deals HTTP/1.0\r\n${HOST}host: b\r\n\r\n`, 400, 'malformed_http'],
  ['a Host with a space', get('/api/v1/deals', `Host: a b\r\n${AUTH}`), 400, 'malformed_http'],
  ['a Host with a user', get('/api/v1/deals', `Host: me@example.com\r\n${AUTH}`), 400, 'malformed_http'],
  ['a Host with a path', get('/api/v1/deals', `Host: example.com/x\r\n${AUTH}`), 400, 'malformed_http'],
  ['a Host with a port that is none', get('/api/v1/deals', `Host: a:b\r\n${AUTH}`), 400, 'malformed_http'],
  ['a Host that is an IPv6 address', get('/api/v1/deals', `Host: [::1]:8080\r\n${AUTH}`), 200],
  ['an empty Host', get('/api/v1/deals', `Host:\r\n${AUTH}`), 200],
  ['a folded line', list('X-A: a\r\n b\r\n'), 400, 'malformed_http'],
  ['a folded first line', get('/api/v1/deals', ` ${HOST}${AUTH}`), 400, 'malformed_http'],
  ['NUL in a value', list('X-A: a\0b\r\n'), 400, 'malformed_http'],
  ['NUL in a name', list('X\0A: b\r\n'), 400, 'malformed_http'],
  ['a control character in a value', list('X-A: a\x01b\r\n'), 400, 'malformed_http'],
  ['bare CR in a value', list('X-A: a\rb\r\n'), 400, 'malformed_http'],
  ['bare LF behind a value', list('X-A: a\n'), 400, 'malformed_http'],
  ['a space before the colon', list('X-A : a\r\n'), 400, 'malformed_http'],
  ['no colon', list('X-A\r\n'), 400, 'malformed_http'],
  ['no name', list(': a\r\n'), 400, 'malformed_http'],
  ['bytes past ASCII in a value', list('X-A: \xe9\r\n'), 200],
  ['one of 20,000 bytes', list(`X-A: ${'a'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
  ['one of 1,000,000 bytes', list(`X-A: ${'a'.repeat(1_000_000)}\r\n`), 431, 'headers_too_large'],
  ['10,000 of them', list('a: b\r\n'.repeat(10_000)), 431, 'headers_too_large'],
  ['500 of them', list('a: b\r\n'.repeat(500)), 200],
  ['Expect: 100-continue', post('{"title":"x"}', `${JSON_TYPE}Expect: 100-continue\r\n`), 201, CREATED],
  ['another Expect', post('{"title":"x"}', `${JSON_TYPE}Expect: a-fish\r\n`), 417, 'expectation_failed'],
  ['Upgrade to a web socket', list('Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200],
  ['Upgrade to HTTP/2', list('Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'), 200],
  ['Connection that names a header of its own', list('Connection: close, X-A\r\nX-A: a\r\n'), 200],
  ['Connection that names the length', list('Connection: close, Content-Length\r\n'), 400, 'malformed_http'],
  ['Connection that names the token', list('Connection: authorization\r\n'), 400, 'malformed_http'],
  [
    'two Connection, one with the sender',
    list('Connection: TE\r\nConnection: X-Forwarded-For\r\n'),
    400,
    'malformed_http',
  ],
  ['Accept without JSON', list('Accept: text/html, image/*;q=0.5\r\n'), 406, 'not_acceptable'],
  ['Accept that rules JSON out', list('Accept: */*, application/json;q=0\r\n'), 406, 'not_acceptable'],
  ['Accept of problems only', list('Accept: application/problem+json\r\n'), 406, 'not_acceptable'],
  ['Accept of anything, with a weight', list('Accept: text/html, */*;q=0.1\r\n'), 200],
  ['an empty Accept', list('Accept:\r\n'), 200],
]

const FRAMING: Case[] = [
  ['a negative length', head('Content-Length: -1\r\n'), 400, 'malformed_http'],
  ['a length with a plus', head('Content-Length: +1\r\n'), 400, 'malformed_http'],
  ['a length in hexadecimal', head('Content-Length: 0x10\r\n'), 400, 'malformed_http'],
  ['an empty length', head('Content-Length:\r\n'), 400, 'malformed_http'],
  ['two lengths', head('Content-Length: 1\r\nContent-Length: 2\r\n'), 400, 'malformed_http'],
  ['a length twice', head('Content-Length: 2\r\nContent-Length: 2\r\n'), 400, 'malformed_http'],
  ['a list of lengths', head('Content-Length: 2, 2\r\n'), 400, 'malformed_http'],
  ['a length past 64 bits', head('Content-Length: 99999999999999999999\r\n'), 400, 'malformed_http'],
  ['a length and chunks', head('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'), 400, 'malformed_http'],
  ['a length over 1 MiB without a body', head(`${JSON_TYPE}Content-Length: 1048577\r\n`), 413, 'body_too_large'],
  ['that, with Expect', head(`${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 1048577\r\n`), 413, 'body_too_large'],
  ['a body over 1 MiB', title(`"${'a'.repeat(3_000_000)}"`), 413, 'body_too_large'],
  ['the coding gzip', head('Transfer-Encoding: gzip\r\n'), 400, 'malformed_http'],
  ['the coding identity', head('Transfer-Encoding: identity\r\n'), 400, 'malformed_http'],
  ['the codings gzip and chunked', head('Transfer-Encoding: gzip, chunked\r\n'), 400, 'malformed_http'],
  ['the codings chunked and gzip', head('Transfer-Encoding: chunked, gzip\r\n'), 400, 'malformed_http'],
  ['chunks in HTTP/1.0', chunked('2\r\n{}\r\n0\r\n\r\n').replace('HTTP/1.1', 'HTTP/1.0'), 400, 'malformed_http'],
  ['chunks', chunked('7\r\n{"title\r\n6\r\n":"x"}\r\n0\r\n\r\n'), 201, CREATED],
  ['chunks with an extension and a trailer', chunked('d;a="b"\r\n{"title":"x"}\r\n0\r\nX-A: b\r\n\r\n'), 201, CREATED],
  ['a chunk size that is no number', chunked('zz\r\n{}\r\n0\r\n\r\n'), 400, 'malformed_http'],
  ['a negative chunk size', chunked('-2\r\n{}\r\n0\r\n\r\n'), 400, 'malformed_http'],
  ['a chunk size past 64 bits', chunked('fffffffffffffffff\r\n{}\r\n0\r\n\r\n'), 400, 'malformed_http'],
  ['a chunk longer than its size', chunked('2\r\n{}{}\r\n0\r\n\r\n'), 400, 'malformed_http'],
  ['a chunk that ends with bare LF', chunked('2\n{}\n0\n\n'), 400, 'malformed_http'],
  ['a chunk extension of 30,000 bytes', chunked(`2;${'a'.repeat(30_000)}\r\n{}\r\n0\r\n\r\n`), 413, 'body_too_large'],
  [
    'a trailer of 30,000 bytes',
    chunked(`2\r\n{}\r\n0\r\nX-A: ${'a'.repeat(30_000)}\r\n\r\n`),
    431,
    'headers_too_large',
  ],
  ['chunks over 1 MiB', chunked(`10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(17)), 413, 'body_too_large'],
  ['chunks without an end', chunked('2\r\n{}\r\n'), 400, 'malformed_http', { halfClose: true }],
  ['a body shorter than its length', post('{"title":"x"}').slice(0, -2), 400, 'malformed_http', { halfClose: true }],
  ['a whole request, then the end', post('{"title":"x"}'), 201, CREATED, { halfClose: true }],
  ['a body on GET', `${list('Content-Length: 2\r\n')}{}`, 200],
]

const MEDIA: Case[] = [
  ['no content type', post('{"title":"x"}', ''), 415, 'unsupported_media_type'],
  ['an empty content type', type(''), 415, 'unsupported_media_type'],
  ['text', type('text/plain'), 415, 'unsupported_media_type'],
  ['JSON called text', type('text/json'), 415, 'unsupported_media_type'],
  ['a form', type('application/x-www-form-urlencoded'), 415, 'unsupported_media_type'],
  ['a form of many parts', type('multipart/form-data; boundary=x'), 415, 'unsupported_media_type'],
  ['JSON in Latin-1', type('application/json; charset=iso-8859-1'), 415, 'unsupported_media_type'],
  ['JSON in UTF-16', type('application/json; charset=utf-16'), 415, 'unsupported_media_type'],
  ['JSON in UTF-8', type('Application/JSON; Charset="UTF-8"'), 201, CREATED],
  ['a merge patch on POST', type('application/merge-patch+json'), 415, 'unsupported_media_type'],
  ['two types in one', type('application/json, text/plain'), 415, 'unsupported_media_type'],
  ['gzip', encoded('gzip', gzipSync('{"title":"x"}')), 415, 'unsupported_encoding'],
  ['broken gzip', encoded('gzip', Buffer.from('\x1f\x8b\x08broken')), 415, 'unsupported_encoding'],
  ['a gzip bomb', encoded('gzip', gzipSync(Buffer.alloc(50_000_000))), 415, 'unsupported_encoding'],
  ['deflate', encoded('deflate', Buffer.from('{}')), 415, 'unsupported_encoding'],
  ['br', encoded('br', Buffer.from('{}')), 415, 'unsupported_encoding'],
  ['an encoding that there is not', encoded('rot13', Buffer.from('{}')), 415, 'unsupported_encoding'],
  ['identity and gzip', encoded('identity, gzip', Buffer.from('{}')), 415, 'unsupported_encoding'],
  ['identity, which is no encoding', encoded('identity', Buffer.from('{"title":"x"}')), 201, CREATED],
]

const BODIES: Case[] = [
  ['nothing', post(''), 400, 'malformed_json'],
  ['white space', post(' \n'), 400, 'malformed_json'],
  ['half an object', post('{"title":'), 400, 'malformed_json'],
  ['two objects', post('{}{}'), 400, 'malformed_json'],
  ['single quotes', post("{'title':'x'}"), 400, 'malformed_json'],
  ['a comma too many', post('{"title":"x",}'), 400, 'malformed_json'],
  ['a comment', post('{"title":"x"/**/}'), 400, 'malformed_json'],
  ['NaN', post('{"title":"x","amount":NaN}'), 400, 'malformed_json'],
  ['a bare control character', title('"a\nb"'), 400, 'malformed_json'],
  ['bytes that are no UTF-8', title('"\xff\xfe"'), 400, 'malformed_json'],
  ['an overlong slash', title('"\xc0\xaf"'), 400, 'malformed_json'],
  ['a surrogate in UTF-8', title('"\xed\xa0\x80"'), 400, 'malformed_json'],
  ['a byte order mark', post('\xef\xbb\xbf{"title":"x"}'), 400, 'malformed_json'],
  ['UTF-16', post(Buffer.from('{"title":"x"}', 'utf16le').toString('latin1')), 400, 'malformed_json'],
  ['a member twice', post('{"title":"x","title":"y"}'), 400, 'malformed_json'],
  ['a member twice, once escaped', post('{"title":"x","titl\\u0065":"y"}'), 400, 'malformed_json'],
  ['null', post('null'), 400, 'wrong_root'],
  ['a number', post('5'), 400, 'wrong_root'],
  ['a string', post('"x"'), 400, 'wrong_root'],
  ['true', post('true'), 400, 'wrong_root'],
  ['an array', post('[{"title":"x"}]'), 400, 'wrong_root'],
  ['nesting of 33', title(nested(32)), 400, 'too_deep'],
  ['nesting of 32', title(nested(31)), 422, 'invalid_fields'],
  ['100,000 brackets', post('['.repeat(100_000)), 400, 'too_deep'],
  ['an array of 1,001', post(`{"title":"x","tag_ids":[${'1,'.repeat(1000)}1]}`), 400, 'array_too_long'],
  ['an array of 1,000', post(`{"title":"x","tag_ids":[${'1,'.repeat(999)}1]}`), 422, 'invalid_fields'],
  ['80,000 members', post(`{${Array.from({ length: 80_000 }, (_, n) => `"m${n}":0`).join()}}`), 400, 'too_many_values'],
  ['__proto__', post('{"title":"x","__proto__":{"amount":5}}'), 422, 'invalid_fields'],
  ['constructor', post('{"title":"x","constructor":{"prototype":{}}}'), 422, 'invalid_fields'],
  ['a lone surrogate', title('"\\ud800"'), 422, 'invalid_fields'],
  ['a lone surrogate as a name', post('{"title":"x","\\udc00":1}'), 422, 'invalid_fields'],
  ['NUL, escaped', title('"a\\u0000b"'), 422, 'invalid_fields'],
  ['1e400', post('{"title":"x","amount":1e400}'), 422, 'invalid_fields'],
  ['an exponent of 100,000 digits', post(`{"title":"x","amount":1e${'9'.repeat(100_000)}}`), 422, 'invalid_fields'],
  ['a number of 1,000,000 digits', post(`{"title":"x","amount":${'9'.repeat(1_000_000)}}`), 422, 'invalid_fields'],
  ['a number full of zeros', post(`{"title":"x","amount":1${'0'.repeat(30_000)}1}`), 422, 'invalid_fields'],
  ['a number that begins with 0', post('{"title":"x","amount":007}'), 400, 'malformed_json'],
]

const keyed = (value: string) => post('{"title":"x"}', `${JSON_TYPE}Idempotency-Key:${value}\r\n`)
const KEYS: Case[] = [
  ['an empty one', keyed(''), 400, 'invalid_idempotency_key'],
  ['an empty one in quotes', keyed(' ""'), 400, 'invalid_idempotency_key'],
  ['one with a space', keyed(' a b'), 400, 'invalid_idempotency_key'],
  ['one past ASCII', keyed(' \xe9'), 400, 'invalid_idempotency_key'],
  ['one of 256 characters', keyed(` ${'k'.repeat(256)}`), 400, 'invalid_idempotency_key'],
  ['one of 255 characters', keyed(` ${'k'.repeat(255)}`), 201, CREATED],
  ['an opening quote alone', keyed(' "a'), 400, 'invalid_idempotency_key'],
  ['a closing quote alone', keyed(' a"'), 400, 'invalid_idempotency_key'],
  ['a quote and nothing else', keyed(' "'), 400, 'invalid_idempotency_key'],
  ['a quote within quotes', keyed(' "a"b"'), 400, 'invalid_idempotency_key'],
  ['a quote in the middle', keyed(' a"b'), 201, CREATED],
  ['255 characters in quotes', keyed(` "${'q'.repeat(255)}"`), 201, CREATED],
  ['256 characters in quotes', keyed(` "${'q'.repeat(256)}"`), 400, 'invalid_idempotency_key'],
  ['two of them', keyed(' a\r\nIdempotency-Key: b'), 400, 'invalid_idempotency_key'],
]

const TOKENS: Case[] = [
  ['none', get('/api/v1/deals', HOST), 401, 'unauthorized'],
  ['an empty header', withToken(''), 401, 'unauthorized'],
  ['the scheme alone', withToken('Bearer'), 401, 'unauthorized'],
  ['the scheme in lower case', withToken('bearer <token>'), 200],
  ['no scheme', withToken('<token>'), 401, 'unauthorized'],
  ['Basic', withToken('Basic YW5hOnNlY3JldA=='), 401, 'unauthorized'],
  ['two headers', withToken('Bearer <token>\r\nAuthorization: Bearer <token>'), 400, 'malformed_http'],
  ['two headers in other letter case', withToken('Bearer <token>\r\nauthorization: x'), 400, 'malformed_http'],
  [
    'two headers of that length',
    withToken('Bearer <token>\r\nCache-Control: no-cache\r\nCache-Control: no-store'),
    200,
  ],
  ['two in one', withToken('Bearer <token>, Bearer <token>'), 401, 'unauthorized'],
  ['one with something behind', withToken('Bearer <token> x'), 401, 'unauthorized'],
  ['one in the query', get('/api/v1/deals?access_token=<token>', HOST), 401, 'unauthorized'],
  ['a JWT', withToken('Bearer eyJhbGciOiJub25lIn0.eyJvcmciOiIxIn0.'), 401, 'unauthorized'],
  ['v4.public and nothing', withToken('Bearer v4.public.'), 401, 'unauthorized'],
  ['v4.public garbage', withToken('Bearer v4.public.AAAA.AAAA'), 401, 'unauthorized'],
  ['v4.public of 64 bytes', withToken(`Bearer v4.public.${'A'.repeat(86)}.e30`), 401, 'unauthorized'],
  ['v4.local', withToken('Bearer <local>'), 401, 'unauthorized'],
  ['v2.public', withToken('Bearer <v2>'), 401, 'unauthorized'],
  ['a tampered signature', withToken('Bearer <signature>'), 401, 'unauthorized'],
  ['a tampered payload', withToken('Bearer <payload>'), 401, 'unauthorized'],
  ['a footer with an unknown key', withToken('Bearer <unknownKid>'), 401, 'unauthorized'],
  ['a footer with a path', withToken('Bearer <pathKid>'), 401, 'unauthorized'],
  ['no footer', withToken('Bearer <noFooter>'), 401, 'unauthorized'],
  ['one of another installation', withToken('Bearer <foreign>'), 401, 'unauthorized'],
  ['an expired one', withToken('Bearer <expired>'), 401, 'unauthorized'],
  ['one of 3,000 bytes', withToken(`Bearer v4.public.${'A'.repeat(3000)}.e30`), 401, 'unauthorized'],
  ['one of 1,000,000 bytes', withToken(`Bearer ${'A'.repeat(1_000_000)}`), 431, 'headers_too_large'],
]

const QUERIES: Case[] = [
  ['half an escape', get('/api/v1/deals?limit=%2'), 400, 'invalid_query'],
  ['an escape that is none', get('/api/v1/deals?limit=%zz'), 400, 'invalid_query'],
  ['escapes that are no UTF-8', get('/api/v1/deals?currency=%ff'), 400, 'invalid_query'],
  ['half a surrogate pair', get('/api/v1/deals?currency=%ed%a0%80'), 400, 'invalid_query'],
  ['NUL', get('/api/v1/deals?currency=%00'), 400, 'invalid_query'],
  ['no name', get('/api/v1/deals?=5'), 400, 'invalid_query'],
  ['an unknown name', get('/api/v1/deals?limits=5'), 400, 'invalid_query'],
  ['a name in other letter case', get('/api/v1/deals?Limit=5'), 400, 'invalid_query'],
  ['a name that every object has', get('/api/v1/deals?__proto__=5'), 400, 'invalid_query'],
  ['a parameter twice', get('/api/v1/deals?limit=5&limit=5'), 400, 'invalid_query'],
  ['a parameter twice, once escaped', get('/api/v1/deals?limit=5&%6Cimit=5'), 400, 'invalid_query'],
  ['ampersands only', get('/api/v1/deals?&&'), 200],
  ['a limit of 0', get('/api/v1/deals?limit=0'), 400, 'invalid_query'],
  ['a limit of 101', get('/api/v1/deals?limit=101'), 400, 'invalid_query'],
  ['a negative limit', get('/api/v1/deals?limit=-1'), 400, 'invalid_query'],
  ['a limit with an exponent', get('/api/v1/deals?limit=1e1'), 400, 'invalid_query'],
  ['a limit without a value', get('/api/v1/deals?limit'), 400, 'invalid_query'],
  ['an unknown operator', get('/api/v1/deals?amount[like]=5'), 400, 'invalid_query'],
  ['an empty operator', get('/api/v1/deals?amount[]=5'), 400, 'invalid_query'],
  ['an open bracket', get('/api/v1/deals?amount[gte=5'), 400, 'invalid_query'],
  ['an operator that does not fit', get('/api/v1/deals?stage[gte]=5'), 400, 'invalid_query'],
  ['an amount that is none', get('/api/v1/deals?amount[gte]=much'), 400, 'invalid_query'],
  ['an id that is none', get('/api/v1/deals?stage=first'), 400, 'invalid_query'],
  ['a time that is none', get('/api/v1/deals?created_at[lt]=yesterday'), 400, 'invalid_query'],
  ['an unknown sort', get('/api/v1/deals?sort=size'), 400, 'invalid_query'],
  ['a sort with two signs', get('/api/v1/deals?sort=--title'), 400, 'invalid_query'],
  ['count that is no flag', get('/api/v1/deals?count=1'), 400, 'invalid_query'],
  ['an empty cursor', get('/api/v1/deals?cursor='), 400, 'invalid_cursor'],
  ['a cursor that is none', get('/api/v1/deals?cursor=next'), 400, 'invalid_cursor'],
  ['a parameter where none is taken', get('/api/v1/deals/1?limit=5'), 400, 'invalid_query'],
]

const GROUPS: [string, Case[]][] = [
  ['the request line', REQUEST_LINES],
  ['the method', METHODS],
  ['the target', TARGETS],
  ['the headers', HEADERS],
  ['the framing of the body', FRAMING],
  ['the media type', MEDIA],
  ['the body', BODIES],
  ['the idempotency key', KEYS],
  ['the token', TOKENS],
  ['the query', QUERIES],
]

for (const [group, cases] of GROUPS) {
  describe(group, () => {
    for (const [name, bytes, status, code, options] of cases) {
      test(`${name}: ${status}`, async () => {
        const request = bytes.replace(/<(\w+)>/g, (_, key: string) => placeholders[key] as string)
        const answer = await sendRaw(server.url, request, options)
        assert.equal(answer.status, status, answer.body)
        checkHeaders(answer.headers)
        if (status < 400) return
        const problem = JSON.parse(answer.body)
        assert.equal(answer.headers['content-type'], 'application/problem+json')
        assert.equal(problem.code, code)
        assert.equal(problem.type, `urn:dealbox:problem:${code}`)
        assert.equal(problem.status, status)
        assert.equal(problem.request_id, answer.headers['x-request-id'])
        assert.ok(problem.title && problem.detail)
        if (status === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer')
        if (status === 405) assert.equal(answer.headers.allow, 'HEAD, GET, POST, OPTIONS')
        if (['malformed_http', 'uri_too_long', 'headers_too_large', 'body_too_large'].includes(code as string))
          assert.equal(answer.headers.connection, 'close')
      })
    }
  })
}

function checkHeaders(headers: Record<string, string>): void {
  assert.match(headers['x-request-id'] as string, /^[A-Za-z0-9_-]{1,64}$/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['cache-control'], 'private, no-cache')
  assert.equal(headers['content-security-policy'], "default-src 'none'")
  assert.ok(headers.date)
  assert.ok(!('server' in headers) && !('x-powered-by' in headers))
}

describe('after all of it', () => {
  test('the server still serves', async () => {
    const { status, body } = await sendRaw(server.url, get('/api/v1/deals').replace('<token>', server.a.token))
    assert.equal(status, 200)
    const made = GROUPS.flatMap(([, cases]) => cases).filter(([, , , code]) => code === CREATED)
    assert.equal(JSON.parse(body).data.length, made.length, 'only what was answered with 201 is there')
  })

  test('no connection is left open', async () => {
    const open = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    await becomes(open, 0)
  })
})

test('a client that vanishes, with whatever it has sent so far, takes nothing down', async () => {
  const halves = [
    'GET',
    get('/api/v1/deals'),
    post('{"title":"x"}'),
    post('{"title":"x"}').slice(0, -5),
    'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
    'FETCH / HTTP/1.1\r\n\r\n',
    `${get('/')}\0`,
  ]
  for (const half of halves) {
    for (const waitMs of [0, 5]) {
      const connection = await openRaw(server.url)
      connection.write(half.replace('<token>', server.a.token))
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      reset(connection.socket)
    }
  }
  const { status } = await sendRaw(server.url, get('/api/v1/deals').replace('<token>', server.a.token))
  assert.equal(status, 200)
})

test('a number costs no more than its length, whatever its digits', async () => {
  const spent = startCpuClock()
  const request = post(`{"title":"x","amount":1${'0'.repeat(60_000)}1}`).replace('<token>', server.a.token)
  assert.equal((await sendRaw(server.url, request)).status, 422)
  assert.ok(spent() < 1000)
})
