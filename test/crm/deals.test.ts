import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorsOf, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newDeal } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

describe('create', () => {
  test('answers the deal in the first open stage of the default pipeline, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/deals', { title: 'Rollout of 40 seats' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      title: 'Rollout of 40 seats',
      amount: null,
      currency: null,
      stage: a.stages.qualified,
      status: 'open',
      company_id: null,
      primary_contact_id: null,
      owner_id: null,
      tag_ids: [],
      expected_close_date: null,
      close_reason_id: null,
      closed_at: null,
      stage_changed_at: body.created_at,
      external_id: null,
      originally_created_at: null,
      custom_fields: {},
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/deals/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'deal.created')
    assert.equal(event?.actor, a.owner)
    assert.deepEqual(event?.object, body)
    assert.deepEqual(event?.previous, {})
  })

  test('keeps every field that it takes', async () => {
    const { a, call } = server
    const tag = (await call('POST', '/tags', { name: 'Kept' })).body.id
    const given = {
      title: 'All of it',
      amount: 25000.1,
      currency: 'EUR',
      owner_id: a.owner,
      tag_ids: [tag],
      expected_close_date: '2027-02-28',
      external_id: 'kept-1',
      originally_created_at: '2019-04-01T08:30:00.000Z',
    }
    const deal = await newDeal(given)
    assert.deepEqual({ ...deal, ...given }, deal)
    assert.deepEqual((await call('GET', `/deals/${deal.id}`)).body, deal)
    assert.deepEqual((await call('GET', '/deals?external_id=kept-1')).body.data, [deal])
    const others = (await call('GET', '/deals?external_id[ne]=kept-1')).body.data
    assert.ok(others.every(({ id }: { id: string }) => id !== deal.id))
  })

  test('places the deal in the pipeline that pipeline_id names, and never answers pipeline_id', async () => {
    const { a } = server
    const deal = await newDeal({ pipeline_id: a.pipelines.partners })
    assert.equal(deal.stage, a.stages.partner)
    assert.ok(!('pipeline_id' in deal))
  })

  const refused: [string, Record<string, unknown>, string[]][] = [
    ['no title', { title: undefined }, ['/title required']],
    ['a null title', { title: null }, ['/title not_null']],
    ['an empty title', { title: '' }, ['/title empty']],
    ['a title of white space', { title: ' \t\n\u00a0' }, ['/title empty']],
    ['a title that is no string', { title: 5 }, ['/title invalid_type']],
    ['a title of 256 characters', { title: 'x'.repeat(256) }, ['/title too_long']],
    ['a title with NUL', { title: 'a\u0000b' }, ['/title invalid_text']],
    ['a title with half a surrogate pair', { title: 'a\ud800' }, ['/title invalid_text']],
    ['a stage', { stage: UNKNOWN }, ['/stage unknown_field']],
    ['a status', { status: 'won' }, ['/status unknown_field']],
    ['an id', { id: UNKNOWN }, ['/id unknown_field']],
    ['a member that an object inherits', { constructor: 1 }, ['/constructor unknown_field']],
    ['an unknown pipeline', { pipeline_id: UNKNOWN }, ['/pipeline_id reference_not_found']],
    ['a null pipeline', { pipeline_id: null }, ['/pipeline_id not_null']],
    ['a negative amount', { amount: -1 }, ['/amount invalid_amount']],
    ['an amount with seven decimals', { amount: 0.1234567 }, ['/amount invalid_amount']],
    ['an amount past the limit', { amount: 9000000000001 }, ['/amount invalid_amount']],
    ['an amount of sixteen digits', { amount: 1234567890.123456 }, ['/amount invalid_amount']],
    ['an amount as a string', { amount: '25000' }, ['/amount invalid_type']],
    ['a currency in lower case', { currency: 'eur' }, ['/currency invalid_currency']],
    ['a currency that is none', { currency: 'ZZZ' }, ['/currency invalid_currency']],
    ['an unknown company', { company_id: UNKNOWN }, ['/company_id reference_not_found']],
    ['an unknown contact', { primary_contact_id: UNKNOWN }, ['/primary_contact_id reference_not_found']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['an unknown tag', { tag_ids: [UNKNOWN] }, ['/tag_ids/0 reference_not_found']],
    ['tags that are null', { tag_ids: null }, ['/tag_ids not_null']],
    ['a reference that is no UUID', { company_id: 'x' }, ['/company_id invalid_id']],
    ['a day that is not in the calendar', { expected_close_date: '2027-02-29' }, ['/expected_close_date invalid_date']],
    ['an empty external_id', { external_id: ' ' }, ['/external_id empty']],
    ['a date without its time', { originally_created_at: '2019-04-01' }, ['/originally_created_at invalid_time']],
    ['two wrong fields at once', { title: '', amount: true }, ['/title empty', '/amount invalid_type']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const { status, body } = await call('POST', '/deals', { title: 'Fine', ...given })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.equal(lastSeq(), seq)
    })
  }

  test('refuses a deactivated owner by a code of its own', async () => {
    const { a, call } = server
    const { status, body } = await call('POST', '/deals', { title: 'x', owner_id: a.deactivated })
    assert.equal(status, 422)
    assert.deepEqual(errorsOf(body), ['/owner_id member_deactivated'])
  })

  test('answers tags without duplicates', async () => {
    const { call } = server
    const tag = (await call('POST', '/tags', { name: 'Twice' })).body.id
    assert.deepEqual((await newDeal({ tag_ids: [tag, tag] })).tag_ids, [tag])
  })

  test('without a default pipeline fails closed: no deal, no event, no stored success', async () => {
    const { a, b, call, events, store } = server
    const headers = { 'idempotency-key': 'closed' }
    const deals = () => store.db.prepare('SELECT count(*) FROM deals WHERE org_id = ?').pluck().get(b.org)
    store.db.prepare('UPDATE pipelines SET is_default = 0 WHERE org_id = ?').run(b.org)
    const { status, body } = await call('POST', '/deals', { title: 'Homeless' }, { token: b.token, headers })
    assert.equal(status, 409)
    assert.equal(body.code, 'no_default_pipeline')
    assert.equal(deals(), 0)
    assert.equal(events(0, b).length, 0)
    assert.equal(store.db.prepare('SELECT count(*) FROM idempotency').pluck().get(), 0)
    store.db.prepare('UPDATE pipelines SET is_default = 1 WHERE org_id = ? AND id = ?').run(b.org, b.pipelines.sales)
    assert.equal((await call('POST', '/deals', { title: 'Homeless' }, { token: b.token, headers })).status, 201)
    assert.equal(deals(), 1)
    assert.notEqual(a.org, b.org)
  })
})

