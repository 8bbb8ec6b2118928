import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Answer, type Primary, type StartedReader, startPrimary, until } from '../support/copied.ts'
import { noLitestream } from '../support/litestream.ts'
import { examples } from '../support/seed.ts'

// A client that has written asks a reader for at least its own write.

const needs = { skip: noLitestream }
let primary: Primary
let readers: StartedReader[]

before(async () => {
  if (noLitestream) return
  primary = await startPrimary()
  readers = [await primary.startReader(), await primary.startReader()]
})
after(async () => {
  for (const reader of readers ?? []) await reader.stop()
  await primary?.stop()
})

const seqOf = ({ headers }: Answer): number => Number(headers.get('dealbox-seq'))

/** Reads until the reader has got there; what is answered before then says so. */
async function readAt(reader: StartedReader, path: string, seq: number): Promise<Answer> {
  const ask = () => reader.call('GET', path, undefined, { 'dealbox-seq': String(seq) })
  const answer = await until(ask, ({ status }) => status !== 503)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer
}

type Step =
  | { what: 'create' }
  | { what: 'change'; of: number }
  | { what: 'read'; by: number; back: number; list: boolean }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant({ what: 'create' as const }),
  fc.record({ what: fc.constant('change' as const), of: fc.nat(50) }),
  fc.record({ what: fc.constant('read' as const), by: fc.nat(1), back: fc.nat(3), list: fc.boolean() }),
)

test('whatever is written and read in any order, no read is older than asked', needs, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      /** Each write: after it, the deal had this version. */
      const written: { seq: number; id: string; version: number }[] = []
      const note = (answer: Answer) => {
        assert.ok(answer.status < 300, JSON.stringify(answer.body))
        written.push({ seq: seqOf(answer), id: answer.body.id, version: answer.body.version })
      }
      for (const each of steps) {
        const last = written.at(-1)
        if (each.what === 'create') note(await primary.call('POST', '/deals', { title: 'Deal' }))
        else if (!last) continue
        else if (each.what === 'change') {
          const { id } = written[each.of % written.length] as { id: string }
          note(await primary.call('PATCH', `/deals/${id}`, { title: `Deal ${written.length}` }))
        } else {
          const asked = (written.at(-1 - (each.back % written.length)) ?? last).seq
          const reader = readers[each.by] as StartedReader
          const needed = written.filter(({ seq }) => seq <= asked)
          const { id } = needed.at(-1) as { id: string }
          const least = Math.max(...needed.filter((write) => write.id === id).map(({ version }) => version))
          const { body } = await readAt(reader, each.list ? '/deals?limit=100' : `/deals/${id}`, asked)
          const deal = each.list ? body.data.find((one: { id: string }) => one.id === id) : body
          assert.ok(deal.version >= least, `read version ${deal?.version} instead of ${least} at ${asked}`)
        }
      }
    }),
    { numRuns: examples(15) },
  )
})

test(
  'a write says its seq on the primary, also if it is repeated, and a read of the primary need not wait',
  needs,
  async () => {
    const key = { 'idempotency-key': 'once' }
    const first = await primary.call('POST', '/deals', { title: 'Deal' }, key)
    const next = await primary.call('POST', '/deals', { title: 'Another' })
    assert.equal(seqOf(next), seqOf(first) + 1)
    const again = await primary.call('POST', '/deals', { title: 'Deal' }, key)
    assert.equal(again.body.id, first.body.id)
    assert.ok(seqOf(again) >= seqOf(next)) // the database that it answers from
    const tag = await primary.call('POST', '/tags', { name: 'vip' })
    const removed = await primary.call('DELETE', `/tags/${tag.body.id}`)
    assert.equal(seqOf(removed), seqOf(tag) + 1)
    const refused = await primary.call('POST', '/deals', {})
    assert.deepEqual([refused.status, refused.headers.get('dealbox-seq')], [422, null])
    const read = await primary.call('GET', '/deals', undefined, { 'dealbox-seq': String(seqOf(removed)) })
    assert.equal(read.status, 200)
  },
)

test('what has not happened is waited for, for a second; nonsense is refused at once', needs, async () => {
  const reader = readers[0] as StartedReader
  const newest = seqOf(await primary.call('POST', '/deals', { title: 'Deal' }))
  await readAt(reader, '/deals', newest)
  for (const server of [primary, reader]) {
    const began = performance.now()
    const waiting = server.call('GET', '/deals', undefined, { 'dealbox-seq': String(newest + 1) })
    const { status, body, headers } = await waiting
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'seq_not_reached', '1'])
    assert.match(body.detail, new RegExp(`event ${newest + 1} yet, but has ${newest}\\.`))
    assert.ok(performance.now() - began >= 990)
    for (const nonsense of ['', '-1', '1.5', 'x', '1'.repeat(16)]) {
      const answer = await server.call('GET', '/deals', undefined, { 'dealbox-seq': nonsense })
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_seq'], nonsense)
    }
  }
  const waiting = primary.call('GET', '/deals', undefined, { 'dealbox-seq': String(newest + 1) })
  await primary.call('POST', '/deals', { title: 'Deal' })
  assert.equal((await waiting).status, 200)
})
