import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { smartLists } from '../../../src/filters/smart.ts'
import { type Given, recordsOf, UNKNOWN } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { FIELDS, type Field, type Listed, operatorsOf } from './naive.ts'

// The syntax of filters: every field with every operator, and every mistake.

let server: TestServer
const { newRecord } = recordsOf(() => server)
let tag: string
let company: string
before(async () => {
  server = await startServer()
  tag = (await newRecord('/tags', { name: 'Tag' })).id
  company = (await newRecord('/companies', { name: 'Firm' })).id
  for (const object of ['contact', 'company', 'deal'])
    for (const [key, type] of Object.entries(CUSTOM))
      await newRecord('/custom-fields', {
        object,
        key,
        label: key,
        type,
        options: type.endsWith('select') ? OPTIONS : [],
      })
})
after(() => server.stop())

const OPERATORS =
  'eq ne in not_in gt gte lt lte contains starts_with is_null not_null in_last_days in_next_days before_last_days after_next_days has_any has_all'
const OPTIONS = ['a', 'b'].map((value) => ({ value, label: value }))
const CUSTOM = {
  ...{ text: 'text', number: 'number', boolean: 'boolean', date: 'date', datetime: 'datetime', select: 'select' },
  ...{ picks: 'multi_select', url: 'url', email: 'email', phone: 'phone', member: 'member' },
}
/** As the table of FIELDS says it of the fields of the objects. */
const CUSTOM_FIELDS = new Map<string, Field>([
  ...['text', 'url', 'email', 'phone'].map((key): [string, Field] => [key, { type: 'text' }]),
  ['number', { type: 'number' }],
  ['boolean', { type: 'flag' }],
  ['date', { type: 'date' }],
  ['datetime', { type: 'time' }],
  ['select', { type: 'exact' }],
  ['picks', { type: 'exact', several: true }],
  ['member', { type: 'exact' }],
])

async function refused(filter: unknown, object: string = 'contact'): Promise<string[]> {
  const seq = server.lastSeq()
  const { status, body } = await server.call('POST', '/lists', { name: 'x', object, kind: 'smart', filter })
  assert.equal(status, 422, JSON.stringify([filter, body]))
  assert.equal(server.lastSeq(), seq)
  return body.errors.map(({ pointer, code }: Record<string, string>) => `${pointer?.replace('/filter', '')} ${code}`)
}

const VALUES = { text: 'x', number: 1.5, flag: true, date: '2026-02-28', time: '2026-02-28T12:00:00+01:00' }

/** Returns a value that the field accepts. */
function sampleOf(name: string, type: string): unknown {
  if (type !== 'exact') return VALUES[type as keyof typeof VALUES]
  const { a } = server
  const own: Record<string, unknown> = {
    ...{ tag_ids: tag, owner_id: a.owner, company_id: company, parent_company_id: company, stage: a.stages.won },
    ...{ status: 'won', close_reason_id: a.reasons.inactive, select: 'a', picks: 'b', member: a.deactivated },
  }
  return own[name.split('.').at(-1) as string]
}

describe('a field takes the operators that fit its type, and no others', () => {
  for (const object of ['contact', 'company', 'deal'] as const) {
    test(object, async () => {
      const contact = await newRecord('/contacts', { last_name: 'x' })
      const smart = smartLists(server.deps)
      const own = (of: Listed) => [
        ...FIELDS[of],
        ...[...CUSTOM_FIELDS].map(([key, field]) => [`custom_fields.${key}`, field] as const),
      ]
      const ofCompany =
        object === 'company' ? [] : own('company').map(([name, field]) => [`company.${name}`, field] as const)
      for (const [name, field] of [...own(object), ...ofCompany]) {
        const value = name === 'primary_contact_id' ? contact.id : sampleOf(name, field.type)
        assert.notEqual(value, undefined, name)
        for (const op of OPERATORS.split(' ')) {
          const leaf: Given = { field: name, op, value }
          if (['in', 'not_in', 'has_any', 'has_all'].includes(op)) leaf.value = [value, value]
          if (op.endsWith('_days')) leaf.value = 7
          if (op.endsWith('_null')) delete leaf.value
          const check = () => smart.check(server.a.org, object, leaf)
          if (operatorsOf(field).includes(op)) check()
          else
            assert.throws(
              check,
              ({ errors }) =>
                errors.length === 1 && errors[0].code === 'wrong_operator' && errors[0].pointer === '/filter/op',
              `${name} ${op}`,
            )
        }
      }
    })
  }
})

