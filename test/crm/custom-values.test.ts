import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { companyStore } from '../../src/crm/companies.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { dealStore } from '../../src/crm/deals/deals.ts'
import { errorsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

// The values of custom fields on every kind of record that has them, by every way to write them.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const HOLDERS = [
  { object: 'contact', path: '/contacts', given: { last_name: 'x' }, table: 'contact_values' },
  { object: 'company', path: '/companies', given: { name: 'x' }, table: 'company_values' },
  { object: 'deal', path: '/deals', given: { title: 'x' }, table: 'deal_values' },
] as const
type Holder = (typeof HOLDERS)[number]
const [CONTACT, , DEAL] = HOLDERS
const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }))

let count = 0
async function newField(object: string, type = 'text', given: Record<string, unknown> = {}): Promise<string> {
  const chosen = type.endsWith('select') ? { options } : {}
  const field = { object, key: `key_${count++}`, label: 'Field', type, ...chosen, ...given }
  const { status, body } = await server.call('POST', '/custom-fields', field)
  assert.equal(status, 201, JSON.stringify(body))
  return body.key
}

const post = ({ path, given }: Holder, custom_fields?: unknown, options = {}) =>
  server.call('POST', path, custom_fields === undefined ? given : { ...given, custom_fields }, options)
const patch = ({ path }: Holder, { id }: { id: string }, custom_fields: unknown) =>
  server.call('PATCH', `${path}/${id}`, { custom_fields })
