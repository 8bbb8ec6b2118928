import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const OBJECTS = [
  ['contact', '/contacts', { last_name: 'x' }],
  ['company', '/companies', { name: 'x' }],
  ['deal', '/deals', { title: 'x' }],
] as const
const TYPES = ['text', 'number', 'boolean', 'date', 'datetime', 'url', 'email', 'phone', 'member']

let count = 0
/** Returns a key that no other field has. */
const newKey = () => `key_${count++}`
const options = (...values: string[]) => values.map((value) => ({ value, label: value.toUpperCase(), color: null }))

const newField = (given: Given = {}) =>
  newRecord('/custom-fields', { object: 'contact', key: newKey(), label: 'Field', type: 'text', ...given })

/** Creates a contact with these values. */
const withValues = (custom_fields: object, path = '/contacts', given: object = { last_name: 'x' }) =>
  newRecord(path, { ...given, custom_fields })

const change = (field: { id: string }, given: object) => server.call('PATCH', `/custom-fields/${field.id}`, given)
const read = async (path: string) => (await server.call('GET', path)).body

/** Expects an error that writes nothing. */
async function refused(method: string, path: string, given: object | undefined, status: number, code: string) {
  const seq = server.lastSeq()
  const answer = await server.call(method, path, given)
  assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text)
  assert.equal(server.lastSeq(), seq)
  return answer.body
}

