import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { errorsOf, type Given, recordsOf, UNKNOWN } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
const { newRecord, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const newContact = (given: Given = { first_name: 'Ana' }, query = '') => newRecord(`/contacts${query}`, given)

const contactIds = (query: string) => listIds(`/contacts?${query}`)

describe('create', () => {
  test('answers the whole contact, with its event', async () => {
    const { a, call, events, lastSeq } = server
    const seq = lastSeq()
    const { status, body, headers } = await call('POST', '/contacts', { first_name: 'Ana', last_name: 'Lindqvist' })
    assert.equal(status, 201)
    assert.deepEqual(body, {
      id: body.id,
      first_name: 'Ana',
      last_name: 'Lindqvist',
      name: 'Ana Lindqvist',
      emails: [],
      phones: [],
      job_title: null,
      company_id: null,
      owner_id: null,
      tag_ids: [],
      linkedin_url: null,
      website: null,
      address: null,
      timezone: null,
      language: null,
      do_not_contact: false,
      unsubscribed_at: null,
      source: null,
      external_id: null,
      originally_created_at: null,
      custom_fields: {},
      created_at: body.created_at,
      updated_at: body.created_at,
      version: 1,
    })
    assert.equal(headers.get('location'), `/api/v1/contacts/${body.id}`)
    assert.equal(headers.get('etag'), '"1"')
    const [event, ...more] = events(seq)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'contact.created')
    assert.equal(event?.actor, a.owner)
    assert.deepEqual(event?.object, body)
    assert.deepEqual(event?.changed_fields, [])
  })

  test('keeps every field that it takes, and answers it alike from all three places', async () => {
    const { a, call } = server
    const given = {
      first_name: 'Zoë',
      last_name: 'Müller',
      emails: [{ email: 'Zoe@Kept.example', label: 'home', is_primary: true }],
      phones: [{ number: '+49 30 1234-567 ext. 8', label: 'other', is_primary: true }],
      job_title: 'Head of "Sales" \\ CRM',
      company_id: (await newRecord('/companies', { name: 'Kept' })).id,
      owner_id: a.owner,
      tag_ids: [(await newRecord('/tags', { name: 'Kept' })).id],
      linkedin_url: 'https://linkedin.example/in/zoe',
      website: 'http://zoe.example/?q=ü',
      address: {
        line1: 'Hauptstr. 1',
        line2: '2. OG',
        city: 'Berlin',
        region: 'BE',
        postal_code: '10115',
        country: 'DE',
      },
      timezone: 'Europe/Berlin',
      language: 'de-DE',
      do_not_contact: true,
      source: 'trade fair',
      external_id: 'kept-1',
      originally_created_at: '2019-04-01T08:30:00.000Z',
    }
    const created = await call('POST', '/contacts', given)
    assert.deepEqual({ ...created.body, ...given }, created.body)
    assert.deepEqual(Object.keys(created.body).slice(0, 1), ['id'])
    assert.deepEqual(Object.keys(created.body).at(-1), 'version')
    assert.equal((await call('GET', `/contacts/${created.body.id}`)).text, created.text)
    assert.equal(
      (await call('GET', '/contacts?external_id=kept-1')).text,
      `{"data":[${created.text}],"next_cursor":null}`,
    )
  })

  const email = (given: unknown) => ({ emails: [{ email: given }] })
  const phone = (given: unknown) => ({ phones: [{ number: given }] })
  const refused: [string, Given, string[]][] = [
    ['no name, email or phone', { job_title: 'CTO' }, [' empty']],
    ['names of white space', { first_name: ' ', last_name: '\t\u00a0' }, [' empty']],
    ['empty lists', { emails: [], phones: [] }, [' empty']],
    ['a name of 256 characters', { first_name: 'x'.repeat(256) }, ['/first_name too_long']],
    ['an email without a host', email('ana@'), ['/emails/0/email invalid_email']],
    ['an email of two hosts', email('ana@@x.example'), ['/emails/0/email invalid_email']],
    ['an email that ends with a dot', email('ana@x.example.'), ['/emails/0/email invalid_email']],
    ['an email with a space', email('ana lee@x.example'), ['/emails/0/email invalid_email']],
    ['an email with another one in it', email('"x> , <victim@v.example"@x.example'), ['/emails/0/email invalid_email']],
    ['an email that is null', email(null), ['/emails/0/email not_null']],
    ['an email as a string', { emails: ['ana@x.example'] }, ['/emails/0 invalid_type']],
    ['an email without its address', { emails: [{ label: 'work' }] }, ['/emails/0/email required']],
    ['an unknown label', { emails: [{ email: 'a@x.example', label: 'fax' }] }, ['/emails/0/label invalid_choice']],
    ['an unknown member', { emails: [{ email: 'a@x.example', note: '' }] }, ['/emails/0/note unknown_field']],
    ['emails that are null', { emails: null }, ['/emails not_null']],
    ['phones that are null', { phones: null }, ['/phones not_null']],
    ['a phone with two digits', phone('call 12'), ['/phones/0/number invalid_phone']],
    ['a phone of 51 characters', phone('1'.repeat(51)), ['/phones/0/number too_long']],
    [
      'an email twice, in another case',
      { emails: [{ email: 'ü@x.example' }, { email: 'b@x.example' }, { email: 'Ü@X.example' }] },
      ['/emails/2 repeated'],
    ],
    [
      'a phone twice, grouped otherwise',
      { phones: [{ number: '+49 (30) 123' }, { number: '+4930-123' }] },
      ['/phones/1 repeated'],
    ],
    [
      'two primary emails',
      {
        emails: [
          { email: 'a@x.example', is_primary: true },
          { email: 'b@x.example', is_primary: true },
        ],
      },
      ['/emails more_than_one_primary'],
    ],
    ['a name that is given', { name: 'Ana' }, ['/name unknown_field']],
    ['unsubscribed_at', { unsubscribed_at: null }, ['/unsubscribed_at unknown_field']],
    ['do_not_contact that is null', { do_not_contact: null }, ['/do_not_contact not_null']],
    ['a website without its scheme', { website: 'ana.example' }, ['/website invalid_url']],
    ['a script as a web address', { linkedin_url: 'javascript:alert(1)' }, ['/linkedin_url invalid_url']],
    ['an unknown time zone', { timezone: 'Europe/Atlantis' }, ['/timezone invalid_timezone']],
    ['a language that is none', { language: 'deutsch!' }, ['/language invalid_language']],
    ['an empty external_id', { external_id: '' }, ['/external_id empty']],
    ['an address as a string', { address: 'Berlin' }, ['/address invalid_type']],
    ['an address as an array', { address: [] }, ['/address invalid_type']],
    ['an unknown member of the address', { address: { street: 'x' } }, ['/address/street unknown_field']],
    ['a country that is none', { address: { country: 'XX' } }, ['/address/country invalid_country']],
    ['an unknown company', { company_id: UNKNOWN }, ['/company_id reference_not_found']],
    ['an unknown owner', { owner_id: UNKNOWN }, ['/owner_id reference_not_found']],
    ['an unknown tag', { tag_ids: [UNKNOWN] }, ['/tag_ids/0 reference_not_found']],
  ]
  for (const [what, given, errors] of refused) {
    test(`refuses ${what} and writes nothing`, async () => {
      const { call, lastSeq } = server
      const seq = lastSeq()
      const isNameless = ['no name, email or phone', 'names of white space', 'empty lists'].includes(what)
      const { status, body } = await call('POST', '/contacts', isNameless ? given : { first_name: 'Ana', ...given })
      assert.equal(status, 422)
      assert.deepEqual(errorsOf(body), errors)
      assert.equal(lastSeq(), seq)
    })
  }

  test('takes an email or a phone for a name, and marks the first as primary', async () => {
    const byEmail = await newContact({ emails: [{ email: 'One@way.example' }, { email: 'two@way.example' }] })
    assert.equal(byEmail.name, 'One@way.example')
    assert.deepEqual(byEmail.emails, [
      { email: 'One@way.example', label: 'work', is_primary: true },
      { email: 'two@way.example', label: 'work', is_primary: false },
    ])
    const byPhone = await newContact({
      phones: [{ number: '030 111' }, { number: '030 222', label: 'home', is_primary: true }],
    })
    assert.equal(byPhone.name, '030 222')
    assert.deepEqual(byPhone.phones, [
      { number: '030 111', label: 'work', is_primary: false },
      { number: '030 222', label: 'home', is_primary: true },
    ])
    const both = await newContact({ phones: [{ number: '030 111' }], emails: [{ email: 'both@way.example' }] })
    assert.equal(both.name, 'both@way.example')
  })

  const names: [Given, string][] = [
    [{ first_name: ' Ana ', last_name: ' Lee ' }, 'Ana Lee'],
    [{ first_name: 'Ana', last_name: null }, 'Ana'],
    [{ last_name: 'Lee', phones: [{ number: '12345' }] }, 'Lee'],
    [{ first_name: 'x'.repeat(255), last_name: 'y'.repeat(255) }, `${'x'.repeat(255)} ${'y'.repeat(255)}`],
  ]
  for (const [given, name] of names) {
    test(`makes the name ${JSON.stringify(name.slice(0, 20))} of what was given`, async () => {
      const contact = await newContact(given)
      assert.equal(contact.name, name)
      assert.equal(contact.first_name, given.first_name ?? null)
    })
  }
})

