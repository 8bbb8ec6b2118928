import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { passingAlone, passingReader, recordingPrimary, type Seen } from '../support/passing.ts'
import { PROXIES } from '../support/proxies.ts'
import { WAIT_MS } from '../support/until.ts'
import { SHAPES, type Shape } from './smuggling-shapes.ts'

// A stranger cannot hide a request in another one: the primary sees the requests that were sent to a reader, and no other,
// also with proxies before and behind the reader.

const home = mkdtempSync(join(tmpdir(), 'dealbox-proxies-'))
after(() => rmSync(home, { recursive: true, force: true }))

/** Where clients ask, and how all of it is stopped, last first. */
type Front = { url: string; stops: (() => Promise<unknown>)[]; isBare?: boolean }
type Start = (primary: string) => Promise<Front>

async function bare(primary: string): Promise<Front> {
  const { url, stop } = await passingReader(primary)
  return { url, stops: [stop], isBare: true }
}

const HONEST = '{"name":"honest"}'
const TOKEN = 'Bearer stranger'
/** Without it, the browser app would refuse writes before anything else. */
const OWN_PAGE = 'Sec-Fetch-Site: same-origin\r\n'
/** Longer than any answer takes. */

corpus('a reader', false, bare)
corpus('a reader of the browser app', false, async (primary) => {
  const { screens, stop } = await passingReader(primary)
  return { url: screens, stops: [stop], isBare: true }
})
/** What a reader checks before, apart from Connection: the names and forms of HTTP. */
const OTHER_CHECKS = ['a whole URL as target', 'two names of the server', 'two tokens', 'HTTP/1.0 in chunks']
const isOther = ({ name }: Shape) => OTHER_CHECKS.includes(name) || name.includes('gzip')
const alone: Start = async (primary) => {
  const { url, stop } = await passingAlone(primary)
  return { url, stops: [stop] }
}
corpus(
  'passing on alone',
  false,
  alone,
  SHAPES.filter((shape) => !isOther(shape)),
)
for (const { name, version, start } of PROXIES) {
  const skip = version === undefined && `there is no ${name}`
  corpus(`${name} before a reader`, skip, async (primary) => {
    const reader = await passingReader(primary, { trust: '127.0.0.1' })
    const proxy = await start(join(home, `${name}-before`), reader.url)
    return { url: proxy.url, stops: [proxy.stop, reader.stop] }
  })
  corpus(`a reader before ${name}`, skip, async (primary) => {
    const proxy = await start(join(home, `${name}-behind`), primary)
    const { url, stops } = await bare(proxy.url)
    return { url, stops: [...stops, proxy.stop] }
  })
}

function corpus(where: string, skip: string | false, start: Start, shapes = SHAPES): void {
  describe(where, { skip }, () => {
    let primary: Awaited<ReturnType<typeof recordingPrimary>>
    let front: Front
    before(async () => {
      primary = await recordingPrimary()
      front = await start(primary.url)
      primary.take()
    })
    after(async () => {
      for (const stop of front?.stops ?? []) await stop()
      await primary?.stop()
    })

    for (const shape of shapes)
      test(shape.name, async () => {
        await exchange(front.url, shape)
        await sendHonest(front.url)
        const { seen, broken } = primary.take()
        assert.deepEqual(broken, [])
        for (const each of seen) checkHeaders(each)
        const honest = seen.pop()
        assert.deepEqual(honest && shown(honest), { ...POST, body: HONEST, who: 'Bearer honest' })
        const sent = shape.bodies.map((body) => ({ ...POST, ...given(shape), body, who: TOKEN }))
        const expected = front.isBare ? (shape.is === 'taken' ? sent : []) : seen.length === 0 ? [] : sent
        // A proxy drops what Connection names; a request without who asks is refused by the primary.
        assert.deepEqual(
          seen.map(shown),
          expected.map((each) => (isNamed(seen[0]) ? each : { ...each, who: undefined })),
        )
      })
  })
}

const POST = { method: 'POST', url: '/api/v1/tags', from: '127.0.0.1' }
const given = ({ method = POST.method, url = POST.url }: Shape) => ({ method, url })

const isNamed = (seen: Seen | undefined): boolean => seen?.headers.authorization !== undefined

/** What a stranger would change. */
const shown = ({ method, url, body, headers }: Seen) => ({
  ...{ method, url, body, who: headers.authorization, from: headers['x-forwarded-for'] },
})

/** The next server has to understand the request in the same way as any other. */
function checkHeaders({ raw, trailers }: Seen): void {
  const all = (name: string) => raw.filter((each) => each[0] === name)
  const framing = [...all('content-length'), ...all('transfer-encoding')]
  assert.ok(framing.length <= 1, JSON.stringify(framing))
  for (const name of ['host', 'x-forwarded-for']) assert.equal(all(name).length, 1, name)
  assert.ok(all('authorization').length <= 1)
  assert.deepEqual({ ...trailers }, {})
}

/** Sends the bytes, and waits for all answers to them, or until the server closes. */
async function exchange(url: string, { bytes, bodies, is, isCut }: Shape): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const patience = setTimeout(() => socket.destroy(new Error('no answer')), WAIT_MS)
  const closed = once(socket, 'close')
  socket.on('error', () => undefined)
  socket.on('end', () => socket.destroy())
  let text = ''
  const answers = is === 'taken' ? bodies.length : 1
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1')
    if ((text.match(/HTTP\/1\.1 [2-5]\d\d /g) ?? []).length >= answers && !isCut) socket.destroy()
  })
  socket.write(bytes.replaceAll('AUTH', `Authorization: ${TOKEN}\r\n${OWN_PAGE}`), 'latin1')
  if (isCut) socket.end()
  await closed
  clearTimeout(patience)
}

const POST_HEADERS = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', host: 'x' }

async function sendHonest(url: string): Promise<void> {
  const headers = { ...POST_HEADERS, authorization: 'Bearer honest' }
  const answer = await fetch(`${url}${POST.url}`, { method: 'POST', headers, body: HONEST })
  assert.deepEqual([answer.status, ((await answer.json()) as { who: string }).who], [200, 'Bearer honest'])
}