const NAME = { field: 'last_name', op: 'eq', value: 'x' }
const leaf = (field: string, op: string, value?: unknown) => ({ field, op, ...(value === undefined ? {} : { value }) })
const nested = (levels: number): object => (levels === 1 ? NAME : { all: [nested(levels - 1)] })

describe('a filter is refused, by a pointer to what is wrong', () => {
  const cases: [string, unknown, string[]][] = [
    ['without anything', {}, [' invalid_filter']],
    ['without a field', { op: 'eq', value: 1 }, [' invalid_filter']],
    ['with two shapes', { all: [NAME], any: [NAME] }, [' invalid_filter']],
    ['with a field beside a branch', { all: [NAME], ...NAME }, [' invalid_filter']],
    ['with an unknown member', { all: [NAME], 'or/~': [] }, ['/or~1~0 unknown_field']],
    ['with op beside a branch', { any: [NAME], op: 'eq' }, ['/op unknown_field']],
    ['with an unknown member of a condition', { ...NAME, case: true }, ['/case unknown_field']],
    ['with what every object inherits', { ...NAME, constructor: 1 }, ['/constructor unknown_field']],
    ['with an empty all', { all: [] }, ['/all empty']],
    ['with an empty any inside', { all: [NAME, { any: [] }] }, ['/all/1/any empty']],
    ['with all that is no array', { all: NAME }, ['/all invalid_type']],
    ['with all that is null', { all: null }, ['/all invalid_type']],
    ['with not that is an array', { not: [NAME] }, ['/not invalid_type']],
    ['with not that is null', { not: null }, ['/not invalid_type']],
    ['with a node that is null', { any: [null, NAME] }, ['/any/0 invalid_type']],
    ['with a node that is a text', { any: [NAME, 'x'] }, ['/any/1 invalid_type']],
    ['with six levels', nested(6), ['/all/0/all/0/all/0/all/0/all/0 too_deep']],
    ['with six levels of not', { not: { not: { not: { not: { not: NAME } } } } }, ['/not/not/not/not/not too_deep']],
    ['with 51 conditions', { any: Array(51).fill(NAME) }, ['/any/50 too_many']],
    [
      'with 51 conditions in two',
      { all: [{ any: Array(26).fill(NAME) }, { any: Array(25).fill(NAME) }] },
      ['/all/1/any/24 too_many'],
    ],
    ['by a field that is no text', leaf(5 as never, 'eq', 1), ['/field invalid_type']],
    ['by null', leaf(null as never, 'eq', 1), ['/field invalid_type']],
    ['by an unknown field', leaf('nickname', 'eq', 'x'), ['/field unknown_field']],
    ['by what every object inherits', leaf('constructor', 'eq', 'x'), ['/field unknown_field']],
    ['by a field of another object', leaf('title', 'eq', 'x'), ['/field unknown_field']],
    ['by the whole address', leaf('address', 'is_null'), ['/field unknown_field']],
    ['by the version', leaf('version', 'eq', 1), ['/field unknown_field']],
    ['by an unknown custom field', leaf('custom_fields.none', 'eq', 'x'), ['/field unknown_field']],
    ['by a custom field without a key', leaf('custom_fields.', 'eq', 'x'), ['/field unknown_field']],
    ['by an unknown field of the company', leaf('company.nickname', 'eq', 'x'), ['/field unknown_field']],
    ['by the company of the company', leaf('company.company.name', 'eq', 'x'), ['/field unknown_field']],
    ['without an operator', { field: 'last_name', value: 'x' }, ['/op required']],
    ['with an unknown operator', leaf('last_name', 'like', 'x'), ['/op invalid_choice']],
    ['with an operator that is no text', leaf('last_name', null as never, 'x'), ['/op invalid_choice']],
    ['without a value', leaf('last_name', 'eq'), ['/value required']],
    ['with null as the value', leaf('last_name', 'ne', null), ['/value required']],
    ['with null among the values', leaf('last_name', 'in', ['x', null]), ['/value/1 required']],
    ['with a value for is_null', leaf('last_name', 'is_null', true), ['/value unknown_field']],
    ['with null for not_null', leaf('last_name', 'not_null', null), ['/value unknown_field']],
    ['with no list for in', leaf('last_name', 'in', 'x'), ['/value invalid_value']],
    ['with an empty list', leaf('tag_ids', 'has_any', []), ['/value invalid_value']],
    ['with 101 values', leaf('last_name', 'not_in', Array(101).fill('x')), ['/value invalid_value']],
    ['with a list for eq', leaf('last_name', 'eq', ['x']), ['/value invalid_value']],
    ['with an empty text', leaf('last_name', 'eq', ''), ['/value invalid_value']],
    ['with a number for a text', leaf('last_name', 'eq', 5), ['/value invalid_value']],
    ['with a text of 2,049', leaf('last_name', 'eq', 'x'.repeat(2049)), ['/value invalid_value']],
    ['with NUL', leaf('last_name', 'eq', 'a\u0000'), ['/value invalid_value']],
    ['with half a surrogate pair', leaf('last_name', 'contains', '\ud800'), ['/value invalid_value']],
    ['with 31 combining marks', leaf('last_name', 'contains', `a${'\u0301'.repeat(31)}`), ['/value invalid_value']],
    ['with a text for a flag', leaf('do_not_contact', 'eq', 'true'), ['/value invalid_value']],
    ['with a number for a flag', leaf('do_not_contact', 'ne', 0), ['/value invalid_value']],
    ['with a day for a time', leaf('created_at', 'gt', '2026-01-01'), ['/value invalid_value']],
    ['with a time that is not there', leaf('created_at', 'gt', '2026-02-30T00:00:00Z'), ['/value invalid_value']],
    ['with half a day', leaf('updated_at', 'in_last_days', 0.5), ['/value invalid_value']],
    ['with negative days', leaf('updated_at', 'in_last_days', -1), ['/value invalid_value']],
    ['with too many days', leaf('updated_at', 'in_next_days', 36_501), ['/value invalid_value']],
    ['with days as a text', leaf('updated_at', 'in_next_days', '7'), ['/value invalid_value']],
    [
      'with days for what is further away as a text',
      leaf('updated_at', 'before_last_days', '7'),
      ['/value invalid_value'],
    ],
    ['with a period that has no name', leaf('created_at', 'eq', 'last_decade'), ['/value invalid_value']],
    ['with a period in capitals', leaf('created_at', 'gte', 'Today'), ['/value invalid_value']],
    ['with me where no member is meant', leaf('company_id', 'eq', 'me'), ['/value invalid_value']],
    ['with me as a day', leaf('updated_at', 'gt', 'me'), ['/value invalid_value']],
    ['with today as an owner', leaf('owner_id', 'in', ['me', 'today']), ['/value/1 invalid_value']],
    ['with what is no id', leaf('owner_id', 'eq', 'ana'), ['/value invalid_value']],
    ['with an unknown owner', leaf('owner_id', 'eq', UNKNOWN), ['/value reference_not_found']],
    ['with an unknown tag among others', leaf('tag_ids', 'has_all', [UNKNOWN]), ['/value/0 reference_not_found']],
    ['with an unknown option', leaf('custom_fields.select', 'eq', 'z'), ['/value invalid_value']],
    [
      'with an unknown option among others',
      leaf('custom_fields.picks', 'has_any', ['a', 'z']),
      ['/value/1 invalid_value'],
    ],
    ['with a text for a custom number', leaf('custom_fields.number', 'gt', '5'), ['/value invalid_value']],
    [
      'with a time for a custom date',
      leaf('custom_fields.date', 'eq', '2026-01-01T00:00:00Z'),
      ['/value invalid_value'],
    ],
    [
      'with an unknown member in a custom field',
      leaf('custom_fields.member', 'ne', UNKNOWN),
      ['/value reference_not_found'],
    ],
    [
      'with two things wrong',
      { any: [leaf('nickname', 'eq', 'x'), { not: leaf('last_name', 'eq') }] },
      ['/any/0/field unknown_field', '/any/1/not/value required'],
    ],
  ]
  for (const [what, filter, errors] of cases) {
    test(what, async () => assert.deepEqual(await refused(filter), errors))
  }

  test('by the company on companies, and by fields that only others have', async () => {
    assert.deepEqual(await refused(leaf('company.name', 'eq', 'x'), 'company'), ['/field unknown_field'])
    assert.deepEqual(await refused(leaf('emails', 'is_null'), 'company'), ['/field unknown_field'])
    assert.deepEqual(await refused(leaf('address.city', 'eq', 'x'), 'deal'), ['/field unknown_field'])
    assert.deepEqual(await refused(leaf('amount', 'gt', -1), 'deal'), ['/value invalid_value'])
    assert.deepEqual(await refused(leaf('amount', 'gt', 0.0000001), 'deal'), ['/value invalid_value'])
    assert.deepEqual(await refused(leaf('status', 'eq', 'lapsed'), 'deal'), ['/value invalid_value'])
    assert.deepEqual(await refused(leaf('expected_close_date', 'eq', '2026-02-30'), 'deal'), ['/value invalid_value'])
  })

  test('by an archived custom field', async () => {
    const { id } = await newRecord('/custom-fields', {
      object: 'contact',
      key: 'old',
      label: 'Old',
      type: 'text',
      is_archived: true,
    })
    assert.deepEqual(await refused(leaf('custom_fields.old', 'eq', 'x')), ['/field unknown_field'])
    await server.call('PATCH', `/custom-fields/${id}`, { is_archived: false })
    await newRecord('/lists', {
      name: 'x',
      object: 'contact',
      kind: 'smart',
      filter: leaf('custom_fields.old', 'eq', 'x'),
    })
  })

  test('with at most 100 errors, in a body that could name 1,000', async () => {
    assert.equal((await refused({ all: Array(1000).fill({}) })).length, 100)
  })

  test('with ids of another organisation, to the byte as with unknown ones', async () => {
    const { b, call } = server
    const theirs = async (path: string, given: Given) => (await call('POST', path, given, { token: b.token })).body.id
    const foreign: [string, string, string][] = [
      ['contact', 'owner_id', b.owner],
      ['contact', 'company_id', await theirs('/companies', { name: 'x' })],
      ['contact', 'company.owner_id', b.owner],
      ['contact', 'custom_fields.member', b.owner],
      ['company', 'parent_company_id', await theirs('/companies', { name: 'y' })],
      ['deal', 'primary_contact_id', await theirs('/contacts', { last_name: 'x' })],
      ['deal', 'stage', b.stages.demo],
      ['deal', 'close_reason_id', b.reasons.won],
    ]
    const headers = { 'x-request-id': 'same' }
    for (const [object, field, id] of foreign) {
      const ask = (value: string) =>
        call('POST', '/lists', { name: 'x', object, kind: 'smart', filter: leaf(field, 'eq', value) }, { headers })
      const [one, other] = [await ask(id), await ask(UNKNOWN)]
      assert.deepEqual([one.status, one.body.errors[0].code], [422, 'reference_not_found'], field)
      assert.equal(one.text, other.text)
    }
    const tags = leaf('tag_ids', 'has_any', [await theirs('/tags', { name: 'x' })])
    assert.deepEqual(await refused(tags), ['/value/0 reference_not_found'])
  })
})