describe('amounts', () => {
  for (const amount of [25000, 25000.1, 0, 0.000001, 123456789.123456, 9000000000000, 90071992547.4099]) {
    test(`${amount} comes back equal, by POST, GET, list and PATCH`, async () => {
      const { call } = server
      const deal = await newDeal({ amount })
      assert.equal(deal.amount, amount)
      const read = await call('GET', `/deals/${deal.id}`)
      assert.ok(read.text.includes(`"amount":${amount === 0.000001 ? '0.000001' : amount},`))
      assert.equal(
        (await call('GET', `/deals?amount=${amount === 0.000001 ? '0.000001' : amount}`)).body.data.some(
          (one: { id: string }) => one.id === deal.id,
        ),
        true,
      )
      const other = await newDeal()
      assert.equal((await call('PATCH', `/deals/${other.id}`, { amount })).body.amount, amount)
    })
  }

  for (const source of [
    '1.0000000000000001',
    '25000.10000000000000000001',
    '1e400',
    '1e-400',
    '12345678901234567890',
    '0.0000001',
  ]) {
    test(`${source} is refused, not rounded`, async () => {
      const { status, body } = await server.call('POST', '/deals', undefined, {
        raw: `{"title":"x","amount":${source}}`,
      })
      assert.equal(status, 422)
      assert.equal(body.errors[0].pointer, '/amount')
    })
  }

  test('trailing zeros and exponents are other spellings of the same number', async () => {
    const { body } = await server.call('POST', '/deals', undefined, {
      raw: '{"title":"x","amount":2.5000000000000000000000e4}',
    })
    assert.equal(body.amount, 25000)
  })
})

test('a currency to filter by has to look like one, and null is none', async () => {
  const { call } = server
  assert.equal((await call('GET', '/deals?currency=eur')).status, 400)
  assert.equal((await call('GET', '/deals?currency=EUR')).status, 200)
  assert.equal((await call('GET', '/deals?currency=null')).status, 200)
})