async function made(holder: Holder, custom_fields?: object) {
  const { status, body } = await post(holder, custom_fields)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

/** Returns the rows that lists query. */
const rowsOf = ({ object, table }: Holder, { id }: { id: string }) =>
  server.store.db
    .prepare(
      `SELECT key, value, unique_value FROM ${table} AS each JOIN custom_fields AS field
         ON field.org_id = each.org_id AND field.id = each.field_id
       WHERE each.org_id = ? AND ${object}_id = ? ORDER BY key, value`,
    )
    .raw()
    .all(server.a.org, id)

const LONG = 'é'.repeat(32_768)

/** By type: what is taken and how it is answered, and what is refused. */
const TAKEN: [type: string, given: unknown, answered?: unknown][] = [
  ['text', 'Ünï "quoted" \\ \n 🚀'],
  ['text', ' spaces stay '],
  ['text', 'e\u0301', 'é'],
  ['text', LONG],
  ['number', 0],
  ['number', -0.1],
  ['number', 123456789.123456],
  ['number', 1e21],
  ['number', 9007199254740991],
  ['boolean', true],
  ['boolean', false],
  ['date', '2028-02-29'],
  ['datetime', '2027-01-01T01:00:00+01:00', '2027-01-01T00:00:00.000Z'],
  ['datetime', '1969-12-31T23:59:59.999Z'],
  ['select', 'b'],
  ['multi_select', ['c', 'a', 'c'], ['c', 'a']],
  ['url', 'https://example.com/ä?x=1'],
  ['email', 'Ana@Example.com'],
  ['phone', '+49 (30) 1234-567'],
]
const REFUSED: [type: string, given: unknown, code: string][] = [
  ['text', 5, 'invalid_type'],
  ['text', ['x'], 'invalid_type'],
  ['text', { text: 'x' }, 'invalid_type'],
  ['text', '', 'empty'],
  ['text', ' \n', 'empty'],
  ['text', 'a\u0000b', 'invalid_text'],
  ['text', `${LONG}x`, 'too_long'],
  ['number', '5', 'invalid_type'],
  ['number', true, 'invalid_type'],
  ['boolean', 1, 'invalid_type'],
  ['boolean', 'true', 'invalid_type'],
  ['date', '2027-02-29', 'invalid_date'],
  ['date', 20270101, 'invalid_type'],
  ['datetime', '2027-01-01', 'invalid_time'],
  ['datetime', 1798761600000, 'invalid_type'],
  ['select', 'd', 'unknown_option'],
  ['select', 'A', 'unknown_option'],
  ['select', ['a'], 'unknown_option'],
  ['select', '', 'unknown_option'],
  ['multi_select', 'a', 'invalid_type'],
  ['multi_select', ['a', 'd'], 'unknown_option'],
  ['multi_select', ['a', 5], 'unknown_option'],
  ['multi_select', ['a', null], 'unknown_option'],
  ['url', 'example.com', 'invalid_url'],
  ['url', '', 'invalid_url'],
  ['email', 'ana', 'invalid_email'],
  ['phone', '12', 'invalid_phone'],
  ['member', 'ana', 'invalid_id'],
  ['member', UNKNOWN, 'reference_not_found'],
]
const short = (given: unknown) => JSON.stringify(given).slice(0, 40)

for (const holder of HOLDERS) {
  describe(`a ${holder.object}`, () => {
    const keys = new Map<string, string>()
    before(async () => {
      for (const type of new Set([...TAKEN, ...REFUSED].map(([type]) => type)))
        keys.set(type, await newField(holder.object, type))
    })

    for (const [type, given, answered = given] of TAKEN) {
      test(`keeps ${type} ${short(given)} from create and from PATCH`, async () => {
        const key = keys.get(type) as string
        const created = await made(holder, { [key]: given })
        assert.deepEqual(created.custom_fields, { [key]: answered })
        const empty = await made(holder)
        const { status, body } = await patch(holder, empty, { [key]: given })
        assert.deepEqual([status, body.custom_fields, body.version], [200, { [key]: answered }, 2])
        for (const record of [created, body])
          assert.deepEqual((await server.call('GET', `${holder.path}/${record.id}`)).body, record)
        assert.ok(rowsOf(holder, created).length > 0)
        assert.deepEqual(rowsOf(holder, created), rowsOf(holder, body))
        const seq = server.lastSeq()
        assert.deepEqual((await patch(holder, body, { [key]: given })).body, body)
        assert.equal(server.lastSeq(), seq)
      })
    }

    for (const [type, given, code] of REFUSED) {
      test(`refuses ${type} ${short(given)} on create and by PATCH`, async () => {
        const key = keys.get(type) as string
        const record = await made(holder)
        const seq = server.lastSeq()
        for (const { status, body } of [
          await post(holder, { [key]: given }),
          await patch(holder, record, { [key]: given }),
        ]) {
          assert.equal(status, 422, JSON.stringify(body))
          assert.deepEqual(errorsOf(body), [`/custom_fields/${key} ${code}`])
        }
        assert.equal(server.lastSeq(), seq)
      })
    }

    test('refuses a number that no double carries', async () => {
      const key = keys.get('number') as string
      for (const number of ['1e400', '0.1234567890123456789', '9007199254740993']) {
        const raw = JSON.stringify({ ...holder.given, custom_fields: { [key]: '?' } }).replace('"?"', number)
        const { status, body } = await server.call('POST', holder.path, undefined, {
          raw,
          headers: { 'content-type': 'application/json' },
        })
        assert.deepEqual([status, errorsOf(body)], [422, [`/custom_fields/${key} invalid_type`]])
      }
    })

    test('has the active members of its organisation as values', async () => {
      const { a, b } = server
      const key = keys.get('member') as string
      const record = await made(holder, { [key]: a.owner })
      assert.deepEqual(record.custom_fields, { [key]: a.owner })
      for (const [id, code] of [
        [b.owner, 'reference_not_found'],
        [a.deactivated, 'member_deactivated'],
      ]) {
        const { body } = await patch(holder, record, { [key]: id })
        assert.deepEqual(errorsOf(body), [`/custom_fields/${key} ${code}`])
      }
      const headers = { 'x-request-id': 'same' }
      const [foreign, unknown] = [
        await post(holder, { [key]: b.owner }, { headers }),
        await post(holder, { [key]: UNKNOWN }, { headers }),
      ]
      assert.equal(foreign.text, unknown.text)
    })

    test('keeps a member who has been deactivated since, but takes none', async () => {
      const { a, store } = server
      const key = keys.get('member') as string
      const setStatus = store.db.prepare('UPDATE members SET status = ? WHERE org_id = ? AND id = ?')
      setStatus.run('active', a.org, a.deactivated)
      const record = await made(holder, { [key]: a.deactivated })
      setStatus.run('deactivated', a.org, a.deactivated)
      assert.deepEqual((await patch(holder, record, { [key]: a.deactivated })).body, record)
      assert.equal((await patch(holder, record, { [key]: null })).status, 200)
      const { status, body } = await patch(holder, record, { [key]: a.deactivated })
      assert.deepEqual([status, errorsOf(body)], [422, [`/custom_fields/${key} member_deactivated`]])
    })

    test('is merged by key, with its events', async () => {
      const { events, lastSeq } = server
      const [text, number, choices] = ['text', 'number', 'multi_select'].map((type) => keys.get(type) as string)
      const seq = lastSeq()
      const record = await made(holder, { [text as string]: 'x', [number as string]: 1 })
      const { body } = await patch(holder, record, { [number as string]: null, [choices as string]: ['a'] })
      assert.deepEqual(body.custom_fields, { [text as string]: 'x', [choices as string]: ['a'] })
      assert.deepEqual(
        events(seq).map(({ type, object, changed_fields, previous }) => [type, object, changed_fields, previous]),
        [
          [`${holder.object}.created`, record, [], {}],
          [`${holder.object}.updated`, body, ['custom_fields'], { custom_fields: record.custom_fields }],
        ],
      )
      const cleared = (await patch(holder, record, { [choices as string]: [], [text as string]: null })).body
      assert.deepEqual([cleared.custom_fields, rowsOf(holder, record)], [{}, []])
    })

    test('writes nothing for values that are so already, cleared ones among them', async () => {
      const [text, choices] = ['text', 'multi_select'].map((type) => keys.get(type) as string)
      const record = await made(holder, { [text as string]: 'x' })
      const seq = server.lastSeq()
      for (const values of [{}, { [text as string]: 'x' }, { [choices as string]: null }, { [choices as string]: [] }])
        assert.deepEqual((await patch(holder, record, values)).body, record)
      assert.equal(server.lastSeq(), seq)
    })

    test('answers its values in the order of their keys, however they came', async () => {
      const [one, two, three] = [...keys.values()].filter((_, at) => at < 3) as [string, string, string]
      const given = { [three]: true, [one]: 'x', [two]: 2 }
      const sorted = JSON.stringify(Object.fromEntries(Object.entries(given).sort()))
      const { text, body } = await post(holder, given)
      assert.ok(text.includes(sorted), text)
      const empty = await made(holder, { [two]: 2 })
      assert.ok((await patch(holder, empty, given)).text.includes(sorted))
      assert.ok((await server.call('GET', `${holder.path}/${body.id}`)).text.includes(sorted))
    })

    test('names every key that breaks a rule at once, and writes nothing', async () => {
      const seq = server.lastSeq()
      const given = { [keys.get('text') as string]: 5, [keys.get('date') as string]: 'x', nonsense: null, 'a/b~c': 1 }
      const { status, body } = await post(holder, given)
      assert.equal(status, 422)
      const [text, date] = [keys.get('text'), keys.get('date')]
      assert.deepEqual(errorsOf(body), [
        `/custom_fields/${text} invalid_type`,
        `/custom_fields/${date} invalid_date`,
        '/custom_fields/nonsense unknown_field',
        '/custom_fields/a~1b~0c unknown_field',
      ])
      assert.match(body.errors[2].message, /GET \/custom-fields/)
      assert.equal(server.lastSeq(), seq)
    })

    for (const wrong of [null, [], 'x', 5, true]) {
      test(`refuses custom_fields ${JSON.stringify(wrong)}`, async () => {
        const record = await made(holder)
        for (const { status, body } of [await post(holder, wrong), await patch(holder, record, wrong)])
          assert.deepEqual([status, errorsOf(body)], [422, ['/custom_fields invalid_type']])
      })
    }

    test('has no value of a field of another object or another organisation', async () => {
      const { b, call } = server
      const other = await newField(holder.object === 'deal' ? 'contact' : 'deal')
      const field = { object: holder.object, key: 'theirs', label: 'x', type: 'text' }
      assert.equal((await call('POST', '/custom-fields', field, { token: b.token })).status, 201)
      for (const key of [other, 'theirs'])
        assert.deepEqual(errorsOf((await post(holder, { [key]: 'x' })).body), [`/custom_fields/${key} unknown_field`])
    })

    test('needs a value of a required field: on create, and where one is cleared', async () => {
      const before = await made(holder)
      const key = await newField(holder.object, 'multi_select', { is_required: true })
      const id = (await server.call('GET', `/custom-fields?object=${holder.object}&limit=1`)).body.data[0].id
      const missing = [`/custom_fields/${key} required`]
      try {
        for (const given of [undefined, {}, { [key]: null }, { [key]: [] }]) {
          const { status, body } = await post(holder, given)
          assert.deepEqual([status, errorsOf(body)], [422, missing], JSON.stringify(given))
        }
        const record = await made(holder, { [key]: ['a'] })
        for (const given of [{ [key]: null }, { [key]: [] }])
          assert.deepEqual(errorsOf((await patch(holder, record, given)).body), missing)
        const { body } = await patch(holder, before, { [keys.get('text') as string]: 'still' })
        assert.equal(body.version, 2, 'what is older than the rule can be changed otherwise')
        assert.equal((await patch(holder, before, { [key]: ['b'] })).status, 200)
      } finally {
        await server.call('PATCH', `/custom-fields/${id}`, { is_required: false })
      }
    })

    test('has no unique value of another, and names all that it has', async () => {
      const { lastSeq } = server
      const unique = { is_unique: true }
      const [text, number] = [
        await newField(holder.object, 'text', unique),
        await newField(holder.object, 'number', unique),
      ]
      const first = await made(holder, { [text]: 'K-1', [number]: 7 })
      const other = await made(holder, { [text]: 'K-2' })
      const seq = lastSeq()
      const taken = { [text]: 'k-1', [number]: 7 }
      const [created, patched] = [await post(holder, taken), await patch(holder, other, taken)]
      for (const { status, body } of [created, patched])
        assert.deepEqual(
          [status, errorsOf(body)],
          [422, [`/custom_fields/${text} not_unique`, `/custom_fields/${number} not_unique`]],
        )
      assert.equal(lastSeq(), seq)
      assert.deepEqual((await server.call('GET', `${holder.path}/${other.id}`)).body, other)
      assert.deepEqual(rowsOf(holder, other), [[text, 'k-2', 'k-2']])
      assert.equal((await patch(holder, first, { [text]: 'K-3' })).status, 200)
      assert.equal((await patch(holder, other, { [text]: 'K-1' })).status, 200)
    })

    test('that is refused for a unique value leaves those alone that are written with it', async () => {
      const { lastSeq, store } = server
      const key = await newField(holder.object, 'text', { is_unique: true })
      const seq = lastSeq()
      const tries = await Promise.all(Array.from({ length: 20 }, (_, n) => post(holder, { [key]: `value ${n % 7}` })))
      assert.equal(tries.filter(({ status }) => status === 201).length, 7)
      assert.equal(tries.filter(({ status }) => status === 422).length, 13)
      assert.equal(lastSeq(), seq + 7)
      const written = store.db
        .prepare(`SELECT count(*) FROM ${holder.table} WHERE unique_value LIKE 'value _' AND org_id = ?`)
        .pluck()
      assert.equal(written.get(server.a.org), 7)
    })

    test('is safe to repeat under an Idempotency-Key', async () => {
      const key = await newField(holder.object, 'text', { is_unique: true })
      const headers = { 'idempotency-key': `custom-${holder.object}` }
      const [one, two] = [
        await post(holder, { [key]: 'x' }, { headers }),
        await post(holder, { [key]: 'x' }, { headers }),
      ]
      assert.deepEqual([two.status, two.text, two.headers.get('idempotency-replayed')], [201, one.text, 'true'])
    })
  })
}

describe('a key that every object inherits', () => {
  test('is a key like any other', async () => {
    const { call } = server
    for (const key of ['constructor', 'prototype', 'valueof']) await newField('contact', 'text', { key })
    const values = { constructor: 'a', prototype: 'b', valueof: 'c' }
    const empty = await made(CONTACT)
    assert.deepEqual(empty.custom_fields, {})
    const record = await made(CONTACT, values)
    assert.equal(JSON.stringify(record.custom_fields), JSON.stringify(values))
    assert.equal((await call('GET', '/contacts?custom_fields.constructor=a&count=true')).body.total, 1)
    assert.equal((await patch(CONTACT, empty, { constructor: 'z' })).body.custom_fields.constructor, 'z')
    const { body } = await patch(CONTACT, record, { constructor: null, prototype: 'B' })
    assert.equal(JSON.stringify(body.custom_fields), '{"prototype":"B","valueof":"c"}')
    assert.deepEqual(rowsOf(CONTACT, record), [
      ['prototype', 'b', null],
      ['valueof', 'c', null],
    ])
  })

  test('is unknown where no field has it', async () => {
    const raw = '{"title":"x","custom_fields":{"__proto__":"x","toString":"x","constructor":1}}'
    const { status, body } = await server.call('POST', '/deals', undefined, {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(status, 422)
    assert.deepEqual(
      errorsOf(body),
      ['__proto__', 'toString', 'constructor'].map((key) => `/custom_fields/${key} unknown_field`),
    )
  })
})

describe('the bounds', () => {
  test('of a body are a hundred members', async () => {
    const many = (most: number) => Object.fromEntries(Array.from({ length: most }, (_, n) => [`unknown_${n}`, 1]))
    assert.equal((await post(CONTACT, many(100))).body.errors.length, 100)
    assert.deepEqual(errorsOf((await post(CONTACT, many(101))).body), ['/custom_fields too_many'])
  })

  test('of a record are 256 KiB of values in all', async () => {
    const record = await made(DEAL)
    const text = 'x'.repeat(65_536 - 24)
    for (let n = 0; n < 4; n++) {
      const { status } = await patch(DEAL, record, { [await newField('deal')]: n < 3 ? text : text.slice(100) })
      assert.equal(status, 200)
    }
    const { status, body } = await patch(DEAL, record, { [await newField('deal')]: 'x'.repeat(200) })
    assert.deepEqual([status, errorsOf(body)], [422, ['/custom_fields too_long']])
  })
})

describe('what lists are asked from', () => {
  test('is the folded text, the option, the id, the number, the truth or the millisecond', async () => {
    const { a } = server
    const types = ['text', 'number', 'boolean', 'date', 'datetime', 'select', 'multi_select', 'member']
    const keys: string[] = []
    for (const type of types) keys.push(await newField('deal', type))
    const given = ['Łódź', 1.5, true, '2027-01-01', '1970-01-01T00:00:01Z', 'b', ['c', 'a'], a.owner]
    const deal = await made(DEAL, Object.fromEntries(keys.map((key, at) => [key, given[at]])))
    const values = (rowsOf(DEAL, deal) as [string, unknown][]).map(([key, value]) => [types[keys.indexOf(key)], value])
    assert.deepEqual(
      Object.fromEntries(
        Map.groupBy(values, ([type]) => type)
          .entries()
          .map(([type, rows]) => [type, rows.map(([, value]) => value)]),
      ),
      {
        text: ['lodz'],
        number: [1.5],
        boolean: [1],
        date: ['2027-01-01'],
        datetime: [1000],
        select: ['b'],
        multi_select: ['a', 'c'],
        member: [a.owner],
      },
    )
  })
})

describe('the stores, as the seed and the import call them', () => {
  test('hold the rules too', async () => {
    const { a, deps, store } = server
    const who = { org: a.org, member: null }
    const unique = { is_unique: true }
    const [contact, company, deal] = [
      await newField('contact', 'text', unique),
      await newField('company', 'text', unique),
      await newField('deal', 'text', unique),
    ]
    const [contacts, companies, deals] = [contactStore(deps), companyStore(deps), dealStore(deps)]
    const write = (job: () => { custom_fields: object }) => store.write(job)
    const jobs: [string, (value: string | number) => { custom_fields: object }][] = [
      [contact, (value) => contacts.create(who, { last_name: 'x', custom_fields: { [contact]: value } })],
      [company, (value) => companies.create(who, { name: 'x', custom_fields: { [company]: value } })],
      [deal, (value) => deals.add(who, deals.draft(who, { title: 'x', custom_fields: { [deal]: value } }))],
    ]
    for (const [key, job] of jobs) {
      assert.deepEqual((await write(() => job('one'))).custom_fields, { [key]: 'one' })
      for (const [value, code] of [
        ['ONE', 'not_unique'],
        [5, 'invalid_type'],
        [Number.POSITIVE_INFINITY, 'invalid_type'],
      ] as const)
        await assert.rejects(
          write(() => job(value)),
          (error) => errorsOf(error)[0] === `/custom_fields/${key} ${code}`,
        )
    }
    const number = await newField('deal', 'number')
    const draft = () => deals.draft(who, { title: 'x', custom_fields: { [number]: Number.POSITIVE_INFINITY } })
    assert.throws(draft, { code: 'invalid_fields' })
  })
})
