import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { noteStore } from '../../../src/crm/notes.ts'
import { noticeQueue } from '../../../src/personal/notices.ts'
import { TICK_MS } from '../../../src/site/live/hub.ts'
import type { Org } from '../../support/org.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Reader, readStream } from '../../support/stream.ts'

type Sent = { seq: number; key: string | null; id: string; data: unknown }

let server: TestServer
let screens: Screens
let ana: SignedIn
let open: Reader[] = []
/** The jobs of timers, by their milliseconds. */
const timers = new Map<number, () => void>()
const tick = () => timers.get(TICK_MS)?.()

before(async () => {
  server = await startServer()
  screens = await startScreens(server, {
    every: (ms, job) => {
      timers.set(ms, job)
      return () => timers.delete(ms)
    },
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})
beforeEach(async () => {
  ana = await screens.signedIn('member')
})
afterEach(() => {
  for (const reader of open) reader.close()
  open = []
})

async function streamOf(
  who: SignedIn,
  query = '',
  options: { paused?: boolean; headers?: Record<string, string> } = {},
) {
  const reader = await readStream(
    `${screens.url}/app/stream${query}`,
    { cookie: who.cookie, ...options.headers },
    options,
  )
  open.push(reader)
  return reader
}

/** Writes many deals in one transaction. */
function writeDeals(count: number, title: string, { org, owner }: Org = server.a): void {
  const deals = dealStore(server.deps)
  server.store.transaction(() => {
    for (let index = 0; index < count; index++) deals.create({ org, member: owner }, { title: `${title} ${index}` })
  })
}

const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + 1 + index)

describe('a stream', () => {
  test('begins with the newest seq, the oldest, the build, and who is there', async () => {
    const bea = await screens.signedIn('viewer')
    await streamOf(bea)
    const reader = await streamOf(ana)
    await reader.until(() => reader.messages.length >= 2)
    assert.deepEqual([reader.status, reader.headers['content-type']], [200, 'text/event-stream; charset=utf-8'])
    assert.deepEqual([reader.headers['cache-control'], reader.headers['x-accel-buffering']], ['no-store', 'no'])
    const { build, ...hello } = (reader.messages[0] as { data: Record<string, unknown> }).data
    assert.equal(typeof build, 'string')
    const now = new Date(server.deps.clock.now()).toISOString()
    assert.deepEqual(hello, { seq: server.lastSeq(), oldest_seq: 1, now, members: [bea.id, ana.id] })
    assert.deepEqual(reader.messages[1], { event: 'notice', id: undefined, data: { kind: 'presence', present: [] } })
  })

  test('brings each change as the API has it, with the key of its request', async () => {
    const reader = await streamOf(ana)
    const made = await ana.call('POST', '/api/v1/deals', { title: 'Harbour' }, { 'idempotency-key': 'key-1' })
    const closed = await ana.call('PATCH', `/api/v1/deals/${made.body.id}`, { title: 'Quay' })
    await reader.until(() => reader.events().length === 2)
    const [first, second] = reader.events() as [Sent, Sent]
    const stored = server.events(first.seq - 1)[0]
    assert.deepEqual(first, {
      seq: stored?.seq,
      type: 'deal.created',
      id: first.id,
      at: made.body.created_at,
      actor: { type: 'member', id: ana.id },
      key: 'key-1',
      data: { object: made.body, changed_fields: [], previous: {} },
    })
    assert.deepEqual([second.seq, second.key], [first.seq + 1, null])
    assert.deepEqual(second.data, { object: closed.body, changed_fields: ['title'], previous: { title: 'Harbour' } })
    assert.deepEqual(
      reader.messages.slice(-2).map(({ id }) => Number(id)),
      [first.seq, second.seq],
    )
  })

  test('that was cut goes on after the last event: of 5,000 none is missed, and none comes twice', async () => {
    const from = server.lastSeq()
    const reader = await streamOf(ana, `?after=${from}`)
    writeDeals(1500, 'before')
    await reader.until(() => reader.seqs().length >= 700)
    reader.close()
    const seen = reader.seqs()
    writeDeals(3400, 'meanwhile')
    const again = await streamOf(ana, `?after=${seen.at(-1)}`)
    writeDeals(100, 'after')
    const to = server.lastSeq()
    await again.until(() => again.seqs().at(-1) === to)
    assert.equal(to - from, 5000)
    assert.deepEqual([...seen, ...again.seqs()], upTo(from, to))
  })

  test('goes on after the header of a browser that reconnects by itself', async () => {
    const from = server.lastSeq()
    writeDeals(5, 'reconnected')
    const reader = await streamOf(ana, `?after=${from}`, { headers: { 'last-event-id': String(from + 3) } })
    await reader.until(() => reader.seqs().length === 2)
    assert.deepEqual(reader.seqs(), [from + 4, from + 5])
  })

  test('that many follow brings each of them every event', async () => {
    const from = server.lastSeq()
    const readers = []
    for (let index = 0; index < 90; index++) {
      if (index % 15 === 0) ana = await screens.signedIn('member')
      readers.push(await streamOf(ana, `?after=${from}`))
    }
    for (let round = 0; round < 3; round++) writeDeals(150, `round ${round}`)
    const to = server.lastSeq()
    await Promise.all(readers.map((reader) => reader.until(() => reader.seqs().at(-1) === to)))
    for (const reader of readers) assert.deepEqual(reader.seqs(), upTo(from, to))
  })

  test('of another organisation says nothing', async () => {
    const stranger = await screens.signedIn('owner', server.b)
    const [own, foreign] = [await streamOf(ana), await streamOf(stranger, '?after=0')]
    writeDeals(3, 'secret')
    await own.until(() => own.events().length === 3)
    writeDeals(1, 'theirs', server.b)
    await foreign.until(() => foreign.events().some(({ data }) => data.object.title === 'theirs 0'))
    assert.deepEqual(foreign.seqs(), upTo(0, server.lastSeq(server.b)))
    assert.equal(
      foreign.events().some(({ data }) => /secret/.test(data.object.title)),
      false,
    )
  })

  test('says "reset" where events are gone, or where there are none yet, and ends', async () => {
    const { db } = server.store
    const last = server.lastSeq()
    writeDeals(6, 'kept', server.b)
    db.prepare('DELETE FROM events WHERE org_id = ? AND seq <= 3').run(server.b.org)
    const stranger = await screens.signedIn('owner', server.b)
    for (const [who, query] of [
      [stranger, '?after=0'],
      [stranger, '?after=2'],
      [ana, `?after=${last + 1}`],
    ] as const) {
      const reader = await streamOf(who, query)
      await reader.ended()
      assert.deepEqual(
        reader.messages.map(({ event }) => event),
        ['hello', 'reset'],
        query,
      )
    }
    const whole = await streamOf(stranger, '?after=3')
    await whole.until(() => whole.seqs().length > 0)
    assert.equal(whole.seqs()[0], 4)
  })

  test('refuses a wrong query, and whoever is not signed in', async () => {
    for (const query of ['?after=x', '?after=-1', '?since=3', '?after=1&after=2'])
      assert.deepEqual([(await ana.call('GET', `/app/stream${query}`)).body.code, query], ['invalid_query', query])
    assert.equal((await screens.send('GET', '/app/stream')).body.code, 'signed_out')
  })

  test('is open twenty times for a member, and not once more', async () => {
    const readers: Reader[] = []
    for (let index = 0; index < 20; index++) readers.push(await streamOf(ana))
    const { status, body, headers } = await ana.call('GET', '/app/stream')
    assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'too_many_streams', '30'])
    readers[0]?.close()
    let again = await streamOf(ana)
    while (again.status === 429) again = await streamOf(ana) // until the server has noticed
    assert.equal(again.status, 200)
  })

  test('of an organisation are at most half of what the others leave, unless there are no others', async () => {
    const owners = { a: await screens.signedIn('owner'), b: await screens.signedIn('owner', server.b) }
    const members = { a: [owners.a], b: [owners.b] }
    /** Opens streams of ever new members, until one is refused. */
    async function fill(org: 'a' | 'b', wanted: number): Promise<Reader | undefined> {
      for (let count = 0; count < wanted; count++) {
        if (count % 20 === 0) members[org].push(await screens.signedIn('member', server[org]))
        const reader = await streamOf(members[org].at(-1) as SignedIn)
        if (reader.status !== 200) return reader
      }
      return undefined
    }
    const room = () => open.filter(({ status }) => status === 200).length
    const refused = await fill('a', 501)
    assert.deepEqual([refused?.status, room()], [503, 500])
    const { body } = await owners.a.call('GET', '/app/stream')
    assert.equal(body.code, 'too_many_streams')
    assert.match(body.detail, /^Your organisation has as many open pages as it can.* Close some of them\.$/)
    assert.equal(await fill('b', 250), undefined, 'half of the other half')
    assert.equal((await fill('b', 1))?.status, 503)

    for (const reader of open.splice(0)) reader.close()
    server.store.db.prepare("UPDATE orgs SET state = 'moved', moved_to = 'x' WHERE id = ?").run(server.b.org)
    let again = await fill('a', 1)
    while (again) again = await fill('a', 1) // until the server has noticed
    await fill('a', 501)
    assert.ok(room() > 501)
    server.store.db.prepare("UPDATE orgs SET state = 'open', moved_to = NULL WHERE id = ?").run(server.b.org)
  })

  test('writes a comment at each tick', async () => {
    const reader = await streamOf(ana)
    await reader.until(() => reader.messages.length > 0)
    tick()
    tick()
    await reader.until(() => reader.comments() === 2)
  })
})

