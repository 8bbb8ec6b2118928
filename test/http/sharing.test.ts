import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Access } from '../../src/auth/access.ts'
import { cursors } from '../../src/http/cursor.ts'
import { pollAnswers } from '../../src/http/poll.ts'
import type { PollRoute } from '../../src/http/route.ts'
import { type CommitWaiters, commitWaiters } from '../../src/http/waiting.ts'

// What requests of one turn of the event loop may share, and when waiting requests look again.

const LONG_MS = 3_600_000

let commit: () => void
let room: CommitWaiters
let stopping: AbortController

beforeEach(() => {
  commit = () => undefined
  stopping = new AbortController()
  room = commitWaiters((listener) => {
    commit = listener
    return () => undefined
  }, stopping.signal)
})

const response = () =>
  Object.assign(new EventEmitter(), {
    destroyed: false,
    req: { socket: new EventEmitter(), headers: {} },
  }) as unknown as ServerResponse & EventEmitter

describe('the waiting room', () => {
  test('asks 64 streams in a turn of the event loop for their newest, and all in the end', async () => {
    const asked: number[] = []
    for (let n = 0; n < 200; n++) {
      const newest = () => {
        asked.push(n)
        return 0
      }
      room.until({ key: String(n), newest }, () => undefined, LONG_MS, response())
    }
    asked.length = 0
    commit()
    let most = 0
    for (let before = 0; before < 200; ) {
      await nextTurn()
      most = Math.max(most, asked.length - before)
      before = asked.length
    }
    await nextTurn()
    assert.deepEqual([most, asked.length, new Set(asked).size], [64, 200, 200])
    stopping.abort()
  })

  test('takes two looks in a turn in which a connection came, so that the next one soon does', async () => {
    const accepted = diagnostics.channel('net.server.socket')
    let looks = 0
    for (let n = 0; n < 200; n++) {
      room.until({ key: String(n), newest: () => looks++ }, () => undefined, LONG_MS, response())
    }
    looks = 0
    commit()
    accepted.publish({})
    await nextTurn()
    assert.equal(looks, 2)
    accepted.publish({})
    await nextTurn()
    assert.equal(looks, 4)
    await nextTurn()
    assert.equal(looks, 4 + 64)
    stopping.abort()
    assert.equal(accepted.hasSubscribers, false)
  })

  test('answers one or two in such a turn', async () => {
    const accepted = diagnostics.channel('net.server.socket')
    let newest = 0
    let looks = 0
    for (let n = 0; n < 200; n++) {
      room.until({ key: 'one', newest: () => newest }, () => void looks++, LONG_MS, response())
    }
    looks = 0
    newest++
    commit()
    for (const expected of [1, 3]) {
      accepted.publish({})
      await nextTurn()
      assert.equal(looks, expected)
    }
    stopping.abort()
  })

  test('looks once for each change of a stream, however many commits come', async () => {
    let newest = 1
    let looks = 0
    room.until({ key: 'a', newest: () => newest }, () => void looks++, LONG_MS, response())
    assert.equal(looks, 1)
    for (const [next, expected] of [
      [1, 1],
      [2, 2],
      [2, 2],
      [3, 3],
    ] as const) {
      newest = next
      commit()
      commit()
      await nextTurn()
      await nextTurn()
      assert.equal(looks, expected)
    }
    stopping.abort()
  })

  test('lets those who wait find out what is wrong with a stream', async () => {
    let isBroken = false
    const fail = () => {
      if (isBroken) throw new Error('broken')
    }
    const waited = room.until({ key: 'a', newest: fail }, fail, LONG_MS, response())
    isBroken = true
    commit()
    await assert.rejects(waited, /broken/)
    assert.equal(room.size(), 0)
  })

  test('has nobody look who has left, and asks nothing of a stream that nobody waits for', async () => {
    let newest = 1
    let looks = 0
    let asked = 0
    const awaited = (key: string) => ({
      key,
      newest: () => {
        if (key === 'left') asked++
        return newest
      },
    })
    const gone = response()
    room.until(awaited('a'), () => undefined, LONG_MS, response())
    for (let n = 0; n < 100; n++) room.until(awaited('a'), () => undefined, LONG_MS, response())
    room.until(awaited('a'), () => void looks++, LONG_MS, gone)
    const left = response()
    room.until(awaited('left'), () => undefined, LONG_MS, left)
    left.emit('close')
    asked = 0
    newest = 2
    commit()
    await nextTurn()
    assert.equal(looks, 1, 'its turn has not come')
    gone.emit('close')
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    assert.deepEqual([looks, asked, room.size()], [1, 0, 101])
    stopping.abort()
  })
})

describe('polls of one turn of the event loop', () => {
  let reads: string[]
  let newest: number
  let more: boolean
  let answer: ReturnType<typeof pollAnswers>
  const route = {
    path: '/events',
    patterns: ['*'],
    newest: () => newest,
    read: ({ org }, after) => {
      reads.push(`${org} ${after} ${newest}`)
      return { items: [JSON.stringify(`${org} ${after} ${newest}`)], last: newest, more }
    },
  } as Pick<PollRoute, 'path' | 'patterns' | 'newest' | 'read'> as PollRoute

  beforeEach(() => {
    reads = []
    newest = 5
    more = false
    answer = pollAnswers({ cursors: cursors(Buffer.alloc(32)), waiters: room, reach: () => undefined })
  })

  const ask = async (org: number, query: string) => {
    const session = { who: { org, member: null, scopes: new Set() }, scopeKey: 'all' } as unknown as Access
    const { body, headers } = await answer(route, session, { path: '/events', query, res: response(), seq: newest })
    return { ...JSON.parse(String(body)), link: headers[headers.indexOf('Link') + 1] as string }
  }

  test('share a read where they ask for the same, and in the next turn it is read anew', async () => {
    await Promise.all([ask(1, 'after_seq=1'), ask(1, 'after_seq=1&limit=50'), ask(1, 'after_seq=1&wait=10')])
    assert.deepEqual(reads, ['1 1 5'])
    await nextTurn()
    await ask(1, 'after_seq=1')
    assert.deepEqual(reads, ['1 1 5', '1 1 5'])
  })

  test('share none where organisation or position differ, or something came in between', async () => {
    const asked = [ask(1, 'after_seq=1'), ask(2, 'after_seq=1'), ask(1, 'after_seq=2')]
    newest = 6
    asked.push(ask(1, 'after_seq=1'))
    const given = (await Promise.all(asked)).map(({ data }) => data[0])
    assert.deepEqual(given, ['1 1 5', '2 1 5', '1 2 5', '1 1 6'])
  })

  test('have links of their own to the next page', async () => {
    more = true
    const [one, other] = await Promise.all([ask(1, 'after_seq=1'), ask(1, 'after_seq=1&wait=10')])
    assert.equal(reads.length, 1)
    assert.match(one.link, /after_seq=1&cursor/)
    assert.match(other.link, /after_seq=1&wait=10&cursor/)
  })
})
