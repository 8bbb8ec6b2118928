import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { passingReader, recordingPrimary, type Seen } from '../support/passing.ts'
import { openRaw, type RawConnection } from '../support/raw.ts'
import { examples, seedOf } from '../support/seed.ts'
import { SHAPES } from './smuggling-shapes.ts'

// A reader between clients and the primary: many clients write at random, over connections that they keep, share among
// several requests at once, or leave in the middle, and strangers beside them try to hide requests. The primary sees what
// was sent, each with its own body and its own sender, and each answer reaches who asked.

const SEED = seedOf(28)
const WALKS = 20
const CLIENTS = 4
const STEPS = 25
const FRAMES = ['length', 'chunks', 'chunks with extensions', 'none'] as const
const METHODS = ['POST', 'PATCH', 'DELETE'] as const
const OPTIONS = ['', 'Connection: keep-alive\r\n', 'Connection: X-Mine\r\nX-Mine: 1\r\n', 'Expect: 100-continue\r\n']

type Dice = (limit: number) => number

/** Even numbers below a limit, the same ones for the same seed. */
function diceOf(seed: string): Dice {
  let count = 0
  return (limit) => Number.parseInt(hash('sha256', `${seed} ${count++}`).slice(0, 12), 16) % limit
}

type Sent = { method: string; body: string; who: string }

test(`clients of a reader, and strangers beside them (seed ${SEED})`, async () => {
  const primary = await recordingPrimary()
  const reader = await passingReader(primary.url)
  try {
    for (let walk = 0; walk < examples(WALKS); walk++) {
      const clients = Array.from({ length: CLIENTS }, (_, n) =>
        client(n % 2 === 0 ? reader.url : reader.screens, `client-${n}`, `${SEED} ${walk} ${n}`),
      )
      const lists = await Promise.all([...clients, stranger([reader.url, reader.screens], `${SEED} ${walk}`)])
      const { seen, broken } = primary.take()
      assert.deepEqual(broken, [])
      const came = seen.map(({ method, body, headers }) => ({ method, body, who: whoOf(headers) }))
      for (const [n, sent] of lists.entries()) {
        const who = n < CLIENTS ? `client-${n}` : 'stranger'
        const own = came.filter((each) => each.who === who)
        assert.deepEqual(own.map(digest), sent.map(digest), `walk ${walk} of seed ${SEED}: ${who}`)
      }
      assert.equal(came.length, lists.flat().length, `walk ${walk} of seed ${SEED}`)
    }
  } finally {
    await reader.stop()
    await primary.stop()
  }
})

/** Their token and their cookie name the same one. */
function whoOf({ authorization, cookie }: Seen['headers']): string {
  const [token, session] = [authorization?.slice('Bearer '.length), String(cookie).slice('dealbox='.length)]
  return token === session ? session : `${token} with the cookie of ${session}`
}

/** Texts of megabytes would fill the screen. */
const digest = ({ method, body, who }: Sent) => `${who} ${method} ${body.length} ${hash('sha256', body).slice(0, 12)}`

/** Writes one batch after the other, and returns what has to arrive, in this order. */
async function client(url: string, who: string, seed: string): Promise<Sent[]> {
  const dice = diceOf(seed)
  const sent: Sent[] = []
  let connection: RawConnection | undefined
  for (let step = 0; step < STEPS; step++) {
    connection ??= await opened(url)
    const batch = Array.from({ length: 1 + dice(3) }, () => request(dice, who))
    const isLeft = dice(8) === 0
    const bytes =
      batch.map(({ text }) => text).join('') + (isLeft ? request(dice, who, 'length').text.slice(0, -1) : '')
    const before = connection.answers.length
    await inPieces(connection, bytes, dice)
    const answers = (await connection.answered(before + batch.length)).slice(before)
    assert.deepEqual(
      answers.map(({ body }) => JSON.parse(body)).map((answer) => [answer.who, answer.cookie]),
      batch.map(() => [`Bearer ${who}`, `dealbox=${who}`]),
    )
    sent.push(...batch)
    if (!isLeft && dice(5) > 0) continue
    connection.socket.destroy()
    connection = undefined
  }
  connection?.socket.destroy()
  return sent
}

const headersOf = (who: string) =>
  `Authorization: Bearer ${who}\r\nCookie: dealbox=${who}\r\nSec-Fetch-Site: same-origin\r\n`

function request(dice: Dice, who: string, frame = FRAMES[dice(FRAMES.length)]): Sent & { text: string } {
  const method = METHODS[dice(METHODS.length)] as string
  const body = frame === 'none' ? '' : bodyOf(dice)
  const path = method === 'POST' ? '/api/v1/tags' : '/api/v1/tags/1'
  const options = OPTIONS[frame === 'none' ? dice(3) : dice(OPTIONS.length)]
  const framing =
    frame === 'none' ? '' : frame === 'length' ? `Content-Length: ${body.length}\r\n` : 'Transfer-Encoding: chunked\r\n'
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headersOf(who)}${options}${framing}\r\n`
  const isChunked = frame !== 'none' && frame !== 'length'
  return { method, body, who, text: head + (isChunked ? chunksOf(dice, body, frame) : body) }
}

/** What looks like a request as well, and any bytes up to two packets. */
function bodyOf(dice: Dice): string {
  const shape = SHAPES[dice(SHAPES.length)]?.bytes.replaceAll('AUTH', '') as string
  if (dice(3) > 0) return shape
  return String.fromCharCode(...Array.from({ length: 16 }, () => dice(256))).repeat(dice(dice(2) ? 16 : 8192) + 1)
}

function chunksOf(dice: Dice, body: string, frame: string | undefined): string {
  let text = ''
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + 1 + dice(dice(2) ? 64 : 65_536))
    text += `${chunk.length.toString(16)}${frame === 'chunks' ? '' : `;x=${dice(100)}`}\r\n${chunk}\r\n`
    at += chunk.length
  }
  return `${text}0\r\n${dice(2) ? 'X-Forwarded-For: 203.0.113.66\r\n' : ''}\r\n`
}

/** Without the pauses of 40 ms between small pieces. */
async function opened(url: string): Promise<RawConnection> {
  const connection = await openRaw(url)
  connection.socket.setNoDelay(true)
  return connection
}

async function inPieces(connection: RawConnection, bytes: string, dice: Dice): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + dice(bytes.length)
    connection.write(bytes.slice(at, end))
    at = end
    await turn()
  }
}

async function stranger(urls: string[], seed: string): Promise<Sent[]> {
  const dice = diceOf(seed)
  const sent: Sent[] = []
  for (let step = 0; step < STEPS; step++) {
    const { bytes, bodies, is, isCut, method = 'POST' } = SHAPES[dice(SHAPES.length)]!
    const connection = await opened(urls[dice(urls.length)] as string)
    await inPieces(connection, bytes.replaceAll('AUTH', headersOf('stranger')), dice)
    if (isCut) connection.socket.end()
    await (isCut ? connection.closed : connection.answered(bodies.length))
    connection.socket.destroy()
    if (is === 'taken') sent.push(...bodies.map((body) => ({ method, body, who: 'stranger' })))
  }
  return sent
}