describe('a stream ends', () => {
  const signedOut = (reader: Reader) => assert.deepEqual(reader.messages.at(-1)?.data, { kind: 'signed_out' })

  test('before the next event after its session has ended', async () => {
    const reader = await streamOf(ana)
    await reader.until(() => reader.messages.length > 0)
    await ana.call('DELETE', `/app/sessions/${ana.session}`)
    writeDeals(1, 'unseen')
    await reader.ended()
    assert.deepEqual(reader.events(), [])
    signedOut(reader)
  })

  test('at the next tick after its session has ended, expired or got another role', async () => {
    const [bea, cem] = [await screens.signedIn('member'), await screens.signedIn('admin')]
    const [ended, demoted] = [await streamOf(bea), await streamOf(cem)]
    for (const reader of [ended, demoted]) await reader.until(() => reader.messages.length > 0)
    await bea.call('DELETE', `/app/sessions/${bea.session}`)
    server.store.db.prepare("UPDATE members SET role = 'viewer' WHERE org_id = ? AND id = ?").run(server.a.org, cem.id)
    tick()
    for (const reader of [ended, demoted]) {
      await reader.ended()
      signedOut(reader)
    }
    const idle = await streamOf(ana)
    await idle.until(() => idle.messages.length > 0)
    server.advance(13 * 3_600_000)
    tick()
    await idle.ended()
    signedOut(idle)
  })
})