describe('create', () => {
  test('answers the whole field, with its event', async () => {
    const { call, events, lastSeq } = server
    const seq = lastSeq()
    const given = { object: 'company', key: 'segment', label: 'Segment', type: 'select', options: options('a', 'b') }
    const { status, body, headers } = await call('POST', '/custom-fields', given)
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      ...given,
      is_required: false,
      is_unique: false,
      help_text: null,
      position: 0,
      is_archived: false,
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/custom-fields/${body.id}`)
    assert.deepEqual(await read(`/custom-fields/${body.id}`), body)
    assert.deepEqual(
      events(seq).map(({ type, object }) => [type, object]),
      [['custom_field.created', body]],
    )
  })

  test('keeps every field that it takes', async () => {
    const given = { is_required: true, is_unique: true, help_text: 'Ask first.', position: 7, is_archived: true }
    const field = await newField({ object: 'company', ...given })
    assert.deepEqual({ ...field, ...given }, field)
  })

  test('stands behind the last one of its object, unless it says where', async () => {
    const { b, call } = server
    const post = async (object: string, more = {}) => {
      const given = { object, key: newKey(), label: 'x', type: 'text', ...more }
      return (await call('POST', '/custom-fields', given, { token: b.token })).body.position
    }
    const positions = [
      await post('deal'),
      await post('deal'),
      await post('contact'),
      await post('deal', { position: 9 }),
    ]
    assert.deepEqual([...positions, await post('deal')], [0, 1, 0, 9, 10])
    assert.equal(await post('deal', { position: 1_000_000 }), 1_000_000)
    assert.equal(await post('deal'), 1_000_000)
  })

  const valid = { object: 'contact', key: 'fine', label: 'Fine', type: 'text' }
  const refusals: [string, Record<string, unknown>, string[]][] = [
    ['no object', { object: undefined }, ['/object required']],
    ['an object that has none', { object: 'task' }, ['/object invalid_choice']],
    ['no key', { key: undefined }, ['/key required']],
    ['an empty key', { key: '' }, ['/key invalid_key']],
    ['a key with a capital letter', { key: 'Segment' }, ['/key invalid_key']],
    ['a key that starts with a digit', { key: '1st' }, ['/key invalid_key']],
    ['a key with a hyphen', { key: 'a-b' }, ['/key invalid_key']],
    ['a key of 64 characters', { key: 'k'.repeat(64) }, ['/key invalid_key']],
    ['no label', { label: undefined }, ['/label required']],
    ['an empty label', { label: ' ' }, ['/label empty']],
    ['no type', { type: undefined }, ['/type required']],
    ['a type that is none', { type: 'money' }, ['/type invalid_choice']],
    ['a choice of nothing', { type: 'select' }, ['/options required']],
    ['a choice of no options', { type: 'multi_select', options: [] }, ['/options required']],
    ['options that are null', { type: 'select', options: null }, ['/options not_null']],
    ['an option twice', { type: 'select', options: options('a', 'b', 'a') }, ['/options repeated']],
    ['201 options', { type: 'select', options: options(...Array(201).keys().map(String)) }, ['/options too_many']],
    ['an option without a label', { type: 'select', options: [{ value: 'a' }] }, ['/options/0/label required']],
    [
      'an empty option',
      { type: 'select', options: options('a', '') },
      ['/options/1/value empty', '/options/1/label empty'],
    ],
    [
      'an option of 256 characters',
      { type: 'select', options: [{ value: 'x'.repeat(256), label: 'x' }] },
      ['/options/0/value too_long'],
    ],
    [
      'a color that is none',
      { type: 'select', options: [{ value: 'a', label: 'A', color: 'red' }] },
      ['/options/0/color invalid_color'],
    ],
    ['a unique truth', { type: 'boolean', is_unique: true }, ['/is_unique not_for_type']],
    [
      'a unique set of options',
      { type: 'multi_select', options: options('a'), is_unique: true },
      ['/is_unique not_for_type'],
    ],
    [
      'options and uniqueness for a truth',
      { type: 'boolean', options: options('a'), is_unique: true },
      ['/options not_for_type', '/is_unique not_for_type'],
    ],
    ['a negative position', { position: -1 }, ['/position out_of_range']],
  ]
  for (const type of TYPES)
    refusals.push([`options for ${type}`, { type, options: options('a') }, ['/options not_for_type']])
  for (const [what, given, errors] of refusals) {
    test(`refuses ${what}`, async () => {
      assert.deepEqual(
        errorsOf(await refused('POST', '/custom-fields', { ...valid, ...given }, 422, 'invalid_fields')),
        errors,
      )
    })
  }

  test('takes the longest key, 200 options, a color, and no options where none belong', async () => {
    assert.equal((await newField({ key: 'k'.repeat(63), options: [] })).key.length, 63)
    const many = options(...Array(200).keys().map(String))
    assert.equal((await newField({ type: 'select', options: many, is_unique: true })).options.length, 200)
    const [colored] = (await newField({ type: 'select', options: [{ value: 'a', label: 'A', color: '#00ff00' }] }))
      .options
    assert.equal(colored.color, '#00ff00')
  })

  test('refuses a key that the object has already, also of an archived field, naming it', async () => {
    const key = newKey()
    const { id } = await newField({ key, is_archived: true })
    const given = { ...valid, key }
    assert.equal((await refused('POST', '/custom-fields', given, 409, 'duplicate')).duplicate_id, id)
    await newField({ key, object: 'deal' })
    const theirs = await server.call('POST', '/custom-fields', given, { token: server.b.token })
    assert.equal(theirs.status, 201)
  })

  test('refuses a field beyond a hundred active ones of an object', async () => {
    const { call, store } = server
    const { a } = server
    const active = () =>
      Number(
        store.db
          .prepare("SELECT count(*) FROM custom_fields WHERE org_id = ? AND object = 'deal' AND is_archived = 0")
          .pluck()
          .get(a.org),
      )
    while (active() < 99) await newField({ object: 'deal' })
    const archived = await newField({ object: 'deal', is_archived: true })
    const last = await newField({ object: 'deal' })
    const given = { ...valid, object: 'deal', key: newKey() }
    await refused('POST', '/custom-fields', given, 409, 'too_many_fields')
    await newField({ ...given, is_archived: true })
    await newField({ object: 'contact' })
    await refused('PATCH', `/custom-fields/${archived.id}`, { is_archived: false }, 409, 'too_many_fields')
    assert.equal((await change(last, { is_archived: true })).status, 200)
    assert.equal((await change(archived, { is_archived: false })).status, 200)
    await refused('PATCH', `/custom-fields/${last.id}`, { is_archived: false }, 409, 'too_many_fields')
    for (const { id } of (await read('/custom-fields?object=deal&limit=100')).data)
      assert.equal((await call('DELETE', `/custom-fields/${id}`)).status, 204)
  })
})

describe('a change', () => {
  test('is answered with what is so now, with its event', async () => {
    const { advance, events, lastSeq } = server
    const field = await newField()
    advance(1000)
    const seq = lastSeq()
    const given = { label: 'Other', is_required: true, help_text: 'Why', position: 3 }
    const { status, body } = await change(field, given)
    assert.equal(status, 200)
    assert.deepEqual(body, { ...field, ...given, updated_at: body.updated_at, version: 2 })
    assert.notEqual(body.updated_at, field.updated_at)
    assert.deepEqual(
      events(seq).map(({ type, object, changed_fields }) => [type, object, changed_fields.sort()]),
      [['custom_field.updated', body, Object.keys(given).sort()]],
    )
    await change(field, { is_required: false })
  })

  test('that changes nothing writes nothing', async () => {
    const field = await newField({ type: 'select', options: options('a') })
    const seq = server.lastSeq()
    for (const given of [{}, { label: field.label, options: [{ value: 'a', label: 'A' }] }]) {
      const { status, body } = await change(field, given)
      assert.deepEqual([status, body], [200, field])
    }
    assert.equal(server.lastSeq(), seq)
  })

  test('never is one of object, key or type', async () => {
    const { id } = await newField()
    for (const [name, value] of Object.entries({ object: 'deal', key: 'other', type: 'date' })) {
      const body = await refused('PATCH', `/custom-fields/${id}`, { [name]: value }, 422, 'invalid_fields')
      assert.deepEqual(errorsOf(body), [`/${name} unknown_field`])
    }
  })

  test('keeps to what fits the type', async () => {
    const text = await newField()
    const flag = await newField({ type: 'boolean' })
    const choice = await newField({ type: 'select', options: options('a') })
    for (const [field, given, error] of [
      [text, { options: options('a') }, '/options not_for_type'],
      [flag, { is_unique: true }, '/is_unique not_for_type'],
      [choice, { options: [] }, '/options required'],
      [choice, { options: options('a', 'a') }, '/options repeated'],
      [text, { label: null }, '/label not_null'],
    ] as const) {
      assert.deepEqual(errorsOf(await refused('PATCH', `/custom-fields/${field.id}`, given, 422, 'invalid_fields')), [
        error,
      ])
    }
  })
})

describe('options', () => {
  for (const [type, value] of [
    ['select', 'used'],
    ['multi_select', ['free', 'used']],
  ] as const) {
    test(`of ${type} can be added, renamed, recolored and turned around, and go when no record has them`, async () => {
      const field = await newField({ type, options: options('used', 'free', 'gone') })
      const contact = await withValues({ [field.key]: value })
      const changed = [{ value: 'free', label: 'Other', color: '#123456' }, ...options('used', 'new')]
      assert.deepEqual((await change(field, { options: changed })).body.options, changed)
      const { detail } = await refused(
        'PATCH',
        `/custom-fields/${field.id}`,
        { options: options('new') },
        409,
        'option_in_use',
      )
      assert.match(detail, type === 'select' ? /"used"/ : /"free"/)
      await server.call('PATCH', `/contacts/${contact.id}`, { custom_fields: { [field.key]: null } })
      assert.equal((await change(field, { options: options('new') })).status, 200)
    })

    test(`of ${type} stay while an archived value has them`, async () => {
      const field = await newField({ type, options: options('used', 'free') })
      await withValues({ [field.key]: value })
      await change(field, { is_archived: true })
      await refused('PATCH', `/custom-fields/${field.id}`, { options: options('free') }, 409, 'option_in_use')
    })
  }

  test('of another field and of another organisation are not in the way', async () => {
    const { b, call } = server
    const field = await newField({ type: 'select', options: options('a', 'b') })
    const other = await newField({ type: 'select', options: options('a', 'b') })
    await withValues({ [other.key]: 'a' })
    const given = { object: 'contact', key: field.key, label: 'x', type: 'select', options: options('a') }
    assert.equal((await call('POST', '/custom-fields', given, { token: b.token })).status, 201)
    const theirs = { last_name: 'x', custom_fields: { [field.key]: 'a' } }
    assert.equal((await call('POST', '/contacts', theirs, { token: b.token })).status, 201)
    assert.equal((await change(field, { options: options('b') })).status, 200)
  })
})

describe('uniqueness', () => {
  const pairs: [string, unknown, unknown, unknown][] = [
    // the same as the first, the first in another spelling, a different one
    ['text', 'Straße Eins', 'STRAßE EINS', 'strasse eins'],
    ['text', `${'x'.repeat(300)}1`, `${'X'.repeat(300)}1`, `${'x'.repeat(300)}2`],
    ['number', 1.5, 1.5, 1.25],
    ['date', '2027-01-01', '2027-01-01', '2027-01-02'],
    ['datetime', '2027-01-01T00:00:00Z', '2027-01-01T01:00:00+01:00', '2027-01-01T00:00:00.001Z'],
    ['url', 'https://A.example/x', 'https://a.example/X', 'https://a.example/y'],
    ['email', 'A@x.example', 'a@X.example', 'b@x.example'],
    ['email', 'ana@grün.example', 'Ana@xn--grn-ioa.example', 'ana@gruen.example'],
    ['phone', '+49 30 1234', '+49 30 1234', '+49 30 1235'],
    ['phone', '+44 20 7946 0311', 'Tel. +44 (0)20-7946-0311', '+44 20 7946 0311 ext. 5'],
    ['phone', '030 7654321', '+49 30 7654321', '030 7654322'],
    ['select', 'a', 'a', 'b'],
  ]
  for (const [type, one, same, other] of pairs) {
    test(`of ${type} ${JSON.stringify(one).slice(0, 20)} is switched on for the values there are, and off again`, async () => {
      const { call } = server
      const field = await newField({ type, ...(type === 'select' ? { options: options('a', 'b') } : {}) })
      const first = await withValues({ [field.key]: one })
      const second = await withValues({ [field.key]: same })
      await refused('PATCH', `/custom-fields/${field.id}`, { is_unique: true }, 409, 'not_unique')
      assert.equal((await read(`/custom-fields/${field.id}`)).is_unique, false)
      await call('PATCH', `/contacts/${second.id}`, { custom_fields: { [field.key]: other } })
      assert.equal((await change(field, { is_unique: true })).body.is_unique, true)
      const again = { last_name: 'x', custom_fields: { [field.key]: same } }
      assert.deepEqual(errorsOf(await refused('POST', '/contacts', again, 422, 'invalid_fields')), [
        `/custom_fields/${field.key} not_unique`,
      ])
      assert.equal((await call('PATCH', `/contacts/${first.id}`, { custom_fields: { [field.key]: same } })).status, 200)
      assert.equal((await change(field, { is_unique: false })).body.is_unique, false)
      const held = server.store.db
        .prepare('SELECT count(unique_value) FROM contact_values WHERE org_id = ? AND field_id = ?')
        .pluck()
      assert.equal(held.get(server.a.org, field.id), 0)
      assert.equal((await call('POST', '/contacts', again)).status, 201)
    })
  }

  test('counts archived values too, and holds when they come back', async () => {
    const { call } = server
    const field = await newField()
    const values = { [field.key]: 'Same' }
    const [, second] = [await withValues(values), await withValues(values)]
    await change(field, { is_archived: true })
    await refused('PATCH', `/custom-fields/${field.id}`, { is_unique: true }, 409, 'not_unique')
    await call('DELETE', `/contacts/${second.id}`)
    assert.equal((await change(field, { is_unique: true })).status, 200)
    await change(field, { is_archived: false })
    await refused(
      'POST',
      '/contacts',
      { last_name: 'x', custom_fields: { [field.key]: 'same' } },
      422,
      'invalid_fields',
    )
  })

  test('is that of one field of one organisation', async () => {
    const { b, call } = server
    const [one, other] = [await newField({ is_unique: true }), await newField({ is_unique: true })]
    const given = { object: 'contact', key: one.key, label: 'x', type: 'text', is_unique: true }
    assert.equal((await call('POST', '/custom-fields', given, { token: b.token })).status, 201)
    await withValues({ [one.key]: 'A', [other.key]: 'A' })
    const theirs = await call(
      'POST',
      '/contacts',
      { last_name: 'x', custom_fields: { [one.key]: 'A' } },
      { token: b.token },
    )
    assert.equal(theirs.status, 201)
  })
})

describe('an archived field', () => {
  /** A value of each type, and more of those whose form in JSON is delicate. */
  const kept = async () => {
    const all: Record<string, unknown> = {}
    for (const [type, ...values] of [
      ['text', 'Ünï "quoted" \\ \n 🚀', 'true', '12', '[1]'],
      ['number', 0, 1e21, -0.1, 123456789.123456],
      ['boolean', true, false],
      ['date', '2027-01-01'],
      ['datetime', '2027-01-01T00:00:00.000Z'],
      ['multi_select', ['b', 'a'], ['a']],
    ] as const)
      for (const value of values) {
        const { key } = await newField({ type, ...(type === 'multi_select' ? { options: options('a', 'b') } : {}) })
        all[key] = value
      }
    return all
  }

  for (const [object, path, given] of OBJECTS) {
    test(`of a ${object} leaves the answers of the records that have it, and comes back`, async () => {
      const { advance, call, events, lastSeq, now } = server
      const field = await newField({ object, type: 'number' })
      const other = await newField({ object, key: `a_${newKey()}` })
      const values = { [other.key]: 'stays', [field.key]: 40 }
      const record = await withValues(values, path, given)
      const without = await withValues({ [other.key]: 'x' }, path, given)
      advance(1000)
      const seq = lastSeq()
      const archived = (await change(field, { is_archived: true })).body
      const at = new Date(now()).toISOString()
      const { body, headers } = await call('GET', `${path}/${record.id}`)
      assert.deepEqual(body, { ...record, custom_fields: { [other.key]: 'stays' }, updated_at: at, version: 2 })
      assert.equal(headers.get('etag'), '"2"')
      assert.deepEqual(await read(`${path}/${without.id}`), without)
      advance(1000)
      await change(field, { is_archived: false })
      const back = { ...record, updated_at: new Date(now()).toISOString(), version: 3 }
      assert.deepEqual(await read(`${path}/${record.id}`), back)
      assert.deepEqual(await read(`${path}/${without.id}`), without)
      assert.deepEqual(
        events(seq).map(({ type, changed_fields, previous }) => [type, changed_fields, previous]),
        [
          ['custom_field.updated', ['is_archived'], { is_archived: false }],
          ['custom_field.updated', ['is_archived'], { is_archived: true }],
        ],
      )
      assert.equal(archived.is_archived, true)
    })
  }

  test('gives its values back as they were, in the order of the keys', async () => {
    const { call } = server
    const values = await kept()
    const record = await withValues(values)
    const fields: { id: string; key: string }[] = (
      await read('/custom-fields?object=contact&is_archived=false&limit=100')
    ).data
    const archived = fields.filter(({ key }) => Object.hasOwn(values, key))
    for (const field of archived) await change(field, { is_archived: true })
    assert.deepEqual((await read(`/contacts/${record.id}`)).custom_fields, {})
    const hidden = server.store.db.prepare('SELECT archived_fields FROM contacts WHERE org_id = ? AND id = ?').pluck()
    assert.deepEqual(JSON.parse(hidden.get(server.a.org, record.id) as string), values)
    for (const field of archived) await change(field, { is_archived: false })
    assert.equal(hidden.get(server.a.org, record.id), '{}')
    const { text } = await call('GET', `/contacts/${record.id}`)
    assert.ok(text.includes(JSON.stringify(record.custom_fields)), text)
    const seq = server.lastSeq()
    assert.equal((await call('PATCH', `/contacts/${record.id}`, { custom_fields: values })).status, 200)
    assert.equal(server.lastSeq(), seq)
    for (const field of archived)
      await call('PATCH', `/contacts/${record.id}`, { custom_fields: { [field.key]: null } })
    assert.deepEqual((await read(`/contacts/${record.id}`)).custom_fields, {})
  })

  test('is unknown to writes, filters and sorts', async () => {
    const { call } = server
    const field = await newField({ is_required: true })
    const contact = await withValues({ [field.key]: 'x' })
    await change(field, { is_archived: true })
    for (const value of ['x', null]) {
      const body = await refused(
        'PATCH',
        `/contacts/${contact.id}`,
        { custom_fields: { [field.key]: value } },
        422,
        'invalid_fields',
      )
      assert.deepEqual(errorsOf(body), [`/custom_fields/${field.key} unknown_field`])
      assert.match(body.errors[0].message, /archived/)
    }
    assert.equal((await call('POST', '/contacts', { last_name: 'not required' })).status, 201)
    for (const query of [`custom_fields.${field.key}=x`, `sort=custom_fields.${field.key}`]) {
      const { status, body } = await call('GET', `/contacts?${query}`)
      assert.equal(status, 400)
      assert.ok(!body.detail.split('allowed parameters are')[1]?.includes(`custom_fields.${field.key},`))
    }
  })

  test('keeps its values in a record that is changed in the meantime', async () => {
    const { call } = server
    const [field, other] = [await newField(), await newField()]
    const contact = await withValues({ [field.key]: 'kept', [other.key]: 'old' })
    await change(field, { is_archived: true })
    await call('PATCH', `/contacts/${contact.id}`, { last_name: 'y', custom_fields: { [other.key]: 'new' } })
    await change(field, { is_archived: false })
    assert.deepEqual((await read(`/contacts/${contact.id}`)).custom_fields, { [field.key]: 'kept', [other.key]: 'new' })
  })

  test('is one of its own organisation', async () => {
    const { b, call } = server
    const field = await newField()
    const given = { object: 'contact', key: field.key, label: 'x', type: 'text' }
    const token = { token: b.token }
    await call('POST', '/custom-fields', given, token)
    const theirs = (await call('POST', '/contacts', { last_name: 'x', custom_fields: { [field.key]: 'x' } }, token))
      .body
    await withValues({ [field.key]: 'x' })
    await change(field, { is_archived: true })
    assert.deepEqual((await call('GET', `/contacts/${theirs.id}`, undefined, token)).body, theirs)
  })
})

describe('delete', () => {
  for (const [object, path, given] of OBJECTS) {
    test(`of a field of a ${object} waits until no record has a value, archived or not`, async () => {
      const { call, events, lastSeq } = server
      const field = await newField({ object })
      const record = await withValues({ [field.key]: 'x' }, path, given)
      const one = `/custom-fields/${field.id}`
      await refused('DELETE', one, undefined, 409, 'field_in_use')
      await change(field, { is_archived: true })
      await refused('DELETE', one, undefined, 409, 'field_in_use')
      await change(field, { is_archived: false })
      await call('PATCH', `${path}/${record.id}`, { custom_fields: { [field.key]: null } })
      const seq = lastSeq()
      assert.equal((await call('DELETE', one)).status, 204)
      assert.deepEqual(
        events(seq).map(({ type, object_id }) => [type, object_id]),
        [['custom_field.deleted', field.id]],
      )
      assert.equal((await call('GET', one)).status, 404)
      assert.equal((await newField({ object, key: field.key, type: 'number' })).type, 'number')
    })
  }

  test('of a record frees its values and its unique ones', async () => {
    const { call } = server
    for (const [object, path, given] of OBJECTS.slice(0, 2)) {
      const field = await newField({ object, is_unique: true })
      const record = await withValues({ [field.key]: 'x' }, path, given)
      assert.equal((await call('DELETE', `${path}/${record.id}`)).status, 204)
      await withValues({ [field.key]: 'X' }, path, given)
    }
  })

  test('of a field that is not there is 404', async () => {
    await refused('DELETE', `/custom-fields/${UNKNOWN}`, undefined, 404, 'not_found')
  })
})

describe('the list', () => {
  test('is filtered by object and by what is archived, and sorted by position', async () => {
    const all = (await read('/custom-fields?limit=100')).data
    for (const [object] of OBJECTS) {
      const { data } = await read(`/custom-fields?object=${object}&is_archived=false&sort=position&limit=100`)
      const wanted = all.filter((one: Record<string, unknown>) => one.object === object && !one.is_archived)
      assert.equal(data.length, wanted.length)
      const positions = data.map(({ position }: { position: number }) => position)
      assert.deepEqual(
        positions,
        positions.toSorted((left: number, right: number) => left - right),
      )
    }
  })
})
