import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import * as c from '../../../src/store/rows/columns.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { anyText } from '../../support/texts.ts'

// A read assembles its JSON from the columns of a row, a write uses JSON.stringify on the record: both must produce the
// same text.

let server: TestServer
let tags: string[]
let deal: string
before(async () => {
  server = await startServer()
  tags = await Promise.all(['a', 'b'].map(async (name) => (await server.call('POST', '/tags', { name })).body.id))
  deal = (await server.call('POST', '/deals', { title: 'Linked' })).body.id
})
after(() => server.stop())

const text = (maxLength = 40) =>
  fc
    .oneof(anyText({ maxLength }), fc.string({ unit: 'binary-ascii', maxLength }), fc.string({ maxLength }))
    .filter((each) => each.isWellFormed() && !each.includes('\u0000') && !/\p{M}{31}/u.test(each))
const name = text().filter((each) => each.trim() !== '')
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const some = { requiredKeys: [] }
const tagIds = fc.uniqueArray(fc.nat(1)).map((picked) => picked.map((at) => tags[at]))
const address = fc.record(
  { line1: orNull(text()), city: orNull(text()), country: orNull(fc.constantFrom('DE', 'PL')) },
  some,
)
const amount = fc.constantFrom(0, 0.000001, 1.5, 123456789.123456, 9000000000000)

let unique = 0
const BODIES: Record<string, () => fc.Arbitrary<object>> = {
  '/deals': () =>
    fc.record(
      {
        title: name,
        amount: orNull(amount),
        currency: orNull(fc.constantFrom('EUR', 'JPY')),
        owner_id: orNull(fc.constant(server.a.owner)),
        tag_ids: tagIds,
        expected_close_date: orNull(fc.constantFrom('0001-01-01', '9999-12-31')),
      },
      { requiredKeys: ['title'] },
    ),
  '/contacts': () =>
    fc.record(
      {
        last_name: name,
        first_name: orNull(text()),
        emails: fc.constant([]).map(() => [{ email: `ü'${unique++}@example.com` }]),
        phones: fc.constantFrom([], [{ number: '+49 "030" \\ 1234', label: 'home' }]),
        job_title: orNull(text()),
        tag_ids: tagIds,
        linkedin_url: orNull(fc.constantFrom('https://example.com/?q="x"\\')),
        address: orNull(address),
        language: orNull(fc.constantFrom('de', 'pt-BR')),
        do_not_contact: fc.boolean(),
        source: orNull(text()),
      },
      { requiredKeys: ['last_name'] },
    ),
  '/companies': () =>
    fc.record(
      {
        name,
        domains: fc.constant([]).map(() => [`d${unique++}.example`, `BÜCHER${unique}.example`]),
        phone: orNull(fc.constantFrom('"123"', '\\123\\')),
        industry: orNull(text()),
        employee_count: orNull(fc.constantFrom(0, Number.MAX_SAFE_INTEGER)),
        annual_revenue: orNull(amount),
        address: orNull(address),
        description: orNull(text(500)),
      },
      { requiredKeys: ['name'] },
    ),
  '/notes': () =>
    fc.record(
      {
        title: orNull(text()),
        body: text(500),
        deal_ids: fc.constant([]).map(() => [deal]),
        is_pinned: fc.boolean(),
      },
      { requiredKeys: ['body', 'deal_ids'] },
    ),
  '/tasks': () =>
    fc.record(
      {
        title: name,
        body: orNull(text(500)),
        type: fc.constantFrom('todo', 'call', 'email', 'meeting'),
        status: fc.constantFrom('open', 'done', 'canceled'),
        priority: fc.constantFrom('low', 'normal', 'high'),
        due_at: orNull(fc.constantFrom('0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z')),
        deal_ids: fc.constantFrom(0, 1).map((count) => [deal].slice(0, count)),
      },
      { requiredKeys: ['title'] },
    ),
  '/tags': () =>
    fc.record(
      {
        name: name.map((each) => `${each} ${unique++}`),
        color: orNull(fc.constant('#00ff00')),
        description: orNull(text(500)),
      },
      { requiredKeys: ['name'] },
    ),
}

describe('the JSON of a row', () => {
  for (const [path, body] of Object.entries(BODIES)) {
    test(`is the JSON.stringify of its record, for any ${path.slice(1)}`, async () => {
      const { call } = server
      const property = fc.asyncProperty(body(), body(), async (given, patch) => {
        const made = await call('POST', path, given)
        assert.equal(made.status, 201, made.text)
        const one = `${path}/${made.body.id}`
        assert.equal((await call('GET', one)).text, made.text)
        assert.equal(
          (await call('GET', `${path}?limit=1`)).text.startsWith(`{"data":[${made.text}],"next_cursor":`),
          true,
        )
        const changed = await call('PATCH', one, patch)
        assert.equal(changed.status, 200, changed.text)
        const read = (await call('GET', one)).text
        assert.equal(read, changed.text)
        assert.equal(read, JSON.stringify(JSON.parse(read)))
      })
      await fc.assert(property, { numRuns: 25 })
    })
  }
})

describe('the columns of a wire form, picked from those of the row', () => {
  const row = c.columns<{ id: string; key: string; name: string; position: number }>({
    id: c.plain('id'),
    key: c.plain('key'),
    name: c.text('name'),
    position: c.integer('position'),
  })

  test('come in its order, without the others', () => {
    const picked = c.only<{ name: string; id: string }>(row, ['name', 'id'])
    assert.deepEqual([picked.select, picked.json(['"A"', 'x'])], ['name, id', '{"name":"\\"A\\"","id":"x"}'])
  })

  test('may be joined by columns that no row holds, and by those of another table', () => {
    const added = { name: c.text('pipelines.name'), is_open: c.computed<boolean>() }
    const picked = c.only<{ id: string; name: string; is_open: boolean }>(
      row,
      ['id', 'name', 'is_open'],
      added,
      'stages',
    )
    assert.equal(picked.select, 'stages.id, pipelines.name, NULL')
    assert.deepEqual(picked.stored.fields, ['id', 'name'])
  })

  test('are refused where a field has none', () => {
    assert.throws(() => c.only<{ colour: string }>(row, ['colour']), /There is no column for colour/)
  })

  test('leave out what SQLite generates when they are written and exported, but not when they are read', () => {
    const { select, names, stored } = c.columns<{ id: string; rank: number }>({
      id: c.plain('id'),
      rank: c.generated(c.integer('rank')),
    })
    assert.deepEqual([select, names, stored.fields], ['id, rank', [], ['id']])
  })
})