describe('duplicates', () => {
  test('an email that another contact has is refused with its id, whatever the case', async () => {
    const { call, lastSeq } = server
    const first = await newContact({ emails: [{ email: 'first@twice.example' }, { email: 'Second@twice.example' }] })
    const seq = lastSeq()
    const { status, body } = await call('POST', '/contacts', {
      emails: [{ email: 'new@twice.example' }, { email: 'SECOND@Twice.example' }],
    })
    assert.equal(status, 409)
    assert.equal(body.code, 'duplicate')
    assert.equal(body.duplicate_id, first.id)
    assert.match(body.detail, new RegExp(first.id))
    assert.equal(lastSeq(), seq)
    assert.deepEqual(await contactIds('email=new@twice.example'), [])
  })

  test('allow_duplicate=true lets the email in, allow_duplicate=false does not', async () => {
    const { call } = server
    const first = await newContact({ emails: [{ email: 'shared@desk.example' }] })
    const given = { emails: [{ email: 'Shared@Desk.example' }] }
    assert.equal((await call('POST', '/contacts?allow_duplicate=false', given)).status, 409)
    const second = await newContact(given, '?allow_duplicate=true')
    assert.deepEqual(await contactIds('email=shared@desk.example&sort=created_at'), [first.id, second.id])
    const third = await call('POST', '/contacts', given)
    assert.equal(third.body.duplicate_id, first.id)
  })

  test('a PATCH checks the emails that it adds, and only those', async () => {
    const { call } = server
    const first = await newContact({ emails: [{ email: 'info@patched.example' }] })
    const second = await newContact({ emails: [{ email: 'INFO@patched.example' }] }, '?allow_duplicate=true')
    const kept = [{ email: 'info@PATCHED.example' }, { email: 'own@patched.example' }]
    const { status, body } = await call('PATCH', `/contacts/${second.id}`, { emails: kept })
    assert.equal(status, 200)
    assert.equal(body.emails[0].email, 'info@PATCHED.example')
    const added = await call('PATCH', `/contacts/${first.id}`, {
      emails: [{ email: 'info@patched.example' }, { email: 'Own@patched.example' }],
    })
    assert.equal(added.status, 409)
    assert.equal(added.body.duplicate_id, second.id)
    const forced = await call('PATCH', `/contacts/${first.id}?allow_duplicate=true`, { emails: kept })
    assert.equal(forced.status, 200)
    assert.deepEqual(await contactIds('email=own@patched.example&sort=created_at'), [first.id, second.id])
  })

  test('an email is free again when its contact gives it up or is deleted', async () => {
    const { call } = server
    const first = await newContact({ first_name: 'Ana', emails: [{ email: 'free@again.example' }] })
    await call('PATCH', `/contacts/${first.id}`, { emails: [{ email: 'other@again.example' }] })
    const second = await newContact({ emails: [{ email: 'free@again.example' }] })
    assert.deepEqual(await contactIds('email=free@again.example'), [second.id])
    await call('DELETE', `/contacts/${second.id}`)
    await newContact({ emails: [{ email: 'free@again.example' }] })
  })

  test('an external_id is unique, also with allow_duplicate, and its own contact may repeat it', async () => {
    const { call } = server
    const first = await newContact({ first_name: 'Ana', external_id: 'ERP-1' })
    for (const query of ['', '?allow_duplicate=true']) {
      const { status, body } = await call('POST', `/contacts${query}`, { first_name: 'Bo', external_id: 'ERP-1' })
      assert.equal(status, 409)
      assert.equal(body.code, 'duplicate')
      assert.equal(body.duplicate_id, first.id)
    }
    const other = await newContact({ first_name: 'Bo', external_id: 'erp-1' })
    assert.equal((await call('PATCH', `/contacts/${other.id}`, { external_id: 'ERP-1' })).status, 409)
    const again = { external_id: 'ERP-1', first_name: 'Anna' }
    assert.equal((await call('PATCH', `/contacts/${first.id}`, again)).status, 200)
  })

  test('what is wrong with the fields comes before what is in the way', async () => {
    const { call } = server
    const emails = [{ email: 'order@checks.example' }]
    const first = await newContact({ emails })
    for (const wrong of [{ company_id: UNKNOWN }, { emails: [...emails, ...emails] }, { timezone: 'x' }]) {
      assert.equal((await call('POST', '/contacts', { emails, ...wrong })).status, 422)
    }
    const second = await newContact({ first_name: 'Bo' })
    const both = { emails, company_id: UNKNOWN }
    assert.equal((await call('PATCH', `/contacts/${second.id}`, both)).status, 422)
    assert.equal((await call('PATCH', `/contacts/${second.id}`, { emails })).body.duplicate_id, first.id)
  })

  test('another organisation is not in the way, and its records cannot be referred to', async () => {
    const { b, call, now } = server
    const given = { emails: [{ email: 'both@orgs.example' }], external_id: 'both-orgs' }
    const own = await newContact(given)
    const foreign = await newRecord('/contacts', given, { token: b.token })
    const company = await newRecord('/companies', { name: 'Foreign' }, { token: b.token })
    assert.deepEqual(await contactIds('email=both@orgs.example'), [own.id])
    const headers = { 'x-request-id': `refers-${now()}` }
    const answers = []
    for (const id of [company.id, UNKNOWN]) {
      answers.push((await call('POST', '/contacts', { first_name: 'Ana', company_id: id }, { headers })).text)
    }
    assert.equal(answers[0], answers[1])
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await call(method, `/contacts/${foreign.id}`)).status, 404)
    }
  })
})

