import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventStream } from '../../../src/web/data/event-stream.ts'
import { type Message, messageReader } from '../../../src/web/data/sse.ts'
import { type FromHub, hubStream, streamHub, type Tab } from '../../../src/web/data/stream-hub.ts'
import type { Hello, StreamEvent, StreamHandlers } from '../../../src/web/data/stream-types.ts'
import { testTimers } from './support/clients.ts'

// How the stream is read and shared. That it works against the server is in live.test.ts.

const NOW = '2026-11-20T08:36:00.000Z'
const frame = (seq: number): string => `id: ${seq}\ndata: {"seq":${seq},"type":"deal.updated"}\n\n`
const hello = (seq: number): string =>
  `event: hello\ndata: {"seq":${seq},"oldest_seq":1,"build":"b","now":"2026-11-20T08:36:00.000Z","members":[]}\n\n`

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
  stream.open(7)
  last().status(409, true) // another member has signed in
  assert.deepEqual(take(), ['signed out'])
  stream.open(7)
  last().status(409, false) // something in front
  assert.deepEqual(take(), ['down'])
})

/** Tabs of one browser, and the stream that they share. */
function shared() {
  const time = testTimers()
  const opens: number[] = []
  const awake = new Set([time])
  const source = { on: undefined as unknown as StreamHandlers, closed: 0 }
  const hub = streamHub({
    timers: time.timers,
    stream: (on) => {
      source.on = on
      return { open: (after) => opens.push(after), wake: () => undefined, close: () => source.closed++ }
    },
  })
  function tab() {
    const notes = noting()
    const own = testTimers()
    awake.add(own)
    let held: FromHub[] | undefined
    const state = { isDeaf: false, lost: 0 }
    const stream = hubStream(
      {
        timers: own.timers,
        post: (message) => hub.receive(port, JSON.parse(JSON.stringify(message))),
        onLost: () => state.lost++,
      },
      notes.on,
    )
    const port: Tab = {
      send(message: FromHub) {
        if (held) held.push(message)
        else if (!state.isDeaf) stream.receive(message)
      },
    }
    /** Its timers do not run, and what is sent to it waits. */
    function sleep(): void {
      awake.delete(own)
      held = []
    }
    function wakeUp(): void {
      awake.add(own)
      const came = held ?? []
      held = undefined
      for (const message of came) stream.receive(message)
    }
    return { ...notes, stream, state, sleep, wakeUp }
  }
  /** Time passes for the worker and the tabs that are awake. */
  function advance(ms: number): void {
    for (let left = ms; left > 0; left -= 1000) for (const each of awake) each.advance(Math.min(left, 1000))
  }
  const event = (seq: number) => ({ seq }) as StreamEvent
  const hello = (seq: number): Hello => ({ seq, oldest_seq: 1, build: 'b', now: NOW, members: [] })
  return { timers: time.timers, jump: time.advance, advance, opens, source, hub, tab, event, hello }
}

test('all tabs share one stream, and one that comes later gets what it has missed', () => {
  const { opens, source, hub, tab, event, hello } = shared()
  const [one, two] = [tab(), tab()]
  one.stream.open(3)
  source.on.up()
  source.on.hello(hello(3))
  source.on.events([event(4), event(5)])
  source.on.notice({ kind: 'presence', present: [{ tab: 'x' }] })
  two.stream.open(4)
  assert.deepEqual(opens, [3])
  assert.deepEqual(one.take(), ['up', 'hello 3', [4, 5], 'presence'])
  assert.deepEqual(two.take(), ['up', [5], 'hello 3', 'presence'])
  source.on.events([event(6)])
  assert.deepEqual([one.take(), two.take()], [[[6]], [[6]]])

  const early = tab()
  early.stream.open(1)
  assert.deepEqual(opens, [3, 1], 'for a tab that needs older events the stream begins there')
  source.on.events([2, 3, 4, 5, 6, 7].map(event))
  assert.deepEqual([one.take(), early.take()], [[[7]], [[2, 3, 4, 5, 6, 7]]], 'each tab gets what it does not have')
  for (const each of [one, two]) each.stream.close()
  assert.deepEqual([hub.size(), source.closed], [1, 0])
  early.stream.close()
  assert.deepEqual([hub.size(), source.closed], [0, 1])
})