test('a filter may have five levels, 50 conditions and 100 values each, however they are combined', async () => {
  const { a, call } = server
  const times = Array.from({ length: 100 }, (_, n) => new Date(n * 1000).toISOString())
  const ids = Array(100).fill(a.owner)
  for (const filter of [
    nested(5),
    { any: Array(50).fill(leaf('created_at', 'in', times)) },
    { not: { any: Array(50).fill(leaf('created_at', 'not_in', times)) } },
    {
      any: [
        { any: Array(25).fill(leaf('created_at', 'in', times)) },
        { all: Array(25).fill(leaf('owner_id', 'in', ids)) },
      ],
    },
    { any: Array(50).fill(leaf('company.created_at', 'in', times)) },
    { all: Array(50).fill(leaf('tag_ids', 'has_all', Array(100).fill(tag))) },
    { any: Array(50).fill({ not: { any: [leaf('phones', 'contains', '%')] } }) },
    { any: Array(50).fill(leaf('custom_fields.text', 'starts_with', 'x'.repeat(2048))) },
  ]) {
    const { status, body } = await call('POST', '/lists', { name: 'Large', object: 'contact', kind: 'smart', filter })
    assert.equal(status, 201, JSON.stringify(body))
    for (const query of ['', '?sort=updated_at', '?sort=-created_at&count=true'])
      assert.equal((await call('GET', `/lists/${body.id}/members${query}`)).status, 200)
  }
})