describe('change', () => {
  test('writes what differs, one version on, with the event that says so', async () => {
    const { advance, call, events, lastSeq } = server
    const contact = await newContact({ first_name: 'Ana', last_name: 'Lee', source: 'web' })
    const seq = lastSeq()
    advance(1000)
    const { status, body, headers, text } = await call('PATCH', `/contacts/${contact.id}`, {
      last_name: 'Li',
      source: null,
      do_not_contact: false,
    })
    assert.equal(status, 200)
    assert.equal(headers.get('etag'), '"2"')
    assert.deepEqual(body, {
      ...contact,
      last_name: 'Li',
      name: 'Ana Li',
      source: null,
      updated_at: new Date(server.now()).toISOString(),
      version: 2,
    })
    assert.equal((await call('GET', `/contacts/${contact.id}`)).text, text)
    const [event, ...more] = events(seq)
    assert.equal(more.length, 0)
    assert.equal(event?.type, 'contact.updated')
    assert.deepEqual(event?.object, body)
    assert.deepEqual(event?.changed_fields, ['last_name', 'name', 'source'])
    assert.deepEqual(event?.previous, { last_name: 'Lee', name: 'Ana Lee', source: 'web' })
  })

  test('without a difference writes nothing', async () => {
    const { advance, call, lastSeq } = server
    const given = { first_name: 'Ana', emails: [{ email: 'same@same.example' }], address: { city: 'Bonn' } }
    const contact = await newContact(given)
    const seq = lastSeq()
    advance(1000)
    for (const same of [{}, given, { address: {} }, { address: { city: 'Bonn', line1: null } }, { source: null }]) {
      const { status, body } = await call('PATCH', `/contacts/${contact.id}`, same)
      assert.equal(status, 200)
      assert.deepEqual(body, contact)
    }
    assert.equal(lastSeq(), seq)
  })

  test('replaces lists whole', async () => {
    const { call } = server
    const contact = await newContact({
      emails: [{ email: 'a@whole.example' }, { email: 'b@whole.example' }],
      phones: [{ number: '111' }],
    })
    const { body } = await call('PATCH', `/contacts/${contact.id}`, { emails: [{ email: 'c@whole.example' }] })
    assert.deepEqual(body.emails, [{ email: 'c@whole.example', label: 'work', is_primary: true }])
    assert.deepEqual(body.phones, contact.phones)
    assert.equal(body.name, 'c@whole.example')
    const cleared = await call('PATCH', `/contacts/${contact.id}`, { emails: [] })
    assert.deepEqual(cleared.body.emails, [])
    assert.equal(cleared.body.name, '111')
  })

  test('refuses what would leave no name, email or phone', async () => {
    const { call, lastSeq } = server
    const contact = await newContact({ first_name: 'Ana' })
    const seq = lastSeq()
    const { status, body } = await call('PATCH', `/contacts/${contact.id}`, { first_name: null })
    assert.equal(status, 422)
    assert.deepEqual(errorsOf(body), [' empty'])
    assert.equal(lastSeq(), seq)
    const swap = { first_name: null, phones: [{ number: '12345' }] }
    assert.equal((await call('PATCH', `/contacts/${contact.id}`, swap)).body.name, '12345')
  })

  test('keeps an owner who was deactivated meanwhile, but takes no such owner anew', async () => {
    const { a, call, store } = server
    const contact = await newContact({ first_name: 'Ana', owner_id: a.owner })
    store.db.prepare('UPDATE contacts SET owner_id = ? WHERE id = ?').run(a.deactivated, contact.id)
    const kept = await call('PATCH', `/contacts/${contact.id}`, { owner_id: a.deactivated, source: 'web' })
    assert.equal(kept.status, 200)
    const other = await newContact()
    const { status, body } = await call('PATCH', `/contacts/${other.id}`, { owner_id: a.deactivated })
    assert.equal(status, 422)
    assert.deepEqual(errorsOf(body), ['/owner_id member_deactivated'])
  })

  test('of the address follows RFC 7396, member by member', async () => {
    const { call } = server
    const contact = await newContact()
    const text = fc.option(fc.constantFrom('', 'a', 'Straße 1', '"\\'), { nil: null })
    const country = fc.option(fc.constantFrom('DE', 'BR'), { nil: null })
    const members = { line1: text, line2: text, city: text, region: text, postal_code: text, country }
    const patch = fc.option(fc.record(members, { requiredKeys: [] }), { nil: null, freq: 5 })
    let expected: Record<string, string | null> | null = null
    let version = 1
    await fc.assert(
      fc.asyncProperty(patch, async (address) => {
        const merged = rfc7396(expected, address)
        const isEmpty = merged === null || Object.values(merged).every((value) => value === null)
        const after = isEmpty ? null : Object.fromEntries(Object.keys(members).map((key) => [key, merged[key] ?? null]))
        if (JSON.stringify(after) !== JSON.stringify(expected)) version++
        expected = after
        const { body } = await call('PATCH', `/contacts/${contact.id}`, { address })
        assert.deepEqual(body.address, expected)
        assert.equal(body.version, version)
      }),
      { numRuns: 300, endOnFailure: true },
    )
  })
})

