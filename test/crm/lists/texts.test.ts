import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// What values mean: texts as people write them, amounts to the last digit, days by the clock and the time zone, custom
// fields that are no longer there.

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const leaf = (field: string, op: string, value?: unknown) => ({ field, op, ...(value === undefined ? {} : { value }) })
const newSmart = async (object: string, filter: unknown): Promise<string> =>
  (await newRecord('/lists', { name: 'By rule', object, kind: 'smart', filter })).id
const membersOf = async (list: string): Promise<string[]> =>
  (await server.call('GET', `/lists/${list}/members?limit=100`)).body.data.map(({ id }: { id: string }) => id)
const met = async (object: string, filter: unknown) => membersOf(await newSmart(object, filter))

test('texts are compared without case and accents, composed or not', async () => {
  const { id } = await newRecord('/contacts', { last_name: 'Ångström', job_title: 'Größe' })
  for (const value of ['ångström', 'ANGSTROM', 'A\u030angstro\u0308m', '\u212bngström'])
    for (const op of ['eq', 'contains', 'starts_with'])
      assert.deepEqual(await met('contact', leaf('last_name', op, value)), [id], `${op} ${value}`)
  assert.deepEqual(await met('contact', leaf('name', 'in', ['x', 'ANGSTRÖM'])), [id])
  assert.deepEqual(await met('contact', leaf('job_title', 'contains', 'osse')), [id])
  assert.deepEqual(await met('contact', leaf('last_name', 'starts_with', 'ngström')), [])
})

test('quotes, wildcards and SQL in a value are just text', async () => {
  const hostile = [
    "O'Hara",
    '"',
    '%',
    '_',
    '*',
    '\\',
    '?',
    "'; DROP TABLE contacts; --",
    "' OR 1=1 --",
    '@x',
    ':x',
    '$x',
    '#{x}',
    '[a-z]',
    '(',
  ]
  const ids: string[] = []
  for (const last_name of hostile) {
    const address = { city: last_name }
    ids.push(
      (
        await newRecord('/contacts', {
          last_name,
          first_name: '-',
          phones: [{ number: `${last_name.slice(0, 9)}555` }],
          address,
        })
      ).id,
    )
  }
  const all = leaf('first_name', 'eq', '-')
  for (const [at, value] of hostile.entries()) {
    const wanted = hostile.flatMap((text, n) => (text.includes(value) ? [ids[n]] : [])).sort()
    for (const field of ['last_name', 'address.city'])
      assert.deepEqual((await met('contact', { all: [all, leaf(field, 'contains', value)] })).sort(), wanted, value)
    assert.deepEqual(await met('contact', { all: [all, leaf('last_name', 'eq', value)] }), [ids[at]])
    assert.equal(
      (await met('contact', { all: [all, leaf('last_name', 'starts_with', value)] })).includes(ids[at] as string),
      true,
    )
    assert.deepEqual(await met('contact', { all: [all, leaf('phones', 'has_any', [`${value.slice(0, 9)}555`])] }), [
      ids[at],
    ])
  }
  assert.deepEqual(await met('contact', { all: [all, leaf('last_name', 'contains', 'h%a')] }), [])
})

test('emails are compared without case, and domains as DNS has them', async () => {
  const { id } = await newRecord('/contacts', { emails: [{ email: 'Ana@Example.com' }, { email: 'b@x.example' }] })
  assert.deepEqual(await met('contact', leaf('emails', 'has_all', ['ANA@example.COM', 'b@X.example'])), [id])
  assert.deepEqual(await met('contact', leaf('emails', 'contains', '@EXAMPLE.')), [id])
  const firm = (await newRecord('/companies', { name: 'Firm', domains: ['bücher.example'] })).id
  for (const value of ['BÜCHER.example', 'xn--bcher-kva.example'])
    assert.deepEqual(await met('company', leaf('domains', 'has_any', [value])), [firm])
  const employed = (await newRecord('/contacts', { last_name: 'Employed', company_id: firm })).id
  assert.deepEqual(await met('contact', leaf('company.domains', 'contains', 'XN--')), [employed])
})

test('has_all asks for each of its values, however many of a record are equal to one', async () => {
  const phones = ['555 E', '555 é', '777'].map((number) => ({ number }))
  const { id } = await newRecord('/contacts', { phones })
  await newRecord('/contacts', { phones: phones.slice(0, 2) })
  assert.deepEqual(await met('contact', leaf('phones', 'has_all', ['777', '555 e', '555 É'])), [id])
})

test('amounts are compared to the last digit, past 2^53 micros', async () => {
  const ids: string[] = []
  for (const amount of [0, 0.000001, 90071992547.4098, 90071992547.4099, 9000000000000])
    ids.push((await newRecord('/deals', { title: 'Sale', amount })).id)
  assert.deepEqual(await met('deal', leaf('amount', 'eq', 90071992547.4099)), [ids[3]])
  assert.deepEqual(await met('deal', leaf('amount', 'gt', 90071992547.4098)), [ids[4], ids[3]])
  assert.deepEqual(await met('deal', leaf('amount', 'lt', 0.000001)), [ids[0]])
  assert.deepEqual(await met('deal', leaf('amount', 'in', [0, 9000000000000])), [ids[4], ids[0]])
})

