import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord, newCompany, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const companyIds = (query: string) => listIds(`/companies?${query}`)

describe('create', () => {
  test('answers the whole company, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/companies', { name: 'Northwind' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      name: 'Northwind',
      domains: [],
      website: null,
      phone: null,
      industry: null,
      employee_count: null,
      annual_revenue: null,
      currency: null,
      linkedin_url: null,
      address: null,
      parent_company_id: null,
      owner_id: null,
      tag_ids: [],
      description: null,
      external_id: null,
      originally_created_at: null,
      custom_fields: {},
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/companies/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'company.created')
    assert.equal(event?.actor, a.owner)
    assert.deepEqual(event?.object, body)
    assert.deepEqual(event?.changed_fields, [])
  })

  test('keeps every field that it takes, and answers it alike from all three places', async () => {
    const { a, call } = server
    const given = {
      name: 'Müller & "Söhne"',
      domains: ['kept.example', 'kept.test'],
      website: 'https://kept.example/',
      phone: '+49 (30) 12 34',
      industry: 'Logistics',
      employee_count: 25000,
      annual_revenue: 8999999999999.5,
      currency: 'EUR',
      linkedin_url: 'https://linkedin.example/company/kept',
      address: {
        line1: 'Hauptstr. 1',
        line2: null,
        city: 'Berlin',
        region: null,
        postal_code: '10115',
        country: 'DE',
      },
      parent_company_id: (await newCompany()).id,
      owner_id: a.owner,
      tag_ids: [(await newRecord('/tags', { name: 'Kept' })).id],
      description: 'Line one\nline two\twith "quotes"',
      external_id: 'kept-1',
      originally_created_at: '2019-04-01T08:30:00.000Z',
    }
    const created = await call('POST', '/companies', given)
    assert.deepEqual({ ...created.body, ...given }, created.body)
    assert.deepEqual(Object.keys(created.body)[0], 'id')
    assert.deepEqual(Object.keys(created.body).at(-1), 'version')
    assert.equal((await call('GET', `/companies/${created.body.id}`)).text, created.text)
    assert.equal(
      (await call('GET', '/companies?external_id=kept-1')).text,
      `{"data":[${created.text}],"next_cursor":null}`,
    )
  })

  const refused: [string, Given, string[]][] = [
    ['no name', { name: undefined }, ['/name required']],
    ['a null name', { name: null }, ['/name not_null']],
    ['a name of white space', { name: ' \u00a0' }, ['/name empty']],
    ['domains that are null', { domains: null }, ['/domains not_null']],
    ['a domain that is null', { domains: ['a.example', null] }, ['/domains/1 not_null']],
    ['an employee count with a fraction', { employee_count: 1.5 }, ['/employee_count invalid_integer']],
    ['a negative employee count', { employee_count: -1 }, ['/employee_count out_of_range']],
    ['a negative revenue', { annual_revenue: -1 }, ['/annual_revenue invalid_amount']],
    ['a revenue with seven decimals', { annual_revenue: 0.1234567 }, ['/annual_revenue invalid_amount']],
    ['a currency that is none', { currency: 'eur' }, ['/currency invalid_currency']],
    ['a phone without digits', { phone: 'none' }, ['/phone invalid_phone']],
    ['a website that is a path', { website: '/about' }, ['/website invalid_url']],
    ['a web address of another kind', { linkedin_url: 'ftp://x.example' }, ['/linkedin_url invalid_url']],
    ['a description of more than 64 KiB', { description: 'é'.repeat(32_769) }, ['/description too_long']],
    ['an unknown member of the address', { address: { zip: '1' } }, ['/address/zip unknown_field']],
    ['an empty external_id', { external_id: ' ' }, ['/external_id empty']],
    ['an unknown field', { size: 5 }, ['/size unknown_field']],
    ['an unknown parent', { parent_company_id: UNKNOWN }, ['/parent_company_id reference_not_found']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['an unknown tag', { tag_ids: [UNKNOWN] }, ['/tag_ids/0 reference_not_found']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const { status, body } = await call('POST', '/companies', { name: 'Fine', ...given })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.equal(lastSeq(), seq)
    })
  }
})

