import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { catalog } from '../../src/app/api.ts'
import { resourceDeps } from '../../src/app/deps.ts'
import { contactStore } from '../../src/crm/contacts.ts'
import { cursors } from '../../src/http/cursor.ts'
import { readAsk } from '../../src/http/query.ts'
import type { Listed } from '../../src/http/route.ts'
import { fold } from '../../src/lib/pure/fold.ts'
import { NARROW } from '../../src/store/list/page.ts'
import { openStore } from '../../src/store/open.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Lists by custom fields: their filters and sorts, page by page, and the indexes they use.

type Values = Record<string, string | number | boolean | string[]>
type Contact = { id: string; last_name: string; owner_id: string | null; custom_fields: Values }

const FIELDS = {
  nick: 'text',
  seats: 'number',
  vip: 'boolean',
  since: 'date',
  seen: 'datetime',
  segment: 'select',
  topics: 'multi_select',
  agent: 'member',
} as const
type Field = keyof typeof FIELDS
const OPTIONS = ['a', 'b', 'null', 'with, comma']

let server: TestServer
/** Newest first, as lists are. */
let contacts: Contact[]
before(async () => {
  server = await startServer()
  for (const [key, type] of Object.entries(FIELDS)) {
    const options = type.endsWith('select') ? { options: OPTIONS.map((value) => ({ value, label: value })) } : {}
    const field = { object: 'contact', key, label: key, type, ...options }
    assert.equal((await server.call('POST', '/custom-fields', field)).status, 201)
  }
  contacts = Array.from({ length: 60 }, (_, n) => newContact(n)).reverse()
})
after(() => server.stop())

const pick = <Value>(n: number, ...all: Value[]): Value => all[n % all.length] as Value

function valuesOf(n: number): Values {
  const values: Record<string, Values[string] | null> = {
    nick: pick(n, 'Łódź', 'lodz', null, 'Straße', `${'x'.repeat(254)}ß`, 'null', 'B'),
    seats: pick(n, 1, 40, 2.5, null, -3, 40, 1e21),
    vip: pick(n, true, null, false),
    since: pick(n, '2027-01-01', '2026-12-31', null, '2027-01-01'),
    seen: pick(n, null, '2027-01-01T00:00:00.000Z', '1969-12-31T23:59:59.000Z'),
    segment: pick(n, 'a', null, 'b', 'null', 'with, comma'),
    topics: pick(n, ['a'], null, ['b', 'a'], ['null', 'b', 'a']),
    agent: pick(n, server.a.owner, null, null),
  }
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Values
}

const store = () => contactStore(server.deps)

function newContact(n: number, contacts = store()): Contact {
  const who = { org: server.a.org, member: null }
  const given = {
    last_name: pick(n, 'one', 'two'),
    owner_id: n % 4 ? server.a.owner : null,
    custom_fields: valuesOf(n),
  }
  return contacts.create(who, given) as Contact
}

/** Returns what the values of a field are compared by. */
function keyOf(field: Field, value: Values[string]): string | number {
  if (FIELDS[field] === 'text') return fold(value as string)
  if (FIELDS[field] === 'datetime') return Date.parse(value as string)
  return FIELDS[field] === 'boolean' ? Number(value) : (value as string | number)
}

function isMet({ custom_fields }: Contact, field: Field, operator: string, text: string): boolean {
  const keys = [custom_fields[field] ?? []].flat().map((value) => keyOf(field, value))
  if (text === 'null' && operator !== 'in') return (operator === 'ne') === keys.length > 0
  const wanted = (operator === 'in' ? text.split(',') : [text]).map((one): string | number =>
    ['number', 'boolean'].includes(FIELDS[field])
      ? Number(one.replace('true', '1').replace('false', '0'))
      : keyOf(field, one),
  )
  const [bound = ''] = wanted
  if (operator === 'ne') return !keys.includes(bound)
  return keys.some((key) => {
    if (operator === 'gt') return key > bound
    if (operator === 'gte') return key >= bound
    if (operator === 'lt') return key < bound
    if (operator === 'lte') return key <= bound
    return wanted.includes(key)
  })
}

