// Requests whose end two servers may see in different places, and requests that take away what the next server needs.

/** What a server must not take for a request: a part of a body. With a sender that it invents. */
export const HIDDEN =
  'POST /api/v1/hidden HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.66\r\nContent-Length: 400\r\n\r\n{"note":"'

export type Shape = {
  name: string
  /** With AUTH for what tells who asks. */
  bytes: string
  /** The bodies that arrive at the primary if the request is taken. */
  bodies: string[]
  method?: string
  url?: string
  /** What a reader does. A proxy may refuse what a reader takes, or mend what it refuses. */
  is: 'taken' | 'refused'
  /** Whether the client closes its side after the last byte. */
  isCut?: boolean
}

const HOST = 'Host: api.crm.example.com\r\n'
const TYPE = 'Content-Type: application/json\r\n'
const URL = '/api/v1/tags'
const RECORD = '/api/v1/tags/1'
const length = (body: string) => `Content-Length: ${body.length}\r\n`
const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const chunk = (bytes: string, extension = '') => `${bytes.length.toString(16)}${extension}\r\n${bytes}\r\n`
const END = '0\r\n\r\n'
const BODY = '{"name":"x"}'
const TRAILER = 'Trailer: Host, Authorization, X-Forwarded-For\r\n'
const TRAILERS = 'Host: x\r\nAuthorization: Bearer x\r\nX-Forwarded-For: 203.0.113.66\r\n'
const ODD = `/api/v1/tags/1?q='%2F..//a|b"\\`
const MANY = 'a:\r\n'.repeat(2100)

const request = (line: string, headers: string, body: string, host = HOST) =>
  `${line}\r\n${host}AUTH${TYPE}${headers}\r\n${body}`
const post = (headers: string, body: string, host = HOST) => request(`POST ${URL} HTTP/1.1`, headers, body, host)
const remove = (headers: string, body: string) => request(`DELETE ${RECORD} HTTP/1.1`, headers, body)

const taken = (name: string, bytes: string, ...bodies: string[]): Shape => ({ name, bytes, bodies, is: 'taken' })
const DELETE = { method: 'DELETE', url: RECORD }
const removed = (name: string, headers: string, sent: string, body: string): Shape => ({
  ...taken(name, remove(headers, sent), body),
  ...DELETE,
})
/** `body` is what arrives if a proxy takes it all the same. */
const refused = (name: string, bytes: string, body = HIDDEN): Shape => ({ name, bytes, bodies: [body], is: 'refused' })
/** Connection names a header that the next server needs. */
const named = (options: string, headers = '', name = `Connection: ${options}`): Shape => ({
  ...refused(name, remove(`Connection: ${options}\r\n${headers}${length(HIDDEN)}`, HIDDEN)),
  ...DELETE,
})