test('days follow the clock: a page and a count that nobody wrote to change', async () => {
  const { advance, call } = server
  const { id } = await newRecord('/companies', { name: 'Fresh', industry: 'clock' })
  const own = leaf('industry', 'eq', 'clock')
  const list = await newSmart('company', { all: [own, leaf('created_at', 'in_last_days', 2)] })
  const nested = await newSmart('company', {
    all: [own, { not: { any: [{ not: leaf('updated_at', 'in_last_days', 2) }] } }],
  })
  const later = await newSmart('company', { all: [own, { not: leaf('created_at', 'in_last_days', 2) }] })
  const shown = async () => {
    const all = []
    for (const each of [list, nested, later]) {
      const members = await membersOf(each)
      const filtered = (await call('GET', `/companies?list_id=${each}`)).body.data
      assert.deepEqual(
        filtered.map((one: { id: string }) => one.id),
        members,
      )
      assert.equal((await call('GET', `/lists/${each}`)).body.member_count, members.length)
      const lists = (await call('GET', '/lists?limit=100')).body.data
      assert.equal(lists.find((one: { id: string }) => one.id === each).member_count, members.length)
      all.push(members)
    }
    return all
  }
  assert.deepEqual(await shown(), [[id], [id], []])
  advance(2 * 86_400_000)
  assert.deepEqual(await shown(), [[id], [id], []], 'to the millisecond')
  advance(1)
  assert.deepEqual(await shown(), [[], [], [id]])
})

test('dates are days of the time zone of who asks, today included', async () => {
  const { advance, now } = server
  const berlin = () => Temporal.Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO('Europe/Berlin')
  const midnight = berlin().add({ days: 1 }).startOfDay()
  advance(midnight.epochMilliseconds - now() - 1) // 22:59:59.999 of UTC
  const today = berlin().toPlainDate()
  const ids = new Map<number, string>()
  for (const day of [-3, -2, -1, 0, 1, 2, 3]) {
    const expected_close_date = today.add({ days: day }).toString()
    ids.set(day, (await newRecord('/deals', { title: 'Due', expected_close_date })).id)
  }
  const last = await newSmart('deal', leaf('expected_close_date', 'in_last_days', 2))
  const next = await newSmart('deal', leaf('expected_close_date', 'in_next_days', 1))
  const now_ = await newSmart('deal', leaf('expected_close_date', 'in_next_days', 0))
  const days = async (list: string) => {
    const members = await membersOf(list)
    return [...ids].flatMap(([day, id]) => (members.includes(id) ? [day] : []))
  }
  assert.deepEqual([await days(last), await days(next), await days(now_)], [[-2, -1, 0], [0, 1], [0]])
  advance(1)
  assert.deepEqual([await days(last), await days(next), await days(now_)], [[-1, 0, 1], [1, 2], [1]])
})

test('a record has no value of a custom field that was archived or deleted, or made again as another', async () => {
  const { call } = server
  const field = { object: 'contact', key: 'level', label: 'Level', type: 'text' }
  const first = await newRecord('/custom-fields', field)
  const own = leaf('source', 'eq', 'custom')
  const { id } = await newRecord('/contacts', { last_name: 'Custom', source: 'custom', custom_fields: { level: '5' } })
  const lists: string[] = []
  for (const each of [
    leaf('custom_fields.level', 'contains', '5'),
    leaf('custom_fields.level', 'not_null'),
    leaf('custom_fields.level', 'is_null'),
    leaf('custom_fields.level', 'not_in', ['5']),
  ])
    lists.push(await newSmart('contact', { all: [own, each] }))
  const shown = async () => Promise.all(lists.map(async (list) => (await membersOf(list)).length))
  const counted = async () =>
    Promise.all(lists.map(async (list) => (await call('GET', `/lists/${list}`)).body.member_count))
  assert.deepEqual(
    [await shown(), await counted()],
    [
      [1, 1, 0, 0],
      [1, 1, 0, 0],
    ],
  )
  await call('PATCH', `/custom-fields/${first.id}`, { is_archived: true })
  assert.deepEqual(
    [await shown(), await counted()],
    [
      [0, 0, 1, 1],
      [0, 0, 1, 1],
    ],
  )
  const list = (await call('GET', `/lists/${lists[0]}`)).body
  assert.equal((await call('PATCH', `/lists/${list.id}`, { name: 'Renamed', filter: list.filter })).status, 200)
  await call('PATCH', `/custom-fields/${first.id}`, { is_archived: false })
  assert.deepEqual(await shown(), [1, 1, 0, 0])
  await call('PATCH', `/contacts/${id}`, { custom_fields: { level: null } })
  assert.equal((await call('DELETE', `/custom-fields/${first.id}`)).status, 204)
  assert.deepEqual(await shown(), [0, 0, 1, 1])
  for (const [type, value] of [
    ['number', 5],
    ['boolean', true],
    ['datetime', '2026-01-01T00:00:00Z'],
  ]) {
    const again = await newRecord('/custom-fields', { ...field, type })
    await call('PATCH', `/contacts/${id}`, { custom_fields: { level: value } })
    assert.deepEqual(
      [await shown(), await counted()],
      [
        [0, 1, 0, 1],
        [0, 1, 0, 1],
      ],
      type as string,
    )
    await call('PATCH', `/contacts/${id}`, { custom_fields: { level: null } })
    assert.equal((await call('DELETE', `/custom-fields/${again.id}`)).status, 204)
  }
})