describe('domains', () => {
  test('are answered in lower case, in punycode and without duplicates', async () => {
    const given = ['WWW.Example.COM', 'Müller.example', 'www.example.com', 'xn--mller-kva.EXAMPLE', '3com.example']
    const { domains } = await newCompany({ domains: given })
    assert.deepEqual(domains, ['www.example.com', 'xn--mller-kva.example', '3com.example'])
  })

  const none = [
    '',
    'localhost',
    'a b.example',
    'https://a.example',
    'a.example/path',
    'a.example／path',
    'a.example?',
    'a.example\\',
    'a.example\u00a0',
    'a.example:80',
    'ana@a.example',
    'a.example.',
    '.example',
    'a..example',
    '-a.example',
    'a-.example',
    'a_b.example',
    '192.168.0.1',
    '0x7f.1',
    '[::1]',
    '%61.example',
    'a\n.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(124)}example`,
    `${`${'ü'.repeat(55)}.`.repeat(4)}example`,
  ]
  for (const domain of none) {
    test(`refuses ${JSON.stringify(domain.slice(0, 30))}`, async () => {
      const { status, body } = await server.call('POST', '/companies', { name: 'Fine', domains: [domain] })
      assert.equal(status, 422)
      assert.ok(errorsOf(body).every((error) => /^\/domains\/0 (invalid_domain|too_long)$/.test(error)))
    })
  }

  test('that another company has are refused with its id', async () => {
    const { call, lastSeq } = server
    const first = await newCompany({ domains: ['taken.example', 'Bücher.example'] })
    const seq = lastSeq()
    for (const domain of ['TAKEN.example', 'xn--bcher-kva.example']) {
      const { status, body } = await call('POST', '/companies', { name: 'Late', domains: ['late.example', domain] })
      assert.equal(status, 409)
      assert.equal(body.code, 'duplicate')
      assert.equal(body.duplicate_id, first.id)
      assert.match(body.detail, new RegExp(first.id))
    }
    assert.equal(lastSeq(), seq)
    const other = await newCompany({ domains: ['late.example'] })
    const domains = ['late.example', 'taken.example']
    const patched = await call('PATCH', `/companies/${other.id}`, { domains })
    assert.equal(patched.status, 409)
    assert.equal(patched.body.duplicate_id, first.id)
    assert.deepEqual(await companyIds('domain=taken.example'), [first.id])
  })

  test('are free again when their company gives them up or is deleted', async () => {
    const { call } = server
    const first = await newCompany({ domains: ['free.example', 'keep.example'] })
    const { body } = await call('PATCH', `/companies/${first.id}`, { domains: ['keep.example', 'more.example'] })
    assert.deepEqual(body.domains, ['keep.example', 'more.example'])
    const second = await newCompany({ domains: ['free.example'] })
    assert.deepEqual(await companyIds('domain=free.example'), [second.id])
    assert.deepEqual(await companyIds('domain=more.example'), [first.id])
    await call('DELETE', `/companies/${second.id}`)
    await newCompany({ domains: ['free.example'] })
  })

  test('and external ids do not collide with those of another organisation', async () => {
    const { b, call } = server
    const given = { name: 'Both', domains: ['both.example'], external_id: 'both' }
    const own = await newCompany(given)
    const foreign = await newRecord('/companies', given, { token: b.token })
    assert.deepEqual(await companyIds('domain=both.example'), [own.id])
    const answers = []
    for (const id of [foreign.id, UNKNOWN]) {
      const headers = { 'x-request-id': 'same' }
      answers.push((await call('POST', '/companies', { name: 'x', parent_company_id: id }, { headers })).text)
    }
    assert.equal(answers[0], answers[1])
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await call(method, `/companies/${foreign.id}`)).status, 404)
    }
  })
})