export const SHAPES: readonly Shape[] = [
  removed('DELETE with a body', length(HIDDEN), HIDDEN, HIDDEN),
  removed('DELETE with a body in chunks', CHUNKED, chunk(HIDDEN) + END, HIDDEN),
  removed('DELETE without a body', '', '', ''),
  removed('DELETE with an empty body', 'Content-Length: 0\r\n', '', ''),
  removed('DELETE with no chunks', CHUNKED, END, ''),
  removed('DELETE with the length behind 2,100 headers', MANY + length(HIDDEN), HIDDEN, HIDDEN),
  removed('DELETE with its chunks announced behind 2,100 headers', MANY + CHUNKED, chunk(HIDDEN) + END, HIDDEN),
  taken('POST with a body', post(length(HIDDEN), HIDDEN), HIDDEN),
  taken('POST in chunks', post(CHUNKED, chunk(BODY) + chunk(HIDDEN) + END), BODY + HIDDEN),
  taken('POST with a chunk for each byte', post(CHUNKED, [...BODY].map((byte) => chunk(byte)).join('') + END), BODY),
  taken('POST without a body', post('', ''), ''),
  taken('POST with no chunks', post(CHUNKED, END), ''),
  taken('POST with every byte', post(length(ALL_BYTES()), ALL_BYTES()), ALL_BYTES()),
  taken('chunk extensions', post(CHUNKED, chunk(HIDDEN, ';a=b;c="d"') + END), HIDDEN),
  taken('trailers with a sender', post(TRAILER + CHUNKED, `${chunk(HIDDEN)}0\r\n${TRAILERS}\r\n`), HIDDEN),
  taken('two requests at once', post(length(BODY), BODY) + post(length(HIDDEN), HIDDEN), BODY, HIDDEN),
  taken('names in capitals', post(`CONTENT-LENGTH: ${HIDDEN.length}\r\n`, HIDDEN), HIDDEN),
  taken('a coding in capitals', post('TRANSFER-ENCODING: CHUNKED\r\n', chunk(HIDDEN) + END), HIDDEN),
  taken('zeros before the length', post(`Content-Length: 000${HIDDEN.length}\r\n`, HIDDEN), HIDDEN),
  taken('spaces around the length', post(`Content-Length:  \t${HIDDEN.length} \r\n`, HIDDEN), HIDDEN),
  taken(
    'a length with an underscore beside the true one',
    post(`Content_Length: 3\r\n${length(HIDDEN)}`, HIDDEN),
    HIDDEN,
  ),
  taken('a coding with an underscore', post(`Transfer_Encoding: chunked\r\n${length(HIDDEN)}`, HIDDEN), HIDDEN),
  taken('Connection: close', post(`Connection: close\r\n${length(HIDDEN)}`, HIDDEN), HIDDEN),
  taken(
    'Connection: keep-alive and its own header',
    post(`Connection: Keep-Alive, X-Mine\r\nX-Mine: 1\r\n${length(BODY)}`, BODY),
    BODY,
  ),
  taken('TE', post(`Connection: TE\r\nTE: trailers, deflate\r\n${length(HIDDEN)}`, HIDDEN), HIDDEN),
  taken(
    'Keep-Alive and Proxy-Connection',
    post(`Keep-Alive: timeout=1\r\nProxy-Connection: close\r\n${length(BODY)}`, BODY),
    BODY,
  ),
  taken('Expect', post(`Expect: 100-continue\r\n${length(HIDDEN)}`, HIDDEN), HIDDEN),
  taken('a whole URL as target', request(`POST http://api.crm.example.com${URL} HTTP/1.1`, length(BODY), BODY), BODY),
  {
    ...taken('a path and a query as they are', request(`DELETE ${ODD} HTTP/1.1`, length(BODY), BODY), BODY),
    method: 'DELETE',
    url: ODD,
  },
  taken(
    'a sender that the client invents',
    post(
      `X-Forwarded-For: 203.0.113.66\r\nX-Forwarded-For: 203.0.113.67\r\nForwarded: for=203.0.113.66\r\n${length(BODY)}`,
      BODY,
    ),
    BODY,
  ),
  taken(
    'an upgrade with a body',
    post(`Connection: Upgrade\r\nUpgrade: websocket\r\n${length(HIDDEN)}`, HIDDEN),
    HIDDEN,
  ),
  named('content-length'),
  named(' keep-alive ,\tCONTENT-LENGTH'),
  named('close, content-length'),
  named('close', 'X: 1\r\nConnection: content-length\r\n', 'a second Connection names the length'),
  named('close', `${MANY}Connection: content-length\r\n`, 'a Connection behind 2,100 headers names the length'),
  named('transfer-encoding'),
  named('host'),
  named('authorization'),
  named('cookie', 'Cookie: a=b\r\n'),
  named('content-type'),
  named('x-forwarded-for'),
  named('X-Forwarded-Host', 'X-Forwarded-Host: evil.example\r\n'),
  named('forwarded'),
  named('dealbox-passed-on'),
  named('origin'),
  named('sec-fetch-site', 'Sec-Fetch-Site: cross-site\r\n'),
  named('if-match'),
  named('idempotency-key'),
  refused('a length and a coding', post(length(HIDDEN) + CHUNKED, END + HIDDEN), ''),
  refused('a coding and a length', post(CHUNKED + length(HIDDEN), END + HIDDEN), ''),
  refused('a length in a trailer', post(CHUNKED, `${chunk(HIDDEN)}0\r\nContent-Length: 5\r\n\r\n`)),
  refused('two lengths', post(`Content-Length: 0\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('two lengths that are the same', post(length(HIDDEN) + length(HIDDEN), HIDDEN)),
  ...['5, 5', '-1', '+5', '0x5', '', '5 5', '1e1', '18446744073709551617'].map((value) =>
    refused(`Content-Length: ${value}`, post(`Content-Length: ${value}\r\n`, `01234${HIDDEN}`), ''),
  ),
  ...[
    'gzip, chunked',
    'identity',
    'chunked, chunked',
    'chunked, identity',
    'xchunked',
    '\x0bchunked',
    '"chunked"',
    '',
  ].map((value) =>
    refused(`Transfer-Encoding: ${JSON.stringify(value)}`, post(`Transfer-Encoding: ${value}\r\n`, END + HIDDEN)),
  ),
  refused('two codings', post(`${CHUNKED}Transfer-Encoding: identity\r\n`, END + HIDDEN)),
  refused('a space before the colon', post(`Transfer-Encoding : chunked\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('a folded header', post(`X: 1\r\n Transfer-Encoding: chunked\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('a line that ends by CR only', post(`X: 1\rTransfer-Encoding: chunked\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('a NUL in a header', post(`X: 1\0\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('a header without a name', post(`: 1\r\n${length(HIDDEN)}`, HIDDEN)),
  refused('a line that is no header', post(`Content-Length\r\n${length(HIDDEN)}`, HIDDEN)),
  ...['-5', '0x5', '5 5', 'g', '', 'fffffffffffffffff'].map((size) =>
    refused(`a chunk of ${JSON.stringify(size)}`, post(CHUNKED, `${size}\r\n01234\r\n${END}${HIDDEN}`), '01234'),
  ),
  refused('a chunk that is longer than it says', post(CHUNKED, `3\r\n01234\r\n${END}${HIDDEN}`)),
  refused('a chunk that ends by LF only', post(CHUNKED, `5\r\n01234\n${END}${HIDDEN}`), '01234'),
  refused('a chunk size that ends by LF only', post(CHUNKED, `5\n01234\r\n${END}${HIDDEN}`), '01234'),
  refused('two names of the server', post(length(BODY), BODY, `${HOST}Host: evil.example\r\n`)),
  refused('no name of the server', post(length(BODY), BODY, '')),
  refused('two tokens', post(`AUTHAuthorization: Bearer x\r\n${length(BODY)}`, BODY)),
  { ...refused('a body that ends early', post('Content-Length: 4000\r\n', HIDDEN)), isCut: true },
  { ...refused('chunks that end early', post(CHUNKED, chunk(HIDDEN))), isCut: true },
  refused('a mark of readers', post(`Dealbox-Passed-On: 1\r\n${length(BODY)}`, BODY)),
  refused('HTTP/1.0 in chunks', request(`POST ${URL} HTTP/1.0`, CHUNKED, chunk(HIDDEN) + END), ''),
  refused('the preface of HTTP/2', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${post(length(HIDDEN), HIDDEN)}`),
]

function ALL_BYTES(): string {
  return String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte))
}
