import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { cursorSecret } from '../../src/auth/keys.ts'
import { cursors } from '../../src/http/cursor.ts'
import { readAsk } from '../../src/http/query.ts'
import { type ListFixture, listFixture } from './list-fixture.ts'

// Cursors with a valid signature but no position for this query: from an older version, or from somebody who has the
// key. They are rejected like any cursor of another query.

let fixture: ListFixture
before(async () => {
  fixture = await listFixture()
})
after(() => fixture.server.stop())

const UUID = '01890000-0000-7000-8000-000000000000'

/** Returns a cursor with these bytes, signed with the key of the server. */
function signed(question: string, body: string | Buffer): string {
  const bytes = Buffer.from(body as string)
  const secret = cursorSecret(fixture.server.dataDir)
  const mac = createHmac('sha256', secret).update(`${question}\n`).update(bytes).digest().subarray(0, 16)
  return Buffer.concat([mac, bytes]).toString('base64url')
}

const UNREADABLE = ['x', '', '{', '\u0000', Buffer.from([0xff, 0xfe]), 'null', '1', '"text"', '{}', '[]', '[null]']
const MISSHAPEN = [
  [null],
  [null, UUID, 1],
  [null, null],
  [null, 1],
  [null, {}],
  [null, 'no id'],
  [1, 'no id'],
  [null, '0189000a-0000-7000-8000-00000000000A'],
  [true, UUID],
  [{}, UUID],
  [[1], UUID],
].map((each) => JSON.stringify(each))
const NONSENSE = [...UNREADABLE, ...MISSHAPEN, `[1e999,"${UUID}"]`]

/** Sends one request for each of these cursors. */
async function refusesAll(path: string, question: string, bodies: readonly (string | Buffer)[]): Promise<void> {
  for (const body of bodies) {
    const url = `${path}${path.includes('?') ? '&' : '?'}cursor=${signed(question, body)}`
    const { status, body: answer } = await fixture.server.call('GET', url)
    assert.deepEqual([status, answer.code], [400, 'invalid_cursor'], `${path} ${body}`)
  }
}

async function takes(path: string, question: string, body: string): Promise<void> {
  const url = `${path}${path.includes('?') ? '&' : '?'}cursor=${signed(question, body)}`
  assert.equal((await fixture.server.call('GET', url)).status, 200, `${path} ${body}`)
}

describe('a cursor with a valid signature and without a position', () => {
  test('of a list is refused, in every order', async () => {
    const { a } = fixture.server
    for (const list of fixture.lists) {
      const orders = ['', ...Object.keys(list.sorts).flatMap((name) => [`sort=${name}`, `sort=-${name}`])]
      for (const query of orders) {
        const who = { org: a.org, member: a.owner }
        const { question } = readAsk(list, who, `/api/v1${list.path}`, query, cursors(Buffer.alloc(32)))
        const path = `${list.path}?${query}`
        const { next_cursor } = (await fixture.server.call('GET', `${path}${query && '&'}limit=1`)).body
        await refusesAll(path, question, query === '' ? NONSENSE : ['x', `[{},"${UUID}"]`, `[null,""]`])
        if (next_cursor === null) continue
        const [key] = JSON.parse(Buffer.from(next_cursor, 'base64url').subarray(16).toString())
        await takes(path, question, JSON.stringify([key, UUID]))
        await refusesAll(
          path,
          question,
          othersThan(key).map((other) => JSON.stringify([other, UUID])),
        )
      }
    }
  })

  /** Keys of another type than the real one. */
  function othersThan(key: unknown): unknown[] {
    if (key === null) return ['m', 1]
    return typeof key === 'string' ? [1] : ['m', '1']
  }

  test('of a list by amounts is refused, since those travel as text', async () => {
    const { a } = fixture.server
    const question = `${a.org} /api/v1/deals ["sort","amount"]`
    const path = '/deals?sort=amount'
    for (const key of ['"1000000"', '"-5"', '"9223372036854775807"', 'null'])
      await takes(path, question, `[${key},"${UUID}"]`)
    const keys = ['"m"', '""', '"1.5"', '"0x10"', '" 1"', '"9223372036854775808"', '"99999999999999999999"', '1000000']
    await refusesAll(
      path,
      question,
      keys.map((key) => `[${key},"${UUID}"]`),
    )
  })

  test('of a list whose order has no gaps is refused without a key, and one with gaps takes it', async () => {
    const { a } = fixture.server
    const position = `[null,"${UUID}"]`
    await refusesAll('/deals?sort=title', `${a.org} /api/v1/deals ["sort","title"]`, [position])
    await takes('/deals?sort=expected_close_date', `${a.org} /api/v1/deals ["sort","expected_close_date"]`, position)
  })

  test('of the stream of events is refused', async () => {
    const question = `${fixture.server.a.org} /api/v1/webhooks/events undefined *`
    const path = '/webhooks/events'
    await takes(path, question, '[1,""]')
    await refusesAll(path, question, [...NONSENSE, '[-1,""]', '[1.5,""]', '["1",""]', '[null,""]', '[1e20,""]'])
  })

  test('of a transcript is refused', async () => {
    const { a, call } = fixture.server
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    const { id } = (await call('POST', '/meetings', { title: 'Talk', ...times })).body
    const segments = [0, 1, 2].map((n) => ({ speaker: null, start_ms: n, end_ms: n + 1, text: 'Well.' }))
    await call('PUT', `/meetings/${id}/transcript`, { segments })
    const question = `${a.org} /api/v1/meetings/${id}/transcript []`
    const path = `/meetings/${id}/transcript`
    await takes(path, question, `[1,"${UUID}"]`)
    const keys = ['-1', '1.5', '"1"', 'null', '1e20'].map((key) => `[${key},"${UUID}"]`)
    await refusesAll(path, question, [...NONSENSE, ...keys])
  })
})