describe('change', () => {
  test('writes what differs, one version on, with the event that says so', async () => {
    const { advance, call, events, lastSeq } = server
    const company = await newCompany({ domains: ['change.example'], industry: 'Mining', annual_revenue: 12.5 })
    const seq = lastSeq()
    advance(1000)
    const given = { name: 'Southwind', industry: null, annual_revenue: 0, domains: ['change.example'] }
    const { status, body, headers, text } = await call('PATCH', `/companies/${company.id}`, given)
    assert.equal(status, 200)
    assert.equal(headers.get('etag'), '"2"')
    const updated_at = new Date(server.now()).toISOString()
    assert.deepEqual(body, { ...company, ...given, updated_at, version: 2 })
    assert.equal((await call('GET', `/companies/${company.id}`)).text, text)
    const [event, ...more] = events(seq)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'company.updated')
    assert.deepEqual(event?.object, body)
    assert.deepEqual(event?.changed_fields, ['name', 'industry', 'annual_revenue'])
    assert.deepEqual(event?.previous, { name: 'Northwind', industry: 'Mining', annual_revenue: 12.5 })
  })

  test('without a difference writes nothing', async () => {
    const { advance, call, lastSeq } = server
    const given = { domains: ['Same.example', 'same.example'], address: { city: 'Bonn' }, employee_count: 0 }
    const company = await newCompany(given)
    const seq = lastSeq()
    advance(1000)
    for (const same of [{}, given, { address: {} }, { description: null }]) {
      const { status, body } = await call('PATCH', `/companies/${company.id}`, same)
      assert.equal(status, 200)
      assert.deepEqual(body, company)
    }
    assert.equal(lastSeq(), seq)
  })

  test('merges the address, and null clears it', async () => {
    const { call } = server
    const company = await newCompany({ address: { city: 'Bonn', country: 'DE' } })
    const path = `/companies/${company.id}`
    const merged = await call('PATCH', path, { address: { city: null, line1: 'Am Hof 1' } })
    assert.deepEqual(merged.body.address, { ...company.address, city: null, line1: 'Am Hof 1' })
    assert.equal((await call('PATCH', path, { address: null })).body.address, null)
    assert.equal((await call('PATCH', path, { address: { line1: null } })).body.version, 3)
  })

  test('replaces tags whole', async () => {
    const { call } = server
    const tags: string[] = []
    for (const name of ['One', 'Two', 'Three']) tags.push((await newRecord('/tags', { name })).id)
    const company = await newCompany({ tag_ids: tags.slice(0, 2) })
    const { body } = await call('PATCH', `/companies/${company.id}`, { tag_ids: tags.slice(1) })
    assert.deepEqual(body.tag_ids, tags.slice(1))
    assert.deepEqual(await companyIds(`tag_id=${tags[0]}`), [])
    for (const tag of tags.slice(1)) assert.deepEqual(await companyIds(`tag_id=${tag}`), [company.id])
  })

  test('refuses null where a company cannot be without', async () => {
    const { call } = server
    const company = await newCompany()
    const given = { name: null, domains: null, tag_ids: null }
    const { status, body } = await call('PATCH', `/companies/${company.id}`, given)
    assert.equal(status, 422)
    assert.deepEqual(errorsOf(body), ['/name not_null', '/domains not_null', '/tag_ids not_null'])
  })

  test('an external_id is unique, and its own company may repeat it', async () => {
    const { call } = server
    const first = await newCompany({ external_id: 'ERP-1' })
    const { status, body } = await call('POST', '/companies', { name: 'Late', external_id: 'ERP-1' })
    assert.equal(status, 409)
    assert.equal(body.duplicate_id, first.id)
    const other = await newCompany()
    const taken = await call('PATCH', `/companies/${other.id}`, { external_id: 'ERP-1' })
    assert.equal(taken.body.duplicate_id, first.id)
    const again = { external_id: 'ERP-1', name: 'Renamed' }
    assert.equal((await call('PATCH', `/companies/${first.id}`, again)).status, 200)
  })

  test('what is wrong with the fields comes before what is in the way', async () => {
    const { call } = server
    await newCompany({ domains: ['order.example'] })
    const company = await newCompany()
    const domains = ['order.example']
    for (const wrong of [{ parent_company_id: UNKNOWN }, { parent_company_id: company.id }, { owner_id: UNKNOWN }]) {
      assert.equal((await call('PATCH', `/companies/${company.id}`, { domains, ...wrong })).status, 422)
    }
    const created = await call('POST', '/companies', { name: 'x', domains, owner_id: UNKNOWN })
    assert.equal(created.status, 422)
    assert.equal((await call('PATCH', `/companies/${company.id}`, { domains })).status, 409)
  })
})

describe('parents', () => {
  test('a company is not above itself, by however many steps', async () => {
    const { call, lastSeq } = server
    const top = await newCompany({ name: 'Top' })
    const middle = await newCompany({ name: 'Middle', parent_company_id: top.id })
    const bottom = await newCompany({ name: 'Bottom', parent_company_id: middle.id })
    const seq = lastSeq()
    for (const parent of [top, middle, bottom]) {
      const { status, body } = await call('PATCH', `/companies/${top.id}`, { parent_company_id: parent.id })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), ['/parent_company_id cycle'])
    }
    assert.equal(lastSeq(), seq)
    const aside = await newCompany({ name: 'Aside', parent_company_id: top.id })
    const moved = await call('PATCH', `/companies/${middle.id}`, { parent_company_id: aside.id })
    assert.equal(moved.body.parent_company_id, aside.id)
    assert.equal((await call('PATCH', `/companies/${top.id}`, { name: 'Still on top' })).status, 200)
    assert.equal((await call('PATCH', `/companies/${middle.id}`, { parent_company_id: null })).status, 200)
    assert.equal((await call('PATCH', `/companies/${aside.id}`, { parent_company_id: bottom.id })).status, 200)
  })
})