/** Returns the ids in the order of a sort, contacts without a value last. */
function ordered(all: Contact[], sort: string): string[] {
  const field = sort.replace('-', '') as Field
  const way = sort.startsWith('-') ? -1 : 1
  const byId = (one: Contact, other: Contact) => (one.id < other.id ? -way : way)
  const key = ({ custom_fields }: Contact) => keyOf(field, custom_fields[field] as Values[string])
  const having = all.filter(({ custom_fields }) => Object.hasOwn(custom_fields, field))
  having.sort((one, other) => (key(one) === key(other) ? byId(one, other) : key(one) < key(other) ? -way : way))
  return [...having, ...all.filter((each) => !having.includes(each)).sort(byId)].map(({ id }) => id)
}

const escaped = (parameters: string[]) =>
  parameters.map((each) => each.split('=').map(encodeURIComponent).join('=')).join('&')

async function ask(...parameters: string[]) {
  const { status, body } = await server.call('GET', `/contacts?${escaped(parameters)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return { ids: body.data.map(({ id }: Contact) => id), total: body.total, next: body.next_cursor }
}

async function walk(...parameters: string[]): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await ask(...parameters, ...(cursor === '' ? [] : [`cursor=${cursor}`]))
    ids.push(...page.ids)
    cursor = page.next
  }
  return ids
}

const ASKED: Record<Field, [operator: string, ...texts: string[]][]> = {
  nick: [
    ['eq', 'LODZ', 'strasse', `${'X'.repeat(254)}ss`, 'nobody', 'null'],
    ['ne', 'lodz', 'null'],
    ['in', 'łódź,b', 'null'],
  ],
  seats: [
    ['eq', '40', '2.5', '0', 'null'],
    ['ne', '40', 'null'],
    ['gt', '2.5', '-3'],
    ['gte', '2.5'],
    ['lt', '1'],
    ['lte', '40'],
  ],
  vip: [['eq', 'true', 'false', 'null']],
  since: [
    ['eq', '2027-01-01', 'null'],
    ['ne', '2027-01-01', 'null'],
    ['gt', '2026-12-31'],
    ['gte', '2026-12-31'],
    ['lt', '2027-01-01'],
    ['lte', '2026-12-31'],
  ],
  seen: [
    ['eq', '2027-01-01T01:00:00+01:00', 'null'],
    ['gt', '1970-01-01T00:00:00Z'],
    ['gte', '2027-01-01T00:00:00Z'],
    ['lt', '2027-01-01T00:00:00Z'],
    ['lte', '1969-12-31T23:59:59Z'],
  ],
  segment: [
    ['eq', 'a', 'with, comma', 'null'],
    ['ne', 'a', 'null'],
    ['in', 'a,b', 'null'],
  ],
  topics: [
    ['eq', 'a', 'b', 'with, comma', 'null'],
    ['in', 'b,null', 'a,b'],
  ],
  agent: [
    ['eq', 'OWNER', 'null'],
    ['ne', 'OWNER', 'null'],
    ['in', 'OWNER'],
  ],
}
const SORTED = Object.keys(FIELDS).filter((field) => field !== 'topics') as Field[]

const asked = (): { field: Field; operator: string; text: string; parameter: string }[] =>
  Object.entries(ASKED).flatMap(([field, all]) =>
    all.flatMap(([operator, ...texts]) =>
      texts.map((each) => {
        const text = each.replace('OWNER', server.a.owner)
        const name = operator === 'eq' ? field : `${field}[${operator}]`
        return { field: field as Field, operator, text, parameter: `custom_fields.${name}=${text}` }
      }),
    ),
  )

describe('a filter by a custom field', () => {
  test('gives with each of its operators what matches, and counts it', async () => {
    for (const { field, operator, text, parameter } of asked()) {
      const wanted = contacts.filter((contact) => isMet(contact, field, operator, text)).map(({ id }) => id)
      const { ids, total } = await ask(parameter, 'limit=100', 'count=true')
      assert.deepEqual([ids, total], [wanted, wanted.length], parameter)
    }
  })

  test('goes together with others, also of the same field, and with every sort', async () => {
    const all = asked()
    for (const [at, one] of all.entries()) {
      const other = all[(at + 5) % all.length] as (typeof all)[number]
      const sort = pick(at, ...SORTED.flatMap((field) => [field, `-${field}`]))
      if (one.parameter.split('=')[0] === other.parameter.split('=')[0]) continue
      const wanted = contacts.filter((contact) =>
        [one, other].every(({ field, operator, text }) => isMet(contact, field, operator, text)),
      )
      const found = await ask(
        one.parameter,
        other.parameter,
        'limit=100',
        'count=true',
        `sort=${sort.replace(/^-?/, '$&custom_fields.')}`,
      )
      assert.deepEqual(
        [found.ids, found.total],
        [ordered(wanted, sort), wanted.length],
        `${one.parameter} ${other.parameter} ${sort}`,
      )
      const mine = wanted.filter(({ owner_id }) => owner_id !== null).map(({ id }) => id)
      assert.deepEqual((await ask(one.parameter, other.parameter, `owner_id=${server.a.owner}`, 'limit=100')).ids, mine)
    }
  })

  test('is met by two options of one record', async () => {
    const wanted = contacts.filter(({ custom_fields }) =>
      ['a', 'b'].every((one) => (custom_fields.topics as string[])?.includes(one)),
    )
    const { ids, total } = await ask('custom_fields.topics=a', 'custom_fields.topics[in]=b', 'limit=100', 'count=true')
    assert.deepEqual([ids, total], [wanted.map(({ id }) => id), wanted.length])
  })

  test('is found under its name in percent-encoding too', async () => {
    const plain = await server.call('GET', '/contacts?custom_fields.vip=true')
    const encoded = await server.call('GET', '/contacts?c%75stom%5Ffields%2Evip=true')
    assert.deepEqual(encoded.body.data, plain.body.data)
    assert.equal((await server.call('GET', '/contacts?sort=%2Dc%75stom_fields.vip')).status, 200)
  })

  for (const [parameter, message] of [
    ['custom_fields.unknown=1', /There is no parameter.*custom_fields\.nick\[in\]/],
    ['custom_fields=1', /There is no parameter.*custom_fields\.nick\[in\]/],
    ['custom_fields.=1', /There is no parameter/],
    ['custom_fields.constructor=1', /There is no parameter/],
    ['nonsense=1', /There is no parameter.*custom_fields\.seats\[gte\]/],
    ['custom_fields.nick[gt]=a', /There is no parameter/],
    ['custom_fields.nick[contains]=a', /There is no parameter/],
    ['custom_fields.vip[ne]=true', /There is no parameter/],
    ['custom_fields.topics[ne]=a', /There is no parameter/],
    ['custom_fields.seen[ne]=2027-01-01T00:00:00Z', /There is no parameter/],
    ['custom_fields.seats=x', /must be a number/],
    ['custom_fields.seats[gt]=null', /must be a number/],
    ['custom_fields.vip=1', /true or false/],
    ['custom_fields.since=2027-02-29', /valid date/],
    ['custom_fields.seen=2027-01-01', /RFC 3339/],
    ['custom_fields.segment=z', /must be one of a, b/],
    ['custom_fields.topics[in]=a,z', /must be one of a, b/],
    ['custom_fields.agent=x', /UUID/],
    ['custom_fields.nick=', /1 to 2048/],
    ['sort=custom_fields.topics', /"sort" must be one of.*custom_fields\.nick/],
    ['sort=custom_fields.unknown', /"sort" must be one of/],
    ['sort=nonsense', /"sort" must be one of.*custom_fields\.nick/],
    ['sort=nick', /"sort" must be one of/],
  ] as const) {
    test(`refuses ${parameter} and says what there is`, async () => {
      const { status, body } = await server.call('GET', `/contacts?${escaped([parameter])}`)
      assert.deepEqual([status, body.code], [400, 'invalid_query'])
      assert.match(body.detail, message)
    })
  }

  test('is one of its own object and organisation', async () => {
    const { b, call } = server
    for (const path of ['/companies', '/deals', '/tags'])
      assert.equal((await call('GET', `${path}?custom_fields.nick=x`)).status, 400, path)
    assert.equal((await call('GET', '/contacts?custom_fields.nick=x', undefined, { token: b.token })).status, 400)
    const field = { object: 'contact', key: 'nick', label: 'x', type: 'text' }
    const token = { token: b.token }
    await call('POST', '/custom-fields', field, token)
    await call('POST', '/contacts', { last_name: 'x', custom_fields: { nick: 'lodz' } }, token)
    const { body } = await call(
      'GET',
      '/contacts?custom_fields.nick=lodz&sort=custom_fields.nick&count=true',
      undefined,
      token,
    )
    assert.deepEqual([body.data.length, body.total], [1, 1])
  })

  test('follows every change of a value', async () => {
    const { call } = server
    const { body } = await call('POST', '/contacts', { last_name: 'x', custom_fields: { nick: 'first' } })
    const find = async (nick: string) => (await ask(`custom_fields.nick=${nick}`)).ids
    assert.deepEqual(await find('first'), [body.id])
    await call('PATCH', `/contacts/${body.id}`, { custom_fields: { nick: 'second' } })
    assert.deepEqual([await find('first'), await find('second')], [[], [body.id]])
    await call('PATCH', `/contacts/${body.id}`, { custom_fields: { nick: null } })
    assert.deepEqual(await find('second'), [])
    await call('DELETE', `/contacts/${body.id}`)
  })
})

/** Every sort both ways, alone and under a narrow and a wide filter. */
async function checkWalks(all: Contact[], limit: number, fields: Field[]): Promise<void> {
  for (const field of fields) {
    for (const sort of [field, `-${field}`]) {
      const by = `sort=${sort.replace(/^-?/, '$&custom_fields.')}`
      assert.deepEqual(await walk(by, `limit=${limit}`), ordered(all, sort), sort)
      for (const [parameter, isIn] of [
        ['custom_fields.topics=null', (one: Contact) => !one.custom_fields.topics],
        ['custom_fields.segment=b', (one: Contact) => one.custom_fields.segment === 'b'],
        [`owner_id=${server.a.owner}`, (one: Contact) => one.owner_id !== null],
        [`custom_fields.${field}=null`, (one: Contact) => one.custom_fields[field] === undefined],
      ] as const)
        assert.deepEqual(
          await walk(by, parameter, `limit=${limit}`),
          ordered(all.filter(isIn), sort),
          `${sort} ${parameter}`,
        )
    }
  }
}

describe('a walk', () => {
  test('by every custom field, both ways, shows each record once and those without a value last', async () => {
    await checkWalks(contacts, 7, SORTED)
  })

  test('within bounds of its own field holds them on every page', async () => {
    const inBand = ({ custom_fields: { seats } }: Contact) => Number(seats) >= 1 && Number(seats) < 41
    for (const sort of ['seats', '-seats']) {
      const by = `sort=${sort.replace(/^-?/, '$&custom_fields.')}`
      const ids = await walk(by, 'custom_fields.seats[gte]=1', 'custom_fields.seats[lt]=41', 'limit=4')
      assert.deepEqual(ids, ordered(contacts.filter(inBand), sort))
    }
  })

  test('by a custom field has no place for the cursor of another one', async () => {
    const { next } = await ask('sort=custom_fields.seats', 'limit=3')
    const { status, body } = await server.call('GET', `/contacts?sort=custom_fields.nick&limit=3&cursor=${next}`)
    assert.deepEqual([status, body.code], [400, 'invalid_cursor'])
  })
})

describe('among thousands', () => {
  before(() => {
    const records = store()
    const { db } = server.store
    db.transaction(() => {
      for (let n = 60; n < 2 * NARROW + 700; n++) contacts.unshift(newContact(n, records))
    })()
  })

  test('filters give what matches', async () => {
    for (const { field, operator, text, parameter } of asked()) {
      const wanted = contacts.filter((contact) => isMet(contact, field, operator, text)).map(({ id }) => id)
      const { ids, total } = await ask(parameter, 'limit=100', 'count=true')
      assert.deepEqual([ids, total], [wanted.slice(0, 100), wanted.length], parameter)
    }
  })

  test('walks show each record once', async () => {
    await checkWalks(contacts, 100, ['seats', 'since'])
  })

  test('what has no value is not looked for among the values', (t) => {
    const { a } = server
    const { db, route } = contactList(t, server)
    const query = 'custom_fields.nick=null&sort=custom_fields.nick'
    const { ask } = readAsk(route, { org: a.org, member: null }, '/contacts', query, cursors(Buffer.alloc(32)))
    const prepared = preparedBy(db, () => route.list(a.org, ask, { org: a.org, member: null }))
    assert.ok(prepared.length > 0 && !prepared.some((sql) => sql.includes('FROM contact_values INDEXED BY')))
  })

  test('every statement goes along the index of the values, and sorts but the few rows of a narrow filter', (t) => {
    const { a } = server
    const { db, route } = contactList(t, server)
    const sorts = [
      undefined,
      ...SORTED.slice(0, 3).flatMap((field) => [`custom_fields.${field}`, `-custom_fields.${field}`]),
    ]
    const filters = [undefined, ...asked().map(({ parameter }) => parameter), 'q=one', 'external_id=x']
    const prepared = preparedBy(db, () => {
      for (const parameter of filters) {
        for (const sort of sorts) {
          const query = escaped([...(parameter ? [parameter] : []), ...(sort ? [`sort=${sort}`] : [])])
          const { ask } = readAsk(route, { org: a.org, member: null }, '/contacts', query, cursors(Buffer.alloc(32)))
          const positions = [
            undefined,
            ...(sort
              ? [
                  { key: 'x', id: contacts[9]!.id },
                  { key: null, id: contacts[9]!.id },
                ]
              : []),
          ]
          for (const after of positions) route.list(a.org, { ...ask, after, count: true }, { org: a.org, member: null })
        }
      }
    })
    const ways = new Set<string>()
    for (const analyzed of [false, true]) {
      if (analyzed) db.exec('ANALYZE')
      for (const sql of prepared.filter((each) => each.includes('contact_values'))) {
        const plan = planOf(db, sql)
        const what = `${sql}\n${plan.join('\n')}`
        const isNarrow = sql.includes('contacts.id IN (')
        assert.ok(!plan.some((step) => /^SCAN (?!\(subquery|search |pending)/.test(step)), what)
        for (const step of plan.filter((each) => each.includes('contact_values'))) {
          ways.add(step)
          // Of one field: its values in their order; of one record: the few that it has.
          assert.match(
            step,
            /PRIMARY KEY \(org_id=\? AND field_id=\?|contact_values_contact \(org_id=\? AND contact_id=\?/,
            what,
          )
        }
        if (plan.some((step) => step.startsWith('USE TEMP B-TREE') && step !== 'USE TEMP B-TREE FOR DISTINCT'))
          assert.ok(isNarrow && sql.endsWith(' LIMIT ?'), what)
        if (/contact_values\.contact_id\) [<>] \(/.test(sql))
          assert.match(plan[0] as string, /\(value,contact_id\)[<>]\(\?,\?\)/, `starts too early: ${what}`)
      }
    }
    const seen = [...ways].join('\n')
    for (const way of [
      'field_id=? AND value=?',
      'field_id=? AND value>?',
      '(value,contact_id)>(?,?)',
      '(value,contact_id)<(?,?)',
      'contact_id=?',
    ])
      assert.ok(seen.includes(way), `${way} is nowhere in\n${seen}`)
  })
})

/** The list on a connection of its own, whose statements are still to be prepared. */
function contactList(t: TestContext, { dataDir }: TestServer) {
  const store = openStore(dataDir)
  t.after(() => store.close())
  const routes = catalog(resourceDeps(store))
  const route = routes.find(({ kind, path }) => kind === 'list' && path === '/contacts') as unknown as Listed
  return { db: store.db, route }
}

/** Runs the job; returns the SQL of every statement prepared while it runs, without duplicates. */
function preparedBy(db: TestServer['store']['db'], job: () => void): string[] {
  const prepared = new Set<string>()
  const { prepare } = db
  db.prepare = function (this: typeof db, sql: string) {
    prepared.add(sql)
    return prepare.call(this, sql)
  } as typeof prepare
  job()
  db.prepare = prepare
  return [...prepared]
}

function planOf(db: TestServer['store']['db'], sql: string): string[] {
  const marks = sql.split('?').length - 1
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(marks).fill(null)) as { detail: string }[]
  return rows.map(({ detail }) => detail)
}

describe('the OpenAPI document', () => {
  test('says in words how lists are asked by custom fields, and what a sort by one looks like', () => {
    for (const path of ['/contacts', '/companies', '/deals']) {
      const { description, parameters } = server.document.paths[path].get
      assert.match(description, /custom_fields\.<key>/)
      const { schema } = parameters.find(({ name }: { name?: string }) => name === 'sort')
      const pattern = new RegExp(schema.pattern)
      assert.ok(pattern.test('-custom_fields.seats') && !pattern.test('custom_fields.Seats'))
    }
    assert.doesNotMatch(server.document.paths['/tags'].get.description, /custom_fields/)
  })
})