test('a tab that comes later is told the time as it is now', () => {
  const { source, tab, advance, hello, timers } = shared()
  tab().stream.open(1)
  source.on.hello(hello(1))
  advance(3_600_000)
  const said: string[] = []
  const late = tab()
  late.on.hello = ({ now }) => said.push(now)
  late.stream.open(1)
  assert.deepEqual(said, [new Date(timers.now()).toISOString()])
})

test('a tab that crashed is forgotten, and the stream ends with the last one', () => {
  const { source, hub, tab, advance } = shared()
  const [crashed, alive] = [tab(), tab()]
  crashed.stream.open(1)
  alive.stream.open(1)
  crashed.sleep()
  advance(170_000)
  assert.equal(hub.size(), 2)
  advance(30_000)
  assert.equal(hub.size(), 1)
  alive.stream.close()
  assert.deepEqual([hub.size(), source.closed], [0, 1])
})

test('tabs that have slept hear all that happened, whichever speaks first', () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const { source, tab, jump, event, hub } = shared()
    const tabs = [tab(), tab()]
    for (const each of tabs) each.stream.open(2)
    source.on.up()
    jump(600_000) // the whole computer slept: no tab could say anything
    for (const each of tabs) each.take()
    for (const index of order) tabs[index]?.stream.wake(false)
    assert.equal(hub.size(), 2, 'the worker has slept, too')
    source.on.events([event(3)])
    source.on.events([event(4)])
    for (const each of tabs) assert.deepEqual(each.take(), [[3], [4]])
  }
})

test('a tab that was asleep while others were awake opens again, from where it was', () => {
  const { source, tab, advance, event, opens, hub } = shared()
  const [asleep, awake] = [tab(), tab()]
  for (const each of [asleep, awake]) each.stream.open(2)
  source.on.up()
  source.on.events([event(3)])
  asleep.sleep()
  advance(100_000)
  source.on.events([event(4)])
  advance(100_000)
  assert.equal(hub.size(), 1, 'it was taken for one that crashed')
  source.on.events([event(5), event(6)])
  asleep.take()
  asleep.wakeUp()
  assert.deepEqual(asleep.take(), [[4]])
  advance(20_000)
  source.on.events([event(7)])
  assert.deepEqual(asleep.take(), ['up', [5, 6], 'presence', [7]])
  assert.deepEqual(opens, [2], 'the stream goes on')
})

test('whoever signs in again, the tabs that waited get all that happened meanwhile', () => {
  const { source, tab, event, opens } = shared()
  const waiting = tab()
  waiting.stream.open(2)
  source.on.up()
  source.on.events([event(3)])
  source.on.signedOut()
  const later = tab()
  later.stream.open(6) // its page was read after that
  assert.deepEqual(opens, [2, 3])
  waiting.take()
  source.on.events([4, 5, 6, 7].map(event))
  assert.deepEqual([waiting.take(), later.take()], [[[4, 5, 6, 7]], [[7]]])
})

test('after a reset each tab opens with what it has read, and none asks for what is gone', () => {
  const { source, tab, event, opens } = shared()
  const [one, two] = [tab(), tab()]
  for (const each of [one, two]) each.stream.open(2)
  source.on.reset()
  one.stream.open(9)
  two.stream.open(10)
  assert.deepEqual(opens, [2, 9])
  for (const each of [one, two]) each.take()
  source.on.events([event(10), event(11)])
  assert.deepEqual([one.take(), two.take()], [[[10, 11]], [[11]]])
})

test('a worker that no longer answers is noticed', () => {
  const { tab, advance } = shared()
  const one = tab()
  one.stream.open(2)
  advance(600_000)
  assert.equal(one.state.lost, 0)
  one.state.isDeaf = true
  advance(40_000)
  assert.equal(one.state.lost, 1)
})
