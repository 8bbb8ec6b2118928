import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventStream } from '../../../src/web/data/event-stream.ts'
import { type Message, messageReader } from '../../../src/web/data/sse.ts'
import { type FromHub, hubStream, streamHub, type Tab } from '../../../src/web/data/stream-hub.ts'
import type { StreamEvent, StreamHandlers } from '../../../src/web/data/stream-types.ts'
import { testTimers } from './support/clients.ts'

// How the stream is read and shared. That it works against the server is in live.test.ts.

const frame = (seq: number): string => `id: ${seq}\ndata: {"seq":${seq},"type":"deal.updated"}\n\n`
const hello = (seq: number): string => `event: hello\ndata: {"seq":${seq},"oldest_seq":1,"build":"b","members":[]}\n\n`

/** Notes what comes, in order. */
function noting() {
  const came: unknown[] = []
  const on: StreamHandlers = {
    hello: ({ seq }) => came.push(`hello ${seq}`),
    events: (events) => came.push(events.map(({ seq }) => seq)),
    notice: ({ kind }) => came.push(kind),
    reset: () => came.push('reset'),
    signedOut: () => came.push('signed out'),
    up: () => came.push('up'),
    down: () => came.push('down'),
  }
  return { came, on, take: () => came.splice(0) }
}

function opened() {
  const time = testTimers()
  const notes = noting()
  const lines: { path: string; status(status: number, isOwn: boolean): void; text(text: string): void; end(): void }[] =
    []
  const stream = eventStream(
    {
      timers: time.timers,
      random: () => 1,
      openConnection: (path, on) => {
        lines.push({ path, ...on })
        return { close: () => undefined }
      },
    },
    notes.on,
  )
  const last = () => lines.at(-1) as (typeof lines)[number]
  return { ...notes, ...time, stream, lines, last }
}

test('messages are the same however their text is cut', () => {
  const text = ': hi\n\nevent: hello\r\ndata: {"a":1}\r\n\r\ndata: one\ndata:two\n\nid: 5\n\ndata: "ü"\n\n'
  const expected = [
    { event: 'hello', data: '{"a":1}' },
    { event: 'message', data: 'one\ntwo' },
    { event: 'message', data: '"ü"' },
  ]
  for (let cut = 0; cut <= text.length; cut++) {
    const found: Message[] = []
    const read = messageReader((message) => found.push(message))
    read(text.slice(0, cut))
    read(text.slice(cut))
    assert.deepEqual(found, expected)
  }
})

test('an event that comes twice counts once, and a lost stream goes on from the last one', () => {
  const { stream, take, last, lines, advance } = opened()
  stream.open(4)
  assert.equal(last().path, '/app/stream?after=4')
  last().text(`${hello(6)}${frame(5)}${frame(5)}${frame(6)}`)
  last().text(frame(6))
  assert.deepEqual(take(), ['up', 'hello 6', [5, 6]])
  last().end()
  assert.deepEqual(take(), ['down'])
  advance(500)
  assert.equal(last().path, '/app/stream?after=6')
  last().end()
  advance(999)
  assert.equal(lines.length, 2)
  advance(1)
  assert.equal(lines.length, 3)
})

test('a page that wakes up opens the stream again only if it has missed a comment', () => {
  const { stream, last, lines, advance } = opened()
  stream.open(0)
  last().text(hello(0))
  advance(16_000)
  stream.wake(false)
  assert.equal(lines.length, 1)
  advance(2000)
  stream.wake(false)
  assert.equal(lines.length, 2)
  last().text(hello(0))
  stream.wake(true)
  assert.equal(lines.length, 3)
})

test('what a closed connection still says does not count, and a session that has ended closes it', () => {
  const { stream, take, last, lines, advance } = opened()
  stream.open(0)
  const old = last()
  stream.open(7)
  old.text(frame(8))
  old.end()
  assert.deepEqual(take(), [])
  last().text(`event: notice\ndata: {"kind":"view"}\n\nevent: notice\ndata: {"kind":"signed_out"}\n\n${frame(9)}`)
  assert.deepEqual(take(), ['view', 'signed out'])
  advance(60_000)
  assert.equal(lines.length, 2)
  stream.open(7)
  last().status(401, true)
  assert.deepEqual(take(), ['signed out'])
})

test('all tabs share one stream, and one that comes later gets what it has missed', () => {
  const time = testTimers()
  let on: StreamHandlers | undefined
  const opens: number[] = []
  let isClosed = false
  const hub = streamHub({
    timers: time.timers,
    stream: (given) => {
      on = given
      return { open: (after) => opens.push(after), wake: () => undefined, close: () => (isClosed = true) }
    },
  })
  function tab(member = 'ana') {
    const notes = noting()
    const stream = hubStream(
      { member, timers: time.timers, post: (message) => hub.receive(port, JSON.parse(JSON.stringify(message))) },
      notes.on,
    )
    const port: Tab = { send: (message: FromHub) => stream.receive(message) }
    return { ...notes, stream }
  }
  const event = (seq: number) => ({ seq }) as StreamEvent
  const [one, two] = [tab(), tab()]
  one.stream.open(3)
  on?.up()
  on?.hello({ seq: 3, oldest_seq: 1, build: 'b', members: [] })
  on?.events([event(4), event(5)])
  on?.notice({ kind: 'presence', present: [{ tab: 'x' }] })
  two.stream.open(4)
  assert.deepEqual(opens, [3])
  assert.deepEqual(one.take(), ['up', 'hello 3', [4, 5], 'presence'])
  assert.deepEqual(two.take(), ['up', [5], 'hello 3', 'presence'])
  on?.events([event(6)])
  assert.deepEqual([one.take(), two.take()], [[[6]], [[6]]])

  const early = tab()
  early.stream.open(1)
  assert.deepEqual(opens, [3, 1], 'for a tab that needs older events the stream begins there')
  tab('ben').stream.open(6)
  assert.deepEqual([opens, isClosed], [[3, 1, 6], true], 'another member has another stream')
  assert.equal(hub.size(), 4)
  isClosed = false
  time.advance(170_000)
  assert.equal(hub.size(), 4)
  for (const each of [one, two, early]) each.stream.close()
  assert.deepEqual([hub.size(), isClosed], [1, false])
})