describe('list', () => {
  test('filters by each of its parameters', async () => {
    const { a, call } = server
    const parent = (await newCompany()).id
    const tag = (await newRecord('/tags', { name: 'Filter' })).id
    server.advance(60_000)
    const start = new Date(server.now()).toISOString()
    const east = await newCompany({ name: 'éast', parent_company_id: parent, tag_ids: [tag], external_id: 'f-1' })
    server.advance(1000)
    const west = await newCompany({ name: 'West', owner_id: a.owner, external_id: 'f-2' })
    const up = await newCompany({ name: 'UP', domains: ['öl.example', 'up.example'] })
    server.advance(1000)
    await call('PATCH', `/companies/${east.id}`, { industry: 'Mining' })
    const expected: [string, string[]][] = [
      ['', [up.id, west.id, east.id]],
      [`parent_company_id=${parent}`, [east.id]],
      ['parent_company_id=null', [up.id, west.id]],
      [`tag_id=${tag}`, [east.id]],
      [`owner_id=${a.owner}`, [west.id]],
      ['owner_id=null', [up.id, east.id]],
      ['domain=UP.example', [up.id]],
      ['domain=Öl.example', [up.id]],
      ['domain[in]=xn--l-0ga.example,up.example,no.example', [up.id]],
      ['domain=xn--l-0ga.EXAMPLE', [up.id]],
      ['domain=down.example', []],
      ['external_id=f-1', [east.id]],
      ['external_id[ne]=f-1', [up.id, west.id]],
      [`created_at=${start}`, [east.id]],
      [`updated_at[lte]=${west.updated_at}`, [up.id, west.id]],
      ['sort=name', [east.id, up.id, west.id]],
      ['sort=-name', [west.id, up.id, east.id]],
      ['sort=-updated_at', [east.id, up.id, west.id]],
      ['sort=created_at', [east.id, west.id, up.id]],
    ]
    for (const [query, ids] of expected) {
      assert.deepEqual(await companyIds(encodeURI(`created_at[gte]=${start}&${query}`)), ids, query)
    }
  })
})

describe('delete', () => {
  test('takes the company off its contacts, deals and branches in the same transaction, each with its own event', async () => {
    const { a, advance, call, events, lastSeq, store } = server
    const company = await newCompany({ domains: ['deleted.example'], parent_company_id: (await newCompany()).id })
    const emails = [{ email: 'ana@deleted.example' }]
    const contact = await newRecord('/contacts', { first_name: 'Ana', emails, company_id: company.id })
    const given = { company_id: company.id, primary_contact_id: contact.id }
    const deal = await newRecord('/deals', { title: 'Open', ...given })
    const { id } = await newRecord('/deals', { title: 'Closed', ...given })
    const closed = (await call('POST', `/deals/${id}/close`, { reason_id: a.reasons.lost })).body
    const branch = await newCompany({ name: 'Branch', parent_company_id: company.id })
    const others = [
      ['contacts', await newRecord('/contacts', { first_name: 'Bo', company_id: branch.id })],
      ['deals', await newRecord('/deals', { title: 'Other', company_id: branch.id })],
    ] as const
    const seq = lastSeq()
    advance(1000)
    assert.equal((await call('DELETE', `/companies/${company.id}`)).status, 204)
    assert.equal((await call('GET', `/companies/${company.id}`)).status, 404)

    const updated_at = new Date(server.now()).toISOString()
    const changed = [
      ['contact', 'contacts', 'company_id', contact],
      ['deal', 'deals', 'company_id', deal],
      ['deal', 'deals', 'company_id', closed],
      ['company', 'companies', 'parent_company_id', branch],
    ] as const
    const written = events(seq)
    assert.equal(written.length, changed.length + 1)
    for (const [index, [name, path, field, record]] of changed.entries()) {
      const expected = { ...record, [field]: null, updated_at, version: record.version + 1 }
      assert.deepEqual((await call('GET', `/${path}/${record.id}`)).body, expected)
      assert.equal(written[index]?.type, `${name}.updated`)
      assert.equal(written[index]?.actor, a.owner)
      assert.deepEqual(written[index]?.object, expected)
      assert.deepEqual(written[index]?.changed_fields, [field])
      assert.deepEqual(written[index]?.previous, { [field]: company.id })
    }
    assert.equal(written.at(-1)?.type, 'company.deleted')
    assert.deepEqual(written.at(-1)?.object, company)
    for (const [path, record] of others) assert.deepEqual((await call('GET', `/${path}/${record.id}`)).body, record)
    assert.deepEqual(store.db.pragma('foreign_key_check'), [])
  })
})
