import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Answer, type Primary, type StartedReader, startPrimary } from '../../support/copied.ts'
import { noLitestream } from '../../support/litestream.ts'
import { examples } from '../../support/seed.ts'
import { untilIs } from '../../support/until.ts'

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
  const answer = await untilIs(ask, ({ status }) => status !== 503)
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

test(
  'what has not happened is waited for by a reader, and refused by its primary; nonsense is refused at once',
  needs,
  async () => {
    const reader = readers[0] as StartedReader
    const newest = seqOf(await primary.call('POST', '/deals', { title: 'Deal' }))
    await readAt(reader, '/deals', newest)
    const ahead = [`/webhooks/events?after_seq=${newest + 1}`, '/deals'] as const
    const askAhead = (server: Pick<Primary, 'call'>, path: string) =>
      server.call('GET', path, undefined, path === '/deals' ? { 'dealbox-seq': String(newest + 1) } : {})
    for (const path of ahead) {
      const refused = await askAhead(primary, path)
      assert.deepEqual([refused.status, refused.body.code], [409, 'seq_ahead'], path)
      const began = performance.now()
      const { status, body, headers } = await askAhead(reader, path)
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'seq_not_reached', '1'], path)
      assert.match(body.detail, new RegExp(`event ${newest + 1} yet, but has ${newest}\\.`))
      assert.ok(performance.now() - began >= 990)
    }
    for (const server of [primary, reader]) {
      for (const nonsense of ['', '-1', '1.5', 'x', '1'.repeat(16)]) {
        const answer = await server.call('GET', '/deals', undefined, { 'dealbox-seq': nonsense })
        assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_seq'], nonsense)
      }
    }
    await primary.call('POST', '/deals', { title: 'Deal' })
    for (const path of ahead) {
      const { status } = await untilIs(
        () => askAhead(reader, path),
        (answer) => answer.status !== 503,
      )
      assert.equal(status, 200, path)
    }
  },
)

test(
  'a read of a reader says the number of its copy, from which the stream of the primary goes on',
  needs,
  async () => {
    const reader = readers[0] as StartedReader
    const newest = seqOf(await primary.call('POST', '/deals', { title: 'Deal' }))
    const read = await readAt(reader, '/deals', newest)
    assert.equal(seqOf(read), newest)
    const latest = await reader.call('GET', '/webhooks/events?after_seq=latest')
    assert.deepEqual([latest.body.last_seq, latest.body.data], [newest, []])
    const made = await primary.call('POST', '/deals', { title: 'Next' })
    const { body } = await primary.call('GET', `/webhooks/events?after_seq=${seqOf(read)}`)
    assert.deepEqual(
      body.data.map((event: { data: { object: { id: string } } }) => event.data.object.id),
      [made.body.id],
    )
  },
)