/** The algorithm of RFC 7396, section 2, for an object of plain members. */
function rfc7396(target: Given | null, patch: Given | null): Record<string, string | null> | null {
  if (patch === null) return null
  const result: Given = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = value
  }
  return result as Record<string, string | null>
}

describe('list', () => {
  test('filters by each of its parameters', async () => {
    const { a, call } = server
    const company = (await newRecord('/companies', { name: 'Filter' })).id
    const tag = (await newRecord('/tags', { name: 'Filter' })).id
    server.advance(60_000)
    const start = new Date(server.now()).toISOString()
    const ana = await newContact({ first_name: 'Ana', company_id: company, tag_ids: [tag], external_id: 'f-1' })
    server.advance(1000)
    const bo = await newContact({ first_name: 'Bo', owner_id: a.owner, do_not_contact: true, external_id: 'f-2' })
    const cleo = await newContact({ first_name: 'Cleo', emails: [{ email: 'É@filter.example' }] })
    server.advance(1000)
    await call('PATCH', `/contacts/${ana.id}`, { source: 'web' })
    const expected: [string, string[]][] = [
      ['', [cleo.id, bo.id, ana.id]],
      [`company_id=${company}`, [ana.id]],
      ['company_id=null', [cleo.id, bo.id]],
      [`company_id[ne]=${company}`, [cleo.id, bo.id]],
      [`tag_id=${tag}`, [ana.id]],
      [`tag_id[in]=${tag},${UNKNOWN}`, [ana.id]],
      [`owner_id=${a.owner}`, [bo.id]],
      ['owner_id=null', [cleo.id, ana.id]],
      ['do_not_contact=true', [bo.id]],
      ['do_not_contact=false', [cleo.id, ana.id]],
      ['email=e\u0301@FILTER.example', [cleo.id]],
      ['email[in]=é@filter.example,x@filter.example', [cleo.id]],
      ['email=\uff25\u0301@filter.example', [cleo.id]],
      ['email=nobody@filter.example', []],
      ['external_id=f-1', [ana.id]],
      ['external_id[in]=f-1,f-2', [bo.id, ana.id]],
      ['external_id=F-1', []],
      [`created_at=${start}`, [ana.id]],
      [`updated_at[gt]=${bo.updated_at}`, [ana.id]],
      [`updated_at=${bo.updated_at}`, [cleo.id, bo.id]],
      ['sort=name', [ana.id, bo.id, cleo.id]],
      ['sort=-updated_at', [ana.id, cleo.id, bo.id]],
      ['sort=created_at', [ana.id, bo.id, cleo.id]],
    ]
    for (const [query, ids] of expected) {
      assert.deepEqual(await contactIds(encodeURI(`created_at[gte]=${start}&${query}`)), ids, query)
    }
  })

  test('sorts names without case and accents, over pages', async () => {
    const company = (await newRecord('/companies', { name: 'Sorted' })).id
    const names = ['émile', 'Zoe', 'ana', 'Łukasz', 'EMIL', 'Mia']
    for (const first_name of names) await newContact({ first_name, company_id: company })
    const sorted: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await server.call('GET', `/contacts?company_id=${company}&sort=name&limit=2${cursor}`)
      sorted.push(...body.data.map(({ name }: { name: string }) => name))
      cursor = body.next_cursor && `&cursor=${body.next_cursor}`
    }
    assert.deepEqual(sorted, ['ana', 'EMIL', 'émile', 'Łukasz', 'Mia', 'Zoe'])
  })

  test('a tag that is deleted leaves its contacts', async () => {
    const { call } = server
    const tags = [(await newRecord('/tags', { name: 'Gone' })).id, (await newRecord('/tags', { name: 'Stays' })).id]
    const contact = await newContact({ first_name: 'Ana', tag_ids: [...tags, ...tags] })
    assert.deepEqual(contact.tag_ids, tags)
    await call('DELETE', `/tags/${tags[0]}`)
    const { body } = await call('GET', `/contacts/${contact.id}`)
    assert.deepEqual([body.tag_ids, body.version], [[tags[1]], 2])
    assert.deepEqual((await call('PATCH', `/contacts/${contact.id}`, { tag_ids: [] })).body.tag_ids, [])
    assert.deepEqual(await contactIds(`tag_id=${tags[1]}`), [])
  })
})