describe('change', () => {
  test('moves the deal to an open stage with its history and one event of the most specific name', async () => {
    const { a, advance, call, events, lastSeq, store } = server
    const deal = await newDeal()
    const seq = lastSeq()
    advance(60_000)
    const { status, body, headers } = await call('PATCH', `/deals/${deal.id}`, { stage: a.stages.demo, title: 'Moved' })
    assert.equal(status, 200)
    assert.equal(body.stage, a.stages.demo)
    assert.equal(body.version, 2)
    assert.equal(headers.get('etag'), '"2"')
    assert.equal(Date.parse(body.stage_changed_at), Date.parse(deal.created_at) + 60_000)
    assert.equal(body.updated_at, body.stage_changed_at)
    const [event, ...more] = events(seq)
    assert.deepEqual(more, [])
    assert.equal(event?.type, 'deal.stage_changed')
    assert.deepEqual(event?.changed_fields, ['title', 'stage', 'stage_changed_at'])
    assert.deepEqual(event?.previous, {
      title: 'Rollout',
      stage: a.stages.qualified,
      stage_changed_at: deal.created_at,
    })
    const history = store.db
      .prepare(
        'SELECT deal_version, at, from_stage_id, to_stage_id, member_id FROM deal_stage_history WHERE deal_id = ?',
      )
      .all(deal.id)
    const [from, to] = [a.stages.qualified, a.stages.demo]
    const at = Date.parse(body.stage_changed_at)
    assert.deepEqual(history, [{ deal_version: 2, at, from_stage_id: from, to_stage_id: to, member_id: a.owner }])
  })

  test('moves the deal to an open stage of another pipeline', async () => {
    const deal = await newDeal()
    const { body } = await server.call('PATCH', `/deals/${deal.id}`, { stage: server.a.stages.partner })
    assert.equal(body.stage, server.a.stages.partner)
  })

  const stages: [string, () => string][] = [
    ['its won stage', () => server.a.stages.won],
    ['its lost stage', () => server.a.stages.lost],
    ['an unknown stage', () => UNKNOWN],
    ['a stage of another organisation', () => server.b.stages.demo],
  ]
  for (const [what, stage] of stages) {
    test(`refuses ${what}, and the deal stays as it was`, async () => {
      const { call, lastSeq } = server
      const deal = await newDeal()
      const seq = lastSeq()
      const { status, body } = await call('PATCH', `/deals/${deal.id}`, { stage: stage(), title: 'Not this' })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), ['/stage stage_not_open'])
      assert.deepEqual((await call('GET', `/deals/${deal.id}`)).body, deal)
      assert.equal(lastSeq(), seq)
    })
  }

  test('keeps what is absent, clears what is null and replaces tags whole', async () => {
    const { a, call } = server
    const [one, two] = await Promise.all(
      ['Whole one', 'Whole two'].map(async (name) => (await call('POST', '/tags', { name })).body.id),
    )
    const deal = await newDeal({
      amount: 5,
      currency: 'USD',
      owner_id: a.owner,
      tag_ids: [one],
      expected_close_date: '2027-01-01',
    })
    const path = `/deals/${deal.id}`
    assert.deepEqual((await call('PATCH', path, { tag_ids: [two, two] })).body.tag_ids, [two])
    assert.equal((await call('GET', `/deals?tag_id=${one}`)).body.data.length, 0)
    assert.equal((await call('GET', `/deals?tag_id=${two}`)).body.data.length, 1)
    const cleared = (
      await call('PATCH', path, {
        amount: null,
        currency: null,
        owner_id: null,
        expected_close_date: null,
        tag_ids: [],
      })
    ).body
    assert.deepEqual(
      [cleared.amount, cleared.currency, cleared.owner_id, cleared.expected_close_date, cleared.tag_ids],
      [null, null, null, null, []],
    )
    assert.equal(cleared.title, deal.title)
    assert.equal((await call('GET', `/deals?tag_id=${two}`)).body.data.length, 0)
  })

  test('with {} or equal values answers 200 and writes nothing', async () => {
    const { call, lastSeq } = server
    const deal = await newDeal({ amount: 12.5 })
    const seq = lastSeq()
    for (const patch of [{}, { title: 'Rollout', amount: 12.5, stage: deal.stage, tag_ids: [] }]) {
      const { status, body } = await call('PATCH', `/deals/${deal.id}`, patch)
      assert.equal(status, 200)
      assert.deepEqual(body, deal)
    }
    assert.equal(lastSeq(), seq)
  })

  for (const [what, patch, errors] of [
    ['an empty title', { title: '  ' }, ['/title empty']],
    ['a null title', { title: null }, ['/title not_null']],
    ['a null stage', { stage: null }, ['/stage not_null']],
    ['a pipeline', { pipeline_id: UNKNOWN }, ['/pipeline_id unknown_field']],
    ['a read-only field', { status: 'won' }, ['/status unknown_field']],
    ['an unknown tag', { tag_ids: [UNKNOWN] }, ['/tag_ids/0 reference_not_found']],
  ] as const) {
    test(`refuses ${what}`, async () => {
      const deal = await newDeal()
      const { status, body } = await server.call('PATCH', `/deals/${deal.id}`, patch)
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.deepEqual((await server.call('GET', `/deals/${deal.id}`)).body, deal)
    })
  }

  test('keeps external ids apart, on create and on change, in one organisation', async () => {
    const { a, b, call, lastSeq } = server
    const first = await newDeal({ external_id: 'CRM-1' })
    const other = await newDeal({ external_id: 'crm-1' })
    const seq = lastSeq()
    for (const [method, path, member] of [
      ['POST', '/deals', 'pipeline_id'],
      ['PATCH', `/deals/${other.id}`, 'stage'],
    ] as const) {
      const { status, body } = await call(method, path, { title: 'Late', external_id: 'CRM-1' })
      assert.deepEqual([status, body.code, body.duplicate_id], [409, 'duplicate', first.id])
      const wrong = await call(method, path, { external_id: 'CRM-1', title: 'Late', [member]: first.id })
      assert.equal(wrong.status, 422, `what is wrong by itself comes first: ${member}`)
    }
    assert.equal(lastSeq(), seq)
    const again = await call('PATCH', `/deals/${first.id}`, { external_id: 'CRM-1', title: 'Again' })
    assert.deepEqual([again.status, again.body.version], [200, 2])
    await call('POST', `/deals/${first.id}/close`, { reason_id: a.reasons.lost })
    assert.equal(
      (await call('POST', '/deals', { title: 'Late', external_id: 'CRM-1' })).status,
      409,
      'a closed deal too',
    )
    assert.equal((await call('PATCH', `/deals/${first.id}`, { external_id: null })).body.external_id, null)
    assert.equal((await call('PATCH', `/deals/${other.id}`, { external_id: 'CRM-1' })).status, 200, 'free again')
    assert.deepEqual((await call('GET', '/deals?external_id=CRM-1', undefined, { token: b.token })).body.data, [])
  })

  test('is taken as a merge patch too', async () => {
    const deal = await newDeal()
    const headers = { 'content-type': 'application/merge-patch+json' }
    assert.equal(
      (await server.call('PATCH', `/deals/${deal.id}`, { title: 'Merged' }, { headers })).body.title,
      'Merged',
    )
  })
})