describe('a client that does not read', () => {
  const LARGE = 'x'.repeat(100_000)

  test('gets every event once it reads again, and holds up nobody', async () => {
    const { id } = (await ana.call('POST', '/api/v1/deals', { title: 'Much to read' })).body
    const from = server.lastSeq()
    const [slow, quick] = [await streamOf(ana, '', { paused: true }), await streamOf(ana)]
    const notes = noteStore(server.deps)
    const who = { org: server.a.org, member: server.a.owner }
    server.store.transaction(() => {
      for (let index = 0; index < 150; index++) notes.create(who, { body: LARGE, deal_ids: [id] })
    })
    const to = server.lastSeq()
    await quick.until(() => quick.seqs().at(-1) === to)
    slow.resume()
    await slow.until(() => slow.seqs().at(-1) === to)
    assert.deepEqual(slow.seqs(), upTo(from, to))
  })

  test('is let go where notices pile up', async () => {
    const [slow, quick] = [await streamOf(ana, '', { paused: true }), await streamOf(ana)]
    await quick.until(() => quick.messages.length > 0)
    const { put } = noticeQueue(server.deps)
    const MANY = 150
    for (let index = 0; index < MANY; index++) {
      server.store.transaction(() => put(server.a.org, ana.id, { kind: 'large', text: LARGE }))
      await quick.until(() => quick.notices('large').length === index + 1)
    }
    slow.resume()
    await slow.ended()
    assert.equal(slow.isComplete(), false)
    assert.ok(slow.notices('large').length < MANY)
  })
})

test('a server that stops ends its streams at once', async () => {
  const other = await startScreens(server)
  const member = await other.signedIn({ id: server.a.owner })
  const reader = await readStream(`${other.url}/app/stream`, { cookie: member.cookie })
  await reader.until(() => reader.messages.length > 0)
  const stopped = other.stop()
  await reader.ended()
  assert.equal(reader.isComplete(), true)
  await stopped
})

describe('a notice', () => {
  test('does not reach a stream whose session has ended', async () => {
    const reader = await streamOf(ana)
    await reader.until(() => reader.messages.length > 0)
    await ana.call('DELETE', `/app/sessions/${ana.session}`)
    server.store.transaction(() => noticeQueue(server.deps).put(server.a.org, ana.id, { kind: 'view', id: 'v1' }))
    const [given, out] = [() => reader.notices('view').length, () => reader.notices('signed_out').length]
    await reader.until(() => given() + out() > 0)
    assert.deepEqual([given(), out()], [0, 1])
    await reader.ended()
  })

  test('reaches the open streams of its member, or of everyone, once it is committed', async () => {
    const bea = await screens.signedIn('viewer')
    const stranger = await screens.signedIn('owner', server.b)
    const [mine, hers, foreign] = [await streamOf(ana), await streamOf(bea), await streamOf(stranger)]
    for (const reader of [mine, hers, foreign]) await reader.until(() => reader.messages.length > 0)
    const { put } = noticeQueue(server.deps)
    server.store.transaction(() => {
      put(server.a.org, ana.id, { kind: 'view', id: 'v1' })
      put(server.a.org, null, { kind: 'settings' })
    })
    await hers.until(() => hers.notices('settings').length === 1)
    await mine.until(() => mine.notices('settings').length === 1)
    assert.deepEqual(mine.notices('view'), [{ kind: 'view', id: 'v1' }])
    assert.deepEqual(hers.notices('view'), [])
    assert.equal(
      mine.messages.some(({ event, id }) => event === 'notice' && id !== undefined),
      false,
    )
    writeDeals(1, 'theirs', server.b)
    await foreign.until(() => foreign.events().length === 1)
    assert.deepEqual(foreign.notices('settings'), [])
  })
})