describe('delete', () => {
  test('takes the contact off its deals in the same transaction, each with its own event', async () => {
    const { a, advance, call, events, lastSeq, store } = server
    const tag = (await newRecord('/tags', { name: 'Deleted' })).id
    const contact = await newContact({ emails: [{ email: 'gone@deleted.example' }], tag_ids: [tag] })
    const company_id = (await newRecord('/companies', { name: 'Deleted' })).id
    const given = { primary_contact_id: contact.id, company_id, owner_id: a.owner, tag_ids: [tag], amount: 0.000001 }
    const first = await newRecord('/deals', { title: 'First', ...given })
    const second = await newRecord('/deals', { title: 'Second', ...given })
    const other = await newRecord('/deals', { title: 'Other', primary_contact_id: (await newContact()).id })
    await call('POST', `/deals/${second.id}/close`, { reason_id: a.reasons.won })
    const closed = (await call('GET', `/deals/${second.id}`)).body
    const seq = lastSeq()
    advance(1000)
    const { status, text } = await call('DELETE', `/contacts/${contact.id}`)
    assert.deepEqual([status, text], [204, ''])
    assert.equal((await call('GET', `/contacts/${contact.id}`)).status, 404)
    assert.deepEqual(await contactIds(`tag_id=${tag}`), [])
    const updated_at = new Date(server.now()).toISOString()
    const expected = [first, closed].map((deal) => ({
      ...deal,
      primary_contact_id: null,
      updated_at,
      version: deal.version + 1,
    }))
    for (const deal of expected) assert.deepEqual((await call('GET', `/deals/${deal.id}`)).body, deal)
    assert.deepEqual((await call('GET', `/deals/${other.id}`)).body, other)
    const written = events(seq)
    assert.deepEqual(
      written.map(({ type, object }) => [type, object]),
      [...expected.map((deal) => ['deal.updated', deal]), ['contact.deleted', contact]],
    )
    for (const { changed_fields, previous } of written.slice(0, 2)) {
      assert.deepEqual(changed_fields, ['primary_contact_id'])
      assert.deepEqual(previous, { primary_contact_id: contact.id })
    }
    assert.deepEqual([written[2]?.changed_fields, written[2]?.previous], [[], {}])
    assert.deepEqual(store.db.pragma('foreign_key_check'), [])
  })

  test('takes the contact off all that refers to it, and its conversations stay with what was said', async () => {
    const { call, events, lastSeq } = server
    const { id } = await newContact({ last_name: 'Ruiz' })
    const message = { contact_id: id, channel: 'chat', direction: 'inbound', body_text: 'Hello' }
    const { body: said } = await call('POST', '/messages', message)
    await newRecord('/notes', { body: 'x', contact_ids: [id], conversation_id: said.conversation_id })
    await newRecord('/tasks', { title: 'x', contact_ids: [id] })
    const times = { starts_at: '2026-12-01T09:00:00Z', ends_at: '2026-12-01T10:00:00Z' }
    await newRecord('/meetings', { title: 'x', ...times, participants: [{ contact_id: id }] })
    const path = `/conversations/${said.conversation_id}`
    const before = (await call('GET', path)).body
    const seq = lastSeq()
    assert.equal((await call('DELETE', `/contacts/${id}`)).status, 204)
    assert.deepEqual(
      events(seq).map(({ type, changed_fields }) => [type, ...changed_fields].join(' ')),
      [
        'note.updated contact_ids',
        'task.updated contact_ids',
        'meeting.updated participants',
        'conversation.updated contact_id',
        'contact.deleted',
      ],
    )
    const now = (await call('GET', path)).body
    assert.deepEqual(now, { ...before, contact_id: null, updated_at: now.updated_at, version: 2 })
    const { author } = (await call('GET', `/messages/${said.id}`)).body
    assert.deepEqual(author, { ...said.author, id: null, name: 'Ruiz' })
  })

  test('leaves everything as it was where If-Match names another version', async () => {
    const { call, lastSeq } = server
    const contact = await newContact()
    const deal = await newRecord('/deals', { title: 'Kept', primary_contact_id: contact.id })
    const seq = lastSeq()
    const headers = { 'if-match': '"2"' }
    assert.equal((await call('DELETE', `/contacts/${contact.id}`, undefined, { headers })).status, 412)
    assert.deepEqual((await call('GET', `/deals/${deal.id}`)).body, deal)
    assert.equal(lastSeq(), seq)
  })
})