describe('close', () => {
  for (const outcome of ['won', 'lost'] as const) {
    test(`puts the deal into the ${outcome} stage of its pipeline, with one event`, async () => {
      const { a, call, events, lastSeq } = server
      const deal = await newDeal()
      const seq = lastSeq()
      const { status, body } = await call('POST', `/deals/${deal.id}/close`, { reason_id: a.reasons[outcome] })
      assert.equal(status, 200)
      assert.equal(body.stage, a.stages[outcome])
      assert.equal(body.status, outcome)
      assert.equal(body.close_reason_id, a.reasons[outcome])
      assert.equal(body.closed_at, body.updated_at)
      assert.deepEqual(
        events(seq).map((event) => event.type),
        ['deal.closed'],
      )
    })
  }

  test('stays in the pipeline that the deal is in', async () => {
    const { a, call, store } = server
    const deal = await newDeal({ pipeline_id: a.pipelines.partners })
    const { body } = await call('POST', `/deals/${deal.id}/close`, { reason_id: a.reasons.won })
    assert.equal(
      store.db.prepare('SELECT pipeline_id FROM stages WHERE id = ?').pluck().get(body.stage),
      a.pipelines.partners,
    )
  })

  test('of a closed deal is 409, and so is moving it; its other fields can still be changed', async () => {
    const { a, call, lastSeq } = server
    const deal = await newDeal()
    await call('POST', `/deals/${deal.id}/close`, { reason_id: a.reasons.lost })
    const seq = lastSeq()
    const again = await call('POST', `/deals/${deal.id}/close`, { reason_id: a.reasons.won })
    assert.deepEqual([again.status, again.body.code], [409, 'deal_closed'])
    const moved = await call('PATCH', `/deals/${deal.id}`, { stage: a.stages.demo })
    assert.deepEqual([moved.status, moved.body.code], [409, 'deal_closed'])
    assert.equal(lastSeq(), seq)
    const changed = await call('PATCH', `/deals/${deal.id}`, { title: 'Post mortem' })
    assert.deepEqual([changed.status, changed.body.title, changed.body.status], [200, 'Post mortem', 'lost'])
  })

  const reasons: [string, () => unknown, string][] = [
    ['an inactive reason', () => ({ reason_id: server.a.reasons.inactive }), '/reason_id reason_not_active'],
    ['a reason of another organisation', () => ({ reason_id: server.b.reasons.won }), '/reason_id reason_not_active'],
    ['an unknown reason', () => ({ reason_id: UNKNOWN }), '/reason_id reason_not_active'],
    ['no reason', () => ({}), '/reason_id required'],
    ['more than a reason', () => ({ reason_id: server.a.reasons.won, note: 'x' }), '/note unknown_field'],
  ]
  for (const [what, given, error] of reasons) {
    test(`refuses ${what}`, async () => {
      const deal = await newDeal()
      const { status, body } = await server.call('POST', `/deals/${deal.id}/close`, given())
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), [error])
      assert.equal((await server.call('GET', `/deals/${deal.id}`)).body.status, 'open')
    })
  }
})
