import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { SEQS_PER_EPOCH } from '../../src/events/epochs.ts'
import { replayStore } from '../../src/webhooks/replay.ts'
import { type AppServer, startApp } from '../support/app-data.ts'
import type { Row } from '../support/records.ts'
import { type Reader, readStream } from '../support/stream.ts'

// What clients and the app find where a standby was promoted: the numbers of the events go on in another range.

let app: AppServer
let open: Reader[] = []
/** The number of the last event before the promotion, and the one that the new primary begins after. */
let last: number
let start: number

before(async () => {
  app = await startApp()
})
after(() => app.stop())
beforeEach(async () => {
  for (const title of ['One', 'Two']) await app.newDeal({ title })
  last = newest()
  app.store.db.prepare(`UPDATE orgs SET last_seq = (last_seq / ${SEQS_PER_EPOCH} + 1) * ${SEQS_PER_EPOCH}`).run()
  start = newest()
})
afterEach(() => {
  for (const reader of open) reader.close()
  open = []
})

const newest = (): number =>
  app.store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(app.a.org) as number

describe('a page that was open before', { timeout: 120_000 }, () => {
  const streamAfter = async (seq: number): Promise<Reader> => {
    const headers = { cookie: app.people.member.cookie, 'last-event-id': String(seq) }
    const reader = await readStream(`${app.screensUrl}/app/stream`, headers)
    open.push(reader)
    return reader
  }
  /** The numbers of its events until it is told to read everything anew. */
  async function untilReset(seq: number): Promise<number[]> {
    const reader = await streamAfter(seq)
    await reader.ended()
    assert.equal(reader.messages.at(-1)?.event, 'reset')
    return reader.seqs()
  }

  test('gets what it has missed of the old events, and reads all anew', async () => {
    assert.deepEqual(await untilReset(last), [])
    assert.deepEqual(await untilReset(last + 7), [], 'after an event that was lost')
    assert.deepEqual(await untilReset(last - 1), [last])
    await app.newDeal({ title: 'New' })
    assert.deepEqual(await untilReset(last), [])
    assert.deepEqual(await untilReset(last + 7), [])
    assert.deepEqual(await untilReset(last - 1), [last])
  })

  test('then goes on with the new events, whoever else comes from before', async () => {
    const boot = await app.ok('member', 'GET', '/boot')
    assert.equal(Number(boot.seq), start)
    const pages = [await streamAfter(start), await streamAfter(start), await streamAfter(start)]
    for (let made = 1; made <= 3; made++) {
      assert.deepEqual(await untilReset(last - 1), [last])
      await app.newDeal({ title: 'New' })
      for (const page of pages) await page.until(() => page.seqs().length === made)
    }
    for (const page of pages) assert.deepEqual(page.seqs(), [start + 1, start + 2, start + 3])
  })
})

describe('a client that asks for events', () => {
  const poll = async (query: string): Promise<unknown[]> => {
    const { status, body } = await app.call('GET', `/webhooks/events?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return [body.data.map(({ seq }: Row) => seq), body.last_seq, body.next_cursor]
  }

  test('comes to an end before the first new event, and waits for it', async () => {
    assert.deepEqual(await poll(`after_seq=${last}`), [[], start, null])
    assert.deepEqual(await poll(`after_seq=${last - 1}`), [[last], start, null])
    const [seqs, reached, cursor] = await poll(`after_seq=${last - 1}&limit=1`)
    assert.deepEqual([seqs, reached], [[last], last])
    assert.deepEqual(await poll(`after_seq=${last - 1}&limit=1&cursor=${cursor}`), [[], start, null])
    const waiting = poll(`after_seq=${last}&wait=25`)
    await app.newDeal({ title: 'New' })
    assert.deepEqual(await waiting, [[start + 1], start + 1, null])
  })
})

describe('the history of a record', () => {
  test('has what was before and after, and each can be undone', async () => {
    const deal = await app.newDeal({ title: 'Roof' }) // after one promotion
    await app.patchRecord(`/deals/${deal.id}`, { title: 'House' })
    app.advance(1000)
    app.store.db.prepare(`UPDATE orgs SET last_seq = (last_seq / ${SEQS_PER_EPOCH} + 1) * ${SEQS_PER_EPOCH}`).run()
    app.advance(1000)
    await app.patchRecord(`/deals/${deal.id}`, { amount: 500 })
    const entries: Row[] = []
    for (let next = ''; ; ) {
      const page = await app.ok('viewer', 'GET', `/timeline?deal_id=${deal.id}${next}`)
      entries.push(...page.data)
      if (page.next_cursor === null) break
      next = `&cursor=${page.next_cursor}`
    }
    const told = app.store.db.prepare('SELECT id, seq FROM events WHERE object_id = ? ORDER BY seq').all(deal.id) as {
      id: string
      seq: number
    }[]
    assert.deepEqual(
      told.map(({ seq }) => seq > start + SEQS_PER_EPOCH),
      [false, false, true],
    )
    const [created, renamed, valued] = told
    assert.deepEqual(
      entries.map(({ kind, change, actor_id }) => [kind, change?.event_id, actor_id]),
      [
        ['change', valued?.id, app.a.owner],
        ['change', renamed?.id, app.a.owner],
        ['created', undefined, app.a.owner],
      ],
    )
    assert.ok(created)
    app.store.db.prepare('UPDATE events SET at = at + 5 WHERE id = ?').run(valued?.id) // its id is of a moment before
    for (const { change } of entries.slice(0, 2)) {
      const { event_id } = change
      const { status, body } = await app.ask('member', 'POST', '/undo', { event_id })
      assert.equal(status, 200, JSON.stringify(body))
    }
    const { title, amount } = await app.getRecord(`/deals/${deal.id}`)
    assert.deepEqual([title, amount], ['Roof', null])
  })
})

test('what a webhook has not seen yet is counted in events', async () => {
  const made = await app.call('POST', '/webhooks', { url: 'https://receiver.example/hook', event_types: ['*'] })
  assert.equal(made.status, 201)
  app.store.db.prepare('UPDATE webhook_states SET planned_seq = ?').run(last - 1)
  const { backlog } = replayStore(app.deps)
  assert.equal(backlog(app.a.org, made.body.id).unseen_events, 1)
  await app.newDeal({ title: 'New' })
  assert.equal(backlog(app.a.org, made.body.id).unseen_events, 2)
})
